package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cqltrace"
)

// CassandraFQL is what fqltool dump prints of a full query log.
var CassandraFQL = ingest.Format{
	Name:     "cassandra-fql",
	Title:    "Dumps of Cassandra's full query log",
	Doc:      cassandraFQLDoc,
	Coverage: ingest.Traffic,
	Carries:  []string{"time", "table", "key", "statement"},
	Sniff:    sniffCassandraFQL,
	Begins:   fqlBegins,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &cassandraFQL{reader: cqltrace.Reader{Schema: o.Schema, Changes: o.Changes}, times: ingest.TimeParser{Location: o.Location}}, nil
	},
}

const cassandraFQLDoc = `
What fqltool dump (Cassandra 4.0 and later) prints of a full query log: records of a statement, or of a batch, with its
bound values as hex dumps.

Each statement is a request that its coordinator answered; those that failed are not in the log. Keys come from the
statement and its values: with a schema they are shown by their types, without one as the bytes that are stored, and
then those of inserts and of keys with several columns are not known. Values over 1,024 bytes are cut by the tool.
https://cassandra.apache.org/doc/latest/cassandra/managing/operating/fqllogging.html
`

const (
	fqlSkip    = "text around the records of a full query log"
	fqlProblem = "record of a full query log cut or changed"
)

type cassandraFQL struct {
	reader cqltrace.Reader
	times  ingest.TimeParser
	event  ingest.Event
	hex    fqlValues
}

func fqlBegins(line []byte) bool {
	return bytes.HasPrefix(line, []byte("Type: single-query")) || bytes.HasPrefix(line, []byte("Type: batch"))
}

func sniffCassandraFQL(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	for line := range bytes.Lines(head) {
		if fqlBegins(line) {
			return ingest.Verdict{Fit: ingest.Certain, Why: "records of a full query log"}
		}
	}
	return ingest.Verdict{Fit: ingest.No, Why: "no record of a full query log: Type: single-query"}
}

// Decode implements ingest.Decoder.
func (d *cassandraFQL) Decode(rec *ingest.Record, to ingest.Sink) {
	if !fqlBegins(rec.Data) {
		to.Skip(fqlSkip)
		return
	}
	at, nano, keyspace := d.header(rec.Data)
	if at < 0 {
		to.Problem(ingest.Problem{Cause: fqlProblem, Text: string(rec.Data[:min(len(rec.Data), ingest.MaxProblemText)]), At: rec.At})
		return
	}
	body := rec.Data[at:]
	statements := uint64(1)
	if batch := bytes.HasPrefix(rec.Data, []byte("Type: batch")); batch {
		statements = uint64(bytes.Count(body, []byte("\nQuery: ")))
	}
	said := false
	for text, rest, ok := fqlStatement(body); ok; text, rest, ok = fqlStatement(rest) {
		rest = d.hex.read(rest)
		e := &d.event
		*e = ingest.Event{Store: ingest.Cassandra, Witness: ingest.QueryLog, At: rec.At}
		if nano != 0 {
			e.SetTime(nano)
		}
		if !d.reader.Read(e, cqltrace.Statement{Text: text, Keyspace: keyspace, Stored: d.hex.values}) {
			continue
		}
		if statements > 1 && !said {
			e.Partitions = statements
		}
		to.Event(e)
		said = true
	}
	if !said {
		to.Skip(fqlSkip)
	}
}

// header reads the lines before the first statement, and gives where the line before it ends; -1: there
// is no statement.
func (d *cassandraFQL) header(data []byte) (at int, unixNano int64, keyspace []byte) {
	at = bytes.Index(data, []byte("\nQuery: "))
	for line := range bytes.Lines(data[:max(at, 0)]) {
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		switch value = bytes.TrimSpace(value); string(name) {
		case "Query start time":
			if nano, cause := d.times.Parse(value); cause == "" {
				unixNano = nano
			}
		case "Keyspace":
			keyspace = value
		}
	}
	return at, unixNano, keyspace
}

// fqlStatement finds the next statement, which ends where its values begin.
func fqlStatement(data []byte) (text, rest []byte, ok bool) {
	_, data, ok = bytes.Cut(data, []byte("\nQuery: "))
	if !ok {
		return nil, nil, false
	}
	text, rest, ok = bytes.Cut(data, []byte("\nValues:"))
	if !ok {
		return bytes.TrimSpace(data), nil, true
	}
	return bytes.TrimSpace(text), rest, true
}

// fqlValues undoes hex dumps of values; it reuses its memory.
type fqlValues struct {
	values [][]byte // nil: null, or not whole
	bytes  []byte
	starts []int
	whole  []bool
}

// read takes the dumps of one statement off data, each closed by a line of hyphens:
//
//	00000000 79 79 79 79 79 79 79 79  79 79 79 79 79 79 79 79 yyyyyyyy yyyyyyyy
//	........                                                  rows like the last one
//	000002b0 79 79                                            yy
//	-----
func (v *fqlValues) read(data []byte) (rest []byte) {
	v.values, v.bytes, v.starts, v.whole = v.values[:0], v.bytes[:0], v.starts[:0], v.whole[:0]
	if next := bytes.Index(data, []byte("\nQuery: ")); next >= 0 {
		data, rest = data[:next], data[next:]
	}
	start, whole, repeats := 0, true, false
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		switch line = bytes.TrimRight(line, "\r"); {
		case string(line) == "-----":
			v.starts, v.whole = append(v.starts, start), append(v.whole, whole && !repeats)
			start, whole, repeats = len(v.bytes), true, false
		case string(line) == "null", bytes.HasPrefix(line, []byte("...")) && !bytes.HasPrefix(line, []byte("........")):
			whole = false
		case bytes.HasPrefix(line, []byte("........")):
			repeats = true
		default:
			if offset, row, ok := fqlRow(line); ok {
				whole = whole && v.upTo(start, offset, repeats)
				v.bytes, repeats = appendHexRow(v.bytes, row), false
			}
		}
	}
	v.cut()
	return rest
}

// upTo repeats the last row until the value is offset bytes long; false: it cannot be.
func (v *fqlValues) upTo(start, offset int, repeats bool) bool {
	const row = 16
	if offset > 1<<20 {
		return false
	}
	for repeats && len(v.bytes)-start >= row && len(v.bytes)-start < offset {
		v.bytes = append(v.bytes, v.bytes[len(v.bytes)-row:]...)
	}
	return len(v.bytes)-start == offset
}

// cut makes the values of the bytes.
func (v *fqlValues) cut() {
	for i, start := range v.starts {
		end := len(v.bytes)
		if i+1 < len(v.starts) {
			end = v.starts[i+1]
		}
		value := v.bytes[start:end:end]
		switch {
		case !v.whole[i]:
			value = nil
		case start == end:
			value = []byte{}
		}
		v.values = append(v.values, value)
	}
}

// fqlRow takes a row of a hex dump apart.
func fqlRow(line []byte) (offset int, row []byte, ok bool) {
	if len(line) < 11 || line[8] != ' ' {
		return 0, nil, false
	}
	for _, c := range line[:8] {
		digit, ok := hexDigit(c)
		if !ok {
			return 0, nil, false
		}
		offset = offset<<4 | int(digit)
	}
	return offset, line[9:], true
}

// appendHexRow appends the bytes of a row: up to 16, with a gap behind the eighth.
func appendHexRow(dst, row []byte) []byte {
	for n := 0; n < 16 && len(row) >= 2; n++ {
		if n == 8 && row[0] == ' ' {
			row = row[1:]
		}
		if len(row) < 2 {
			break
		}
		high, ok1 := hexDigit(row[0])
		low, ok2 := hexDigit(row[1])
		if !ok1 || !ok2 || len(row) > 2 && row[2] != ' ' {
			break
		}
		dst = append(dst, high<<4|low)
		row = row[min(3, len(row)):]
	}
	return dst
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
