package cqltrace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// said is what is compared of an event.
type said struct {
	Op         ingest.Op
	Table, Key string
	Known      bool
	Shape      string
	Partitions uint64
}

func of(e *ingest.Event) said {
	return said{e.Op, string(e.Table), string(e.Key), e.KeyKnown, string(e.Shape), e.Partitions}
}

func bound(values ...string) func(int) ([]byte, bool) {
	return func(i int) ([]byte, bool) {
		if i >= len(values) || values[i] == "" {
			return nil, false
		}
		return []byte(values[i]), true
	}
}

func schema(t *testing.T, text string) *cql.Schema {
	t.Helper()
	s, faults := cql.ParseSchema([]byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

func TestRead(t *testing.T) {
	days := schema(t, "CREATE TABLE shop.days (region text, day int, at timeuuid, note text, PRIMARY KEY ((region, day), at));")
	for _, c := range []struct {
		name   string
		schema *cql.Schema
		s      Statement
		want   said
	}{
		{"a bound value becomes the key", nil, Statement{Text: []byte("SELECT * FROM shop.jobs WHERE queue = ? LIMIT ?"), Bound: bound("'it''s'", "10")},
			said{ingest.OpRead, "shop.jobs", "it's", true, "SELECT * FROM shop.jobs WHERE queue = ? LIMIT ?", 0}},
		{"a value without quotes, too", nil, Statement{Text: []byte("SELECT * FROM shop.jobs WHERE queue = :q"), Bound: bound("mail: out?")},
			said{ingest.OpRead, "shop.jobs", "mail: out?", true, "SELECT * FROM shop.jobs WHERE queue = ?", 0}},
		{"a marker within quotes is none", nil, Statement{Text: []byte("SELECT * FROM shop.jobs WHERE queue = ? AND note = '?'"), Bound: bound("a", "b")},
			said{ingest.OpRead, "shop.jobs", "", false, "SELECT * FROM shop.jobs WHERE queue = ? AND note = ?", 0}},
		{"a value that is not told", nil, Statement{Text: []byte("SELECT * FROM shop.jobs WHERE queue = ?"), Bound: bound("")},
			said{ingest.OpRead, "shop.jobs", "", false, "SELECT * FROM shop.jobs WHERE queue = ?", 0}},
		{"with a schema inserts have keys, of several columns", days, Statement{Text: []byte("INSERT INTO days (region, day, at, note) VALUES (?, ?, ?, 'x')"), Bound: bound("'eu'", "7", "now()")},
			said{ingest.OpWrite, "shop.days", "\xff\x02\x02eu\x017", true, "INSERT INTO days (region, day, at, note) VALUES (?, ?, ?, ?)", 0}},
		{"stored values are printed by their types", days, Statement{Text: []byte("UPDATE shop.days SET note = ? WHERE region = ? AND day = ? AND at = ?"), Stored: [][]byte{[]byte("x"), []byte("eu"), {0, 0, 0, 7}, nil}},
			said{ingest.OpUpdate, "shop.days", "\xff\x02\x02eu\x017", true, "UPDATE shop.days SET note = ? WHERE region = ? AND day = ? AND at = ?", 0}},
		{"without a schema stored bytes are the key", nil, Statement{Text: []byte("SELECT * FROM t WHERE id = ?"), Keyspace: []byte("ks"), Stored: [][]byte{{0, 0, 0, 7}}},
			said{ingest.OpRead, "ks.t", "\x00\x00\x00\x07", true, "SELECT * FROM t WHERE id = ?", 0}},
		{"a stored null is no key", nil, Statement{Text: []byte("SELECT * FROM t WHERE id = ?"), Stored: [][]byte{nil}},
			said{ingest.OpRead, "t", "", false, "SELECT * FROM t WHERE id = ?", 0}},
		{"a list of keys", nil, Statement{Text: []byte("SELECT * FROM ks.t WHERE id IN (1, 2, 3)")},
			said{ingest.OpRead, "ks.t", "", false, "SELECT * FROM ks.t WHERE id IN (?)", 3}},
		{"a scan", nil, Statement{Text: []byte("select * from ks.t")},
			said{ingest.OpScan, "ks.t", "", false, "SELECT * FROM ks.t", 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Reader{Schema: c.schema}
			var e ingest.Event
			if !r.Read(&e, c.s) {
				t.Fatal("no statement")
			}
			if diff := cmp.Diff(of(&e), c.want); diff != "" {
				t.Errorf("event (-got +want):\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoStatement(t *testing.T) {
	for _, text := range []string{"", "GRANT SELECT ON ks.t TO app", "CREATE TABLE t (k int PRIMARY KEY)", "USE ks", "SELECT"} {
		var r Reader
		var e ingest.Event
		if r.Read(&e, Statement{Text: []byte(text)}) {
			t.Errorf("%q: got an event %+v, want none", text, of(&e))
		}
	}
}

func TestAReaderLearnsTheKeyColumn(t *testing.T) {
	const insert = "INSERT INTO ks.t (a, b) VALUES ('x', 'y')"
	for _, c := range []struct {
		name   string
		before []string
		key    string
		known  bool
	}{
		{"nothing read before", nil, "", false},
		{"a read of one column", []string{"SELECT * FROM ks.t WHERE a = ?"}, "x", true},
		{"a read of another table", []string{"SELECT * FROM ks.u WHERE a = ?"}, "", false},
		{"reads of two columns, one of which is an index", []string{"SELECT * FROM ks.t WHERE a = ?", "SELECT * FROM ks.t WHERE b = ?"}, "", false},
		{"a read that filters", []string{"SELECT * FROM ks.t WHERE a = ? ALLOW FILTERING"}, "", false},
		{"a write binds the whole primary key", []string{"DELETE FROM ks.t WHERE a = ?"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Reader{Learn: true}
			for _, text := range append(c.before, insert) {
				var e ingest.Event
				r.Read(&e, Statement{Text: []byte(text)})
				if text == insert && (e.KeyKnown != c.known || string(e.Key) != c.key) {
					t.Errorf("got key %q (%v), want %q (%v)", e.Key, e.KeyKnown, c.key, c.known)
				}
			}
		})
	}
}

func TestEachStatementOfABatchIsAnEvent(t *testing.T) {
	r := Reader{Schema: schema(t, "CREATE TABLE ks.t (k text PRIMARY KEY, v int);")}
	var got []said
	text := "BEGIN UNLOGGED BATCH INSERT INTO ks.t (k, v) VALUES (?, 1); UPDATE ks.t SET v = 2 WHERE k = 'b'; APPLY BATCH"
	r.Each(&ingest.Event{}, Statement{Text: []byte(text)}, func(e *ingest.Event) { got = append(got, of(e)) })
	want := []said{
		{ingest.OpWrite, "ks.t", "", false, "INSERT INTO ks.t (k, v) VALUES (?, ?)", 2},
		{ingest.OpUpdate, "ks.t", "b", true, "UPDATE ks.t SET v = ? WHERE k = ?", 0},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("events (-got +want):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("SELECT * FROM ks.t WHERE a = ? AND b = :x AND c = 'it''s ?'", "v")
	f.Add("BEGIN BATCH INSERT INTO t (a) VALUES (?); APPLY BATCH", "'")
	f.Fuzz(func(t *testing.T, text, value string) {
		r := Reader{Learn: true}
		var e ingest.Event
		s := Statement{Text: []byte(text), Bound: bound(value, value)}
		r.Read(&e, s)
		s.Bound, s.Stored = nil, [][]byte{[]byte(value)}
		r.Each(&e, s, func(*ingest.Event) {})
	})
}
