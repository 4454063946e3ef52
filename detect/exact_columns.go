package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// An ExactColumn is how the requests of a key divide over the values of a further column of its records.
type ExactColumn struct {
	Known  uint64           // requests whose record has the column
	Values *sketch.Distinct // nil when none has
	Top    Range            // requests of its busiest value
	Shards *ExactShards     // by value: what one value has is at most what its shard has

	top *sketch.Top
}

// Keys are counted by columns as long as these make at most maxColumnShards together: 6 MiB.
const (
	MostColumns     = 4 // that are looked at
	maxColumnShards = 64
)

// ByColumns chooses the keys that are counted by further columns of records as well, whose names are given, the likeliest
// first: those that are counted by shard, the largest first.
func (n *Nominees) ByColumns(p *Profile, columns []string) {
	columns = columns[:min(len(columns), MostColumns)]
	if len(columns) == 0 {
		return
	}
	type wish struct {
		at   int
		high uint64
	}
	var wishes []wish
	for i := range n.Keys {
		if e, ok := p.Run.Find(n.Keys[i].Target, n.Keys[i].Key); ok && n.Keys[i].Shards > 0 {
			high := e.High()
			wishes = append(wishes, wish{i, max(high[ByRequests], high[ByCost]/1000)})
		}
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(b.high, a.high) })
	for _, w := range wishes[:min(len(wishes), maxColumnShards/(LeastShards*len(columns)))] {
		n.Keys[w.at].Columns, n.Columns = true, columns
	}
}

// An openColumn is an ExactColumn in the making.
type openColumn struct {
	ExactColumn
	table  *sketch.Table
	counts openShards
}

func newOpenColumn() *openColumn {
	x := newExactShards(LeastShards)
	return &openColumn{ExactColumn: ExactColumn{Shards: x}, counts: openShards{of: x}}
}

func (c *openColumn) event(e *ingest.Event, value []byte, at placeInTime) {
	c.counts.event(e, c.Shards.place(value, value != nil, e), at)
	if value == nil {
		return
	}
	if c.table == nil {
		c.table, c.Values = sketch.NewTable(sortBudget), sketch.NewDistinct(sortPrecision)
	}
	h := sketch.Hash(value)
	c.table.Add(0, h, value, &sketch.Vector{e.Count()}, 0, 0)
	c.Values.Add(h)
	c.Known += e.Count()
}

func (c *openColumn) seal() *ExactColumn {
	if c.table != nil {
		c.top = c.table.Seal(sortQuota, 0)
		c.Top = topSort(c.top)
	}
	return &c.ExactColumn
}

// join adds the counts of a later part.
func (c *ExactColumn) join(o *ExactColumn) {
	c.Known += o.Known
	c.Shards.join(o.Shards)
	c.Values, c.top = joinValues(c.Values, o.Values, c.top, o.top)
	c.Top = topSort(c.top)
}

// columns writes the counts by column; their number is that of the nominee.
func (w *encoder) columns(list []*ExactColumn) {
	for _, c := range list {
		w.num(c.Known)
		w.flag(c.Values != nil)
		if c.Values != nil {
			w.b = c.Values.AppendBinary(w.b)
			w.b = c.top.AppendBinary(w.b)
		}
		w.shards(c.Shards)
	}
}

func (r *decoder) columns(n int) []*ExactColumn {
	var list []*ExactColumn
	for range n {
		c := &ExactColumn{Known: r.num()}
		if r.flag() {
			c.Values = read(r, sketch.ReadDistinct)
			c.top = r.top(1)
			if r.err == nil && c.Values.Precision() != sortPrecision {
				r.fail("values of another precision")
			}
		}
		if r.err == nil {
			c.Top, c.Shards = topSort(c.top), r.shards(LeastShards)
		}
		if r.err == nil && c.Shards == nil {
			r.fail("a column without its shards")
		}
		if r.err != nil {
			return nil
		}
		list = append(list, c)
	}
	return list
}
