package ingest

import "bytes"

// jsonLine is what the envelopes that are JSON objects look for.
type jsonLine struct {
	text     []byte   // the line
	kind     JSONKind // of text
	time     []byte
	node     []byte
	log      bool // text was in "log"
	stream   bool // Docker's stream was there
	journal  bool // __REALTIME_TIMESTAMP was there
	notOurs  bool // a field that says: these are the data themselves, or an answer of an API
	unrooted bool // the line stood in an inner object
}

// textNames are the members that may hold a line, see take.
var textNames = [][]byte{
	[]byte(`"log"`), []byte(`"message"`), []byte(`"MESSAGE"`), []byte(`"@message"`), []byte(`"line"`), []byte(`"_raw"`),
}

// Docker's json-file driver writes one object for each line of a container, and cuts lines at 16 KiB:
// https://docs.docker.com/engine/logging/drivers/json-file/ and moby daemon/logger/copier.go.
//
//	{"log":"WARN  [ReadStage-2] …\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}
func openDocker(line []byte) (opened, bool) {
	l, ok := readJSONLine(line)
	if !ok || !l.log || l.unrooted || !l.stream || len(l.time) == 0 {
		return opened{}, false
	}
	o, ok := l.opened()
	o.splitAt = 16 << 10
	return o, ok
}

// journalctl -o json writes an object an entry; a message that is no UTF-8 or has control characters
// is an array of bytes, one over 4 KiB is null unless --all is given:
// https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-json-format
//
//	{"__REALTIME_TIMESTAMP":"1772359200123456","_HOSTNAME":"db-07","MESSAGE":"…", …}
func openJournal(line []byte) (opened, bool) {
	l, ok := readJSONLine(line)
	if !ok || !l.journal || l.unrooted {
		return opened{}, false
	}
	return l.opened()
}

// openMessage undoes the objects in which log stores and shippers hold a line: Elasticsearch and
// OpenSearch (message, also in the _source of a search hit), Loki (line), Splunk (_raw, also in the
// result of an export), CloudWatch Logs (message), Fluentd and Fluent Bit (log). It wants a time beside
// the line, and no field that a key event or the answer of an API would have.
func openMessage(line []byte) (opened, bool) {
	l, ok := readJSONLine(line)
	if !ok || l.notOurs || len(l.time) == 0 || l.kind == JSONArray || l.kind == JSONNull {
		return opened{}, false
	}
	return l.opened()
}

func (l *jsonLine) opened() (opened, bool) {
	o := opened{text: l.text}
	o.Node = l.node
	o.UnixNano, _ = ParseTime(l.time, nil)
	switch l.kind {
	case JSONString:
	case JSONEscaped:
		o.form = escaped
	case JSONArray:
		o.form = byteArray
	case JSONNull:
		o.text = nil
	default:
		return opened{}, false
	}
	return o, true
}

func readJSONLine(line []byte) (jsonLine, bool) {
	var l jsonLine
	i := SkipSpace(line, 0)
	next, ok := l.read(line, i, true)
	if ok {
		next = SkipSpace(line, next)
		ok = l.kind != JSONBroken && (next == len(line) || next == len(line)-1 && line[next] == ',')
	}
	return l, ok
}

// read takes the members of one object, and of the inner objects that hold a line.
func (l *jsonLine) read(data []byte, at int, root bool) (next int, ok bool) {
	m := ReadJSON(data, at)
	for {
		name, kind, text, ok := m.Next()
		if !ok {
			return m.Ended()
		}
		if kind == JSONObject && root && innerObject(name) {
			if _, ok := l.read(text, 0, false); !ok {
				return 0, false
			}
			continue
		}
		l.take(name, kind, text, root)
	}
}

func innerObject(name []byte) bool {
	return string(name) == "_source" || string(name) == "result" || string(name) == "host"
}

func (l *jsonLine) take(name []byte, kind JSONKind, text []byte, root bool) {
	switch string(name) {
	case "log", "message", "MESSAGE", "@message", "line", "_raw":
		if kind == JSONString || kind == JSONEscaped || name[0] == 'M' && (kind == JSONArray || kind == JSONNull) {
			l.text, l.kind, l.log, l.unrooted = text, kind, string(name) == "log", !root
		}
	case "stream":
		l.stream = true
	case "time", "@timestamp", "timestamp", "ts", "_time":
		if kind == JSONString || kind == JSONNumber {
			l.time = text
		}
	case "__REALTIME_TIMESTAMP":
		l.time, l.journal = text, true
	case "_HOSTNAME", "host", "hostname", "@logStream", "logStreamName":
		l.takeNode(kind, text)
	case "name": // of the object "host"
		if !root {
			l.takeNode(kind, text)
		}
	case "code", "statusCode", "__type", "$metadata", "eventSource", "eventName", "ThrottlingReasons":
		l.notOurs = true
	default:
		l.notOurs = l.notOurs || eventField(name)
	}
}

func (l *jsonLine) takeNode(kind JSONKind, text []byte) {
	if kind == JSONString {
		l.node = text
	}
}

// eventField reports whether name is a field that only key events have.
func eventField(name []byte) bool {
	for _, field := range []string{"pk", "key", "partition_key", "table", "op", "operation"} {
		if len(name) == len(field) && bytes.EqualFold(name, []byte(field)) {
			return true
		}
	}
	return false
}
