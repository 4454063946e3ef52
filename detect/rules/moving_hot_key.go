package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/moving-hot-key.md
var movingHotKeyDoc string

// MovingHotKey finds tables whose hot key changes with time.
var MovingHotKey = detect.Rule{
	ID:     "moving-hot-key",
	Title:  "The hot key changes with time",
	Needs:  "traffic with time, or stored items",
	Counts: true,
	Doc:    movingHotKeyDoc,
	Judge:  judgeMovingHotKey,
}

func judgeMovingHotKey(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	for _, t := range v.Targets {
		if t.Totals[detect.Requests] < v.Limits.Count(detect.MovingRequests) {
			if f, ok := datedItems(v, t); ok {
				found = append(found, f)
			}
			continue
		}
		if !fromTraffic(v) {
			continue
		}
		if !t.Timed() {
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"time"}, GetIt: "records with a time: keyheat analyze --map ts=FIELD INPUT",
			})
			continue
		}
		if f, ok := successive(v, t); ok {
			found = append(found, f)
			continue
		}
		if f, ok := dated(v, t); ok {
			found = append(found, f)
		}
	}
	return found, missing
}

// A reign is a run of panes in which the same key is on top.
type reign struct {
	key   int // index of TargetView.Keys
	panes []int
	part  uint64 // lower bound of the key's requests in them
	total uint64
}

// successive looks for keys that follow each other at the top.
func successive(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	if t.Totals[detect.Requests] < mul(v.Limits.Count(detect.MovingKeys), v.Limits.Count(detect.MovingRequests)) {
		return detect.Finding{}, false
	}
	all := make([][]detect.KeyPane, len(t.Keys))
	for i, k := range t.Keys {
		all[i] = series(v, k)
	}
	reigns := reignsOf(v, t, all)
	best, from := 0, 0
	run := 0
	for i := range reigns {
		run++
		if !moves(v, t, reigns, i, all[reigns[i].key]) {
			run = 0
		}
		if run > best {
			best, from = run, i-run+1
		}
	}
	if best == 0 || uint64(best) < v.Limits.Count(detect.MovingKeys) {
		return detect.Finding{}, false
	}
	return movingFinding(v, t, reigns[from:from+best], all), true
}

// reignsOf gives the runs of panes with the same key on top, where it has the share to be hot. Panes
// in which none has are passed over.
func reignsOf(v *detect.View, t *detect.TargetView, all [][]detect.KeyPane) []reign {
	reigns := []reign{}
	for i := range v.Panes {
		top, total := -1, pane(t, i).Totals[detect.PaneRequests]
		for k := range all {
			if top < 0 || all[k][i].Requests.Middle() > all[top][i].Requests.Middle() {
				top = k
			}
		}
		if top < 0 || total == 0 || detect.Ratio(all[top][i].Requests.Low, total) < v.Limits.Of(detect.MovingShare).Value {
			continue
		}
		if len(reigns) == 0 || reigns[len(reigns)-1].key != top {
			reigns = append(reigns, reign{key: top})
		}
		r := &reigns[len(reigns)-1]
		r.panes, r.part, r.total = append(r.panes, i), r.part+all[top][i].Requests.Low, r.total+total
	}
	return reigns
}

// moves reports whether the key of a reign has the floors in it, reigns once only and is not hot outside.
func moves(v *detect.View, t *detect.TargetView, reigns []reign, i int, panes []detect.KeyPane) bool {
	r := &reigns[i]
	share := detect.Ratio(r.part, r.total)
	if r.part < v.Limits.Count(detect.MovingRequests) || share < v.Limits.Of(detect.MovingShare).Value {
		return false
	}
	for j := range reigns {
		if j != i && reigns[j].key == r.key {
			return false
		}
	}
	part, total := uint64(0), uint64(0)
	for j := range v.Panes {
		if !slices.Contains(r.panes, j) {
			part, total = part+panes[j].Requests.High, total+pane(t, j).Totals[detect.PaneRequests]
		}
	}
	return detect.Ratio(part, total) < share.Scaled(v.Limits.Of(detect.MovingOutside).Value)
}

func movingFinding(v *detect.View, t *detect.TargetView, reigns []reign, all [][]detect.KeyPane) detect.Finding {
	last := t.Keys[reigns[len(reigns)-1].key]
	f := detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target, Key: last.Key, HasKey: true},
		SeriesOf: "requests of the key on top", Series: make([]uint64, len(v.Panes)),
	}
	least, share, longest := ^uint64(0), detect.Milli(1000), int64(0)
	at := []ingest.Position{}
	for _, r := range reigns {
		least, share = min(least, r.part), min(share, detect.Ratio(r.part, r.total))
		first, end := v.Panes[r.panes[0]], v.Panes[r.panes[len(r.panes)-1]]
		longest = max(longest, end.End-first.Start)
		f.Span = joined(f.Span, detect.Span{Start: first.Start, End: end.End})
		f.Cost += detect.Whole(r.part)
		for _, i := range r.panes {
			f.Series[i] = all[r.key][i].Requests.Middle()
		}
		at = append(at, positions(t.Keys[r.key])[:min(1, len(positions(t.Keys[r.key])))]...)
	}
	if least >= v.Limits.Count(detect.ShareMediumRequests) {
		f.Severity = detect.Medium
	}
	keys, floor, part := v.Limits.Of(detect.MovingKeys), v.Limits.Of(detect.MovingRequests), v.Limits.Of(detect.MovingShare)
	f.Evidence = []detect.Evidence{
		exactly(uint64(len(reigns))).against("top_keys", "keys", keys.Value, keys.Source),
		measure{share, share, 1000}.against("share", "share", part.Value, part.Source),
		measure{detect.Whole(least), detect.Whole(least), detect.Whole(least)}.against("requests", "requests", floor.Value, floor.Source),
		exactly(uint64(longest)).evidence("longest_run", "seconds"),
	}
	f.Message = fmt.Sprintf("%s followed each other at the top, each with at least %s of the requests while it was there",
		plural(uint64(len(reigns)), "key"), percent(share))
	return settle(f, at)
}

// dated looks for the busiest key of the input that names a time within it. One key proves no
// movement, so this is possible only.
func dated(v *detect.View, t *detect.TargetView) (detect.Finding, bool) {
	total := t.Totals[detect.Requests]
	floor, part := v.Limits.Of(detect.MovingRequests), v.Limits.Of(detect.MovingShare)
	for _, k := range t.Keys {
		n := requests(k)
		share := detect.ShareOf(n, total)
		if detect.Whole(n.Low) < floor.Value || share.Low < part.Value {
			continue
		}
		p, ok := keyPeriod(k.Key)
		if !ok || !p.within(t.Span) {
			continue
		}
		panes := series(v, k)
		f := detect.Finding{
			Severity: detect.Low,
			Subject:  detect.Subject{Target: t.Target, Key: k.Key, HasKey: true},
			Span:     spanOf(v, func(i int) bool { return panes[i].Requests.Low > 0 }),
			Series:   middles(panes, requestsOf), SeriesOf: "requests",
			Cost: detect.Whole(n.Middle()),
			Evidence: []detect.Evidence{
				shared(share).evidence("share", "share"),
				ranged(n).evidence("requests", "requests"),
				exactly(p.seconds()).evidence("key_period", "seconds"),
			},
			Message: fmt.Sprintf("the key that takes %s of the requests names the %s of the traffic, so the load moves on with the %s",
				percent(share.Value), p.unit, p.unit),
		}
		return settle(f, nil), true
	}
	return detect.Finding{}, false
}

// seconds gives the length of a period; a weekday lasts a day.
func (p *period) seconds() uint64 { return uint64(p.end.Sub(p.start).Seconds()) }
