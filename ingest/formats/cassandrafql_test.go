package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

func TestFullQueryLogWithASchema(t *testing.T) {
	schema, _ := cql.ParseSchema([]byte("CREATE TABLE shop.cart (user_id text, item_id int, PRIMARY KEY ((user_id, item_id)));"))
	record := strings.Join([]string{
		"Type: batch", "Query start time: 1796029013801", "Protocol version: 4", "Batch type: UNLOGGED",
		"Query: INSERT INTO shop.cart (user_id, item_id) VALUES (?, ?)", "Values: ",
		"00000000 61 62                                            ab              ", "-----",
		"00000000 00 00 00 01                                      ····            ", "-----",
		"Query: INSERT INTO shop.cart (user_id, item_id) VALUES ('cd', ?)", "Values: ",
		"00000000 00 00 00 02                                      ····            ", "-----",
		"Query: DELETE FROM shop.cart WHERE user_id = ? AND item_id = ?", "Values: ",
		"00000000 61 62                                            ab              ", "-----", "null", "-----", "", ""}, "\n")
	want := []string{
		`event store=cassandra op=write keyknown=true witness=the full query log partitions=3 table="shop.cart" key="\xff\x02\x02ab\x011" shape="INSERT INTO shop.cart (user_id, item_id) VALUES (?, ?)" time=2026-11-30T08:56:53.801Z`,
		`event store=cassandra op=write keyknown=true witness=the full query log table="shop.cart" key="\xff\x02\x02cd\x012" shape="INSERT INTO shop.cart (user_id, item_id) VALUES (?, ?)" time=2026-11-30T08:56:53.801Z`,
		`event store=cassandra op=delete witness=the full query log table="shop.cart" shape="DELETE FROM shop.cart WHERE user_id = ? AND item_id = ?" time=2026-11-30T08:56:53.801Z`,
	}
	if diff := cmp.Diff(auditSays(t, &CassandraFQL, record, ingest.DecodeOptions{Schema: schema}), want); diff != "" {
		t.Errorf("record (-got +want):\n%s", diff)
	}
}

func TestHexDumpsOfValues(t *testing.T) {
	const full = "00000000 79 79 79 79 79 79 79 79  79 79 79 79 79 79 79 79 yyyyyyyy yyyyyyyy\n"
	for _, c := range []struct {
		name, dump string
		want       []string
		null       bool
	}{
		{"eight bytes, then text that looks like more", "00000000 61 61 61 61 61 61 61 61                          aa bb cc        \n-----\n", []string{"aaaaaaaa"}, false},
		{"sixteen bytes", full + "-----\n", []string{strings.Repeat("y", 16)}, false},
		{"repeated rows", full + "........\n00000040 7a                                               z\n-----\n", []string{strings.Repeat("y", 64) + "z"}, false},
		{"an empty value", "-----\n", []string{""}, false},
		{"null", "null\n-----\n", []string{""}, true},
		{"a cut value", full + "... truncated\n-----\n", []string{""}, true},
		{"a gap in the rows", "00000010 61\n-----\n", []string{""}, true},
		{"repeated rows without an end", full + "........\n-----\n", []string{""}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v fqlValues
			v.read([]byte("\n" + c.dump))
			got := []string{}
			for _, value := range v.values {
				got = append(got, string(value))
				if (value == nil) != c.null {
					t.Errorf("got %q, want null: %v", value, c.null)
				}
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("values (-got +want):\n%s", diff)
			}
		})
	}
}

func FuzzCassandraFQL(f *testing.F) {
	f.Add("Type: single-query\nQuery start time: 1796029012575\nQuery: SELECT * FROM t WHERE k = ?\nValues: \n00000000 61                                               a\n........\n00000020 62\n-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(auditSays(t, &CassandraFQL, text, ingest.DecodeOptions{})) == 0 {
			t.Error("the record yields nothing")
		}
	})
}
