package cassandra

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gocql/gocql"
)

// oldTable is a queue with names that need quotes, a static column, collections, an index and options.
const oldTable = `CREATE TABLE %s."Jobs" (
    queue text,
    "order" int,
    id timeuuid,
    owner text static,
    tags frozen<list<text>>,
    seen map<text, int>,
    PRIMARY KEY ((queue, "order"), id)
) WITH CLUSTERING ORDER BY (id DESC) AND comment = 'it''s (not) a queue' AND gc_grace_seconds = 3600
  AND compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '80'}`

// script runs keyheat analyze --ddl on files and gives the text to paste of a kind of proposal.
func script(t *testing.T, dir, kind string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), keyheat(t), "analyze", "--quiet", "--ddl", "--format", "json", dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	r := struct {
		Findings []struct {
			Proposals []struct{ Kind, Script string }
		}
	}{}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		for _, p := range f.Proposals {
			if p.Kind == kind {
				return p.Script
			}
		}
	}
	t.Fatalf("no proposal of kind %s:\n%s", kind, out)
	return ""
}

// pasteable gives the statements of a script, those with bind markers apart.
func pasteable(script string) (bare, bound []string) {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "--") {
			continue
		}
		b.WriteString(line)
		if !strings.HasSuffix(strings.TrimSpace(line), ";") {
			continue
		}
		statement := strings.TrimSuffix(strings.TrimSpace(b.String()), ";")
		b.Reset()
		switch {
		case statement == "":
		case strings.Contains(statement, "?"):
			bound = append(bound, statement)
		default:
			bare = append(bare, statement)
		}
	}
	return bare, bound
}

// The text to paste is run as it says, on a table with everything that makes that hard: the new table has
// all columns and options, a backfill that is stopped goes on, rows written meanwhile stay, and each read
// finds its rows.
func TestTheTextToPasteRuns(t *testing.T) {
	s := connect(t, address(t), "cassandra")
	keyspace(t, s, "paste", 1)
	run(t, s, fmt.Sprintf(oldTable, "paste"), `CREATE INDEX ON paste."Jobs" (full(tags))`)
	const rows = 400
	for i := range rows {
		times(t, s, 1, `INSERT INTO paste."Jobs" (queue, "order", id, owner, tags, seen) VALUES (?, ?, ?, ?, ?, ?)`, func(int) []any {
			return []any{fmt.Sprint("q", i%7), i % 3, gocql.TimeUUID(), "owner", []string{"a", fmt.Sprint(i)}, map[string]int{"x": i}}
		})
	}
	dir := t.TempDir()
	events := []string{"store,table,pk,op,ts,requests,latency_ms"}
	for i := range 300 {
		events = append(events, fmt.Sprintf("cassandra,paste.Jobs,q1,write,2026-06-04T09:%02d:%02dZ,40,%d", i/60, i%60, 5), fmt.Sprintf("cassandra,paste.Jobs,q%d,write,2026-06-04T09:%02d:%02dZ,3,5", 10+i%200, i/60, i%60))
	}
	for name, data := range map[string][]byte{"schema.cql": describe(t, s, "paste"), "events.csv": []byte(strings.Join(events, "\n") + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := script(t, dir, "shard-suffix")
	bare, bound := pasteable(text)
	for _, statement := range bare {
		if err := s.Query(statement).Exec(); err != nil {
			t.Fatalf("%s\n%v\nof\n%s", statement, err, text)
		}
	}
	p := pasted{t: t, s: s, insert: find(t, bound, "INSERT INTO", "VALUES", "?)"), copies: find(t, bound, "INSERT INTO", "USING TIMESTAMP"),
		pick: find(t, bound, "SELECT", "token("), read: find(t, bound, "SELECT", "_by_shard", "shard = ?"), done: find(t, bound, "INSERT INTO", "_backfill"), remove: find(t, bound, "DELETE FROM")}
	p.options()
	p.migrate(rows)
}

func find(t *testing.T, list []string, words ...string) string {
	t.Helper()
	for _, s := range list {
		ok := true
		for _, w := range words {
			ok = ok && strings.Contains(s, w)
		}
		if ok {
			return s
		}
	}
	t.Fatalf("no statement with %q in\n%s", words, strings.Join(list, "\n"))
	return ""
}

// pasted are the statements of a script.
type pasted struct {
	t                                        *testing.T
	s                                        *gocql.Session
	insert, copies, pick, read, done, remove string
}

// options compares what the server says of both tables.
func (p *pasted) options() {
	said := func(table string) map[string]any {
		row := map[string]any{}
		if err := p.s.Query("SELECT comment, compaction, compression, gc_grace_seconds, default_time_to_live, caching, speculative_retry FROM system_schema.tables WHERE keyspace_name = 'paste' AND table_name = ?", table).MapScan(row); err != nil {
			p.t.Fatal(err)
		}
		return row
	}
	old, now := said("Jobs"), said("Jobs_by_shard")
	for name := range old {
		if fmt.Sprint(old[name]) != fmt.Sprint(now[name]) {
			p.t.Errorf("%s: %v, was %v", name, now[name], old[name])
		}
	}
	kinds := map[string]int{}
	rows := p.s.Query("SELECT kind FROM system_schema.columns WHERE keyspace_name = 'paste' AND table_name = 'Jobs_by_shard'").Iter()
	for kind := ""; rows.Scan(&kind); {
		kinds[kind]++
	}
	if err := rows.Close(); err != nil {
		p.t.Fatal(err)
	}
	if kinds["partition_key"] != 3 || kinds["clustering"] != 1 || kinds["static"] != 1 || kinds["regular"] != 2 {
		p.t.Errorf("columns by kind: %v, want three of the partition key, one clustering, one static and two others", kinds)
	}
}

// shardOf is hash(clustering key) mod 8, as the script has the application do it.
func shardOf(id gocql.UUID, shards int) int {
	h := fnv.New32a()
	h.Write(id[:])
	return int(h.Sum32() % uint32(shards))
}

// copyPart copies one range of tokens and sets its checkpoint.
func (p *pasted) copyPart(part, shards int) {
	low := int64(-1<<63) + int64(part)<<56
	rows := p.s.Query(p.pick, low, low+1<<56-1).Iter()
	if part == 255 {
		rows = p.s.Query(p.pick, low, int64(1<<63-1)).Iter()
	}
	row := struct {
		queue, owner string
		order        int
		id           gocql.UUID
		tags         []string
		seen         map[string]int
		written      *int64
		ttl          *int
	}{}
	for rows.Scan(&row.queue, &row.order, &row.id, &row.owner, &row.tags, &row.seen, &row.written, &row.ttl) {
		if err := p.s.Query(p.copies, row.queue, row.order, row.id, row.owner, row.tags, row.seen, shardOf(row.id, shards), row.written, row.ttl).Exec(); err != nil {
			p.t.Fatalf("%s: %v", p.copies, err)
		}
	}
	if err := rows.Close(); err != nil {
		p.t.Fatalf("%s: %v", p.pick, err)
	}
	if err := p.s.Query(p.done, part).Exec(); err != nil {
		p.t.Fatalf("%s: %v", p.done, err)
	}
}

// migrate copies the table in two runs, while one row is changed and one is deleted in both tables.
func (p *pasted) migrate(rows int) {
	t := p.t
	const shards = 8
	changed, gone := gocql.UUID{}, gocql.UUID{}
	queue, order := "", 0
	all := p.s.Query(`SELECT queue, "order", id FROM paste."Jobs" WHERE queue = 'q1' AND "order" = 1`).Iter()
	for id := (gocql.UUID{}); all.Scan(&queue, &order, &id); {
		changed, gone = gone, id
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	exec := func(statement string, args ...any) {
		if err := p.s.Query(statement, args...).Exec(); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for part := range 100 {
		p.copyPart(part, shards)
	}
	exec(p.insert, queue, order, changed, "owner", []string{"new"}, map[string]int{"y": 1}, shardOf(changed, shards))
	exec(`DELETE FROM paste."Jobs" WHERE queue = ? AND "order" = ? AND id = ?`, queue, order, gone)
	exec(p.remove, queue, order, shardOf(gone, shards), gone)
	finished := map[int]bool{}
	parts := p.s.Query(`SELECT part FROM paste."Jobs_by_shard_backfill"`).Iter()
	for part := 0; parts.Scan(&part); {
		finished[part] = true
	}
	if err := parts.Close(); err != nil || len(finished) != 100 {
		t.Fatalf("%d checkpoints, want 100: %v", len(finished), err)
	}
	for part := range 256 {
		if part < 50 || !finished[part] { // those before 50 are copied twice
			p.copyPart(part, shards)
		}
	}
	p.compare(shards, rows-1, changed)
}

// compare reads each old partition from its shards.
func (p *pasted) compare(shards, want int, changed gocql.UUID) {
	n := 0
	for q := range 7 {
		for order := range 3 {
			for shard := range shards {
				rows := p.s.Query(p.read, fmt.Sprint("q", q), order, shard).Iter()
				row := map[string]any{}
				for ; rows.MapScan(row); row = map[string]any{} {
					id := row["id"].(gocql.UUID)
					if id == (gocql.UUID{}) { // the static column of a shard whose only row was deleted
						continue
					}
					n++
					if id == changed && fmt.Sprint(row["tags"]) != "[new]" {
						p.t.Errorf("a row that was written meanwhile has %v", row["tags"])
					}
				}
				if err := rows.Close(); err != nil {
					p.t.Fatalf("%s: %v", p.read, err)
				}
			}
		}
	}
	if n != want {
		p.t.Errorf("%d rows in the new table, want %d", n, want)
	}
}
