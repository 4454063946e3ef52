package screen

import (
	"cmp"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/internal/watch"
)

// A column is one figure of each row.
type column struct {
	name   string
	letter string // sorts by it
	width  int
	about  string
	// of gives the figure of a row of a board, by which rows are ordered; zero where it does not apply.
	of   func(o *Options, b *watch.Board, r *watch.Row) detect.Range
	show func(milli uint64) string
	// series is what the course of rows shows while they are ordered by the column; nil: requests.
	series func(r *watch.Row) []uint64
}

// figures are the columns, in the order in which they are shown. Those that are zero in all rows are left
// out.
var figures = []column{
	rate("reads/s", "R", "reads a second", watch.Reads, number),
	rate("writes/s", "W", "writes a second", watch.Writes, number),
	rate("other/s", "O", "requests of unknown kind a second", watch.Other, number),
	rate("report/s", "P", "complaints a second: slow, aborted or warned of; no count of requests", watch.Reported, number),
	rate("RCU/s", "E", "read units a second", watch.ReadMilli, number),
	rate("WCU/s", "U", "write units a second", watch.WriteMilli, number),
	{name: "limit", letter: "L", width: 7, about: "the rate of what one partition can serve", of: ofLimit, show: showShare, series: units},
	{name: "share", letter: "S", width: 7, about: "the share of all requests of the table, or of all tables", of: share, show: showShare},
	rate("tombs/s", "T", "tombstones read a second", watch.Tombstones, number),
	rate("bytes/s", "B", "bytes a second", watch.Bytes, size),
	rate("throt/s", "H", "throttled requests a second", watch.Throttled, number),
}

func rate(name, letter, about string, m watch.Measure, show func(uint64) string) column {
	return column{
		name: name, letter: letter, width: max(7, len(name)+1), about: about, show: show,
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
	atMost := func(n uint64, limit detect.Milli) uint64 { return part(n, limit) + min(n, 1) }
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
	return detect.Range{Low: uint64(s.Low), High: uint64(s.High)}
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

// sortOrder is a column by its letter; K is the name, and nothing is the load.
type sortOrder string

const byName = sortOrder("K")

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
			return cmp.Compare(load(y).Middle(), load(x).Middle())
		}
		return cmp.Compare(c.of(o, b, y).Middle(), c.of(o, b, x).Middle())
	}
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
