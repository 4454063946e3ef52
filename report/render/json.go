package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// The doc types below are the contract keyheat.report/1: their fields are printed in this order. What
// each means stands in keyheat.report.1.schema.json and docs/report.md.

type docReport struct {
	Schema      string           `json:"schema"`
	Tool        docTool          `json:"tool"`
	Inputs      []docInput       `json:"inputs"`
	Nodes       int              `json:"nodes"`
	Span        *docSpan         `json:"span"`
	Pane        string           `json:"pane"`
	Panes       []docSpan        `json:"panes"`
	Partial     string           `json:"partial"`
	SecondPass  bool             `json:"second_pass"`
	Notes       []string         `json:"notes"`
	Tables      []docTable       `json:"tables"`
	Patterns    []docPattern     `json:"patterns"`
	Findings    []docFinding     `json:"findings"`
	LeftOut     int              `json:"findings_left_out"`
	NotAssessed []docNotAssessed `json:"not_assessed"`
	Problems    docProblems      `json:"problems"`
}

type docTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type docInput struct {
	Name       string            `json:"name"`
	Format     string            `json:"format"`
	Coverage   string            `json:"coverage"`
	Bytes      uint64            `json:"bytes"`
	Records    uint64            `json:"records"`
	Events     uint64            `json:"events"`
	States     uint64            `json:"states"`
	Facts      uint64            `json:"facts"`
	Points     uint64            `json:"points"`
	Skipped    uint64            `json:"skipped"`
	ByKind     map[string]uint64 `json:"skipped_by_kind,omitempty"`
	Problems   uint64            `json:"problems"`
	SampleRate *float64          `json:"sample_rate"`
	Node       string            `json:"node"`
	Unread     string            `json:"unread,omitempty"`
}

type docSpan struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

type docRange struct {
	Value uint64 `json:"value"`
	Low   uint64 `json:"low"`
	High  uint64 `json:"high"`
}

type docDistinct struct {
	docRange
	Exact bool `json:"exact"`
}

type docAmount struct {
	Value json.Number `json:"value"`
	Low   json.Number `json:"low"`
	High  json.Number `json:"high"`
}

type docTable struct {
	Store     string       `json:"store"`
	Table     string       `json:"table"`
	Index     string       `json:"index"`
	Requests  *docRange    `json:"requests"`
	Reported  *uint64      `json:"reported"`
	Distinct  *docDistinct `json:"distinct_keys"`
	TopKeys   []docTopKey  `json:"top_keys"`
	Skew      *docSkew     `json:"skew"`
	PerPane   []uint64     `json:"requests_per_pane"`
	Checklist []docAnswer  `json:"checklist"`
}

type docTopKey struct {
	Key        string     `json:"key"`
	Encoding   string     `json:"encoding"`
	Length     uint64     `json:"length"`
	Hash       string     `json:"hash"`
	Requests   docRange   `json:"requests"`
	Share      *docMilli  `json:"share"`
	Shares     *docAmount `json:"share_bounds,omitempty"`
	Peak       *uint64    `json:"peak_per_second"`
	Tombstones *docRange  `json:"tombstones,omitempty"`
	Certified  bool       `json:"certified"`
}

type docSkew struct {
	Top1      docMilli `json:"top1"`
	Top10     docMilli `json:"top10"`
	Effective docMilli `json:"effective_partitions"`
	Gini      docMilli `json:"gini"`
}

type docAnswer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Because  string `json:"because"`
}

type docPattern struct {
	Store    string      `json:"store"`
	Table    string      `json:"table"`
	Index    string      `json:"index"`
	Shape    string      `json:"shape"`
	Requests *docRange   `json:"requests,omitempty"`
	Reported *uint64     `json:"reported,omitempty"`
	Rows     *docAmount  `json:"rows,omitempty"`
	Latency  *docLatency `json:"latency_ms,omitempty"`
	Served   string      `json:"served,omitempty"`
}

type docLatency struct {
	P50 docMilli `json:"p50"`
	P99 docMilli `json:"p99"`
}

type docNotAssessed struct {
	Rule    string   `json:"rule"`
	Store   string   `json:"store"`
	Table   string   `json:"table"`
	Index   string   `json:"index"`
	Missing []string `json:"missing"`
	GetIt   string   `json:"get_it"`
}

type docProblems struct {
	Total   uint64     `json:"total"`
	ByCause []docCause `json:"by_cause"`
}

type docCause struct {
	Cause    string       `json:"cause"`
	Count    uint64       `json:"count"`
	Examples []docExample `json:"examples"`
}

type docExample struct {
	Position docPosition `json:"position"`
	Text     string      `json:"text"`
}

type docPosition struct {
	Input uint32 `json:"input"`
	Byte  uint64 `json:"byte"`
	Line  uint64 `json:"line,omitempty"`
}

// SchemaName names the contract of the JSON report.
const SchemaName = "keyheat.report/1"

var jsonReport = &Renderer{
	Name:   "json",
	Title:  "everything in the report, for programs (" + SchemaName + ")",
	Doc:    "One JSON object whose field names are a contract: the schema is `report/render/keyheat.report.1.schema.json`, the meaning of each field stands in docs/report.md. Integers may exceed 2^53.",
	Render: renderJSON,
}

func renderJSON(w io.Writer, r *report.Report, o Options) error {
	return writeJSON(w, docOf(r.Masked(o.Mask), o))
}

// writeJSON prints v as people can read it too: <, > and & as they are, but nothing that a terminal or an
// editor could take for a command (C1 controls, bidirectional and zero-width characters).
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
	return err
}

// escapeJSON writes what is not printable in a JSON text as \u escapes. Beyond ASCII a text has runes in strings alone.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r < 0x7f || unicode.IsPrint(r):
			out = append(out, text[:n]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		text = text[n:]
	}
	return out
}

func docOf(r *report.Report, o Options) *docReport {
	d := &docReport{
		Schema: SchemaName, Tool: docTool{"keyheat", orUnknown(r.Version)},
		Inputs: docInputs(r), Nodes: r.Nodes, Span: spanOf(r.Span), Pane: paneName(r.PaneSeconds),
		Partial: validText(r.Partial), SecondPass: r.Second,
		Notes:  each(r.Notes, func(n *string) string { return validText(*n) }),
		Panes:  each(r.Panes, func(p *detect.PaneSpan) docSpan { return docSpan{stamp(p.Start), stamp(p.End)} }),
		Tables: each(r.Tables, tableOf), Patterns: each(r.Patterns, patternOf),
		NotAssessed: each(r.NotAssessed, notAssessedOf),
		Problems:    docProblems{r.Problems.Total, each(r.Problems.Causes, causeOf)},
		Findings:    []docFinding{},
	}
	for i := range r.Findings {
		if r.Findings[i].Severity >= o.MinSeverity {
			d.Findings = append(d.Findings, findingOf(&r.Findings[i]))
		}
	}
	d.LeftOut = len(r.Findings) - len(d.Findings)
	return d
}

func docInputs(r *report.Report) []docInput {
	out := make([]docInput, 0, len(r.Inputs)+len(r.Unread))
	for i := range r.Inputs {
		in := &r.Inputs[i]
		out = append(out, docInput{
			Name: validText(in.Name), Format: in.Format, Coverage: in.Coverage.String(), Bytes: in.Bytes, Records: in.Records,
			Events: in.Events, States: in.States, Facts: in.Facts, Points: in.Points, Skipped: in.Skipped, ByKind: in.SkippedKind, Problems: in.Problems,
			SampleRate: rateOf(in.SampleRate), Node: validText(in.Node),
		})
	}
	for _, u := range r.Unread { // after all others, so that positions keep their input
		out = append(out, docInput{Name: validText(u.Name), Unread: validText(u.Why)})
	}
	return out
}

// rateOf gives a sampling rate as a fraction of 1; nil when it is no such fraction.
func rateOf(r detect.Rate) *float64 {
	rate := 1.0
	if r != (detect.Rate{}) {
		rate = float64(r.Num) / float64(r.Den)
	}
	if !(rate > 0 && rate <= 1) {
		return nil
	}
	return &rate
}

func tableOf(t *report.Table) docTable {
	traffic := t.Requests.High > 0
	d := docTable{Store: t.Target.Store.String(), Table: validText(t.Target.Table), Index: validText(t.Target.Index),
		PerPane:   each(t.PerPane, func(n *uint64) uint64 { return *n }),
		Checklist: each(t.Checklist, func(a *report.Answer) docAnswer { return docAnswer{a.Question, a.Answer, validText(a.Because)} }),
		TopKeys:   each(t.TopKeys, func(k *report.TopKey) docTopKey { return topKeyOf(k, traffic) }),
	}
	if traffic {
		d.Requests = countOf(t.Requests)
	}
	if t.Reported > 0 {
		d.Reported = &t.Reported
	}
	if n := t.Distinct; n.High > 0 {
		d.Distinct = &docDistinct{docRange{n.Value, n.Low, n.High}, n.Exact}
	}
	if s := t.Skew; s.Known {
		d.Skew = &docSkew{docMilli(s.Top1.Value), docMilli(s.Top10.Value), docMilli(s.Effective), docMilli(s.Gini)}
	}
	return d
}

func topKeyOf(k *report.TopKey, traffic bool) docTopKey {
	name := nameKey(k.Key)
	d := docTopKey{Key: name.text, Encoding: name.encoding, Length: name.length, Hash: name.hash,
		Requests: *countOf(k.Requests), Certified: k.Certified}
	if traffic {
		share, bounds := docMilli(k.Share.Value), milliAmount(k.Share.Value, k.Share.Low, k.Share.High)
		d.Share, d.Shares = &share, &bounds
	}
	if k.PeakPerSecond > 0 {
		d.Peak = &k.PeakPerSecond
	}
	if k.Tombstones.High > 0 {
		d.Tombstones = countOf(k.Tombstones)
	}
	return d
}

func patternOf(p *report.Pattern) docPattern {
	d := docPattern{Store: p.Target.Store.String(), Table: validText(p.Target.Table), Index: validText(p.Target.Index), Shape: validText(p.Shape), Served: p.Served}
	if p.Selected {
		d.Reported = &p.Requests.Low
	} else {
		d.Requests = countOf(p.Requests)
	}
	if p.RowsKnown {
		rows := milliAmount(p.Rows, p.Rows, p.Rows)
		d.Rows = &rows
	}
	if p.Timed {
		d.Latency = &docLatency{docMilli(p.P50), docMilli(p.P99)}
	}
	return d
}

func notAssessedOf(n *detect.NotAssessed) docNotAssessed {
	return docNotAssessed{n.Rule, n.Target.Store.String(), validText(n.Target.Table), validText(n.Target.Index),
		each(n.Missing, func(s *string) string { return *s }), validText(n.GetIt)}
}

func causeOf(c *detect.ProblemCause) docCause {
	return docCause{c.Cause, c.Count, each(c.Examples, func(p *ingest.Problem) docExample {
		return docExample{positionOf(&p.At), validText(p.Text)}
	})}
}

func positionOf(p *ingest.Position) docPosition { return docPosition{p.Input, p.Byte, p.Line} }

func countOf(r detect.Range) *docRange { return &docRange{r.Middle(), r.Low, r.High} }

func spanOf(s detect.Span) *docSpan {
	if s == (detect.Span{}) {
		return nil
	}
	return &docSpan{stamp(s.Start), stamp(s.End)}
}

// each maps a slice; the result is never nil, so that JSON shows an empty list.
func each[T, U any](in []T, f func(*T) U) []U {
	out := make([]U, len(in))
	for i := range in {
		out[i] = f(&in[i])
	}
	return out
}

func stamp(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

// paneName gives a width as people say it: 1m, 12m, 3h, 24h, 7d; empty when there are no panes.
func paneName(seconds uint32) string {
	switch {
	case seconds == 0:
		return ""
	case seconds%86400 == 0 && seconds > 86400:
		return fmt.Sprintf("%dd", seconds/86400)
	case seconds%3600 == 0:
		return fmt.Sprintf("%dh", seconds/3600)
	case seconds%60 == 0:
		return fmt.Sprintf("%dm", seconds/60)
	}
	return fmt.Sprintf("%ds", seconds)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// validText gives s with each byte that is no UTF-8 as \xNN: nothing is lost and nothing invalid printed.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// A docMilli is an amount in thousandths, printed as the shortest decimal number.
type docMilli detect.Milli

// MarshalJSON never fails.
func (m docMilli) MarshalJSON() ([]byte, error) { return []byte(decimal(detect.Milli(m))), nil }

func milliAmount(value, low, high detect.Milli) docAmount {
	return docAmount{json.Number(decimal(value)), json.Number(decimal(low)), json.Number(decimal(high))}
}

// decimal gives an amount as the shortest decimal number.
func decimal(m detect.Milli) string {
	s := strconv.FormatUint(uint64(m/1000), 10)
	if f := m % 1000; f > 0 {
		s += strings.TrimRight(fmt.Sprintf(".%03d", f), "0")
	}
	return s
}
