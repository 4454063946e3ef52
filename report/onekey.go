package report

import (
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A KeyReport is everything known of one key of one table, as bounds.
type KeyReport struct {
	Version string
	Inputs  []Input // for the names of positions
	Target  detect.Target
	Key     []byte // in the form of ingest.AppendKey
	// Held is false when the key is too small to be told apart: its amounts are then bounds alone, and
	// nothing is known of its time.
	Held        bool
	Rank        int // of all keys of the table by requests, from 1; 0 when it is not certain
	Requests    detect.Range
	Cost        detect.Range
	CostMilli   bool // Cost is thousandths of units, not bytes
	Tombstones  detect.Range
	Share       detect.ShareRange
	PeakSecond  int64  // Unix seconds
	PeakPerSec  uint64 // requests in that second; a lower bound, exact when Exact is set; 0: not known
	PaneSeconds uint32
	Panes       []detect.PaneSpan
	PerPane     []detect.KeyPane // as Panes; empty when not held
	Exact       *detect.ExactKey // nil unless the second pass counted the key
	Positions   []ingest.Position
	Findings    []Finding // about this key, in order of the report
}

// BuildKey tells of one key of v. panes may be nil. It reports false when v has no such table.
func BuildKey(v *detect.View, r *Report, target detect.Target, key []byte, panes PanesOf) (*KeyReport, bool) {
	i := slices.IndexFunc(v.Targets, func(t *detect.TargetView) bool { return t.Target == target })
	if i < 0 {
		return nil, false
	}
	t := v.Targets[i]
	out := &KeyReport{Version: r.Version, Inputs: r.Inputs, Target: target, Key: key, PaneSeconds: v.Width, Panes: v.Panes,
		CostMilli: t.Totals[detect.UnitsKnown] > 0}
	for _, f := range r.Findings {
		if f.Subject.Target == target && f.Subject.HasKey && string(f.Subject.Key) == string(key) {
			out.Findings = append(out.Findings, f)
		}
	}
	rank := slices.IndexFunc(t.Keys, func(k *detect.KeyView) bool { return string(k.Key) == string(key) })
	if rank < 0 {
		out.Requests.High, out.Cost.High, out.Tombstones.High = t.Untold.Requests, t.Untold.Cost, t.Untold.Tombstones
	} else {
		out.held(t, rank, panes)
	}
	out.Share = shareOf(out.Requests, knownKeys(t))
	return out, true
}

func (r *KeyReport) held(t *detect.TargetView, rank int, panes PanesOf) {
	k := t.Keys[rank]
	r.Held = true
	if certainRank(t, rank) {
		r.Rank = rank + 1
	}
	r.Requests, r.Cost, r.Tombstones = k.Requests, k.Cost, k.Tombstones
	r.PeakSecond, r.PeakPerSec = int64(k.PeakSecond.At), k.PeakSecond.N
	r.Exact, r.Positions = k.Exact, k.Positions
	if len(r.Positions) == 0 && k.Exact != nil {
		r.Positions = k.Exact.Positions
	}
	if panes != nil {
		r.PerPane = panes(t, k)
	}
}

// certainRank reports whether no key before the i-th can have fewer requests, and none after it, held or
// not, can have more.
func certainRank(t *detect.TargetView, i int) bool {
	k := t.Keys[i].Requests
	before := !slices.ContainsFunc(t.Keys[:i], func(o *detect.KeyView) bool { return o.Requests.Low < k.High })
	after := !slices.ContainsFunc(t.Keys[i+1:], func(o *detect.KeyView) bool { return o.Requests.High > k.Low })
	return before && after && t.Untold.Requests <= k.Low
}
