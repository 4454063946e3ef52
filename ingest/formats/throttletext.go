package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// ThrottleText is an application's log with DynamoDB's refusals for rate.
var ThrottleText = ingest.Format{
	Name:     "throttle-text",
	Title:    "application logs with DynamoDB throttling errors",
	Coverage: ingest.Selected,
	Carries:  []string{"time", "table", "index", "operation", "throttles"},
	Doc: `Logs of programs that use an AWS SDK (JavaScript, Java, .NET, Python, Go, Rust), with the errors by which DynamoDB
refuses a request for rate
(https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html), also as JSON a line:

    2026-11-02 10:00:01,123 WARN … ProvisionedThroughputExceededException: The level of configured provisioned throughput
      for the table was exceeded. …
    { reason: 'TableWriteKeyRangeThroughputExceeded', resource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/Orders' }

The error names the limit, and with ThrottlingReasons the table or index; it never names the key. An exception with its
causes and stack lines is one request, as is each message that "aws logs filter-log-events" prints; how often it was tried before is told where the SDK says so. A transaction of which a part
was refused for rate is one, too. A write that an item collection at its 10 GB refused (ItemCollectionSizeLimitExceededException) tells of a large partition. Other lines are passed over, failed
conditions among them.

What clients of ScyllaDB log when a table's limit for each partition refused them is read as well; it names the table, and not the key:

    Per-partition rate limit reached for write in table shop.carts, rejected by replicas`,
	Sniff:  sniffThrottle,
	Begins: beginsLogRecord,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &throttleText{times: ingest.TimeParser{Location: o.Location}}, nil
	},
}

const (
	skipNoThrottle = "line without a throttling error"
	roleClient     = "client"
)

func sniffThrottle(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	if awsjson.Classify(head) != awsjson.Other || len(trailColumns(head)) > 0 {
		return ingest.Verdict{Fit: ingest.No, Why: "records of AWS, not a log"}
	}
	if awsjson.Refused(head) && toldAsError(head) {
		return ingest.Verdict{Fit: ingest.Certain, Why: "log with DynamoDB throttling errors"}
	}
	if _, _, limited := rateLimited(head); limited && !bytes.Contains(head, serverLine) {
		return ingest.Verdict{Fit: ingest.Certain, Why: "log with requests that ScyllaDB refused for rate"}
	}
	if awsjson.Complains(head) {
		return ingest.Verdict{Fit: ingest.Possible, Why: "log with DynamoDB errors, none of them for rate"}
	}
	return ingest.Verdict{Fit: ingest.No, Why: "no DynamoDB throttling errors"}
}

var serverLine = []byte("[shard ") // of ScyllaDB's own log, which has a format of its own

// toldAsError reports whether a beginning with an error is a log of errors: a reason alone may be the
// value of any JSON object.
func toldAsError(head []byte) bool {
	if head[0] != '{' {
		return true
	}
	for _, word := range []string{"ThrottlingReasons", "throughput ", "Throughput "} {
		if bytes.Contains(head, []byte(word)) {
			return true
		}
	}
	return false
}

// throttleText decodes log records.
type throttleText struct {
	times ingest.TimeParser
	event ingest.Event
	state ingest.State
	text  []byte // of a message in a record

	inside bool // such a message is read
}

// Decode gives the event of a record that tells of a refusal for rate.
func (d *throttleText) Decode(rec *ingest.Record, to ingest.Sink) {
	if op, table, limited := rateLimited(rec.Data); limited {
		d.limited(rec, op, table, to)
		return
	}
	if !awsjson.Refused(rec.Data) {
		d.other(rec, to)
		return
	}
	if rec.Data[0] == '{' && !d.inside && d.messages(rec, to) {
		return
	}
	e := &d.event
	e.Reset()
	e.Store, e.Coverage, e.Role, e.At = ingest.DynamoDB, ingest.Selected, roleClient, rec.At
	e.Throttle, e.Node = awsjson.Reason(rec.Data), rec.Node
	e.Op = awsjson.OpIn(rec.Data)
	if e.Table, e.Index = awsjson.Resource(rec.Data); e.Table == nil {
		e.Table = awsjson.NamedTable(rec.Data)
	}
	if len(e.Index) == 0 {
		e.Throttle = awsjson.ForIndex(e.Throttle, rec.Data)
	}
	e.Requests = repeated(rec.Data)
	if e.Requests == 1 {
		e.Retries = awsjson.Retries(rec.Data)
	}
	if at, ok := d.when(rec); ok {
		e.SetTime(at)
	}
	to.Event(e)
}

// limited hands over that ScyllaDB refused a request for the rate of its partition.
func (d *throttleText) limited(rec *ingest.Record, op ingest.Op, table []byte, to ingest.Sink) {
	e := &d.event
	e.Reset()
	e.Store, e.Coverage, e.Role, e.At, e.Node = ingest.Scylla, ingest.Selected, roleClient, rec.At, rec.Node
	e.Op, e.Table, e.Throttle, e.Requests = op, table, ingest.ThrottledKeyRange, 1
	if at, ok := d.when(rec); ok {
		e.SetTime(at)
	}
	to.Event(e)
}

// other reads a record of no refusal for rate: one of a full item collection, else none.
func (d *throttleText) other(rec *ingest.Record, to ingest.Sink) {
	if !awsjson.CollectionFull(rec.Data) {
		to.Skip(skipNoThrottle)
		return
	}
	at, _ := d.when(rec)
	table, _ := awsjson.Resource(rec.Data)
	if table == nil {
		table = awsjson.NamedTable(rec.Data)
	}
	d.state = ingest.State{
		Store: ingest.DynamoDB, Table: table, Source: sourceCollectionRefuse, Measure: ingest.PartitionBytes,
		Value: awsjson.MaxCollection, Said: true, Limit: awsjson.MaxCollection, UnixNano: at, At: rec.At, Node: rec.Node,
	}
	to.State(&d.state)
}

// repeated gives how many requests a record tells of: bare exceptions that follow each other are one
// each, unless the record tells that one came of the other.
func repeated(data []byte) (requests uint64) {
	if bytes.Contains(data, []byte("During handling of")) || bytes.Contains(data, []byte("The above exception")) {
		return 1
	}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		if data = rest; exceptionAt(line) >= 0 && !bytes.Contains(line, innerException) && awsjson.Refused(line) {
			requests++
		}
	}
	return max(requests, 1)
}

var innerException = []byte(" ---> ") // of .NET

// when gives the time of a record: the first date that its text holds, the number of a member that is
// called so, else what its envelope says.
func (d *throttleText) when(rec *ingest.Record) (unixNano int64, ok bool) {
	for rest := rec.Data[:min(len(rec.Data), longestHeader)]; ; {
		i := dateAt(rest)
		if i < 0 {
			break
		}
		rest = rest[i:]
		n := timeSize(rest)
		if at, cause := d.times.Parse(hyphened(rest[:n])); cause == "" {
			return at, true
		}
		rest = rest[1:]
	}
	for _, member := range []string{`"time":`, `"timestamp":`, `"@timestamp":`, `"ts":`} {
		if at, cause := d.times.Parse(numberBehind(rec.Data, member)); cause == "" {
			return at, true
		}
	}
	return rec.UnixNano, rec.UnixNano != 0
}

// hyphened gives a date of Go's package log, 2026/11/02 10:00:01, in the form of others.
func hyphened(text []byte) []byte {
	if text[4] != '/' {
		return text
	}
	text = bytes.Clone(text)
	text[4], text[7] = '-', '-'
	return text
}

// numberBehind gives the number that follows a text, empty when there is none.
func numberBehind(data []byte, text string) []byte {
	i := bytes.Index(data, []byte(text))
	if i < 0 {
		return nil
	}
	rest := bytes.TrimLeft(data[i+len(text):], " ")
	n := 0
	for n < len(rest) && (rest[n]-'0' <= 9 || rest[n] == '.') {
		n++
	}
	return rest[:n]
}

// longestHeader is how far into a record a time is looked for, in bytes.
const longestHeader = 4096

// dateAt gives the place of the first text like 2026-11-02T10:00:01, -1 when there is none.
func dateAt(text []byte) int {
	for i := 0; i+19 <= len(text); i++ {
		t := text[i:]
		if t[0] == '2' && (t[4] == '-' || t[4] == '/') && t[7] == t[4] && t[13] == ':' && t[16] == ':' && (t[10] == 'T' || t[10] == ' ') {
			return i
		}
	}
	return -1
}

// timeSize gives the bytes of the time at the beginning of text: a fraction and a zone may follow.
func timeSize(text []byte) int {
	n := 19
	if n+1 < len(text) && (text[n] == '.' || text[n] == ',') && text[n+1]-'0' <= 9 {
		for n++; n < len(text) && text[n]-'0' <= 9; n++ {
		}
	}
	if n < len(text) && text[n] == 'Z' {
		return n + 1
	}
	if n+5 < len(text) && (text[n] == '+' || text[n] == '-') && text[n+1]-'0' <= 9 {
		end := n + 1
		for end < len(text) && end < n+6 && (text[end]-'0' <= 9 || text[end] == ':') {
			end++
		}
		return end
	}
	return n
}
