package ddl

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest/cql"
)

var update = flag.Bool("update", false, "write the golden files anew")

func tableOf(t *testing.T, text, name string) (*cql.Table, string) {
	t.Helper()
	s, faults := cql.ParseSchema([]byte(text))
	table := s.Table("", name)
	if table == nil {
		t.Fatalf("no table %s: %v", name, faults)
	}
	return table, text[table.Offset : table.Offset+table.Length]
}

const described = `
CREATE TABLE shop."Jobs" (
    queue text,
    "order" int,
    id timeuuid,
    owner text static,
    tags frozen<list<text>>,
    seen map<text, timestamp>,
    PRIMARY KEY ((queue, "order"), id)
) WITH ID = 5a1c396e-b41f-11e5-9f22-ba0be0483c18
    AND CLUSTERING ORDER BY (id DESC)
    AND comment = 'it''s (not) a "queue"; really'
    AND compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': '1'}
    AND gc_grace_seconds = 3600;
CREATE INDEX ON shop."Jobs" (full(tags));
CREATE CUSTOM INDEX by_seen ON shop."Jobs" (keys(seen)) USING 'StorageAttachedIndex' WITH OPTIONS = {'case_sensitive': 'false',
  'normalize': 'true (not) {false}'};
`

func TestScriptsKeepAllColumnsAndOptions(t *testing.T) {
	for name, c := range map[string]Change{"shards": {Shards: 8}, "bucket": {Bucket: "day", RowsPerSecond: 900}, "both": {Shards: 4, Bucket: "hour"}, "copies": {Copies: 8}} {
		table, statement := tableOf(t, described, "Jobs")
		got, err := CQL(table, statement, nil, c)
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/" + name + ".cql"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, string(want)); diff != "" {
			t.Errorf("%s differs (-got +want); -update writes it anew:\n%s", file, diff)
		}
		// What it writes is read back: the same columns and options, another key.
		again, _ := tableOf(t, got, table.Name+map[string]string{"shards": "_by_shard", "bucket": "_by_day", "both": "_by_hour_by_shard", "copies": "_copies"}[name])
		if len(again.Columns) < len(table.Columns) || cmp.Diff(again.Columns[:len(table.Columns)], table.Columns) != "" || again.GCGrace != 3600 || again.Compaction != table.Compaction ||
			len(again.PartitionKey) <= len(table.PartitionKey) || cmp.Diff(again.Clustering, table.Clustering) != "" || len(again.Indexes) != 2 {
			t.Errorf("%s: read back as %+v, was %+v", name, again, table)
		}
	}
}

func TestTablesThatCannotBeRewrittenAreErrors(t *testing.T) {
	const plain = "CREATE TABLE ks.t (k text PRIMARY KEY, v int);"
	for name, c := range map[string]struct {
		text   string
		change Change
		want   string
	}{
		"no change":      {plain, Change{}, "changes no key"},
		"a view":         {"CREATE TABLE ks.b (k text PRIMARY KEY, v int); CREATE MATERIALIZED VIEW ks.t AS SELECT * FROM ks.b WHERE v IS NOT NULL AND k IS NOT NULL PRIMARY KEY (v, k);", Change{Shards: 2}, "materialized view"},
		"no types known": {"", Change{Shards: 2}, "not known with their types"},
	} {
		table, statement := &cql.Table{Name: "t"}, ""
		if c.text != "" {
			table, statement = tableOf(t, c.text, "t")
		}
		if _, err := CQL(table, statement, nil, c.change); !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	counters, text := tableOf(t, "CREATE TABLE ks.t (k text PRIMARY KEY, n counter);", "t")
	if _, err := CQL(counters, text, nil, Change{Copies: 2}); !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), "no copies") {
		t.Errorf("copies of counters: %v", err)
	}
	table, _ := tableOf(t, plain, "t")
	if _, err := CQL(table, "CREATE TABLE ks.t", nil, Change{Shards: 2}); !errors.Is(err, ErrTable) {
		t.Errorf("without its statement: %v", err)
	}
}

func TestNewColumnsTakeFreeNames(t *testing.T) {
	table, statement := tableOf(t, "CREATE TABLE t (shard text, shard_ int, bucket uuid, PRIMARY KEY (shard, bucket));", "t")
	got, err := CQL(table, statement, nil, Change{Shards: 2, Bucket: "week"})
	if err != nil || !strings.Contains(got, "PRIMARY KEY ((shard, bucket_, shard__), bucket)") {
		t.Errorf("error %v:\n%s", err, got)
	}
}

func TestNamesAreQuotedWhereTheyMustBe(t *testing.T) {
	for name, want := range map[string]string{"jobs_2": "jobs_2", "Jobs": `"Jobs"`, "order": `"order"`, "2x": `"2x"`, `a"; DROP TABLE x`: `"a""; DROP TABLE x"`, "": `""`} {
		if got := quoted(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestCallsToPaste(t *testing.T) {
	change := "aws dynamodb update-table --table-name jobs --billing-mode PAY_PER_REQUEST"
	got := AWS("jobs", "byDate", change, "look again", []string{"first", "undo, once a day: aws dynamodb update-table --table-name jobs --billing-mode PROVISIONED"})
	for _, want := range []string{"\n" + change + "\n", "\n# aws dynamodb update-table --table-name jobs --billing-mode PROVISIONED\n", "--index-name byDate --contributor-insights-action ENABLE\n", "--contributor-insights-action DISABLE\n", "#    look again"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in it:\n%s", want, got)
		}
	}
	for _, c := range [][2]string{{"x; rm -rf /", change}, {"--all", change}, {"$(id)", change}, {"jobs", "PK becomes PK#0"}, {"jobs", ""}} {
		if got := AWS(c[0], "", c[1], "", nil); got != "" {
			t.Errorf("table %q, change %q: %s", c[0], c[1], got)
		}
	}
}

func TestViewsAreMadeAgain(t *testing.T) {
	const text = `CREATE TABLE ks.t (k text, c int, v text, PRIMARY KEY (k, c));
CREATE MATERIALIZED VIEW ks."By v" AS SELECT v, k, c FROM ks.t
  WHERE v IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL AND v = 'WHERE PRIMARY KEY ('
  PRIMARY KEY ((v), k, c) WITH CLUSTERING ORDER BY (k ASC, c DESC) AND comment = 'x';`
	table, statement := tableOf(t, text, "t")
	view, of := tableOf(t, text, "By v")
	got, err := CQL(table, statement, []View{{view, of}}, Change{Shards: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"CREATE MATERIALIZED VIEW ks.\"By v_by_shard\" AS\n    SELECT v, k, c, shard\n    FROM ks.t_by_shard\n    WHERE v IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL AND v = 'WHERE PRIMARY KEY (' AND shard IS NOT NULL\n" +
			"    PRIMARY KEY ((v), k, c, shard) WITH CLUSTERING ORDER BY (k ASC, c DESC, shard ASC) AND comment = 'x';\n",
		`undo:  DROP MATERIALIZED VIEW ks."By v_by_shard"; DROP TABLE ks.t_by_shard;`,
		`DROP MATERIALIZED VIEW ks."By v"; DROP TABLE ks.t;`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in it:\n%s", want, got)
		}
	}
	if _, err := CQL(table, statement, []View{{view, "CREATE MATERIALIZED VIEW"}}, Change{Shards: 4}); !errors.Is(err, ErrTable) {
		t.Errorf("a view without its statement: %v", err)
	}
}

// Readers of counters add up both tables, so no step may write both, and nothing is copied into what is written.
func TestCountersAreNeitherWrittenTwiceNorCopiedOver(t *testing.T) {
	table, statement := tableOf(t, "CREATE TABLE ks.t (k text, c int, n counter, PRIMARY KEY (k, c)) WITH comment = 'x';", "t")
	got, err := CQL(table, statement, nil, Change{Shards: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"UPDATE ks.t_by_shard SET n = n + ? WHERE k = ? AND shard = ? AND c = ?;", "adds to shard 4, which no writer uses", "never to both", "consistency ALL"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in it:\n%s", want, got)
		}
	}
	for _, never := range []string{"TIMESTAMP ?", "IF NOT EXISTS;", "INSERT INTO ks.t_by_shard (", "UPDATE ks.t SET"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is in it:\n%s", never, got)
		}
	}
	got, err = CQL(table, statement, nil, Change{Bucket: "day"})
	if err != nil || !strings.Contains(got, "No copying") || strings.Contains(got, "token(") {
		t.Errorf("by buckets, error %v:\n%s", err, got)
	}
}
