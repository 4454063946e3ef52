package cassandra

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gocql/gocql"
)

// schema is the tables of the incidents. gc_grace_seconds stays, so that nothing is purged meanwhile.
var schema = []string{
	"CREATE TABLE shop.carts (user_id text PRIMARY KEY, items int)",
	"CREATE TABLE shop.orders (region text, day date, id int, body blob, PRIMARY KEY ((region, day), id))",
	"CREATE TABLE shop.jobs (queue text, id int, body text, PRIMARY KEY (queue, id))",
	"CREATE TABLE shop.letters (queue text, id int, body text, PRIMARY KEY (queue, id))",
	"CREATE TABLE shop.profiles (tenant text, id int, a text, b text, c text, d text, PRIMARY KEY (tenant, id))",
	"CREATE TABLE shop.labels (obj bigint, id int, tags set<text>, PRIMARY KEY (obj, id))",
	"CREATE TABLE shop.sensors (device int, at int, v double, PRIMARY KEY (device, at)) WITH default_time_to_live = 3",
	"CREATE TABLE shop.events (stream uuid, id int, v text, PRIMARY KEY (stream, id))",
	"CREATE TABLE shop.products (id int PRIMARY KEY, colour text)",
}

const (
	hotKey      = "u-000137"
	hotRequests = 1200
	hotOfTen    = 4 // of ten requests go to hotKey
	jobsDeleted = 1150
	nullRows    = 300
	sensorRows  = 400
	labelRows   = 250
	ranges      = 180
	deadLetters = 3000
	scans       = 12
)

// A played is what the client did.
type played struct{ hot, all uint64 }

// playHot reads and writes carts, as Zipf's law has it apart from one key.
func playHot(t *testing.T, s *gocql.Session) played {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(r, 1.1, 1, 900)
	var p played
	for i := range hotRequests {
		key := fmt.Sprintf("v-%06d", zipf.Uint64())
		if i%10 < hotOfTen {
			key = hotKey
			p.hot++
		}
		p.all++
		q := s.Query("SELECT items FROM shop.carts WHERE user_id = ?", key)
		if i%3 == 0 {
			q = s.Query("INSERT INTO shop.carts (user_id, items) VALUES (?, ?)", key, i)
		}
		if err := q.Exec(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// times runs a statement so often, with the number of each run in place of %d, in unlogged batches.
func times(t *testing.T, s *gocql.Session, n int, statement string, args func(i int) []any) {
	t.Helper()
	for from := 0; from < n; from += 50 {
		b := s.NewBatch(gocql.UnloggedBatch)
		for i := from; i < min(n, from+50); i++ {
			b.Query(statement, args(i)...)
		}
		if err := s.ExecuteBatch(b); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// playWrites writes what later reads meet. It is not traced.
func playWrites(t *testing.T, s *gocql.Session) {
	t.Helper()
	times(t, s, sensorRows, "INSERT INTO shop.sensors (device, at, v) VALUES (?, ?, ?)", func(i int) []any { return []any{4242, i, float64(i)} })
	queue := func(table, name string, rows, deleted int) {
		times(t, s, rows, "INSERT INTO "+table+" (queue, id, body) VALUES (?, ?, ?)", func(i int) []any { return []any{name, i, "job"} })
		times(t, s, deleted, "DELETE FROM "+table+" WHERE queue = ? AND id = ?", func(i int) []any { return []any{name, i} })
	}
	queue("shop.jobs", "mail-out", jobsDeleted+50, jobsDeleted)
	queue("shop.letters", "dead letters", deadLetters, deadLetters)
	times(t, s, nullRows, "INSERT INTO shop.profiles (tenant, id, a, b, c, d) VALUES (?, ?, ?, ?, ?, ?)", func(i int) []any { return []any{"acme", i, "x", nil, nil, nil} })
	for range 2 { // the second overwrites the first, which leaves a marker a row
		times(t, s, labelRows, "INSERT INTO shop.labels (obj, id, tags) VALUES (?, ?, ?)", func(i int) []any { return []any{int64(77001), i, []string{"a", "b"}} })
	}
	times(t, s, labelRows, "DELETE tags['a'] FROM shop.labels WHERE obj = ? AND id = ?", func(i int) []any { return []any{int64(77001), i} })
	for i := range 30 {
		run(t, s, fmt.Sprintf("INSERT INTO shop.orders (region, day, id, body) VALUES ('eu-west', '2026-10-%02d', 1, 0xcafe)", i+1))
	}
	stream := stream(t)
	times(t, s, 11*ranges+200, "INSERT INTO shop.events (stream, id, v) VALUES (?, ?, ?)", func(i int) []any { return []any{stream, i, "e"} })
	times(t, s, ranges, "DELETE FROM shop.events WHERE stream = ? AND id >= ? AND id < ?", func(i int) []any { return []any{stream, 11 * i, 11*i + 9} })
	for i := range 200 { // one by one: a batch over partitions is an incident of its own
		run(t, s, fmt.Sprintf("INSERT INTO shop.products (id, colour) VALUES (%d, 'red')", i))
	}
	playLarge(t, s)
}

// playLarge writes a partition of 110 MiB among small ones.
func playLarge(t *testing.T, s *gocql.Session) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	body := randomBytes(r, 1<<20)
	for i := range 110 {
		if err := s.Query("INSERT INTO shop.orders (region, day, id, body) VALUES (?, ?, ?, ?)", "us-east", "2026-11-20", i, body).Exec(); err != nil {
			t.Fatal(err)
		}
	}
}

func stream(t *testing.T) gocql.UUID {
	t.Helper()
	u, err := gocql.ParseUUID("7b2f3c5e-0000-4000-8000-00000000beef")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// read reads all rows.
func read(s *gocql.Session, statement string, args ...any) error {
	rows := s.Query(statement, args...).PageSize(5000).Iter()
	for m := map[string]any{}; rows.MapScan(m); m = map[string]any{} {
		clear(m)
	}
	return rows.Close()
}

// playScans reads without a key.
func playScans(t *testing.T, s *gocql.Session) {
	t.Helper()
	for range scans {
		if err := read(s, "SELECT * FROM shop.products WHERE colour = 'blue' ALLOW FILTERING"); err != nil {
			t.Fatal(err)
		}
	}
}

// playReads reads what was written, as applications do: so often each.
func playReads(t *testing.T, s *gocql.Session, times int) {
	t.Helper()
	for range times {
		for _, q := range []struct {
			statement string
			arg       any
		}{
			{"SELECT * FROM shop.jobs WHERE queue = ? LIMIT 10", "mail-out"},
			{"SELECT * FROM shop.profiles WHERE tenant = ?", "acme"},
			{"SELECT * FROM shop.labels WHERE obj = ?", int64(77001)},
			{"SELECT * FROM shop.sensors WHERE device = ?", 4242},
			{"SELECT * FROM shop.events WHERE stream = ?", stream(t)},
		} {
			if err := read(s, q.statement, q.arg); err != nil {
				t.Fatalf("%s: %v", q.statement, err)
			}
		}
		err := read(s, "SELECT * FROM shop.letters WHERE queue = ?", "dead letters")
		if err == nil || !strings.Contains(err.Error(), "READ_TOO_MANY_TOMBSTONES") {
			t.Fatalf("reading the dead letters: %v, want an abort", err)
		}
	}
}
