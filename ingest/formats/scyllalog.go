package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// ScyllaLog is the server's own log, of ScyllaDB.
var ScyllaLog = ingest.Format{
	Name:     "scylla-log",
	Title:    "ScyllaDB server logs",
	Doc:      scyllaLogDoc,
	Coverage: ingest.Selected,
	Carries:  []string{"time", "table", "key", "tombstones", "rows", "partition size", "row size", "cell size", "collection size"},
	Sniff:    sniffScyllaLog,
	Begins: func(line []byte) bool {
		_, at := scyllaLine(line)
		return at >= 0 || scyllaAuditEntry(line) >= 0
	},
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &scylla{schema: o.Schema, times: ingest.TimeParser{Location: o.Location}, audits: newScyllaAudit(o)}, nil
	},
}

const scyllaLogDoc = `
What ScyllaDB 2.3 to 2026.3 prints to its console, syslog or journal. Read are large partitions, rows, cells and
collections (logger large_data; since 5.2.18, 5.4.6 and 6.0 these lines name no key, which then stands in
system.large_partitions only), large data guardrails, tombstone warnings (querier), unpaged reads that ended at
query_tombstone_page_limit (storage_proxy), batches over several partitions, per-partition rate limits, and entries of the
audit log that syslog put between them. All other lines are skipped. Times without a zone are in --timezone.

Sizes are of one SSTable. Tombstones are those of one page of a read; from 6.2 on one such line in ten seconds is printed
by each shard. Sources: db/large_data_handler.cc, replica/querier.cc, seastar/src/util/log.cc.
`

// What a skipped record, and a recognised message that cannot be read, is.
const (
	slSkipOther      = "other lines of the log"
	slProblemMessage = "message of ScyllaDB cut or changed"
)

// scylla reads records of ScyllaDB's log.
type scylla struct {
	schema *cql.Schema
	times  ingest.TimeParser
	audits *scyllaAudit

	// The current record.
	rec  *ingest.Record
	to   ingest.Sink
	head scyllaHead
	nano int64 // 0: unknown

	event ingest.Event
	state ingest.State
	table []byte
	key   []byte
	raw   []byte
	plain []byte // a message without line ends
	parts [][]byte
}

// Decode implements ingest.Decoder.
func (d *scylla) Decode(rec *ingest.Record, to ingest.Sink) {
	head, at := scyllaLine(rec.Data)
	if at < 0 && scyllaAuditEntry(rec.Data) >= 0 {
		d.audits.Decode(rec, slAudits{to})
		return
	}
	if at < 0 {
		to.Skip(slSkipOther)
		return
	}
	text := rec.Data[at:]
	line, below, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimRight(line, " \r")
	read := scyllaMessage(line)
	if len(below) > 0 && (read == nil && slMayBeWrapped(text) || bytes.HasPrefix(text, slException)) {
		d.plain = d.unwrapped(d.plain[:0], text, rec.Data[0] == '>')
		line, below = d.plain, nil
		read = scyllaMessage(line)
	}
	if read == nil {
		to.Skip(slSkipOther)
		return
	}
	d.rec, d.to, d.head = rec, to, head
	d.nano = d.time(rec.Data)
	switch quoted := rec.Data[0] == '>'; {
	case read(d, slText(slUnescaped(line))):
		return
	case len(below) == 0:
	case !quoted && below[0] != ' ' && read(d, slText(slUnescaped(text))): // of a key with a line end
		return
	default:
		d.plain = d.unwrapped(d.plain[:0], text, quoted)
		if read(d, slText(slUnescaped(d.plain))) {
			return
		}
	}
	to.Problem(ingest.Problem{Cause: slProblemMessage, Text: string(text[:min(len(text), ingest.MaxProblemText)]), At: rec.At})
}

// slAudits hands on what an entry of the audit log tells, as traffic.
type slAudits struct{ ingest.Sink }

// Event implements ingest.Sink.
func (s slAudits) Event(e *ingest.Event) {
	e.Coverage = ingest.Traffic
	s.Sink.Event(e)
}

// slMayBeWrapped reports whether the first line of a message may be the beginning of one that is read.
func slMayBeWrapped(text []byte) bool {
	return bytes.HasPrefix(text, []byte("Writing")) || bytes.HasPrefix(text, []byte("Read")) || bytes.HasPrefix(text, []byte("Large data"))
}

var slException = []byte("Exception when")

// unwrapped appends a message that a person wrapped as one line, without the marks of a quotation.
func (d *scylla) unwrapped(dst, text []byte, quoted bool) []byte {
	for line := range bytes.Lines(text) {
		if quoted && len(dst) > 0 {
			line = bytes.TrimLeft(line, ">")
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, line...)
	}
	return dst
}

// slUnescaped undoes what JSON, CSV and HTML do to the quotes around a key.
func slUnescaped(line []byte) []byte {
	i := bytes.Index(line, []byte(" partition key "))
	if i < 0 {
		return line
	}
	for _, quote := range slEscapedQuotes {
		if bytes.HasPrefix(line[i+len(" partition key "):], quote) {
			return bytes.ReplaceAll(line, quote, []byte(`"`))
		}
	}
	return line
}

var slEscapedQuotes = [][]byte{[]byte(`\"`), []byte(`""`), []byte("&quot;"), []byte("&#34;")}

// time gives when the record was logged; 0: unknown.
func (d *scylla) time(data []byte) int64 {
	before := bytes.TrimRight(data[:d.head.shard], " ")
	const layout = len("2006-01-02 15:04:05,000")
	if len(before) >= layout {
		if at, cause := d.times.Parse(before[len(before)-layout:]); cause == "" {
			return at
		}
	}
	if word, _, _ := bytes.Cut(before, []byte(" ")); len(word) > len("2006-01-02T15:04") {
		if at, cause := d.times.Parse(word); cause == "" {
			return at
		}
	}
	return d.rec.UnixNano
}

// scyllaMessages are the messages that are read, by what they begin with; "(rate limiting dropped N
// similar messages) " may stand before.
var scyllaMessages = []struct {
	begin []byte
	read  func(*scylla, slText) bool
}{
	{[]byte("Writing large "), (*scylla).large},
	{[]byte("Writing a partition with too many rows ["), (*scylla).manyRows},
	{[]byte("Large data guardrail: "), (*scylla).guardrail},
	{[]byte("Write rejected for "), (*scylla).rejected},
	{[]byte("Detected large partition: "), (*scylla).detected},
	{[]byte("Read "), (*scylla).warned},
	{[]byte("Exception when communicating with "), (*scylla).exception},
	{[]byte("Logged batch modifying "), (*scylla).batch},
	{[]byte("Unlogged batch modifying "), (*scylla).batch},
}

var slUnpaged = []byte("Tombstones processed by unpaged query exceeds limit of ")

// scyllaMessage gives what reads the message, nil when none does.
func scyllaMessage(text []byte) func(*scylla, slText) bool {
	if bytes.HasPrefix(text, slDropped) {
		if i := bytes.Index(text, []byte(" similar messages) ")); i > 0 {
			text = text[i+len(" similar messages) "):]
		}
	}
	for i := range scyllaMessages {
		if m := &scyllaMessages[i]; bytes.HasPrefix(text, m.begin) {
			return m.read
		}
	}
	switch {
	case bytes.Contains(text, slUnpaged):
		return (*scylla).exception
	case bytes.Contains(text, rateLimit):
		return (*scylla).limited
	}
	return nil
}

func sniffScyllaLog(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	for line := range bytes.Lines(head) {
		if _, at := scyllaLine(bytes.TrimRight(line, "\r\n")); at >= 0 {
			return ingest.Verdict{Fit: ingest.Certain, Why: "a line of ScyllaDB's log"}
		}
	}
	return ingest.Verdict{Fit: ingest.No, Why: "no line with [shard N] and a logger of ScyllaDB"}
}
