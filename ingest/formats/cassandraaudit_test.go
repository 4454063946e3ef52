package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

func auditSays(t *testing.T, f *ingest.Format, text string, o ingest.DecodeOptions) []string {
	t.Helper()
	d, err := f.New(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	d.Decode(&ingest.Record{Data: padded([]byte(text))}, &sink)
	return sink.said
}

func TestAuditEntriesWithASchema(t *testing.T) {
	schema, _ := cql.ParseSchema([]byte("CREATE TABLE shop.orders (id int PRIMARY KEY, note text);"))
	const entry = "user:app|host:/10.0.0.7:7000|source:/10.0.0.9|timestamp:1714651872123|type:UPDATE|category:DML|ks:shop|scope:orders|operation:insert into orders (id, note) values (7, 'x|y')"
	want := []string{`event store=cassandra op=write keyknown=true witness=the audit log table="shop.orders" key="7" shape="INSERT INTO orders (id, note) VALUES (?, ?)" time=2024-05-02T12:11:12.123Z`}
	if diff := cmp.Diff(auditSays(t, &CassandraAudit, entry, ingest.DecodeOptions{Schema: schema}), want); diff != "" {
		t.Errorf("entry (-got +want):\n%s", diff)
	}
}

func TestWhatFollowsTheOperationOfAnAuditEntryIsNoPartOfIt(t *testing.T) {
	for operation, want := range map[string]string{
		"SELECT * FROM orders WHERE id = 7|client:app-1|trace_id:x":  "SELECT * FROM orders WHERE id = 7",
		"SELECT * FROM orders WHERE id = 'a|b:c'":                    "SELECT * FROM orders WHERE id = 'a|b:c'",
		"SELECT * FROM orders WHERE id = 'a|b:c'|client:x y":         "SELECT * FROM orders WHERE id = 'a|b:c'",
		"SELECT * FROM orders WHERE id = ? [id=a|b:c]":               "SELECT * FROM orders WHERE id = ? [id=a|b:c]",
		"SELECT * FROM orders WHERE id = 7|no member":                "SELECT * FROM orders WHERE id = 7|no member",
		"UPDATE orders SET note = 'x|y: it''s' WHERE id = 7|k-1:v'w": "UPDATE orders SET note = 'x|y: it''s' WHERE id = 7",
	} {
		if got := withoutMetadata([]byte(operation)); string(got) != want {
			t.Errorf("%q: got %q, want %q", operation, got, want)
		}
	}
}

func TestAuditLogsAreSniffed(t *testing.T) {
	const (
		head  = "INFO  [Native-Transport-Requests-1] 2024-05-02 10:11:12,345 "
		entry = "user:app|host:/10.0.0.7:7000|source:/10.0.0.9|timestamp:1714651872123|type:SELECT|category:QUERY|ks:shop|scope:orders|operation:SELECT * FROM orders\n"
	)
	for _, c := range []struct {
		name, text string
		want       ingest.Fit
	}{
		{"an audit.log", head + "FileAuditLogger.java:51 - " + entry, ingest.Certain},
		{"an entry alone", entry, ingest.Certain},
		{"a viewer's print-out", "Type: audit\nLogMessage: " + entry, ingest.Certain},
		{"a system.log with entries", head + "FileAuditLogger.java:51 - " + entry + head + "Other.java:1 - text\n", ingest.No},
		{"prose", "user: app, host: h, category: c", ingest.No},
		{"nothing", "", ingest.No},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := CassandraAudit.Sniff([]byte(c.text), ingest.DecodeOptions{}); v.Fit != c.want {
				t.Errorf("got fit %d (%s), want %d", v.Fit, v.Why, c.want)
			}
		})
	}
}

func FuzzCassandraAudit(f *testing.F) {
	f.Add("LogMessage: user:a|host:/h|timestamp:1714651872123|type:SELECT|category:QUERY|ks:k|scope:t|operation:SELECT * FROM t\nType: audit")
	f.Add("host:/h|source:/s|timestamp:1714651872123|category:DML|type:CQL_UPDATE|ks:k|cf:t|operation:BEGIN BATCH INSERT INTO t (a) VALUES (1); APPLY BATCH;")
	f.Fuzz(func(t *testing.T, text string) {
		if len(auditSays(t, &CassandraAudit, text, ingest.DecodeOptions{})) == 0 {
			t.Error("the record yields nothing")
		}
	})
}
