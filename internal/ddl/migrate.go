package ddl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest/cql"
)

// parts is how many ranges of tokens a backfill reads one by one; each is a checkpoint.
const parts = 256

// CQL writes the way from a table to one with another partition key as expand, migrate and contract: the new
// table with all columns and options of the old one, the statements that write and read both, a backfill
// that goes on where it stopped, and how each step is checked and undone. statement is the old table's
// CREATE TABLE as DESCRIBE prints it, views are its materialized views. Errors wrap ErrTable.
func CQL(t *cql.Table, statement string, views []View, c Change) (string, error) {
	p, err := newPlan(t, statement, views, c)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "-- From %s to %s. Read it before you paste it; statements with ? are for the application.\n", p.from(), p.table())
	if len(p.counters()) > 0 {
		p.countersTo(&b)
		return b.String(), nil
	}
	recreated, err := p.recreated()
	if err != nil {
		return "", err
	}
	p.expand(&b, recreated)
	p.migrate(&b)
	p.contract(&b)
	return b.String(), nil
}

// recreated writes the views of the old table for the new one.
func (p *plan) recreated() (string, error) {
	var b strings.Builder
	for _, v := range p.views {
		text, err := p.view(v)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (p *plan) expand(b *strings.Builder, views string) {
	fmt.Fprintf(b, "\n-- 1. EXPAND: the new table, and where the backfill is. Nobody uses them yet.\n%s%s", p.create(), views)
	fmt.Fprintf(b, "CREATE TABLE IF NOT EXISTS %s (part int PRIMARY KEY, done_at timestamp);\n", p.checkpoints())
	fmt.Fprintf(b, "--    check: the key is the one that is wanted\nSELECT column_name, kind, type FROM system_schema.columns WHERE keyspace_name = '%s' AND table_name = '%s';\n",
		textOf(p.old.Keyspace), textOf(p.name))
	fmt.Fprintf(b, "--    undo:  %sDROP TABLE %s; DROP TABLE %s;\n", p.dropViews(strings.TrimPrefix(p.name, p.old.Name)), p.table(), p.checkpoints())
	fmt.Fprintf(b, "\n-- 2. EXPAND: the application writes both, the old table first; deletes too. Reads stay where they are.\n")
	for _, line := range p.formulas() {
		fmt.Fprintf(b, "--    %s\n", line)
	}
	fmt.Fprintf(b, "%s;\n", p.insert(""))
	fmt.Fprintf(b, "DELETE FROM %s WHERE %s;\n", p.table(), p.where(slices.Concat(p.key(), p.old.Clustering)))
	fmt.Fprintf(b, "--    check: a row that was just written is in both\n--    undo:  stop writing the new table; TRUNCATE it before the next try\n")
}

// formulas say what the new columns hold.
func (p *plan) formulas() []string {
	var out []string
	for _, c := range p.added {
		switch {
		case p.change.Copies > 0:
			out = append(out, fmt.Sprintf("%s = 0; of the few keys of a list, which writers and readers keep in memory, each write and each delete goes to all of 0 to %d, 0 first", quoted(c.Name), p.change.Copies-1))
		case c.Type == "int" && len(p.old.Clustering) == 0:
			out = append(out, fmt.Sprintf("%s = a random number of 0 to %d for each write: readers of a row ask every shard", quoted(c.Name), p.change.Shards-1))
			if len(p.counters()) == 0 {
				out = append(out, "and take the newest by writetime, since the table has one row a partition; a delete goes to every shard")
			}
		case c.Type == "int":
			out = append(out, fmt.Sprintf("%s = hash(%s) mod %d, 0 to %d; the same function everywhere, as CRC-32", quoted(c.Name), strings.Join(names(p.old.Clustering), ", "), p.change.Shards, p.change.Shards-1))
		default:
			out = append(out, fmt.Sprintf("%s = the %s of the row in UTC, as text: %s", quoted(c.Name), p.change.Bucket, example(p.change.Bucket)))
		}
	}
	return out
}

func example(bucket string) string {
	switch bucket {
	case "minute":
		return "2026-06-04T10:15"
	case "hour":
		return "2026-06-04T10"
	case "week":
		return "2026-W23"
	case "month":
		return "2026-06"
	}
	return "2026-06-04"
}

func (p *plan) migrate(b *strings.Builder) {
	pace := max(p.change.RowsPerSecond, leastPace)
	plain := p.written()
	fmt.Fprintf(b, "\n-- 3. MIGRATE: copy what is older, in %d ranges of tokens. Begin when every process writes both.\n", parts)
	fmt.Fprintf(b, "--    Which are done; part n is the tokens above -2^63 + n * 2^56 up to -2^63 + (n + 1) * 2^56:\nSELECT part FROM %s;\n", p.checkpoints())
	columns := names(p.old.Columns)
	if plain != "" {
		columns = append(columns, "writetime("+plain+")", "ttl("+plain+")")
	}
	fmt.Fprintf(b, "--    For each other part, page by page, at most %d rows a second, and slower when latency rises:\n", pace)
	token := "token(" + strings.Join(names(p.old.PartitionKey), ", ") + ")"
	fmt.Fprintf(b, "SELECT %s FROM %s WHERE %s > ? AND %s <= ?;\n", strings.Join(columns, ", "), p.from(), token, token)
	if plain != "" {
		fmt.Fprintf(b, "--    Each row with its own time, so that what is written meanwhile stays; bind what is null UNSET.\n--    A row without %s has no time: IF NOT EXISTS in place of USING.\n%s;\n", plain, p.insert(" USING TIMESTAMP ? AND TTL ?"))
	} else {
		fmt.Fprintf(b, "--    Only where nothing newer is; bind what is null UNSET:\n%s;\n", p.insert(" IF NOT EXISTS"))
	}
	fmt.Fprintf(b, "--    Then the checkpoint:\nINSERT INTO %s (part, done_at) VALUES (?, toTimestamp(now()));\n", p.checkpoints())
	fmt.Fprintf(b, "--    check: it can be stopped and begun again: parts that are done are passed over, and rows that are copied twice are the same\n")
	fmt.Fprintf(b, "--    undo:  TRUNCATE %s; TRUNCATE %s;\n", p.table(), p.checkpoints())
	fmt.Fprintf(b, "\n-- 4. MIGRATE: read both and compare, for a share of requests; then read the new table alone.\n")
	for _, line := range p.readers() {
		fmt.Fprintf(b, "--    %s\n", line)
	}
	fmt.Fprintf(b, "SELECT %s FROM %s WHERE %s;\n", strings.Join(names(p.old.Columns), ", "), p.table(), p.where(p.key()))
	fmt.Fprintf(b, "--    check: no difference for a day, then keyheat analyze on the new table's traffic\n--    undo:  read the old table: it is still written\n")
}

// readers say how a request for an old partition is read from the new table.
func (p *plan) readers() []string {
	var out []string
	if p.change.Copies > 0 {
		out = append(out, fmt.Sprintf("a key of the list: one read, of a copy of 0 to %d that is drawn at random, of copy 0 after a write of one's own; another key: copy 0", p.change.Copies-1))
	}
	if p.change.Shards > 0 {
		out = append(out, fmt.Sprintf("a whole partition: %d reads side by side, one for each shard, merged by the clustering columns", p.change.Shards))
	}
	if p.change.Bucket != "" {
		out = append(out, fmt.Sprintf("a span of time: one read for each %s of it, the newest first", p.change.Bucket))
	}
	return out
}

func (p *plan) contract(b *strings.Builder) {
	fmt.Fprintf(b, "\n-- 5. CONTRACT: stop writing the old table when nothing has read it for a week.\n")
	fmt.Fprintf(b, "--    check: nodetool tablestats %s: reads and writes stand still\n", p.from())
	fmt.Fprintf(b, "--    undo:  write it again, and copy back what is newer: the same as step 3 the other way\n")
	fmt.Fprintf(b, "--    %sDROP TABLE %s; DROP TABLE %s;   -- a snapshot first: nodetool snapshot. This cannot be undone.\n", p.dropViews(""), p.from(), p.checkpoints())
}

// dropViews drops the views of the old table, or with a suffix those of the new one: a table that has any is not dropped.
func (p *plan) dropViews(suffix string) string {
	var b strings.Builder
	for _, v := range p.views {
		fmt.Fprintf(&b, "DROP MATERIALIZED VIEW %s; ", dotted(p.old.Keyspace, v.Table.Name+suffix))
	}
	return b.String()
}

func (p *plan) checkpoints() string { return dotted(p.old.Keyspace, p.name+"_backfill") }

// insert writes a whole row of the new table.
func (p *plan) insert(more string) string {
	columns := names(slices.Concat(p.old.Columns, p.added))
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)%s", p.table(), strings.Join(columns, ", "), markers(len(columns)), more)
}

func (p *plan) where(columns []cql.Column) string {
	return strings.Join(names(columns), " = ? AND ") + " = ?"
}

// written gives a column whose time of writing is that of the row: one that is no part of the key, not
// static and no collection. Empty when there is none.
func (p *plan) written() string {
	for _, c := range p.old.Columns {
		named := func(k cql.Column) bool { return k.Name == c.Name }
		if !c.Static && !c.Collection() && !slices.ContainsFunc(p.old.PartitionKey, named) && !slices.ContainsFunc(p.old.Clustering, named) {
			return quoted(c.Name)
		}
	}
	return ""
}

func textOf(name string) string { return strings.ReplaceAll(name, "'", "''") }
