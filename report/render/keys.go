package render

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

var keysText = &KeysRenderer{
	Name:   "text",
	Title:  "columns",
	Doc:    "One row a key. For a terminal numbers have separators and long keys are cut; for a pipe (plain) numbers are bare digits, keys whole, blanks in them written as `\\x20`, and what is not known is `-`, so that each row has the same number of fields.",
	Render: renderKeysText,
}

var keysCSV = &KeysRenderer{
	Name:   "csv",
	Title:  "comma-separated values",
	Doc:    "RFC 4180 with a header. A cell of text that a spreadsheet would take for a formula begins with an apostrophe.",
	Render: renderKeysCSV,
}

var keysJSON = &KeysRenderer{
	Name:   "json",
	Title:  "for programs",
	Doc:    "One object: `by`, `unit` and `rows`, keys as in the JSON report.",
	Render: renderKeysJSON,
}

// paneStamp is the layout of a pane's start.
const paneStamp = "2006-01-02T15:04"

func renderKeysText(w io.Writer, t *report.KeyTable, o Options) error {
	t = t.Masked(o.Mask)
	p := &pen{width: o.width(), color: o.Color && !o.Plain}
	if o.Plain {
		p.width = 1 << 30
	}
	cols := keyColumns(t)
	for i := range t.Rows {
		cells := keyCells(t, &t.Rows[i], o.Plain)
		for j := range cells {
			cols[j].cells = append(cols[j].cells, cells[j])
		}
	}
	if !t.PerPane {
		cols = cols[1:]
	}
	p.grid(cols)
	_, err := w.Write(p.Bytes())
	return err
}

func keyColumns(t *report.KeyTable) []column {
	return []column{
		{title: "PANE"},
		{title: "TABLE", least: 8},
		{title: "KEY", least: 12, code: bold},
		{title: strings.ToUpper(string(t.By)), right: true},
		{title: "LOW", right: true, drop: 1},
		{title: "HIGH", right: true, drop: 1},
		{title: "SHARE", right: true},
		{title: "PEAK/s", right: true, drop: 2},
		{title: "EXACT", drop: 3},
	}
}

func keyCells(t *report.KeyTable, r *report.KeyRow, plain bool) []string {
	exact := ""
	if r.Amount.Exact() {
		exact = "exact"
	}
	if !plain {
		return []string{paneStart(r), tableName(r.Target), visibleKey(r.Key), keyAmount(t, r.Amount.Middle()), keyAmount(t, r.Amount.Low),
			keyAmount(t, r.Amount.High), rowShare(r), dashZero(grouped(r.PeakPerSecond)), exact}
	}
	share := "-"
	if r.Share.High > 0 {
		share = tenths(r.Share.Value) + "%"
	}
	return []string{paneStart(r), field(tableName(r.Target)), field(visibleKey(r.Key)), plainAmount(t, r.Amount.Middle()), plainAmount(t, r.Amount.Low),
		plainAmount(t, r.Amount.High), share, dashZero(strconv.FormatUint(r.PeakPerSecond, 10)), field(exact)}
}

// field makes text one field for awk: no blanks, never empty.
func field(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(s, " ", `\x20`)
}

func dashZero(s string) string {
	if s == "0" {
		return "-"
	}
	return s
}

func rowShare(r *report.KeyRow) string {
	if r.Share.High == 0 {
		return "-"
	}
	return percent(r.Share.Value)
}

func paneStart(r *report.KeyRow) string {
	if r.Pane == (detect.PaneSpan{}) {
		return ""
	}
	return time.Unix(r.Pane.Start, 0).UTC().Format(paneStamp)
}

func keyAmount(t *report.KeyTable, n uint64) string {
	if !t.Milli {
		return grouped(n)
	}
	whole, part, _ := strings.Cut(decimal(detect.Milli(n)), ".")
	d, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || part == "" {
		return grouped(d)
	}
	return grouped(d) + "." + part
}

func plainAmount(t *report.KeyTable, n uint64) string {
	if t.Milli {
		return decimal(detect.Milli(n))
	}
	return strconv.FormatUint(n, 10)
}

func renderKeysCSV(w io.Writer, t *report.KeyTable, o Options) error {
	t = t.Masked(o.Mask)
	out := csv.NewWriter(w)
	head := []string{"pane", "store", "table", "index", "key", "encoding", string(t.By), "low", "high", "share", "peak_per_second", "exact"}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		name := nameKey(r.Key)
		row := []string{paneStart(r), r.Target.Store.String(), csvText(r.Target.Table), csvText(r.Target.Index), csvText(name.text), name.encoding,
			plainAmount(t, r.Amount.Middle()), plainAmount(t, r.Amount.Low), plainAmount(t, r.Amount.High), csvShare(r),
			emptyZero(r.PeakPerSecond), strconv.FormatBool(r.Amount.Exact())}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvShare(r *report.KeyRow) string {
	if r.Share.High == 0 {
		return ""
	}
	return decimal(r.Share.Value)
}

type docKeys struct {
	Schema string       `json:"schema"`
	By     string       `json:"by"`
	Rows   []docKeysRow `json:"rows"`
}

type docKeysRow struct {
	Pane     *docSpan  `json:"pane,omitempty"`
	Store    string    `json:"store"`
	Table    string    `json:"table"`
	Index    string    `json:"index"`
	Key      string    `json:"key"`
	Encoding string    `json:"encoding"`
	Length   uint64    `json:"length"`
	Hash     string    `json:"hash"`
	Amount   docAmount `json:"amount"`
	Share    *docMilli `json:"share"`
	Peak     *uint64   `json:"peak_per_second"`
	Exact    bool      `json:"exact"`
}

func renderKeysJSON(w io.Writer, t *report.KeyTable, o Options) error {
	t = t.Masked(o.Mask)
	return writeJSON(w, docKeys{"keyheat.keys/1", string(t.By), each(t.Rows, func(r *report.KeyRow) docKeysRow { return keysRowOf(t, r) })})
}

func keysRowOf(t *report.KeyTable, r *report.KeyRow) docKeysRow {
	name := nameKey(r.Key)
	d := docKeysRow{Store: r.Target.Store.String(), Table: validText(r.Target.Table), Index: validText(r.Target.Index),
		Key: name.text, Encoding: name.encoding, Length: name.length, Hash: name.hash,
		Amount: weightAmount(r.Amount, t.Milli), Exact: r.Amount.Exact()}
	if r.Pane != (detect.PaneSpan{}) {
		d.Pane = &docSpan{stamp(r.Pane.Start), stamp(r.Pane.End)}
	}
	if r.Share.High > 0 {
		share := docMilli(r.Share.Value)
		d.Share = &share
	}
	if r.PeakPerSecond > 0 {
		d.Peak = &r.PeakPerSecond
	}
	return d
}
