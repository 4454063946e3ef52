package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// scyllaSays gives what one record says.
func scyllaSays(t *testing.T, text string, o ingest.DecodeOptions) []string {
	t.Helper()
	d, err := ScyllaLog.New(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	d.Decode(&ingest.Record{Data: padded([]byte(text))}, &sink)
	return sink.said
}

func TestScyllaKeysWithASchema(t *testing.T) {
	schema, faults := cql.ParseSchema([]byte("CREATE TABLE shop.inbox (a int, b text, c text, PRIMARY KEY ((a, b), c));"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	const guard = "Large data guardrail: partition size 12 exceeds soft limit 10 (keyspace=shop, table=inbox, "
	const said = `state store=scylla table="shop.inbox" key="\xff\x02\x017\x02xy" keyknown=true source="guardrail" value=12 atleast=true said=true limit=10`
	for _, c := range []struct{ name, text, want string }{
		{"hex is printed by type", guard + "partition_key=pk{00040000000700027879})", said},
		{"text is taken apart", guard + "partition_key=7:xy)", said},
		{"a colon too many leaves the text whole", guard + "partition_key=7:x:y)",
			`state store=scylla table="shop.inbox" key="7:x:y" keyknown=true source="guardrail" value=12 atleast=true said=true limit=10`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(scyllaSays(t, c.text, ingest.DecodeOptions{Schema: schema}), []string{c.want}); diff != "" {
				t.Errorf("record (-got +want):\n%s", diff)
			}
		})
	}
}

func TestLinesOfOthersAreNotScyllas(t *testing.T) {
	for _, line := range []string{
		"WARN  [CompactionExecutor:3] 2024-05-02 10:11:12,345 BigTableWriter.java:171 - Writing large partition ks/t:key (104857601 bytes) to sstable /d/nb-1-big-Data.db",
		"Writing large partition ks/t:key (104857601 bytes) to sstable /d/nb-1-big-Data.db",
		"Read 10 live rows and 1150 tombstone cells for query SELECT * FROM ks.t; token 1 (see tombstone_warn_threshold)",
		"A shard [shard is cut",
		"[shard x] querier - Read",
		"",
	} {
		if v := ScyllaLog.Sniff([]byte(line), ingest.DecodeOptions{}); v.Fit != ingest.No {
			t.Errorf("%q: got fit %d, want none", line, v.Fit)
		}
	}
}

func FuzzScyllaLog(f *testing.F) {
	f.Add("WARN  2025-06-14 09:31:02,117 [shard  3:comp] large_data - Writing large partition ks/t: a:b (1 bytes/2 rows) to me-1")
	f.Add(`querier - Read 0 live cells and 3 dead cells/tombstones for ks.t partition key "a:b" {{-7, pk{000161000162}}} (see tombstone_warn_threshold)`)
	f.Add("large_data - Large data guardrail: row size 2 exceeds soft limit 1 (keyspace=ks, table=t, pk=00042)")
	f.Fuzz(func(t *testing.T, text string) {
		if len(scyllaSays(t, text, ingest.DecodeOptions{})) == 0 {
			t.Error("the record yields nothing")
		}
	})
}
