package rules

import (
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// pointOf reports whether a series is of a target; print-outs may not tell its store.
func pointOf(p *detect.PointStats, t detect.Target) bool {
	return p.Target.Table == t.Table && p.Target.Index == t.Index &&
		(p.Target.Store == t.Store || p.Target.Store == ingest.StoreUnknown || t.Store == ingest.StoreUnknown)
}

// A datum is one value of a series.
type datum struct{ detect.PointValue }

func (r datum) span() detect.Span {
	if r.Unix == 0 {
		return detect.Span{}
	}
	return detect.Span{Start: int64(r.Unix), End: int64(r.Unix) + int64(max(r.Seconds, 1))}
}

// largestValue gives the first of the largest values of a series.
func largestValue(p *detect.PointStats) datum {
	best := datum{}
	for _, n := range p.Values {
		if n.Milli > best.Milli || best == (datum{}) {
			best = datum{n}
		}
	}
	return best
}

// withPoints gives the targets of a view, and those that only points tell of.
func withPoints(v *detect.View) []*detect.TargetView {
	all := v.Targets
	for i := range v.Points {
		p := &v.Points[i]
		known := slices.ContainsFunc(all, func(t *detect.TargetView) bool { return pointOf(p, t.Target) })
		if !known {
			all = append(all[:len(all):len(all)], &detect.TargetView{Target: p.Target})
		}
	}
	return all
}
