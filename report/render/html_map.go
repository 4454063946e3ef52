package render

import (
	"encoding/json"
	"html/template"
	"strconv"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// htmlMapBytes is what the cells of all heat maps of a page may take.
const htmlMapBytes = 450_000

// An htmlMap is a heat map as the page holds it without its script: one row a key.
type htmlMap struct {
	Number   int
	Table    string
	Sum      string // what Total counts
	Measures []string
	Rows     []htmlMapRow
}

type htmlMapRow struct {
	Key, Total, Busiest string
	Others              bool
	Spark               *htmlSparkline
}

// The types below are what the script of the page reads.

type mapData struct {
	Panes    [][2]int64   `json:"panes"`
	Pane     string       `json:"pane"`
	Maps     []mapTable   `json:"maps"`
	Findings []mapFinding `json:"findings"`
}

type mapTable struct {
	Keys     []mapKey     `json:"keys"`
	Measures []mapMeasure `json:"measures"`
}

type mapKey struct {
	Name     string `json:"name"`
	Findings []int  `json:"findings"`
}

type mapMeasure struct {
	Name  string      `json:"name"`
	Unit  string      `json:"unit"`
	Milli bool        `json:"milli"`
	Total mapTotals   `json:"total"`
	Rows  []mapSeries `json:"rows"`
	Rest  mapSeries   `json:"rest"`
}

type mapFinding struct {
	Map  int       `json:"map"` // -1: none
	Row  int       `json:"row"` // -1: the whole map
	Span *[2]int64 `json:"span"`
	Text string    `json:"text"`
}

// maxSafe is the largest integer that every number of a script holds.
const maxSafe = 1<<53 - 1

// A mapTotals is printed as numbers, those over maxSafe as strings.
type mapTotals []uint64

// MarshalJSON never fails.
func (t mapTotals) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, n := range t {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, n)
	}
	return append(b, ']'), nil
}

// A mapSeries is printed as numbers, bounds that do not meet as pairs of them; nil as null.
type mapSeries []detect.Range

// MarshalJSON never fails.
func (s mapSeries) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	b := []byte{'['}
	for i, r := range s {
		if i > 0 {
			b = append(b, ',')
		}
		if r.Exact() {
			b = appendNumber(b, r.Low)
			continue
		}
		b = append(b, '[')
		b = append(appendNumber(b, r.Low), ',')
		b = append(appendNumber(b, r.High), ']')
	}
	return append(b, ']'), nil
}

func appendNumber(b []byte, n uint64) []byte {
	if n <= maxSafe {
		return strconv.AppendUint(b, n, 10)
	}
	return append(strconv.AppendUint(append(b, '"'), n, 10), '"')
}

// fillMaps makes the cards and the maps, which point to each other.
func (h *htmlPage) fillMaps(p *page, kept []*report.Finding) {
	d := mapData{Pane: paneName(p.r.PaneSeconds), Maps: []mapTable{}, Panes: [][2]int64{}, Findings: []mapFinding{}}
	for _, s := range p.r.Panes {
		d.Panes = append(d.Panes, [2]int64{s.Start, s.End})
	}
	at := map[detect.Target]int{} // place of a table's map, plus one
	room, left := htmlMapBytes, 0
	for _, t := range p.mapped() {
		m := mapOf(t.Heat)
		if textSize(m) > room {
			m.Measures = m.Measures[:1]
		}
		if size := textSize(m); size <= room {
			room -= size
			d.Maps = append(d.Maps, m)
			if shape := p.htmlMap(t, len(d.Maps)-1, m.Measures); p.found(t.Target) || len(h.Maps) < htmlMaps {
				h.Maps = append(h.Maps, shape)
			} else {
				h.MoreMaps = append(h.MoreMaps, shape)
			}
			at[t.Target] = len(d.Maps)
			continue
		}
		left++
	}
	h.MapsLeftOut = leftOut(left, "heat map", "--format parquet-panes")
	for i, f := range kept {
		card := p.htmlFinding(f, i)
		link := mapFinding{Map: at[f.Subject.Target] - 1, Row: -1, Text: f.Severity.String() + ": " + visible(f.Message)}
		if card.HasMap = link.Map >= 0; card.HasMap {
			link.Row = rowOf(&d.Maps[link.Map], f, i)
		}
		if f.Span != (detect.Span{}) {
			link.Span = &[2]int64{f.Span.Start, f.Span.End}
		}
		d.Findings = append(d.Findings, link)
		h.Findings = append(h.Findings, card)
	}
	text, _ := json.Marshal(d) // of strings and numbers alone; <, > and & are escaped
	h.Data = template.JS(escapeJSON(text))
}

// rowOf gives the row of a finding's key, -1 when it has none, and notes the finding there.
func rowOf(m *mapTable, f *report.Finding, number int) int {
	if !f.Subject.HasKey {
		return -1
	}
	name := fit(visibleKey(f.Subject.Key), htmlKey)
	for i := range m.Keys {
		if m.Keys[i].Name == name {
			m.Keys[i].Findings = append(m.Keys[i].Findings, number)
			return i
		}
	}
	return -1
}

func textSize(m mapTable) int {
	text, _ := json.Marshal(m)
	return len(text)
}

func mapOf(h *report.HeatMap) mapTable {
	m := mapTable{Keys: []mapKey{}, Measures: []mapMeasure{}}
	for i := range h.Rows {
		m.Keys = append(m.Keys, mapKey{fit(visibleKey(h.Rows[i].Key), htmlKey), []int{}})
	}
	for of := range report.Measure(report.Measures) {
		if h.Total[of] == nil {
			continue
		}
		data := mapMeasure{Name: of.String(), Unit: measureUnit(h, of), Milli: h.Milli(of), Total: h.Total[of], Rest: h.Rest.Series[of], Rows: []mapSeries{}}
		for i := range h.Rows {
			data.Rows = append(data.Rows, h.Rows[i].Series[of])
		}
		m.Measures = append(m.Measures, data)
	}
	return m
}

// htmlMap gives the rows of a map in words: the first measure in all, its course, and the busiest pane.
func (p *page) htmlMap(t *report.Table, number int, measures []mapMeasure) htmlMap {
	h := t.Heat
	out := htmlMap{Number: number, Table: orNoTable(tableName(t.Target)), Sum: report.HeatRequests.String()}
	for i := range measures {
		out.Measures = append(out.Measures, measures[i].Name)
	}
	for i := range h.Rows {
		out.Rows = append(out.Rows, p.htmlMapRow(fit(visibleKey(h.Rows[i].Key), htmlKey), h.Rows[i].Series[report.HeatRequests], false))
	}
	out.Rows = append(out.Rows, p.htmlMapRow("other keys", h.Rest.Series[report.HeatRequests], true))
	return out
}

func (p *page) htmlMapRow(key string, series []detect.Range, others bool) htmlMapRow {
	row := htmlMapRow{Key: key, Others: others, Total: "not known"}
	if series == nil {
		return row
	}
	lows, sum, busiest := make([]uint64, len(series)), detect.Range{}, 0
	for i, r := range series {
		if sum, lows[i] = sum.Plus(r), r.Low; r.Low > lows[busiest] {
			busiest = i
		}
	}
	row.Total, row.Spark = countBounds(sum).String(), sparkOf(lows, "")
	if row.Spark != nil {
		row.Busiest = p.paneTime(p.r.Panes[busiest]) + ": " + countBounds(series[busiest]).String()
	}
	return row
}
