package screen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/internal/watch"
)

// A column is one figure of each row, in figureWidth columns.
type column struct {
	name   string // at most figureWidth wide
	letter string // sorts by it
	rank   int    // columns of low rank stay when there is no room for all
	about  string
	// of gives the figure of a row of a board, by which rows are ordered; zero where it does not apply.
	of   func(o *Options, b *watch.Board, r *watch.Row) detect.Range
	show func(milli uint64) string
	// series is what the course of rows shows while they are ordered by the column; nil: requests.
	series func(r *watch.Row) []uint64
}

const figureWidth = 6

// figures are the columns, in the order in which they are shown. Those that are zero in all rows are left
// out. Amounts are of a second.
var figures = []column{
	rate("reads", "R", 5, "reads", watch.Reads, number),
	rate("writes", "W", 4, "writes", watch.Writes, number),
	rate("other", "O", 9, "requests of unknown kind", watch.Other, number),
	rate("compl.", "P", 2, "complaints: of slow or aborted requests, or warnings", watch.Reported, number),
	rate("RCU", "E", 7, "read units", watch.ReadMilli, number),
	rate("WCU", "U", 6, "write units", watch.WriteMilli, number),
	{name: "limit", letter: "L", rank: 3, about: "share of the rate that one partition can serve", of: ofLimit, show: showShare, series: units},
	{name: "share", letter: "S", rank: 1, about: "share of the requests of all rows", of: share, show: showShare},
	rate("tombs", "T", 2, "tombstones read", watch.Tombstones, number),
	rate("bytes", "B", 8, "bytes", watch.Bytes, size),
	rate("throt.", "H", 0, "requests refused for rate", watch.Throttled, number),
}

func rate(name, letter string, rank int, about string, m watch.Measure, show func(uint64) string) column {
	return column{
		name: name, letter: letter, rank: rank, about: about, show: show,
		of:     func(_ *Options, _ *watch.Board, r *watch.Row) detect.Range { return r.PerSecond[m] },
		series: func(r *watch.Row) []uint64 { return r.Series[m] },
	}
}

func showShare(milli uint64) string { return percent(detect.Milli(milli)) }

// ofLimit gives how much of the rate that one partition can serve a key takes, of the limit that is nearer.
// A table is spread over partitions, so it has none.
func ofLimit(o *Options, _ *watch.Board, r *watch.Row) detect.Range {
	if r.Key == nil {
		return detect.Range{}
	}
	part := func(n uint64, limit detect.Milli) uint64 { return uint64(detect.Ratio(n, uint64(limit))) }
	atMost := func(n uint64, limit detect.Milli) uint64 { return max(part(n, limit), min(n, 1)) }
	reads, writes := r.PerSecond[watch.ReadMilli], r.PerSecond[watch.WriteMilli]
	return detect.Range{
		Low:  max(part(reads.Low, o.ReadLimit), part(writes.Low, o.WriteLimit)),
		High: max(atMost(reads.High, o.ReadLimit), atMost(writes.High, o.WriteLimit)),
	}
}

func units(r *watch.Row) []uint64 {
	if sum(r.Series[watch.WriteMilli])*3 > sum(r.Series[watch.ReadMilli]) {
		return r.Series[watch.WriteMilli]
	}
	return r.Series[watch.ReadMilli]
}

// share gives the share of the requests; where there are only complaints, of those.
func share(_ *Options, b *watch.Board, r *watch.Row) detect.Range {
	s := detect.ShareOf(load(r), max(load(&b.Total).High, 1))
	return detect.Range{Low: uint64(s.Low), High: max(uint64(s.High), min(load(r).High, 1))}
}

// load gives requests a second, or complaints where nothing else is known.
func load(r *watch.Row) detect.Range {
	if n := r.Requests(); n.High > 0 {
		return n
	}
	return r.PerSecond[watch.Reported]
}

// requests gives the course of what load tells.
func requests(r *watch.Row) []uint64 {
	out := make([]uint64, len(r.Series[watch.Reads]))
	for _, m := range []watch.Measure{watch.Reads, watch.Writes, watch.Other} {
		for i, n := range r.Series[m] {
			out[i] += n
		}
	}
	if sum(out) == 0 {
		return r.Series[watch.Reported]
	}
	return out
}

func sum(of []uint64) (n uint64) {
	for _, v := range of {
		n += v
	}
	return n
}

// course gives what the sparkline of a row shows while rows are ordered by c.
func (c *column) course(r *watch.Row) []uint64 {
	if c == nil || c.series == nil {
		return requests(r)
	}
	return c.series(r)
}

// sortOrder is a column by its letter; K is the name.
type sortOrder string

const (
	byName = sortOrder("K")
	byLoad = sortOrder("S") // the share of it
)

func (s sortOrder) column() *column {
	for i := range figures {
		if figures[i].letter == string(s) {
			return &figures[i]
		}
	}
	return nil
}

// order compares rows, the largest first.
func (s sortOrder) order(o *Options, b *watch.Board) func(x, y *watch.Row) int {
	c := s.column()
	return func(x, y *watch.Row) int {
		switch {
		case s == byName:
			return strings.Compare(o.rowName(x), o.rowName(y))
		case c == nil || c.series == nil: // the share is that of the load
			return byLoadOf(x, y)
		}
		return cmp.Or(cmp.Compare(c.of(o, b, y).Middle(), c.of(o, b, x).Middle()), byLoadOf(x, y))
	}
}

// byLoadOf puts what is busy now first, and then what was busy in the window.
func byLoadOf(x, y *watch.Row) int {
	return cmp.Or(cmp.Compare(load(y).Middle(), load(x).Middle()), cmp.Compare(y.Seen, x.Seen))
}

// fitting gives those of the columns that fit into a width, the lowest ranks first, and by in any case.
func fitting(all []*column, by sortOrder, width int) (out []*column) {
	kept := slices.Clone(all)
	slices.SortStableFunc(kept, func(x, y *column) int {
		return cmp.Or(-compareBool(x.letter == string(by), y.letter == string(by)), cmp.Compare(x.rank, y.rank))
	})
	kept = kept[:max(min(1, len(kept)), min(len(kept), width/(figureWidth+gap)))]
	for _, c := range all {
		if slices.Contains(kept, c) {
			out = append(out, c)
		}
	}
	return out
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// present gives the columns that are not zero in all rows, and the one that rows are ordered by.
func present(o *Options, b *watch.Board, by sortOrder) []*column {
	var out []*column
	for i := range figures {
		c := &figures[i]
		used := c.letter == string(by)
		for j := range b.Rows {
			used = used || c.of(o, b, &b.Rows[j]).High > 0
		}
		if used {
			out = append(out, c)
		}
	}
	return out
}
