package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// What a skipped record is.
const (
	clSkipOther    = "other lines of the log"
	clSkipContext  = "slow, dropped or refused without naming what"
	clSkipSize     = "sizes of batches, results and pages"
	clSkipRepeated = "exception of a read that its own line tells"
)

// What a recognised message that cannot be read is.
const (
	clProblemMessage   = "message of Cassandra cut or changed"
	clProblemStatement = "message of Cassandra cut before its table"
)

// cassandra reads records of server logs and, with role client, what clients echo of them.
type cassandra struct {
	schema  *cql.Schema
	changes bool   // DecodeOptions.Changes
	role    string // of all records; empty: that of the input
	json    bool   // messages stand in strings of JSON
	short   bool   // the input may be a fragment
	lone    bool   // an exception alone tells of an aborted read: the input holds no line of its own on it
	times   ingest.TimeParser
	parser  cql.Parser

	// The current record.
	rec  *ingest.Record
	to   ingest.Sink
	head cassandraHead
	nano int64 // 0: unknown
	said bool

	samples profileLoad
	audits  *cassandraAudit // nil until the first entry

	event ingest.Event
	state ingest.State
	table []byte
	key   []byte
	shape []byte
	part  []byte
	flat  []byte // a message without line ends
	plain []byte // a message without escapes
	paste []byte // a record without marks of a quotation
}

// shortBytes is the length up to which a server's log may be a fragment, whose exceptions are all it tells;
// a client's log never tells more.
const shortBytes = ingest.SniffBytes / 2

func newCassandra(head []byte, o ingest.DecodeOptions, role string) *cassandra {
	return &cassandra{
		schema: o.Schema, changes: o.Changes,
		role:  role,
		times: ingest.TimeParser{Location: o.Location},
		short: len(head) < shortBytes,
		lone:  (role != "" || len(head) < shortBytes) && !bytes.Contains(head, clScanned),
	}
}

var clScanned = []byte("Scanned over ")

// Decode implements ingest.Decoder.
func (d *cassandra) Decode(rec *ingest.Record, to ingest.Sink) {
	if quietLine(rec.Data) {
		to.Skip(clSkipOther)
		return
	}
	data := d.unquoted(rec.Data)
	head, at := cassandraLine(data)
	below := -1
	samples := false
	if at >= 0 && cassandraMessage(data[at:]) == clNone {
		samples = isSampler(data, &head, at)
		if below = exceptionBelow(data, head.level, at); below < 0 && !samples && !d.mayBeWrapped(data) {
			to.Skip(clSkipOther)
			return
		}
	}
	d.rec, d.to, d.said = rec, to, false
	switch {
	case samples:
		d.begin(head)
		d.sampled(data[at:])
	case at < 0:
		d.anywhere(data)
	case below >= 0:
		d.begin(head)
		d.exception(data[below:])
	default:
		d.chain(data, head, at)
	}
	if !d.said && !d.rewrapped(data) {
		to.Skip(clSkipOther)
	}
}

// rewrapped reads a message that a person wrapped between its first words, as happens in tickets: only
// in a short input, since every other record of several lines would be searched.
func (d *cassandra) rewrapped(data []byte) bool {
	if !d.mayBeWrapped(data) {
		return false
	}
	d.plain = clFlat(d.plain[:0], data)
	if at := findCassandraMessage(d.plain, 0); at >= 0 {
		d.message(d.plain[at:])
	}
	return d.said
}

func (d *cassandra) mayBeWrapped(data []byte) bool {
	return d.short && bytes.IndexByte(data, '\n') >= 0
}

// exceptionBelow gives where the lines below the first of an error or warning begin; -1: there are none.
func exceptionBelow(data []byte, level byte, at int) int {
	if level != 'E' && level != 'W' {
		return -1
	}
	n := bytes.IndexByte(data[at:], '\n')
	if n < 0 {
		return -1
	}
	return at + n + 1
}

// exception reads what an exception tells of a read that was ended: its text, where that is the server's
// own, or nothing but that it happened.
func (d *cassandra) exception(text []byte) {
	if i := bytes.Index(text, clScanned); i >= 0 && cassandraMessage(text[i:]) == clAbort {
		d.message(text[i:])
		return
	}
	switch i := loneAbort(text); {
	case i >= 0 && d.lone:
		d.aborted(text[i:])
	case i >= 0:
		d.skip(clSkipRepeated)
	}
}

// chain reads the message at data[at:], and those of further records that were run together on its line.
func (d *cassandra) chain(data []byte, head cassandraHead, at int) {
	for {
		d.begin(head)
		text := data[at:]
		next, nextAt := d.nextHead(text, &head)
		if next < 0 {
			d.message(text)
			return
		}
		d.message(text[:next])
		data, at = text, nextAt
	}
}

// nextHead finds the head of another record within text, and where its message begins.
func (d *cassandra) nextHead(text []byte, head *cassandraHead) (begin, message int) {
	for from := 1; ; from++ {
		i := bytes.IndexByte(text[min(from, len(text)):], '[')
		if i < 0 {
			return -1, -1
		}
		from += i
		if begin = levelBefore(text, from); begin < 0 {
			continue
		}
		h, at := cassandraLine(text[begin:])
		if at >= 0 && len(h.time) > 0 && len(h.thread) > 0 && len(h.file) > 0 {
			*head = h
			return begin, begin + at
		}
	}
}

// levelBefore gives where the level begins that stands before text[at:]; -1: there is none.
func levelBefore(text []byte, at int) int {
	end := at
	for end > max(0, at-3) && text[end-1] == ' ' {
		end--
	}
	for _, size := range []int{4, 5} {
		if begin := end - size; begin > 0 && end < at && text[begin-1] == ' ' && cassandraLevel(text[begin:]) == size {
			return begin
		}
	}
	return -1
}

// anywhere reads the messages of a record without the head of a server log.
func (d *cassandra) anywhere(data []byte) {
	head := cassandraHead{time: clTimeIn(data)}
	d.begin(head)
	at := findCassandraMessage(data, 0)
	for at >= 0 {
		next := findCassandraMessage(data, at+1)
		text := data[at:]
		if next >= 0 {
			text = data[at:next]
		}
		d.message(d.unescaped(text))
		at = next
	}
	if !d.said {
		d.exception(data)
	}
}

// unescaped undoes the escapes of a message that a client prints within quotes.
func (d *cassandra) unescaped(text []byte) []byte {
	if d.role == "" || bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	d.plain = d.plain[:0]
	if d.json {
		d.plain = ingest.AppendUnquoted(d.plain, text)
		text = d.plain
	}
	kept := d.plain[:0]
	for i, c := range text {
		if c != '\\' || i+1 == len(text) || text[i+1] != '\'' && text[i+1] != '"' {
			kept = append(kept, c)
		}
	}
	d.plain = kept
	return kept
}

// begin takes over what the head of a record says.
func (d *cassandra) begin(head cassandraHead) {
	d.head, d.nano = head, d.rec.UnixNano
	if len(head.time) > 0 {
		if nano, cause := d.time(head.time); cause == "" {
			d.nano = nano
		}
	}
}

// cassandraLogBegins reports whether a line begins a record: with a level, a date, a time or a message of its own.
func cassandraLogBegins(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	switch c := line[0]; {
	case c == 'I' || c == 'W' || c == 'E' || c == 'D' || c == 'T' || c == 'F' || c == ' ':
		if cassandraLevel(line[clBlanks(line, 0):]) > 0 {
			return true
		}
	case c == '[':
		return len(line) > 1 && (clDigit(line[1]) || cassandraLevel(line[1:]) > 0)
	case clDigit(c):
		if clDate(line) > 0 || clClock(line) || clNamedDate(line) > 0 {
			return true
		}
	case c == '<' || c == '\t':
		return false
	}
	return cassandraMessage(line) != clNone
}

// sniffCassandraLog looks for the head of Cassandra's lines, or for a message behind another head.
func sniffCassandraLog(head []byte, o ingest.DecodeOptions) ingest.Verdict {
	audits := 0
	for len(head) > 0 {
		n := clRecordEnd(head, cassandraLogBegins)
		rec := bytes.TrimRight(head[:n], "\r\n")
		head = head[n:]
		switch h, at := cassandraLine(rec); {
		case at >= 0 && cassandraMessage(rec[at:]) == clAudit:
			audits++
		case at >= 0 && len(h.thread) > 0 && len(h.time) > 0 && isCassandraFile(h.file):
			return ingest.Verdict{Fit: ingest.Certain, Why: "lines begin as those of Cassandra's log"}
		case (at >= 0 && cassandraMessage(rec[at:]) != clNone || at < 0 && isServerLine(rec)) && saysSomething(rec, o):
			return ingest.Verdict{Fit: ingest.Certain, Why: "a line holds a message of Cassandra"}
		}
	}
	if audits > 0 {
		return ingest.Verdict{Fit: ingest.Possible, Why: "lines of an audit log"}
	}
	return ingest.Verdict{Why: "no line begins as those of Cassandra's log: WARN  [thread] 2024-05-02 10:11:12,345 File.java:12 - ..."}
}

// isServerLine reports whether a line with a head of its own names a logger of the server before its message.
func isServerLine(line []byte) bool {
	i := findCassandraMessage(line, 0)
	return i > 0 && bytes.Contains(line[:i], clPackage) && len(clTimeIn(line)) > 0
}

// clRecordEnd gives where the second record of text begins.
func clRecordEnd(text []byte, begins func([]byte) bool) int {
	for end := 0; ; {
		n := bytes.IndexByte(text[end:], '\n')
		if n < 0 {
			return len(text)
		}
		end += n + 1
		line := text[end:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		if begins(bytes.TrimRight(line, "\r")) {
			return end
		}
	}
}

var clPackage = []byte("org.apache.cassandra.")

// isCassandraFile reports whether a head names a Java file, or the ? that stands for one.
func isCassandraFile(file []byte) bool {
	name, _, _ := bytes.Cut(file, []byte(":"))
	return bytes.HasSuffix(name, clJavaFile) || string(name) == "?"
}

// saysSomething reports whether a text yields an event or a state on its own.
func saysSomething(text []byte, o ingest.DecodeOptions) bool {
	var found clFound
	newCassandra(text, o, "").Decode(&ingest.Record{Data: text}, &found)
	return bool(found)
}

// clFound is a sink that notes whether anything was said.
type clFound bool

func (f *clFound) Event(*ingest.Event)    { *f = true }
func (f *clFound) State(*ingest.State)    { *f = true }
func (f *clFound) Problem(ingest.Problem) {}
func (f *clFound) Skip(string)            {}
func (f *clFound) Fact(*ingest.Fact)      {}
func (f *clFound) Point(*ingest.Point)    {}
