package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// sampledKeys judges the lists that samplers made of a table. Windows may overlap: of each key the one
// speaks in which it is largest. Contentions are told with its requests, where those stand out as well.
func sampledKeys(v *detect.View, t *detect.TargetView) []detect.Finding {
	best, contended := map[string]listedKey{}, map[string]listedKey{}
	for i := range t.Windows {
		of := best
		if t.Windows[i].Contended {
			of = contended
		}
		for _, k := range hotInWindow(v, &t.Windows[i]) {
			if was, ok := of[string(k.key)]; !ok || k.low > was.low {
				of[string(k.key)] = k
			}
		}
	}
	found := []detect.Finding{}
	for id, k := range best {
		f := k.finding(v, t, &requestList)
		if c, ok := contended[id]; ok {
			f.Evidence = append(f.Evidence, c.finding(v, t, &contentionList).Evidence[0])
		}
		found = append(found, f)
	}
	for id, k := range contended {
		if _, told := best[id]; !told {
			found = append(found, k.finding(v, t, &contentionList))
		}
	}
	slices.SortFunc(found, func(a, b detect.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Cost, a.Cost), slices.Compare(a.Subject.Key, b.Subject.Key))
	})
	return found[:min(len(found), maxHotKeys)]
}

// A samplerList is what the counts of a list are of.
type samplerList struct{ measure, unit, what string }

var (
	requestList    = samplerList{"sampled_requests", "requests", "the requests"}
	contentionList = samplerList{"sampled_contentions", "contentions", "the contentions of lightweight transactions"}
)

// A listedKey is a key that stands out in a sampler's list.
type listedKey struct {
	key       []byte
	low, high uint64
	listed    uint64 // requests of all keys of the list
	median    uint64 // of the other keys
	at        []ingest.Position
}

// hotInWindow gives the keys that stand out in one list: by number, share, and against the median of the
// others, of which there must be two.
func hotInWindow(v *detect.View, w *detect.SamplerWindow) []listedKey {
	total := uint64(0)
	for _, k := range w.Keys {
		total += k.Requests
	}
	found := []listedKey{}
	for i, k := range w.Keys {
		low := k.Requests - min(k.Requests, k.Error)
		others := make([]uint64, 0, len(w.Keys))
		for j, o := range w.Keys {
			if j != i {
				others = append(others, o.Requests)
			}
		}
		if len(others) < 2 || low < v.Limits.Count(detect.SamplerRequests) || detect.Ratio(low, total) < v.Limits.Of(detect.ShareOfTable).Value {
			continue
		}
		slices.Sort(others)
		median := others[len(others)/2]
		if detect.Whole(low) < detect.Whole(median).Scaled(v.Limits.Of(detect.SamplerTimes).Value) {
			continue
		}
		at := slices.Concat(k.At, w.At)
		found = append(found, listedKey{k.Key, low, k.Requests, total, median, at})
	}
	return found
}

func (k *listedKey) finding(v *detect.View, t *detect.TargetView, of *samplerList) detect.Finding {
	floor, severity := v.Limits.Of(detect.SamplerRequests), detect.Low
	if many := v.Limits.Of(detect.SamplerMedium); detect.Whole(k.low) >= many.Value {
		floor, severity = many, detect.Medium
	}
	share := v.Limits.Of(detect.ShareOfTable)
	value := min(detect.Ratio(k.high, k.listed), 1000)
	times := detect.Ratio(k.low, max(k.median, 1))
	f := detect.Finding{
		Severity: severity,
		Subject:  detect.Subject{Target: t.Target, Key: k.key, HasKey: true},
		Cost:     detect.Whole(k.low),
		Evidence: []detect.Evidence{
			measure{detect.Whole(k.high), detect.Whole(k.low), detect.Whole(k.high)}.against(of.measure, of.unit, floor.Value, floor.Source),
			measure{value, min(detect.Ratio(k.low, k.listed), 1000), value}.against("share_of_list", "share", share.Value, share.Source),
			measure{times, times, times}.evidence("times_the_median", "times"),
		},
		Message: fmt.Sprintf("one key has %s of %s in a sampler's list, %s times the median of the other keys; the list does not tell the whole traffic",
			percent(value), of.what, whole(times)),
	}
	f.Evidence[0].How, f.Evidence[1].How, f.Evidence[2].How = detect.Stored, detect.Inferred, detect.Inferred
	return settle(f, k.at)
}

// A complaint is a kind of bad requests that records of selected coverage tell the keys of.
type complaint struct {
	measure, word string
	of            func(n *detect.SelectedTotals) uint64
}

var (
	slowRequests    = complaint{"slow_requests", "slow", func(n *detect.SelectedTotals) uint64 { return n[detect.SelectedSlow] + n[detect.SelectedTimedOut] }}
	refusedRequests = complaint{"refused_requests", "refused", func(n *detect.SelectedTotals) uint64 {
		sum := uint64(0)
		for r := ingest.ThrottledUnknown; r < ingest.Throttles; r++ {
			sum += n[detect.SelectedThrottle+detect.SelectedCounter(r)]
		}
		return sum
	}}
)

// badKeys judges bad requests where nothing tells of the others: one key with nearly all of a
// table's in one minute may be hot. They have no denominator, so it is possible at most.
func badKeys(v *detect.View, t *detect.TargetView, c *complaint) []detect.Finding {
	byKey := map[string][]*detect.SelectedView{}
	total := make([]uint64, len(v.Panes))
	for _, s := range t.Selected {
		if addSeries(total, s, c.of) > 0 && s.KeyKnown {
			byKey[string(s.Key)] = append(byKey[string(s.Key)], s)
		}
	}
	found, panes := []detect.Finding{}, make([]uint64, len(v.Panes))
	for key, views := range byKey {
		clear(panes)
		for _, s := range views {
			addSeries(panes, s, c.of)
		}
		if f, ok := badFinding(v, t, c, key, panes, total, views[len(views)-1].Positions); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b detect.Finding) int { return slices.Compare(a.Subject.Key, b.Subject.Key) })
	return found
}

func badFinding(v *detect.View, t *detect.TargetView, c *complaint, key string, panes, total []uint64, at []ingest.Position) (detect.Finding, bool) {
	floor, share := v.Limits.Of(detect.SlowOfKey), v.Limits.Of(detect.SlowShare)
	most := -1
	for i, n := range panes {
		minutes := uint64(max((v.Panes[i].End-v.Panes[i].Start)/60, 1))
		if detect.Whole(n/minutes) >= floor.Value && detect.Ratio(n, total[i]) >= share.Value && (most < 0 || n > panes[most]) {
			most = i
		}
	}
	if most < 0 {
		return detect.Finding{}, false
	}
	part := detect.Ratio(panes[most], total[most])
	f := settle(detect.Finding{
		Severity: detect.Low,
		Subject:  detect.Subject{Target: t.Target, Key: []byte(key), HasKey: true},
		Span:     detect.Span{Start: v.Panes[most].Start, End: v.Panes[most].End},
		Series:   slices.Clone(panes), SeriesOf: c.word + " requests",
		Cost: detect.Whole(panes[most]),
		Evidence: []detect.Evidence{
			exactly(panes[most]).against(c.measure, "requests", floor.Value, floor.Source),
			measure{part, part, part}.against("share_of_"+c.word, "share", share.Value, share.Source),
		},
		Message: fmt.Sprintf("%[1]s of one key were %[2]s within a minute, %[3]s of the table's %[2]s ones; how many were not %[2]s is not known",
			plural(panes[most], "request"), c.word, percent(part)),
	}, at)
	f.Confidence = detect.Maybe
	return f, true
}
