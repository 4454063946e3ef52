package render

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// The parts that the documents of several JSON outputs have in common.

type docTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
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

type docAmount struct {
	Value json.Number `json:"value"`
	Low   json.Number `json:"low"`
	High  json.Number `json:"high"`
}

// A docMilli is an amount in thousandths, printed as the shortest decimal number.
type docMilli detect.Milli

// MarshalJSON never fails.
func (m docMilli) MarshalJSON() ([]byte, error) { return []byte(decimal(detect.Milli(m))), nil }

type docPosition struct {
	Input uint32 `json:"input"`
	Byte  uint64 `json:"byte"`
	Line  uint64 `json:"line,omitempty"`
}

// writeJSON prints v as people can read it too: <, > and & as they are, but nothing that a terminal or an
// editor could take for a command (C1 controls, bidirectional and zero-width characters).
//
// The members of a document, and the items of its lists, are written one at a time: a report may list a
// hundred thousand inputs, and a text of them all would be held four times over.
func writeJSON(w io.Writer, v any) error {
	p := jsonPrinter{w: bufio.NewWriter(w)}
	if s := reflect.Indirect(reflect.ValueOf(v)); s.Kind() == reflect.Struct {
		p.members(s)
	} else {
		p.value(v, "")
	}
	p.text("\n")
	return cmp.Or(p.err, p.w.Flush())
}

// A jsonPrinter writes a document as Encoder.SetIndent("", "  ") would.
type jsonPrinter struct {
	w   *bufio.Writer
	buf bytes.Buffer
	err error
}

func (p *jsonPrinter) text(s string) {
	if p.err == nil {
		_, p.err = p.w.WriteString(s)
	}
}

// members writes the members of a document. It has no embedded ones, and each has a name.
func (p *jsonPrinter) members(s reflect.Value) {
	comma := ""
	p.text("{")
	for i := range s.NumField() {
		name, option, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
		f := s.Field(i)
		if option == "omitempty" && (f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0) {
			continue
		}
		p.text(comma + "\n  \"" + name + "\": ")
		comma = ","
		if f.Kind() == reflect.Slice && f.Len() > 0 {
			p.items(f)
		} else {
			p.value(f.Interface(), "  ")
		}
	}
	p.text("\n}")
}

func (p *jsonPrinter) items(list reflect.Value) {
	p.text("[")
	for i := range list.Len() {
		if i > 0 {
			p.text(",")
		}
		p.text("\n    ")
		p.value(list.Index(i).Interface(), "    ")
	}
	p.text("\n  ]")
}

// value writes one value, its lines after the first behind the prefix.
func (p *jsonPrinter) value(v any, prefix string) {
	if p.err != nil {
		return
	}
	p.buf.Reset()
	e := json.NewEncoder(&p.buf)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	if p.err = e.Encode(v); p.err == nil {
		_, p.err = p.w.Write(escapeJSON(bytes.TrimSuffix(p.buf.Bytes(), []byte("\n"))))
	}
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

// weightAmount gives a count of wholes or of thousandths as decimal numbers.
func weightAmount(r detect.Range, milli bool) docAmount {
	form := func(n uint64) json.Number {
		if milli {
			return json.Number(decimal(detect.Milli(n)))
		}
		return json.Number(strconv.FormatUint(n, 10))
	}
	return docAmount{form(r.Middle()), form(r.Low), form(r.High)}
}

type docLatency struct {
	P50 docMilli `json:"p50"`
	P99 docMilli `json:"p99"`
}
