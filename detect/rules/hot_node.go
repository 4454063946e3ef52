package rules

import (
	"cmp"
	_ "embed" // for the rule's text
	"fmt"
	"slices"

	"github.com/keyheat/keyheat/detect"
)

//go:embed doc/hot-node.md
var hotNodeDoc string

// HotNode finds nodes that are busier than the others while the keys do not explain it.
var HotNode = detect.Rule{
	ID:     "hot-node",
	Title:  "A node is hot while keys are flat",
	Needs:  "traffic with nodes and time",
	Counts: true,
	Doc:    hotNodeDoc,
	Judge:  judgeHotNode,
}

func judgeHotNode(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	if !fromTraffic(v) || len(v.Nodes) == 0 {
		return nil, nil
	}
	if slices.ContainsFunc(v.Targets, func(t *detect.TargetView) bool { return len(t.Also) > 0 }) {
		return nil, []detect.NotAssessed{{
			Missing: []string{"nodes"},
			GetIt:   "the same requests are told by several inputs, and those of a node are counted in each: give the audit log, the full query log or the traces alone",
		}}
	}
	if uint64(len(v.Nodes)) < v.Limits.Count(detect.NodesAtLeast) {
		return nil, []detect.NotAssessed{{
			Missing: []string{"nodes"},
			GetIt:   "give the logs of at least three nodes in one run: keyheat analyze NODE1.log NODE2.log NODE3.log",
		}}
	}
	top := topKeys(v)
	spans := windows(v, v.Limits.Count(detect.NodeMinutes))
	found := []detect.Finding{}
	for i := range v.Nodes {
		best := nodeLoad{}
		load := func(w window) (nodeLoad, bool) { return loadOf(v, &v.Nodes[i], w, top) }
		passes := func(w window) bool {
			_, ok := load(w)
			return ok
		}
		for _, w := range stretches(spans, passes) {
			if l, _ := load(w); l.own > best.own {
				best = l
			}
		}
		if best.own > 0 {
			found = append(found, nodeFinding(v, &v.Nodes[i], &best))
		}
	}
	return found, nil
}

// topKeys gives the panes of the largest keys of the whole input.
func topKeys(v *detect.View) [][]detect.KeyPane {
	keys := []*detect.KeyView{}
	most := int(v.Limits.Count(detect.NodeTopKeys))
	for _, t := range v.Targets {
		keys = append(keys, t.Keys[:min(len(t.Keys), most)]...)
	}
	slices.SortStableFunc(keys, func(a, b *detect.KeyView) int { return cmp.Compare(requests(b).Middle(), requests(a).Middle()) })
	all := [][]detect.KeyPane{}
	for _, k := range keys[:min(len(keys), most)] {
		all = append(all, series(v, k))
	}
	return all
}

// A nodeLoad is what a node served in a window beside the others.
type nodeLoad struct {
	window window
	nodes  int
	own    uint64
	median uint64
	rest   uint64 // own without what the top keys can have had
}

// loadOf judges a node over a window; nodes without traffic in any pane of it are left out.
func loadOf(v *detect.View, n *detect.NodeView, w window, top [][]detect.KeyPane) (nodeLoad, bool) {
	l := nodeLoad{window: w}
	sums := []uint64{}
	for i := range v.Nodes {
		sum, always := sumOf(&v.Nodes[i], w)
		if !always {
			continue
		}
		sums = append(sums, sum)
		if &v.Nodes[i] == n {
			l.own = sum
		}
	}
	l.nodes = len(sums)
	if l.own < max(v.Limits.Count(detect.NodeEvents), 1) || uint64(l.nodes) < v.Limits.Count(detect.NodesAtLeast) {
		return nodeLoad{}, false
	}
	slices.Sort(sums)
	l.median = sums[len(sums)/2] // of an even number the larger, to be sure
	l.rest = l.own
	for _, panes := range top {
		for i := w.from; i < w.to; i++ {
			l.rest -= min(l.rest, panes[i].Requests.High)
		}
	}
	return l, detect.Ratio(l.rest, l.median) >= v.Limits.Of(detect.NodeRatio).Value
}

// sumOf gives a node's requests in a window and whether it had some in every pane.
func sumOf(n *detect.NodeView, w window) (uint64, bool) {
	sum := uint64(0)
	for i := w.from; i < w.to; i++ {
		if i >= len(n.Requests) || n.Requests[i] == 0 {
			return 0, false
		}
		sum += n.Requests[i]
	}
	return sum, true
}

func nodeFinding(v *detect.View, n *detect.NodeView, l *nodeLoad) detect.Finding {
	limit, events := v.Limits.Of(detect.NodeRatio), v.Limits.Of(detect.NodeEvents)
	times, rest := detect.Ratio(l.own, l.median), detect.Ratio(l.rest, l.median)
	w := l.window
	f := detect.Finding{
		Severity: detect.Medium,
		Subject:  detect.Subject{Node: n.Name},
		Span:     detect.Span{Start: v.Panes[w.from].Start, End: v.Panes[w.to-1].End},
		Series:   slices.Clone(n.Requests), SeriesOf: "requests of the node",
		Cost: detect.Whole(l.own),
		Evidence: []detect.Evidence{
			measure{times, times, times}.against("times_median", "times", limit.Value, limit.Source),
			measure{rest, rest, times}.against("times_median_without_top_keys", "times", limit.Value, limit.Source),
			exactly(l.own).against("requests", "requests", events.Value, events.Source),
			exactly(l.median).evidence("median_requests", "requests"),
		},
		Message: fmt.Sprintf("one node served %s in %s, %s times the median of %s, and its largest keys do not explain it",
			plural(l.own, "request"), plural(uint64(seconds(v, w)/60), "minute"), whole(times), plural(uint64(l.nodes), "node")),
	}
	return settle(f, nil)
}
