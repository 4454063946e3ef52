package ingest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The inner line of most examples: Cassandra 4.0's logback pattern.
const warning = `WARN  [ReadStage-2] 2026-03-01 10:00:00,123 ReadCommand.java:569 - Read 0 live rows and 1001 tombstone cells`

func nano(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixNano()
}

type line struct {
	Text, Node string
	UnixNano   int64
	Partial    bool
	OK         bool
}

func unwrap(e *Envelope, text string) line {
	out, m, ok := e.Unwrap([]byte("before"), []byte(text))
	return line{strings.TrimPrefix(string(out), "before"), string(m.Node), m.UnixNano, m.Partial, ok}
}

func TestEnvelopes(t *testing.T) {
	at := nano(t, "2026-03-01T10:00:00.123456789Z")
	ms := nano(t, "2026-03-01T10:00:00.123Z")
	// Shapes are those of the pages that the wrappers cite, those of syslog and the short journal from
	// ScyllaDB logs of public issues, with other names and times.
	for _, c := range []struct {
		name  string
		input string
		names []string
		want  line
	}{
		{"Docker's json-file", `{"log":"` + warning + `\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}`,
			[]string{"docker"}, line{warning, "", at, false, true}},
		{"Docker with labels and escapes", `{"log":"a \"b\" \u00e9\ud83d\ude00\ud800 \/\r\n","stream":"stderr","attrs":{"x":"y"},"time":"2026-03-01T10:00:00.123456789Z"}`,
			[]string{"docker"}, line{"a \"b\" é😀\uFFFD /", "", at, false, true}},
		{"a line that Docker cut", `{"log":"` + strings.Repeat("x", 16<<10) + `","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}` + "\n" +
			`{"log":"y\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}`,
			[]string{"docker"}, line{strings.Repeat("x", 16<<10), "", at, true, true}},
		{"Kubernetes CRI", "2026-03-01T10:00:00.123456789Z stdout F " + warning, []string{"cri"}, line{warning, "", at, false, true}},
		{"a part of a CRI line", "2026-03-01T10:00:00.123456789Z stderr P half of", []string{"cri"}, line{"half of", "", at, true, true}},
		{"an empty CRI line", "2026-03-01T10:00:00.123456789Z stderr F ", []string{"cri"}, line{"", "", at, false, true}},
		{"kubectl logs --prefix", "[pod/cassandra-0/server-system-logger] " + warning, []string{"kubectl-prefix"}, line{warning, "cassandra-0", 0, false, true}},
		{"kubectl logs --prefix --timestamps", "[pod/cassandra-0/cassandra] 2026-03-01T10:00:00.123456789Z " + warning,
			[]string{"kubectl-prefix", "timestamp"}, line{warning, "cassandra-0", at, false, true}},
		{"docker compose logs", "cassandra-1  | \tRead Count: 5", []string{"compose-prefix"}, line{"\tRead Count: 5", "cassandra-1", 0, false, true}},
		{"an empty line of docker-compose", "shop_cassandra_1 |", []string{"compose-prefix"}, line{"", "shop_cassandra_1", 0, false, true}},
		{"stern, a pod of a stateful set", "cassandra-0 server-system-logger " + warning, []string{"stern-prefix"}, line{warning, "cassandra-0", 0, false, true}},
		{"stern, a pod of a deployment", "shop-api-7d9f8c6b5-x2k4p api \tat com.example.Orders.put", []string{"stern-prefix"}, line{"\tat com.example.Orders.put", "shop-api-7d9f8c6b5-x2k4p", 0, false, true}},
		{"a block of code in Markdown", "     " + warning, []string{"indented"}, line{warning, "", 0, false, true}},
		{"a quoted mail", "> " + warning, []string{"quoted"}, line{warning, "", 0, false, true}},
		{"kubectl logs --timestamps of an application with times", "2026-03-01T10:00:00.123Z 2026-03-01 10:00:00.123 ERROR 1 --- [nio-1] c.example.Orders : no\n" +
			"2026-03-01T10:00:00.124Z \tat com.example.Orders.put(Orders.java:42)\n2026-03-01T10:00:00.124Z Caused by: java.io.IOException: no",
			[]string{"timestamp"}, line{"2026-03-01 10:00:00.123 ERROR 1 --- [nio-1] c.example.Orders : no", "", ms, false, true}},
		{"a CloudWatch Logs export to S3", "2026-03-01T10:00:00.123Z " + warning, []string{"timestamp"}, line{warning, "", ms, false, true}},
		{"a Lambda function that prints its event", "2026-03-01T10:00:00.123Z\t8f507cfc-a\tINFO\t{\"Records\":[]}\nEND RequestId: 8f507cfc-a", []string{"lambda"},
			line{`{"Records":[]}`, "", ms, false, true}},
		{"a Lambda function that says what it prints", "START RequestId: 8f507cfc-a\n2026-03-01T10:00:00.123Z\t8f507cfc-a\tINFO\tReceived event: {\"Records\":[]}", []string{"lambda"},
			line{"START RequestId: 8f507cfc-a", "", 0, false, true}},
		{"the event of such a function", "2026-03-01T10:00:00.123Z\t8f507cfc-a\tINFO\tReceived event: {\"Records\":[]}", []string{"lambda"},
			line{`{"Records":[]}`, "", ms, false, true}},
		{"a Lambda function in Python that logs JSON", "[INFO]\t2026-03-01T10:00:00.123Z\t8f507cfc-a\tevent {\"Records\":[]}", []string{"lambda"},
			line{`{"Records":[]}`, "", ms, false, true}},
		{"a Lambda function in Python that prints its event", `{'Records': [{'eventSource': 'aws:dynamodb', 'userIdentity': None, 'a': True, 'b': "it's", 'c': 'a "b" \'c\' \x07 \\'}]}`, []string{"python-print"},
			line{`{"Records": [{"eventSource": "aws:dynamodb", "userIdentity": null, "a": true, "b": "it's", "c": "a \"b\" 'c' \u0007 \\"}]}`, "", 0, false, true}},
		{"a Lambda function in Python that logs its event", "[INFO]\t2026-03-01T10:00:00.123Z\t8f507cfc-a\t{'dynamodb': {'x': False}}", []string{"lambda", "python-print"},
			line{`{"dynamodb": {"x": false}}`, "", ms, false, true}},
		{"an event longer than what detection looks at", "2026-03-01T10:00:00.123Z\ta\tINFO\t{\"Records\":[\"" + strings.Repeat("x", 20<<10) + "\"]}", []string{"lambda"},
			line{`{"Records":["` + strings.Repeat("x", 20<<10) + `"]}`, "", ms, false, true}},
		{"a level is no host", "2026-03-01T10:00:00.123Z ERROR ThrottlingException: Rate exceeded", []string{"timestamp"},
			line{"ERROR ThrottlingException: Rate exceeded", "", ms, false, true}},
		{"RFC 3164 with priority", "<28>Mar  1 10:00:00 db-07 scylla[8112]:  [shard  3:comp] large_data - Writing", []string{"syslog"},
			line{" [shard  3:comp] large_data - Writing", "db-07", 0, false, true}},
		{"RFC 3164 without priority or process", "Mar 11 10:00:00 db-07 cassandra: " + warning, []string{"syslog"}, line{warning, "db-07", 0, false, true}},
		{"journalctl -o short-iso", "2026-03-01T10:00:00+0000 db-07 scylla[8112]:  [shard 3] x", []string{"syslog"},
			line{" [shard 3] x", "db-07", at - 123456789, false, true}},
		{"journalctl -o short-precise", "Mar 01 10:00:00.123456 db-07 scylla[8112]: x", []string{"syslog"}, line{"x", "db-07", 0, false, true}},
		{"ScyllaDB's test harness", "2026-03-01T10:00:00.123+00:00 db-07  !WARNING | scylla[7380]:  [shard  5:comp] large_data - x", []string{"syslog"},
			line{" [shard  5:comp] large_data - x", "db-07", ms, false, true}},
		{"RFC 5424", `<34>1 2026-03-01T10:00:00.123Z db-07 scylla 8112 ID47 - ` + "\xEF\xBB\xBFtext", []string{"syslog-rfc5424"}, line{"text", "db-07", ms, false, true}},
		{"RFC 5424 with structured data", `<165>1 - - app - - [a@1 b="]\"c"][d@2 e=""] text`, []string{"syslog-rfc5424"}, line{"text", "", 0, false, true}},
		{"journalctl -o json", `{"__CURSOR":"s=1","__REALTIME_TIMESTAMP":"1772359200123456","_HOSTNAME":"db-07","PRIORITY":"4","MESSAGE":" [shard 3] x"}`,
			[]string{"journald-json"}, line{" [shard 3] x", "db-07", at - 789, false, true}},
		{"journalctl -o json with bytes", `{"MESSAGE":[72, 105,255,10],"__REALTIME_TIMESTAMP":"1772359200123456"}`,
			[]string{"journald-json"}, line{"Hi\xff", "", at - 789, false, true}},
		{"an Elasticsearch hit", `{"_index":"logs","_source":{"@timestamp":"2026-03-01T10:00:00.123Z","message":"` + warning + `","host":"db-07"}},`,
			[]string{"json-message"}, line{warning, "db-07", ms, false, true}},
		{"a Filebeat object", `{"@timestamp":"2026-03-01T10:00:00.123Z","host":{"name":"db-07"},"message":"x","name":"no"}`,
			[]string{"json-message"}, line{"x", "db-07", ms, false, true}},
		{"logcli --output jsonl", `{"labels":{"job":"scylla"},"line":"x","timestamp":"2026-03-01T10:00:00.123456789Z"}`,
			[]string{"json-message"}, line{"x", "", at, false, true}},
		{"a Splunk export", `{"preview":false,"offset":0,"result":{"_raw":"x","_time":"2026-03-01T10:00:00.123+00:00","host":"db-07"}}`,
			[]string{"json-message"}, line{"x", "db-07", ms, false, true}},
		{"a CloudWatch Logs event", `{"timestamp":1772359200123,"message":"x\n","ingestionTime":1772359201000}`,
			[]string{"json-message"}, line{"x", "", ms, false, true}},
		{"colours", "\x1b[33mWARN \x1b[0m x\x1b[1;31m", []string{"ansi-colours"}, line{"WARN  x", "", 0, false, true}},
		{"colours inside Docker around syslog", `{"log":"\u001b[33mMar  1 10:00:00 db-07 scylla[1]: \u001b[0mx\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}`,
			[]string{"docker", "ansi-colours", "syslog"}, line{"x", "db-07", at, false, true}},
		{"Docker around the journal's JSON", `{"log":"{\"__REALTIME_TIMESTAMP\":\"1772359200123456\",\"_HOSTNAME\":\"db-07\",\"MESSAGE\":\"a\\tb\"}\n","stream":"stdout","time":"2026-03-01T10:00:01Z"}`,
			[]string{"docker", "journald-json"}, line{"a\tb", "db-07", at - 789, false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := DetectEnvelopes([]byte(c.input + "\n"))
			if e == nil {
				t.Fatal("no envelope was detected")
			}
			if diff := cmp.Diff(e.Names(), c.names); diff != "" {
				t.Errorf("names (-got +want):\n%s", diff)
			}
			first, _, _ := strings.Cut(c.input, "\n")
			if diff := cmp.Diff(unwrap(e, first), c.want); diff != "" {
				t.Errorf("line (-got +want):\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoEnvelope(t *testing.T) {
	for _, c := range []struct{ name, input string }{
		{"nothing", ""},
		{"a Cassandra log", warning + "\n"},
		{"key events", `{"ts":"2026-03-01T10:00:00Z","table":"t","op":"read","key":"k"}` + "\n"},
		{"key events that have a message", `{"ts":"2026-03-01T10:00:00Z","PK":"k","message":"hello"}` + "\n"},
		{"key events without a key", `{"ts":"2026-03-01T10:00:00Z","table":"t","user_id":"k","message":"hello"}` + "\n"},
		{"errors of an AWS SDK", `{"message":"Throughput exceeds …","code":"ThrottlingException","time":"2026-03-01T10:00:00Z"}` + "\n"},
		{"a message without a time", `{"message":"x"}` + "\n"},
		{"CSV", "ts,key\n2026-03-01T10:00:00Z,a b\n"},
		{"text that has one such line in ten", strings.Repeat("x\n", 9) + "[pod/a/b] x\n"},
		{"broken JSON", `{"log":"x\n","stream":"stdout","time":"2026-03-01T10:00:00Z"` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if e := DetectEnvelopes([]byte(c.input)); e != nil {
				t.Errorf("got %v, want none", e.Names())
			}
		})
	}
}

func TestLinesThatLackTheirEnvelope(t *testing.T) {
	e := DetectEnvelopes([]byte("2026-03-01T10:00:00Z stdout F Mar  1 10:00:00 db-07 scylla[1]: x\n"))
	if diff := cmp.Diff(unwrap(e, "\tat java.lang.Thread.run"), line{}); diff != "" {
		t.Errorf("without the outer one (-got +want):\n%s", diff)
	}
	want := line{Text: "\tat java.lang.Thread.run", UnixNano: nano(t, "2026-03-01T10:00:00Z"), OK: true}
	if diff := cmp.Diff(unwrap(e, "2026-03-01T10:00:00Z stdout F \tat java.lang.Thread.run"), want); diff != "" {
		t.Errorf("without the inner one (-got +want):\n%s", diff)
	}
}

func TestPartsAreJoinedByTheCaller(t *testing.T) {
	e := DetectEnvelopes([]byte("2026-03-01T10:00:00Z stdout P one \n2026-03-01T10:00:00Z stdout F two\n"))
	out, m, _ := e.Unwrap(nil, []byte("2026-03-01T10:00:00Z stdout P one "))
	if !m.Partial {
		t.Error("the first part is not partial")
	}
	out, m, _ = e.Unwrap(out, []byte("2026-03-01T10:00:00Z stdout F two"))
	if string(out) != "one two" || m.Partial {
		t.Errorf("got %q, partial %v, want the whole line", out, m.Partial)
	}
}

func TestUnwrapAllocatesNothing(t *testing.T) {
	text := []byte(`{"log":"Mar  1 10:00:00 db-07 scylla[1]: \"x\"\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}`)
	e := DetectEnvelopes(text)
	buf := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { e.Unwrap(buf, text) }); n != 0 {
		t.Errorf("got %v allocations a line, want 0", n)
	}
}

// FuzzEnvelope wants no panic, the same answer twice and whatever stands in dst untouched.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"log":"\u001b[1mMar  1 10:00:00 db-07 scylla[1]: x\n","stream":"stdout","time":"2026-03-01T10:00:00Z"}`))
	f.Add([]byte("2026-03-01T10:00:00Z stdout F <34>1 - - - - - [a b=\"c\"] x\n"))
	f.Add([]byte("[pod/a/b] {\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":[1,2,300]}\n"))
	f.Add([]byte("2026-03-01T10:00:00+01:00 h  !X | t:\n\n\x1b[\x1b"))
	f.Fuzz(func(t *testing.T, head []byte) {
		e := DetectEnvelopes(head)
		if e == nil {
			return
		}
		for text := range bytes.Lines(bytes.Clone(head)) {
			text = bytes.TrimRight(text, "\n")
			out, m, ok := e.Unwrap([]byte("before"), text)
			got := fmt.Sprint(string(out), string(m.Node), m.UnixNano, m.Partial, ok)
			again, m2, ok2 := DetectEnvelopes(head).Unwrap(make([]byte, 6, 4096), text)
			copy(again, "before")
			if want := fmt.Sprint(string(again), string(m2.Node), m2.UnixNano, m2.Partial, ok2); got != want {
				t.Errorf("got %q, then %q", got, want)
			}
			if !bytes.HasPrefix(out, []byte("before")) {
				t.Errorf("out %q lost what dst held", out)
			}
		}
	})
}

func BenchmarkUnwrap(b *testing.B) {
	for _, text := range []string{
		`{"log":"` + warning + `\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}`,
		"2026-03-01T10:00:00.123456789Z stdout F " + warning,
	} {
		e := DetectEnvelopes([]byte(text))
		b.Run(e.Names()[0], func(b *testing.B) {
			buf, data := make([]byte, 0, 1024), []byte(text)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				e.Unwrap(buf, data)
			}
		})
	}
}

func TestRecordsAsAWSDeliversThemAreInNoEnvelope(t *testing.T) {
	const inner = `{"Records":[{"eventTime":"2026-11-02T10:00:01Z","message":"x","log":"y"}]}`
	if e := DetectEnvelopes([]byte(inner + "\n")); e != nil {
		t.Errorf("envelopes %v around what has members of such names", e.Names())
	}
	if e := DetectEnvelopes([]byte(`{"log":` + strconv.Quote(inner) + `,"stream":"stdout","time":"2026-11-02T10:00:01Z"}` + "\n")); e == nil || e.Names()[0] != "docker" {
		t.Errorf("got %v, want the envelope around such records", e)
	}
}

func TestTextsWithoutAnEnvelopeAreLeftAsTheyAre(t *testing.T) {
	for _, text := range []string{
		"cassandra | 5 | 6\n",
		" shop-1 | 5\n",
		"up-to-date nodes are fine\n",
		"cassandra-1  | one line of two\nand another\n",
		"Keyspace: shop-0 server\n",
	} {
		if e := DetectEnvelopes([]byte(text)); e != nil {
			t.Errorf("%q: envelopes %v, want none", text, e.Names())
		}
	}
}

func TestErrorsOfALambdaFunctionKeepTheirHead(t *testing.T) {
	for _, line := range []string{
		"2026-03-01T10:00:00.123Z\t8f507cfc-a\tERROR\tInvoke Error \t{\"errorType\":\"ThrottlingException\"}",
		"2026-03-01T10:00:00.123Z\t8f507cfc-a\tERROR\tan error: {\"errorType\":\"ThrottlingException\"}",
		"2026-03-01T10:00:00.123Z\t8f507cfc-a\tINFO\tread {3} of \"x\"",
	} {
		if o, ok := openLambda([]byte(line)); ok {
			t.Errorf("%q: opened as %q", line, o.text)
		}
	}
}
