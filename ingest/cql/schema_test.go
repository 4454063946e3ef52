package cql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// showTable is a table in one line.
func showTable(t *Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s", t.Keyspace, t.Name)
	for i, list := range [][]Column{t.PartitionKey, t.Clustering, t.Columns} {
		b.WriteString([]string{" key", " clustering", " columns"}[i])
		for _, c := range list {
			fmt.Fprintf(&b, " %s:%s", c.Name, c.Type)
			if c.Desc {
				b.WriteString(":desc")
			}
			if c.Static {
				b.WriteString(":static")
			}
			if c.Collection() {
				b.WriteString(":collection")
			}
		}
	}
	if t.DefaultTTLKnown {
		fmt.Fprintf(&b, " ttl %d", t.DefaultTTL)
	}
	if t.GCGraceKnown {
		fmt.Fprintf(&b, " grace %d", t.GCGrace)
	}
	if t.Compaction != "" {
		fmt.Fprintf(&b, " compaction %s", t.Compaction)
	}
	if t.Base != "" {
		fmt.Fprintf(&b, " of %s", t.Base)
	}
	for _, x := range t.Indexes {
		fmt.Fprintf(&b, " index %s(%s)%s", x.Name, x.Target, x.Class)
	}
	return b.String()
}

func TestParseSchema(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		faults     []Fault
	}{
		{
			name: "Cassandra 1.2, names without keyspace behind USE",
			text: "CREATE KEYSPACE old WITH replication = {\n  'class': 'SimpleStrategy'\n};\n\nUSE old;\n\nCREATE TABLE users (\n  key ascii,\n  column1 text,\n  value blob,\n  PRIMARY KEY (key, column1)\n) WITH COMPACT STORAGE AND\n  bloom_filter_fp_chance=0.010000 AND\n  comment='it''s; CREATE TABLE x (' AND\n  gc_grace_seconds=3600 AND\n  compaction={'min_sstable_size': '52428800', 'class': 'LeveledCompactionStrategy'} AND\n  compression={};\n",
			want: []string{"old.users key key:ascii clustering column1:text columns key:ascii column1:text value:blob grace 3600 compaction LeveledCompactionStrategy"},
		},
		{
			name: "quoted names, statics, frozen and unfrozen collections, order, masks and constraints",
			text: "CREATE TABLE \"Tele metry\".\"Fr\"\"ames\" (\n    \"Id\" uuid,\n    day date,\n    at timestamp,\n    n int static,\n    tags set<text>,\n    f frozen<map<text, frozen<list<int>>>>,\n    m map<text, text> MASKED WITH default(),\n    v vector<float, 3>,\n    c int CHECK c > 1,\n    PRIMARY KEY ((\"Id\", day), at, n)\n) WITH CLUSTERING ORDER BY (at DESC, n ASC)\n    AND default_time_to_live = 86400\n    AND compaction = {'class': 'org.apache.cassandra.db.compaction.TimeWindowCompactionStrategy', 'compaction_window_size': '1'};",
			want: []string{`Tele metry.Fr"ames key Id:uuid day:date clustering at:timestamp:desc n:int:static columns Id:uuid day:date at:timestamp n:int:static tags:set<text>:collection f:frozen<map<text,frozen<list<int>>>> m:map<text,text>:collection v:vector<float,3> c:int ttl 86400 compaction TimeWindowCompactionStrategy`},
		},
		{
			name: "views, indexes and types of a keyspace, ScyllaDB options",
			text: "CREATE TYPE ks.addr (street text, zip int);\nCREATE TABLE ks.t (k int PRIMARY KEY, a frozen<addr>, e text) WITH tombstone_gc = {'mode': 'timeout', 'propagation_delay_in_seconds': '3600'} AND gc_grace_seconds = 10;\n\nCREATE INDEX t_e_idx ON ks.t (e);\nCREATE CUSTOM INDEX sai ON ks.t (values(a)) USING 'StorageAttachedIndex';\nCREATE INDEX ON ks.t(\"e\");\n\nCREATE MATERIALIZED VIEW ks.v AS\n    SELECT *\n    FROM ks.t\n    WHERE e IS NOT NULL AND k IS NOT NULL\n    PRIMARY KEY (e, k)\n WITH CLUSTERING ORDER BY (k DESC)\n    AND comment = '';\n",
			want: []string{
				"ks.t key k:int clustering columns k:int a:frozen<addr> e:text grace 10 index t_e_idx(e) index sai(values(a))StorageAttachedIndex index (e)",
				"ks.v key e:text clustering k:int:desc columns k:int a:frozen<addr> e:text of t",
			},
		},
		{
			name: "a prompt, a warning and a table in a comment around statements",
			text: "cqlsh> don't DESCRIBE TABLE ks.a;\n\nCREATE TABLE ks.a (k int PRIMARY KEY, v text);\n/*\nWarning: Table ks.b omitted because it has constructs not compatible with CQL (was created via legacy API).\n\nApproximate structure, for reference:\n\nCREATE TABLE ks.b (\n    key blob,\n    PRIMARY KEY (key)\n) WITH COMPACT STORAGE;\n*/\ncqlsh> exit\n",
			want: []string{"ks.a key k:int clustering columns k:int v:text", "ks.b key key:blob clustering columns key:blob"},
		},
		{
			name: "the statement in a cell of a result",
			text: ` ks | table | t | CREATE TABLE ks.t (\n    k int PRIMARY KEY,\n    v text\n) WITH gc_grace_seconds = 7\n    AND comment = '';`,
			want: []string{"ks.t key k:int clustering columns k:int v:text grace 7"},
		},
		{
			name: "a statement that is cut before the next",
			text: "CREATE TABLE ks.a (k int, v tex\nCREATE TABLE ks.b (k int PRIMARY KEY);",
			want: []string{"ks.b key k:int clustering columns k:int"}, faults: []Fault{{Offset: 0, Cause: causeColumns}},
		},
		{
			name: "a statement without a key", text: "CREATE TABLE ks.a (k int, v text);", faults: []Fault{{Offset: 0, Cause: causeKey}},
		},
		{name: "prose", text: "We create table after table; CREATE TABLE is slow, and use cases differ. CREATE INDEX too."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, faults := ParseSchema([]byte(c.text))
			var got []string
			for _, table := range s.Tables() {
				got = append(got, showTable(table))
				if text := c.text[table.Offset : table.Offset+table.Length]; !strings.HasPrefix(text, "CREATE ") {
					t.Errorf("%s stands at %q", table.Name, text)
				}
			}
			if g, w := strings.Join(got, "\n"), strings.Join(c.want, "\n"); g != w {
				t.Errorf("tables:\n got %s\nwant %s", g, w)
			}
			if fmt.Sprint(faults) != fmt.Sprint(c.faults) {
				t.Errorf("faults: got %v, want %v", faults, c.faults)
			}
		})
	}
}

func TestParseSchemaOfCapture(t *testing.T) {
	want := map[string]string{
		"cart_by_user": "user_id|item_id", "docs": "id|", "events": "stream|seq", "jobs": "queue|id", "labels": "obj|rev", "odd_keys": "k|n",
		"orders_by_day": "region,day|order_id", "profile": "tenant|id", "sensor": "device|ts",
	}
	s := capturedSchema(t)
	if got := len(s.Tables()); got != len(want) {
		t.Errorf("got %d tables, want %d", got, len(want))
	}
	for name, keys := range want {
		table := s.Table("", name)
		if table == nil {
			t.Fatalf("no table %s", name)
		}
		var pk, ck []string
		for _, c := range table.PartitionKey {
			pk = append(pk, c.Name)
		}
		for _, c := range table.Clustering {
			ck = append(ck, c.Name)
		}
		if got := strings.Join(pk, ",") + "|" + strings.Join(ck, ","); got != keys {
			t.Errorf("%s: got keys %s, want %s", name, got, keys)
		}
		ttl := uint64(0)
		if name == "sensor" {
			ttl = 3
		}
		if table.DefaultTTL != ttl || table.GCGrace != 864000 || table.Compaction != "SizeTieredCompactionStrategy" {
			t.Errorf("%s: got TTL %d, grace %d, %s", name, table.DefaultTTL, table.GCGrace, table.Compaction)
		}
	}
}

func TestSchemaAddAndAmbiguousNames(t *testing.T) {
	a, _ := ParseSchema([]byte("CREATE TABLE x.t (k int PRIMARY KEY);"))
	b, _ := ParseSchema([]byte("CREATE TABLE y.t (k int PRIMARY KEY); CREATE TABLE x.t (k text PRIMARY KEY);"))
	if a.Table("", "t") == nil || a.Table("y", "t") != nil {
		t.Error("a table of one keyspace is not found by its name alone")
	}
	a.Add(b)
	if a.Table("", "t") != nil {
		t.Error("a name of two keyspaces is not ambiguous")
	}
	if got := a.Table("x", "t").PartitionKey[0].Type; got != "text" {
		t.Errorf("the later table did not win: key of type %s", got)
	}
	var zero Schema
	if zero.Table("", "t") != nil || len(zero.Tables()) != 0 {
		t.Error("the zero schema is not empty")
	}
}

func TestTablesHaveTheReplicasOfTheirKeyspace(t *testing.T) {
	schema, _ := ParseSchema([]byte(`CREATE TABLE early.t (k int PRIMARY KEY);
CREATE KEYSPACE early WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '3'} AND durable_writes = true;
CREATE KEYSPACE IF NOT EXISTS "Two" WITH REPLICATION={ 'class' : 'NetworkTopologyStrategy', 'dc2' : 5, 'dc1' : 3, 'dc3': 3 };
CREATE TABLE "Two".t (k int PRIMARY KEY);
CREATE KEYSPACE cut WITH replication = {'class': 'Simple
CREATE TABLE cut.t (k int PRIMARY KEY);`))
	for keyspace, want := range map[string][]int{"early": {3}, "Two": {3, 5}, "cut": nil} {
		table := schema.Table(keyspace, "t")
		if table == nil {
			if keyspace != "cut" {
				t.Errorf("%s: no table", keyspace)
			}
			continue
		}
		if !slices.Equal(table.Replicas, want) {
			t.Errorf("%s: got %d replicas, want %d", keyspace, table.Replicas, want)
		}
	}
}
