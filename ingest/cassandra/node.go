package cassandra

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// A nodeReader reads the tables that each node has of its own.
type nodeReader struct {
	server  *server
	cluster *cluster
	member  *member
	link    *link
	to      *scoped
	say     systable.Sayer
	log     *logReader
	note    func(text string)
	counts  map[string]count // of requests, by view and table
	looks   int              // so far, that were whole
	// slow and slowNow are the rows of slow_queries in the answer before, and in this one.
	slow, slowNow map[string]bool
}

// A count is a number of requests since the node's start.
type count struct {
	n        uint64
	unixNano int64
}

// A view is a table that a node has of its own.
type view struct {
	table string
	rest  string
	when  when
	read  func(n *nodeReader, r *systable.Row)
}

type when uint8

const (
	always when = iota
	seldom      // each fourth time, and at the end
	atStart
	atBothEnds // what changes slowly
)

const seldomEvery = 4

// due reports whether it is to be read now.
func (w when) due(looks int, last bool) bool {
	switch w {
	case always:
		return true
	case seldom:
		return looks%seldomEvery == 0 || last
	case atBothEnds:
		return looks == 0 || last
	}
	return looks == 0
}

// views are what each node is asked for, as far as it has them.
var views = []view{
	{"system_views.settings", "", atStart, (*nodeReader).row},
	{"system_views.tombstones_per_read", "", always, (*nodeReader).histogram},
	{"system_views.rows_per_read", "", always, (*nodeReader).histogram},
	{"system_views.max_partition_size", "", seldom, (*nodeReader).row},
	{"system_views.local_read_latency", "", always, (*nodeReader).latency},
	{"system_views.local_scan_latency", "", seldom, (*nodeReader).latency},
	{"system_views.local_write_latency", "", always, (*nodeReader).latency},
	{"system_views.coordinator_read_latency", "", seldom, (*nodeReader).latency},
	{"system_views.slow_queries", "", always, (*nodeReader).slowQuery},
	{"system.top_partitions", "", atBothEnds, (*nodeReader).row},
	{"system.large_partitions", "", atBothEnds, (*nodeReader).row},
	{"system.large_rows", "", atBothEnds, (*nodeReader).row},
	{"system.large_cells", "", atBothEnds, (*nodeReader).row},
}

// poll reads all that is due. Its error says that the node could not be talked to.
func (n *nodeReader) poll(ctx context.Context, last bool) error {
	now, err := n.server.now(ctx, n.link)
	if err != nil {
		return err
	}
	n.to.now = now
	n.say.Schema = n.cluster.types()
	n.slow, n.slowNow = n.slowNow, map[string]bool{}
	for i := range views {
		v := &views[i]
		if !n.cluster.tables[v.table] || !v.when.due(n.looks, last) {
			continue
		}
		err := n.link.rows(ctx, &query{table: v.table, rest: v.rest}, func(r *systable.Row) { v.read(n, r) })
		n.say.End(n.to)
		if err = n.refused(v.table, err); err != nil {
			return err
		}
	}
	if atBothEnds.due(n.looks, last) {
		if err := n.sizeEstimates(ctx); err != nil {
			return err
		}
	}
	if atStart.due(n.looks, last) {
		if err := n.keySizes(ctx); err != nil {
			return err
		}
	}
	n.looks++
	return n.log.read(ctx, last)
}

// refused makes a note of an answer that is no rows, and gives other errors back.
func (n *nodeReader) refused(table string, err error) error {
	var said *refusal
	if !errors.As(err, &said) || said.gone {
		return err
	}
	n.note(table + " was not read: " + firstLine(err) + "; keyheat doctor prints the least role")
	return nil
}

// row reads what the table's export would say.
func (n *nodeReader) row(r *systable.Row) {
	if !n.say.Say(r, ingest.Position{}, n.to) {
		n.to.Skip(skipSilent)
	}
}

const skipSilent = "row without evidence"

// histogram reads statistics of reads; those of tables that nobody read are none.
func (n *nodeReader) histogram(r *systable.Row) {
	if reads, ok := systable.Count(r.Of("count")); !ok || reads == 0 {
		n.to.Skip(skipSilent)
		return
	}
	n.row(r)
}

// slowQuery tells of a slow statement once: its row stays until newer ones take its place.
func (n *nodeReader) slowQuery(r *systable.Row) {
	id := string(bytes.Join(r.Values, []byte{0}))
	if n.slowNow[id] = true; !n.slow[id] {
		n.row(r)
	}
}

// latency reads a row of *_latency: requests since the last poll, and how long they take.
func (n *nodeReader) latency(r *systable.Row) {
	name := strings.TrimPrefix(r.From, "system_views.")
	table := tableName(r)
	total, ok := systable.Count(r.Of("count"))
	if !ok || total == 0 {
		n.to.Skip(skipSilent)
		return
	}
	key := name + " " + table
	before, known := n.counts[key]
	n.counts[key] = count{total, n.to.now}
	if known && total != before.n {
		n.requests(name, table, total, before)
	}
	for _, c := range [][2]string{{"max_ms", "maximum"}, {"p50th_ms", "p50"}, {"p99th_ms", "p99"}} {
		milli, ok := systable.Milli(r.Of(c[0]))
		if inSeconds(n.cluster.version) {
			milli *= 1000
		}
		if ok {
			n.to.Point(&ingest.Point{Store: n.store(), Table: []byte(table), Name: []byte(name + "_ms"), Stat: c[1], Milli: milli})
		}
	}
}

// requests tells how many there were between two polls. A node that restarted counts from 0.
func (n *nodeReader) requests(view, table string, total uint64, before count) {
	name := map[string]string{"local_read_latency": ingest.PointReads, "local_write_latency": ingest.PointWrites}[view]
	if name == "" {
		return
	}
	made := total
	if total >= before.n {
		made = total - before.n
	}
	n.to.Point(&ingest.Point{
		Store: n.store(), Table: []byte(table), Name: []byte(name), Stat: "sum", Milli: made * 1000,
		UnixNano: before.unixNano, Seconds: uint32(max(n.to.now-before.unixNano, 0) / 1e9),
	})
}

func (n *nodeReader) store() ingest.Store {
	if n.cluster.scylla {
		return ingest.Scylla
	}
	return ingest.Cassandra
}

// inSeconds reports whether the columns *_ms of this version hold seconds, as those of 4.1, 5.0 and 6.0 do.
func inSeconds(version string) bool {
	older, known := olderThan(version, 4, 1)
	return known && !older
}

// sizeEstimates tells how many partitions a node has of each table and how large they are on average. Rows
// are of ranges of tokens, and those of a table follow each other.
func (n *nodeReader) sizeEstimates(ctx context.Context) error {
	const table = "system.size_estimates"
	if !n.cluster.tables[table] {
		return nil
	}
	err := n.link.rows(ctx, &query{table: table}, func(r *systable.Row) { n.say.Say(r, ingest.Position{}, n.to) })
	n.say.End(n.to)
	return n.refused(table, err)
}

// keysKept are the largest partitions of a table that are told.
const keysKept = 100

// keySizes tells the largest partitions of the table that is asked for, of a server that can list the keys
// of a table with their sizes (6.0). It lists all of them, in the order of their tokens.
func (n *nodeReader) keySizes(ctx context.Context) error {
	const table = "system_views.partition_key_statistics"
	if n.server.config.table == "" || !n.cluster.tables[table] {
		return nil
	}
	type sized struct {
		bytes uint64
		row   systable.Row
	}
	var largest []sized
	err := n.link.rows(ctx, &query{
		table: table, rest: "WHERE keyspace_name = ? AND table_name = ?", args: []any{n.server.config.keyspace, n.server.config.table},
	}, func(r *systable.Row) {
		size, _ := systable.Count(r.Of("size_estimate"))
		i, _ := slices.BinarySearchFunc(largest, size, func(s sized, size uint64) int { return cmp.Compare(size, s.bytes) })
		if i < keysKept {
			largest = slices.Insert(largest, i, sized{size, systable.Row{From: r.From, Names: slices.Clone(r.Names), Values: clones(r.Values)}})
			largest = largest[:min(len(largest), keysKept)]
		}
	})
	for i := range largest {
		n.row(&largest[i].row)
	}
	return n.refused(table, err)
}

// firstLine gives the begin of what an error says.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return clipped(line)
}

func clipped(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), ingest.MaxProblemText)], "?")
}
