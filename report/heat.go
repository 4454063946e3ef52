package report

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"github.com/keyheat/keyheat/detect"
)

// A Measure is one of the amounts that a heat map shows.
type Measure int

// The measures. Reads and Writes are throughput units; without units there are none.
const (
	HeatRequests Measure = iota
	HeatReads
	HeatWrites
	HeatCost
	HeatTombstones
	HeatThrottles
	Measures int = iota
)

// String gives the name of a measure, as users give it.
func (m Measure) String() string {
	return [...]string{"requests", "reads", "writes", "cost", "tombstones", "throttles"}[m]
}

// A HeatMap is when each key of a table was busy. All its series have one amount for each of Report.Panes.
type HeatMap struct {
	Rows []HeatRow // the keys of findings and the busiest ones, most requests first
	Rest HeatRow   // all other keys of the table together; it has no key
	// Total is the exact amount of the whole table; nil for a measure that the table has nothing of.
	Total [Measures][]uint64
	Bytes bool // cost counts bytes: records carry no units
}

// A HeatRow is one key, pane by pane; a series is nil where nothing is known of the measure.
type HeatRow struct {
	Key    []byte // in the form of ingest.AppendKey
	Series [Measures][]detect.Range
}

// Milli reports whether the amounts of a measure are in thousandths.
func (h *HeatMap) Milli(m Measure) bool {
	return m == HeatReads || m == HeatWrites || m == HeatCost && !h.Bytes
}

// Bounds of what the heat maps of a report take: about 6 MiB.
const (
	heatTables  = 16 // tables with a map: those of findings, then the busiest
	heatRows    = 24 // keys of each map
	heatByOther = 4  // of them, the first by cost and by tombstones
)

// addHeat gives the tables that matter most their heat maps.
func (r *Report) addHeat(v *detect.View) {
	if len(v.Panes) == 0 {
		return
	}
	for _, i := range r.heatOrder(v) {
		if h := r.heatOf(v.Targets[i]); h.Total[HeatRequests] != nil {
			r.Tables[i].Heat = h
		}
	}
}

// heatOrder gives the places of the tables that get a map.
func (r *Report) heatOrder(v *detect.View) []int {
	worst := map[detect.Target]detect.Severity{}
	for i := range r.Findings {
		f := &r.Findings[i]
		worst[f.Subject.Target] = max(worst[f.Subject.Target], f.Severity)
	}
	order := []int{}
	for i, t := range v.Targets {
		if t.Totals[detect.Requests] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := v.Targets[a], v.Targets[b]
		return cmp.Or(cmp.Compare(worst[y.Target], worst[x.Target]), cmp.Compare(y.Totals[detect.Requests], x.Totals[detect.Requests]))
	})
	return order[:min(len(order), heatTables)]
}

func (r *Report) heatOf(t *detect.TargetView) *HeatMap {
	h := &HeatMap{Bytes: t.Totals[detect.UnitsKnown] == 0}
	for m := range Measure(Measures) {
		if m != HeatCost || oneUnit(t) {
			h.Total[m] = totalSeries(t, m, h.Bytes)
		}
	}
	for _, k := range r.heatKeys(t) {
		h.Rows = append(h.Rows, h.rowOf(k, r.Panes))
	}
	h.Rest = h.restOf(t)
	return h
}

// oneUnit reports whether the costs of a table are all units or all bytes: in records that carry no
// units bytes stand in for them, and sums of both mean nothing.
func oneUnit(t *detect.TargetView) bool {
	units, all := t.Totals[detect.UnitsKnown], t.Totals[detect.Requests]
	return units == 0 || units == all || t.Totals[detect.BytesKnown] == 0
}

// heatKeys chooses the rows of a map: keys of findings, of most requests, of most cost and tombstones.
func (r *Report) heatKeys(t *detect.TargetView) []*detect.KeyView {
	chosen := map[*detect.KeyView]bool{}
	add := func(keys []*detect.KeyView, most int) {
		for _, k := range keys {
			if most == 0 || len(chosen) >= heatRows {
				return
			}
			if !chosen[k] {
				chosen[k] = true
				most--
			}
		}
	}
	add(r.foundKeys(t), heatRows/2)
	for _, of := range []func(*detect.KeyView) detect.Range{
		func(k *detect.KeyView) detect.Range { return k.Cost },
		func(k *detect.KeyView) detect.Range { return k.Tombstones },
	} {
		keys := slices.DeleteFunc(slices.Clone(t.Keys), func(k *detect.KeyView) bool { return of(k).High == 0 })
		slices.SortStableFunc(keys, func(a, b *detect.KeyView) int { return cmp.Compare(of(b).Middle(), of(a).Middle()) })
		add(keys[:min(len(keys), heatByOther)], heatByOther)
	}
	add(t.Keys, heatRows)
	return slices.DeleteFunc(slices.Clone(t.Keys), func(k *detect.KeyView) bool { return !chosen[k] })
}

// foundKeys gives the held keys of a table that findings are about, worst first.
func (r *Report) foundKeys(t *detect.TargetView) []*detect.KeyView {
	var out []*detect.KeyView
	for i := range r.Findings {
		s := &r.Findings[i].Subject
		if s.Target != t.Target || !s.HasKey {
			continue
		}
		if at := slices.IndexFunc(t.Keys, func(k *detect.KeyView) bool { return bytes.Equal(k.Key, s.Key) }); at >= 0 {
			out = append(out, t.Keys[at])
		}
	}
	return out
}

// totalSeries gives a measure of the whole table, nil when it is nothing.
func totalSeries(t *detect.TargetView, m Measure, inBytes bool) []uint64 {
	out, any := make([]uint64, len(t.Panes)), false
	for i := range t.Panes {
		out[i] = measureTotal(&t.Panes[i].Totals, m, inBytes)
		any = any || out[i] > 0
	}
	if !any {
		return nil
	}
	return out
}

func measureTotal(p *detect.PaneTotals, m Measure, inBytes bool) uint64 {
	switch m {
	case HeatRequests:
		return p[detect.PaneRequests]
	case HeatReads:
		return p[detect.PaneReadMilli]
	case HeatWrites:
		return p[detect.PaneWriteMilli]
	case HeatCost:
		if inBytes {
			return p[detect.PaneBytes]
		}
		return p[detect.PaneReadMilli] + 3*p[detect.PaneWriteMilli]
	case HeatTombstones:
		return p[detect.PaneTombstones]
	}
	sum := uint64(0)
	for _, n := range p[detect.PaneThrottle:] {
		sum += n
	}
	return sum
}

func (h *HeatMap) rowOf(k *detect.KeyView, panes []detect.PaneSpan) HeatRow {
	row := HeatRow{Key: k.Key}
	keyPanes := k.Series()
	for m := range HeatThrottles {
		if h.Total[m] == nil || len(keyPanes) != len(panes) {
			continue
		}
		row.Series[m] = make([]detect.Range, len(panes))
		for i := range keyPanes {
			row.Series[m][i] = keyAmount(&keyPanes[i], m)
		}
	}
	if h.Total[HeatThrottles] != nil && k.Exact != nil {
		row.Series[HeatThrottles] = throttleSeries(k.Exact, panes)
	}
	return row
}

func keyAmount(p *detect.KeyPane, m Measure) detect.Range {
	return [...]detect.Range{p.Requests, p.Reads, p.Writes, p.Cost, p.Tombstones}[m]
}

// throttleSeries gives the refusals of a key, which the second pass alone counts.
func throttleSeries(x *detect.ExactKey, panes []detect.PaneSpan) []detect.Range {
	out := make([]detect.Range, len(panes))
	for i := range x.Panes {
		p := &x.Panes[i]
		at, _ := slices.BinarySearchFunc(panes, int64(p.Start), func(s detect.PaneSpan, start int64) int {
			if s.End <= start {
				return -1
			}
			return cmp.Compare(s.Start, start)
		})
		if at < len(out) {
			out[at] = out[at].Plus(detect.Range{Low: p.Throttled, High: p.Throttled})
		}
	}
	return out
}

// restOf gives what the keys without a row make together: the total less the bounds of the rows.
func (h *HeatMap) restOf(t *detect.TargetView) HeatRow {
	var rest HeatRow
	for m := range rest.Series {
		if h.Total[m] == nil {
			continue
		}
		rest.Series[m] = make([]detect.Range, len(t.Panes))
		for i, total := range h.Total[m] {
			var rows detect.Range
			for _, r := range h.Rows {
				if r.Series[m] != nil {
					rows = rows.Plus(r.Series[m][i])
				}
			}
			rest.Series[m][i] = detect.Range{Low: less(total, rows.High), High: less(total, rows.Low)}
		}
	}
	return rest
}

// less gives a-b, at least 0.
func less(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d * (1 - borrow)
}
