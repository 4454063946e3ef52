package cassandra

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hotTable writes the schema of a keyspace and traffic in which one key of a table is hot, and gives the script to
// paste for it.
func hotTable(t *testing.T, schema []byte, table, op string) string {
	t.Helper()
	dir := t.TempDir()
	events := []string{"store,table,pk,op,ts,requests"}
	for i := range 300 {
		at := fmt.Sprintf("2026-06-04T09:%02d:%02dZ", i/60, i%60)
		events = append(events, fmt.Sprintf("cassandra,%s,q1,%s,%s,40", table, op, at), fmt.Sprintf("cassandra,%s,q%d,%s,%s,3", table, 10+i%200, op, at))
	}
	for name, data := range map[string][]byte{"schema.cql": schema, "events.csv": []byte(strings.Join(events, "\n") + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return script(t, dir, "shard-suffix")
}

// An index with options and a materialized view are made again on the new table, and the view is read as before.
func TestIndexesAndViewsArePasted(t *testing.T) {
	s := connect(t, address(t), "cassandra")
	keyspace(t, s, "pasteview", 1)
	run(t, s, `CREATE TABLE pasteview.jobs (queue text, id int, owner text, state text, PRIMARY KEY (queue, id)) WITH CLUSTERING ORDER BY (id DESC)`,
		`CREATE CUSTOM INDEX by_state ON pasteview.jobs (state) USING 'StorageAttachedIndex' WITH OPTIONS = {'case_sensitive': 'false', 'normalize': 'true'}`,
		`CREATE MATERIALIZED VIEW pasteview.by_owner AS SELECT owner, queue, id, state FROM pasteview.jobs WHERE owner IS NOT NULL AND queue IS NOT NULL AND id IS NOT NULL
		 PRIMARY KEY ((owner), queue, id) WITH CLUSTERING ORDER BY (queue ASC, id DESC)`)
	text := hotTable(t, describe(t, s, "pasteview"), "pasteview.jobs", "write")
	bare, bound := pasteable(text)
	for _, statement := range bare {
		if err := s.Query(statement).Exec(); err != nil {
			t.Fatalf("%s\n%v\nof\n%s", statement, err, text)
		}
	}
	insert := find(t, bound, "INSERT INTO", "VALUES", "?)")
	for id := range 40 {
		if err := s.Query(insert, "q1", id, fmt.Sprint("owner-", id%4), "Open", id%8).Exec(); err != nil {
			t.Fatalf("%s: %v", insert, err)
		}
	}
	n := 0
	if err := s.Query("SELECT count(*) FROM pasteview.by_owner_by_shard WHERE owner = 'owner-1'").Scan(&n); err != nil || n != 10 {
		t.Errorf("the view has %d rows of an owner, want 10: %v", n, err)
	}
	found := 0
	for shard := range 8 { // not all at once: a read of every node is an incident, and this server's log has only those it should have
		if err := s.Query("SELECT count(*) FROM pasteview.jobs_by_shard WHERE queue = 'q1' AND shard = ? AND state = 'oPEN'", shard).Scan(&n); err != nil {
			t.Fatal(err)
		}
		found += n
	}
	if found != 40 {
		t.Errorf("the index finds %d rows whatever their case, want 40", found)
	}
	old, now := map[string]string{}, map[string]string{}
	for table, into := range map[string]*map[string]string{"jobs": &old, "jobs_by_shard": &now} {
		if err := s.Query("SELECT options FROM system_schema.indexes WHERE keyspace_name = 'pasteview' AND table_name = ?", table).Scan(into); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(old) != fmt.Sprint(now) {
		t.Errorf("options of the index %v, were %v", now, old)
	}
}

// The old table of counters is added once to a shard that nobody writes, in two runs of which the second repeats
// rows of the first, while writers add to the new table: the sums are right all the time.
func TestCountersArePasted(t *testing.T) {
	s := connect(t, address(t), "cassandra")
	keyspace(t, s, "pastecount", 1)
	run(t, s, `CREATE TABLE pastecount.hits (page text, day int, n counter, PRIMARY KEY (page, day))`)
	text := hotTable(t, describe(t, s, "pastecount"), "pastecount.hits", "update")
	bare, bound := pasteable(text)
	for _, statement := range bare {
		if err := s.Query(statement).Exec(); err != nil {
			t.Fatalf("%s\n%v\nof\n%s", statement, err, text)
		}
	}
	const shards, pages = 16, 5
	read, add, pick := find(t, bound, "SELECT n FROM"), find(t, bound, "UPDATE"), find(t, bound, "SELECT", "token(")
	exec := func(statement string, args ...any) {
		t.Helper()
		if err := s.Query(statement, args...).Exec(); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for page := range pages {
		exec("UPDATE pastecount.hits SET n = n + ? WHERE page = ? AND day = ?", int64(100+page), fmt.Sprint("p", page), 1)
	}
	of := func(page string, shard int) (n int64) {
		if s.Query(read, page, shard, 1).Scan(&n) != nil {
			return 0 // not there
		}
		return n
	}
	copied := map[string]bool{}
	copyAll := func() {
		rows := s.Query(pick, int64(-1<<63), int64(1<<63-1)).Iter()
		page, day, n := "", 0, int64(0)
		for rows.Scan(&page, &day, &n) {
			switch of(page, shards) {
			case n: // done already
			case 0:
				exec(add, n, page, shards, day)
			default:
				t.Fatalf("shard %d of %s has another value", shards, page)
			}
			copied[page] = true
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		exec(add, int64(1), fmt.Sprint("p", i%pages), i%shards, 1)
		if i == 20 || i == 40 {
			copyAll()
		}
	}
	for page := range pages {
		sum := int64(0)
		for shard := range shards + 1 {
			sum += of(fmt.Sprint("p", page), shard)
		}
		if want := int64(100 + page + 12); sum != want {
			t.Errorf("page %d has %d, want %d", page, sum, want)
		}
	}
}

// An ALTER of compaction keeps the options that the table has, and what undoes it brings all of them back.
func TestAltersArePastedAndUndone(t *testing.T) {
	s := connect(t, address(t), "cassandra")
	keyspace(t, s, "pastealter", 1)
	run(t, s, `CREATE TABLE pastealter.sensor (id int, ts timestamp, value double, PRIMARY KEY (id, ts)) WITH default_time_to_live = 2592000
		AND compaction = {'class': 'SizeTieredCompactionStrategy', 'max_threshold': '40', 'min_threshold': '5'}`)
	metadata, err := os.ReadFile("../../../fixtures/remedies/expiring-sensor/sstablemetadata.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"schema.cql": describe(t, s, "pastealter"), "sstablemetadata.txt": bytes.ReplaceAll(metadata, []byte("data/shop/"), []byte("data/pastealter/")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	options := func() (all map[string]string) {
		if err := s.Query("SELECT compaction FROM system_schema.tables WHERE keyspace_name = 'pastealter' AND table_name = 'sensor'").Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := options()
	for kind, want := range map[string]map[string]string{
		"unchecked-compaction": {"max_threshold": "40", "min_threshold": "5", "unchecked_tombstone_compaction": "true"},
		"time-window":          {"compaction_window_unit": "DAYS", "compaction_window_size": "1"},
	} {
		text := script(t, dir, kind)
		bare, _ := pasteable(text)
		_, undo, _ := strings.Cut(text, "undo:\n-- ")
		run(t, s, bare...)
		now := options()
		for name, value := range want {
			if now[name] != value {
				t.Errorf("%s: %s is %q, want %s, of\n%s", kind, name, now[name], value, text)
			}
		}
		run(t, s, strings.TrimSuffix(strings.TrimSpace(undo), ";"))
		if back := options(); fmt.Sprint(back) != fmt.Sprint(before) {
			t.Errorf("%s: undone it is %v, was %v", kind, back, before)
		}
	}
}

// Copies of a row that is read all the time are written and read as the text says.
func TestCopiesArePasted(t *testing.T) {
	s := connect(t, address(t), "cassandra")
	keyspace(t, s, "pastecopies", 1)
	run(t, s, `CREATE TABLE pastecopies.profiles (name text PRIMARY KEY, bio text)`)
	dir, events := t.TempDir(), []string{"store,table,pk,op,ts,requests"}
	for i := range 600 {
		at := fmt.Sprintf("2026-06-04T09:%02d:%02dZ", i/60, i%60)
		events = append(events, fmt.Sprintf("cassandra,pastecopies.profiles,star,read,%s,1200", at), fmt.Sprintf("cassandra,pastecopies.profiles,u%d,read,%s,3", i%200, at))
	}
	for name, data := range map[string][]byte{"schema.cql": describe(t, s, "pastecopies"), "events.csv": []byte(strings.Join(events, "\n") + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bare, bound := pasteable(script(t, dir, "read-copies"))
	run(t, s, bare...)
	insert, read := find(t, bound, "INSERT INTO", "VALUES", "?)"), find(t, bound, "SELECT", "copy = ?")
	for copied := range 4 {
		if err := s.Query(insert, "star", "sings", copied).Exec(); err != nil {
			t.Fatalf("%s: %v", insert, err)
		}
	}
	name, bio := "", ""
	if err := s.Query(read, "star", 3).Scan(&name, &bio); err != nil || bio != "sings" {
		t.Errorf("copy 3 has %q, %q: %v", name, bio, err)
	}
}
