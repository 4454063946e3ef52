package ddl

import (
	"fmt"
	"strings"
)

// A counter can be added to and not set, so it cannot be written twice and then copied over: its readers add up the
// old table and the new one, writers move from one to the other, and what the old one holds is added once to a shard
// that nobody else writes.

// countersTo writes the way of a table of counters.
func (p *plan) countersTo(b *strings.Builder) {
	counters := p.counters()
	sum, add := []string{}, []string{}
	for _, c := range counters {
		sum, add = append(sum, c), append(add, c+" = "+c+" + ?")
	}
	where := p.where(append(p.key(), p.old.Clustering...))
	fmt.Fprintf(b, "\n-- 1. EXPAND: the new table, and where the copying is. Nobody uses them yet.\n%s", p.create())
	fmt.Fprintf(b, "CREATE TABLE IF NOT EXISTS %s (part int PRIMARY KEY, done_at timestamp);\n", p.checkpoints())
	fmt.Fprintf(b, "--    undo:  DROP TABLE %s; DROP TABLE %s;\n", p.table(), p.checkpoints())
	fmt.Fprintf(b, "\n-- 2. EXPAND: readers add up the old table and %s.\n", p.all())
	for _, line := range p.formulas() {
		fmt.Fprintf(b, "--    %s\n", line)
	}
	fmt.Fprintf(b, "SELECT %s FROM %s WHERE %s;\n", strings.Join(sum, ", "), p.table(), where)
	fmt.Fprintf(b, "--    check: the sums are those of the old table, as the new one is empty\n--    undo:  read the old table alone\n")
	fmt.Fprintf(b, "\n-- 3. MIGRATE: writers add to the new table in place of the old one, never to both: readers add them up.\nUPDATE %s SET %s WHERE %s;\n", p.table(), strings.Join(add, ", "), where)
	fmt.Fprintf(b, "--    check: nodetool tablestats %s: writes stand still\n--    undo:  add to the old table again; readers go on adding up both\n", p.from())
	p.addOld(b, strings.Join(add, ", "), strings.Join(sum, ", "), where)
}

// addOld writes how what the old table holds comes into the new one.
func (p *plan) addOld(b *strings.Builder, add, sum, where string) {
	if p.change.Shards == 0 {
		fmt.Fprintf(b, "\n-- 4. No copying: what is added to a bucket that is written cannot be told from what is there, and is not safe to repeat.\n")
		fmt.Fprintf(b, "--    The old table stays as an addend until nobody asks for its time, then:\n--    DROP TABLE %s; DROP TABLE %s;   -- a snapshot first. This cannot be undone.\n", p.from(), p.checkpoints())
		return
	}
	token := "token(" + strings.Join(names(p.old.PartitionKey), ", ") + ")"
	fmt.Fprintf(b, "\n-- 4. MIGRATE: only when nobody has written the old table for a day. One process, one part of the tokens after the other (part n as\n")
	fmt.Fprintf(b, "--    above -2^63 + n * 2^56 up to -2^63 + (n + 1) * 2^56), at most %d rows a second. It adds to shard %d, which no writer uses:\n", max(p.change.RowsPerSecond, leastPace), p.change.Shards)
	fmt.Fprintf(b, "SELECT part FROM %s;\n", p.checkpoints())
	fmt.Fprintf(b, "SELECT %s, %s FROM %s WHERE %s > ? AND %s <= ?;\n", strings.Join(names(append(p.old.PartitionKey, p.old.Clustering...)), ", "), sum, p.from(), token, token)
	fmt.Fprintf(b, "--    For each row read shard %d of the new table first (the SELECT of step 2, consistency ALL). Is it there with the old value, it is done; is it\n", p.change.Shards)
	fmt.Fprintf(b, "--    not there, add the old value to it; is it another value, stop. A time-out is read again before it is tried again: an addition is not safe to repeat.\n")
	fmt.Fprintf(b, "--    The same UPDATE as in step 3, with shard %d:\nUPDATE %s SET %s WHERE %s;\n", p.change.Shards, p.table(), add, where)
	fmt.Fprintf(b, "--    Then the checkpoint:\nINSERT INTO %s (part, done_at) VALUES (?, toTimestamp(now()));\n", p.checkpoints())
	fmt.Fprintf(b, "--    Until a part is done readers add the old table and shards 0 to %d; of a part that is done shards 0 to %d without the old table.\n", p.change.Shards-1, p.change.Shards)
	fmt.Fprintf(b, "--    check: for a share of rows the old value is that of shard %d\n--    undo:  read shards 0 to %d and the old table, which holds all that it held\n", p.change.Shards, p.change.Shards-1)
	fmt.Fprintf(b, "\n-- 5. CONTRACT: readers add up shards 0 to %d alone; a week later\n--    DROP TABLE %s; DROP TABLE %s;   -- a snapshot first: nodetool snapshot. This cannot be undone.\n", p.change.Shards, p.from(), p.checkpoints())
}

// all says what readers add up of the new table.
func (p *plan) all() string {
	switch {
	case p.change.Shards > 0 && p.change.Bucket != "":
		return fmt.Sprintf("the %d shards of each %s of the new one", p.change.Shards, p.change.Bucket)
	case p.change.Shards > 0:
		return fmt.Sprintf("the %d shards of the new one", p.change.Shards)
	}
	return fmt.Sprintf("each %s of the new one", p.change.Bucket)
}

// counters names the counters of the table; none where it is no table of counters.
func (p *plan) counters() []string {
	out := []string{}
	for _, c := range p.old.Columns {
		if c.Type == "counter" {
			out = append(out, quoted(c.Name))
		}
	}
	return out
}
