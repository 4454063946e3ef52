package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

const scyllaAuditLine = `node="10.0.0.7:0", category="DML", cl="ONE", error="false", keyspace="shop", query="INSERT INTO orders (id, note) VALUES (7, 'x')", client_ip="10.0.0.9:0", table="orders", username="app"`

func TestScyllaAuditEntriesWithASchema(t *testing.T) {
	schema, _ := cql.ParseSchema([]byte("CREATE TABLE shop.orders (id int PRIMARY KEY, note text);"))
	want := []string{`event store=scylla op=write keyknown=true witness=the audit log consistency=eventual table="shop.orders" key="7" shape="INSERT INTO orders (id, note) VALUES (?, ?)"`}
	if diff := cmp.Diff(auditSays(t, &ScyllaAudit, scyllaAuditLine, ingest.DecodeOptions{Schema: schema}), want); diff != "" {
		t.Errorf("entry (-got +want):\n%s", diff)
	}
}

func TestScyllaAuditEntriesThatAreCutAreProblems(t *testing.T) {
	for name, text := range map[string]string{
		"named":   scyllaAuditLine[:strings.Index(scyllaAuditLine, "client_ip")],
		"ordered": `"10.0.0.7", "QUERY", "ONE", "false", "shop", "SELECT * FROM t`,
	} {
		t.Run(name, func(t *testing.T) {
			if said := auditSays(t, &ScyllaAudit, text, ingest.DecodeOptions{}); len(said) != 1 || !strings.HasPrefix(said[0], "problem") {
				t.Errorf("got %v, want a problem", said)
			}
		})
	}
}

func FuzzScyllaAudit(f *testing.F) {
	f.Add(scyllaAuditLine)
	f.Add(`Mar 18 09:53:52 scylla-audit: "10.0.0.7:0", "QUERY", "ONE", "false", "shop", "SELECT * FROM t WHERE id = 'a", "b'", "10.0.0.9:0", "t", "app"`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(auditSays(t, &ScyllaAudit, text, ingest.DecodeOptions{})) == 0 {
			t.Error("the record yields nothing")
		}
	})
}

func BenchmarkScyllaAudit(b *testing.B) {
	d := newScyllaAudit(ingest.DecodeOptions{})
	rec := ingest.Record{Data: padded([]byte(scyllaAuditLine))}
	var sink countingSink
	b.SetBytes(int64(len(scyllaAuditLine)))
	for b.Loop() {
		d.Decode(&rec, &sink)
	}
}
