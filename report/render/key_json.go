package render

import (
	"io"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

var keyJSON = &KeyRenderer{
	Name:   "json",
	Title:  "for programs",
	Doc:    "One object: the key, its bounds, its panes, what the second pass counted and its findings as in the JSON report.",
	Render: renderKeyJSON,
}

type docKey struct {
	Schema     string        `json:"schema"`
	Tool       docTool       `json:"tool"`
	Subject    docSubject    `json:"subject"`
	Held       bool          `json:"held"`
	Rank       *int          `json:"rank"`
	Requests   docRange      `json:"requests"`
	Cost       docAmount     `json:"cost"`
	CostUnit   string        `json:"cost_unit"`
	Tombstones docRange      `json:"tombstones"`
	Share      docAmount     `json:"share"`
	Peak       *docPeak      `json:"peak"`
	Pane       string        `json:"pane"`
	Panes      []docKeyPane  `json:"panes"`
	Exact      *docExact     `json:"exact"`
	Positions  []docPosition `json:"positions"`
	Findings   []docFinding  `json:"findings"`
}

type docPeak struct {
	Second   string `json:"second"`
	Requests uint64 `json:"requests"`
}

type docKeyPane struct {
	docSpan
	Requests   docRange  `json:"requests"`
	Cost       docAmount `json:"cost"`
	Tombstones docRange  `json:"tombstones"`
}

type docExact struct {
	Operations map[string]uint64 `json:"operations"`
	Throttled  uint64            `json:"throttled"`
	Failed     uint64            `json:"failed"`
	Latency    *docLatency       `json:"latency_ms,omitempty"`
	SortKeys   *docRange         `json:"sort_keys,omitempty"`
	TopSort    *docRange         `json:"top_sort_key,omitempty"`
	SortKnown  uint64            `json:"sort_key_known"`
	Ascending  uint64            `json:"ascending_writes"`
	Ordered    uint64            `json:"ordered_writes"`
	Nodes      []docNode         `json:"nodes"`
}

type docNode struct {
	Node     string `json:"node"`
	Requests uint64 `json:"requests"`
}

func renderKeyJSON(w io.Writer, k *report.KeyReport, o Options) error {
	k = k.Masked(o.Mask)
	d := docKey{
		Schema: "keyheat.key/1", Tool: docTool{"keyheat", orUnknown(k.Version)}, Held: k.Held,
		Subject:  subjectOf(&detect.Subject{Target: k.Target, Key: k.Key, HasKey: true}),
		Requests: *countOf(k.Requests), Cost: weightAmount(k.Cost, k.CostMilli), CostUnit: "bytes", Tombstones: *countOf(k.Tombstones),
		Share: milliAmount(k.Share.Value, k.Share.Low, k.Share.High),
		Pane:  paneName(k.PaneSeconds), Panes: []docKeyPane{}, Exact: exactOf(k.Exact),
		Positions: each(k.Positions, func(p *ingest.Position) docPosition { return positionOf(p) }),
		Findings:  each(k.Findings, findingOf),
	}
	if k.CostMilli {
		d.CostUnit = "units"
	}
	if k.Rank > 0 {
		d.Rank = &k.Rank
	}
	if k.PeakPerSec > 0 {
		d.Peak = &docPeak{stamp(k.PeakSecond), k.PeakPerSec}
	}
	for i := range k.PerPane {
		p := &k.PerPane[i]
		d.Panes = append(d.Panes, docKeyPane{docSpan{stamp(k.Panes[i].Start), stamp(k.Panes[i].End)}, *countOf(p.Requests), weightAmount(p.Cost, k.CostMilli), *countOf(p.Tombstones)})
	}
	return writeJSON(w, d)
}

func exactOf(x *detect.ExactKey) *docExact {
	if x == nil {
		return nil
	}
	d := &docExact{Operations: map[string]uint64{}, Throttled: x.Totals.Throttled(), Failed: x.Totals[detect.Failed],
		SortKnown: x.SortKnown, Ascending: x.Ascending, Ordered: x.Ordered,
		Nodes: each(x.Nodes, func(n *detect.NodeCount) docNode { return docNode{validText(n.Node), n.Requests} })}
	for op := ingest.OpUnknown; op < ingest.Ops; op++ {
		if n := x.Totals[detect.ByOp+detect.Counter(op)]; n > 0 {
			d.Operations[op.String()] = n
		}
	}
	if x.Latency != nil && x.Latency.Count() > 0 {
		p50, _ := x.Latency.Quantile(50, 100)
		p99, _ := x.Latency.Quantile(99, 100)
		d.Latency = &docLatency{docMilli(p50), docMilli(p99)}
	}
	if x.SortKeys != nil && x.SortKnown > 0 {
		value, low, high := x.SortKeys.Estimate()
		d.SortKeys, d.TopSort = &docRange{value, low, high}, countOf(x.TopSort)
	}
	return d
}
