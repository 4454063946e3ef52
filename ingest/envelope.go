package ingest

import (
	"bytes"
	"math"
	"slices"
)

// An Envelope is what a log shipper, a container runtime or an export put around each line of an
// input: a stack of at most three wrappers, and colour codes. It holds no state of a line, so one
// Envelope may serve several goroutines.
type Envelope struct {
	layers []*wrapper // from the outermost
}

// Meta is what an envelope says about its line. Of several wrappers the innermost that knows counts.
type Meta struct {
	UnixNano int64 // when the line was written, Unix nanoseconds UTC; 0: unknown
	// Node is the machine or pod that wrote the line; empty when unknown. It is a part of the line or
	// of the array of out, beyond its length, and lasts until either is written to.
	Node []byte
	// Partial says that the line goes on in the envelope's next line: call Unwrap with that line and
	// this call's out as dst to join them.
	Partial bool
}

// A wrapper is one kind of envelope.
type wrapper struct {
	name string
	fits int // of ten lines of a beginning, how many must have it
	open func(line []byte) (opened, bool)
	// names are those of which one stands in each line that has it: to look for them costs less than to open
	// a line that is another's. Nil: none.
	names [][]byte
	// loose is set where lines without it are to be expected between those that have it; they are read as they are.
	loose bool
}

// opened is a line without its wrapper: text is a part of the line, to be read as form says.
type opened struct {
	Meta
	text []byte
	form form
	// splitAt is the length at which the writer cuts lines that do not end: Docker. 0: it does not.
	splitAt int
}

type form uint8

const (
	plain     form = iota
	escaped        // the inside of a JSON string
	byteArray      // a JSON array of bytes
	coloured       // with ANSI escape sequences
	python         // a dict or list as Python prints it
)

// wrappers lists the envelopes; the first that fits is taken.
var wrappers = []*wrapper{
	{name: "docker", fits: 9, open: openDocker, names: [][]byte{[]byte(`"stream"`)}},
	{name: "journald-json", fits: 9, open: openJournal, names: [][]byte{[]byte(`"__REALTIME_TIMESTAMP"`)}},
	{name: "json-message", fits: 9, open: openMessage, names: textNames},
	{name: "cri", fits: 6, open: openCRI},
	{name: "kubectl-prefix", fits: 6, open: openKubectl},
	{name: "compose-prefix", fits: 10, open: openCompose, names: composeBar},
	{name: "stern-prefix", fits: 10, open: openStern},
	{name: "syslog-rfc5424", fits: 6, open: openSyslog5424},
	{name: "syslog", fits: 6, open: openSyslog},
	{name: "lambda", fits: 2, open: openLambda, loose: true},
	{name: "timestamp", fits: 6, open: openTimestamp},
	{name: "python-print", fits: 2, open: openPython, loose: true, names: pythonNames},
	{name: "quoted", fits: 10, open: openQuoted},
}

var colours = &wrapper{name: "ansi-colours", open: openColours}

const (
	maxWrappers   = 3
	sampledLines  = 10
	longestSample = 16 << 10 // bytes of a line that detection looks at; longer ones tell of loose wrappers alone
)

// DetectEnvelopes looks for envelopes around the lines of head, the whole lines of the beginning of an
// input. It gives nil when there are none.
func DetectEnvelopes(head []byte) *Envelope {
	var e Envelope
	lines := sample(head)
	for range maxWrappers {
		lines = e.peelIndent(e.peelColours(lines))
		w := firstFit(lines)
		if w == nil {
			break
		}
		lines = e.peel(w, lines)
	}
	e.peelColours(lines)
	if len(e.layers) == 0 {
		return nil
	}
	return &e
}

func sample(head []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 {
			lines = append(lines, line[:min(len(line), longestSample)])
		}
		if len(lines) == sampledLines {
			break
		}
	}
	return lines
}

func isCut(line []byte) bool { return len(line) == longestSample }

func firstFit(lines [][]byte) *wrapper {
	whole := lines
	if slices.ContainsFunc(lines, isCut) {
		whole = slices.DeleteFunc(slices.Clone(lines), isCut)
	}
	for _, w := range wrappers {
		if !w.loose && w.fitsLines(whole) || w.loose && w.fitsLines(lines) {
			return w
		}
	}
	return nil
}

// fitsLines reports whether enough of the lines have the wrapper; it looks no further once they cannot.
func (w *wrapper) fitsLines(lines [][]byte) bool {
	n := 0
	for i, line := range lines {
		if w.mayFit(line) {
			if _, ok := w.open(line); ok {
				n++
			}
		}
		if left := len(lines) - i - 1; (n+left)*10 < len(lines)*w.fits {
			return false
		}
	}
	return n > 0
}

func (w *wrapper) mayFit(line []byte) bool {
	if w.names != nil && RecordsOfAWS(line) {
		return false
	}
	return w.names == nil || slices.ContainsFunc(w.names, func(name []byte) bool { return bytes.Contains(line, name) })
}

// RecordsOfAWS reports whether a line begins as the files and calls in which AWS delivers records do: those
// of CloudTrail, of which there are a hundred thousand small ones, and events of Lambda functions. No envelope
// and no key event begins so, and to look for their members in 10 KB of one line costs more than to begin it.
func RecordsOfAWS(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"Records":[`)) }

func (e *Envelope) peelColours(lines [][]byte) [][]byte {
	for _, line := range lines {
		if bytes.Contains(line, []byte("\x1b[")) {
			return e.peel(colours, lines)
		}
	}
	return lines
}

// peelIndent takes off the blanks that all lines begin with, four or more: they make text a block of code in
// Markdown. A later line may begin with fewer.
func (e *Envelope) peelIndent(lines [][]byte) [][]byte {
	const fewest = 4
	n := math.MaxInt
	for _, line := range lines {
		n = min(n, len(line)-len(bytes.TrimLeft(line, " ")))
	}
	if n < fewest || len(lines) == 0 {
		return lines
	}
	return e.peel(&wrapper{name: "indented", open: func(line []byte) (opened, bool) {
		return opened{text: line[min(n, len(line)-len(bytes.TrimLeft(line, " "))):]}, true
	}}, lines)
}

// peel adds a layer and gives what it holds of lines.
func (e *Envelope) peel(w *wrapper, lines [][]byte) [][]byte {
	e.layers = append(e.layers, w)
	one := Envelope{layers: []*wrapper{w}}
	var inner [][]byte
	for _, line := range lines {
		if out, _, ok := one.Unwrap(nil, line); ok && len(out) > 0 {
			inner = append(inner, out)
		}
	}
	return inner
}

// Names gives the wrappers from the outermost to the innermost, as shown in reports.
func (e *Envelope) Names() []string {
	names := make([]string, 0, len(e.layers))
	for _, l := range e.layers {
		names = append(names, l.name)
	}
	return names
}

// Unwrap appends what line (without its end) holds to dst, without a line end; line ends within it
// stay. ok is false, and out is dst, when line lacks the outermost wrapper; an inner wrapper that is
// missing leaves the text as it is. Unwrap allocates only to make dst grow.
func (e *Envelope) Unwrap(dst, line []byte) (out []byte, m Meta, ok bool) {
	u := unwrapping{out: dst, base: len(dst), text: line}
	for i, w := range e.layers {
		o, fits := w.open(u.text)
		if fits {
			u.take(o)
		} else if i == 0 && !w.loose {
			return dst, Meta{}, false
		}
	}
	u.finish()
	return u.out, u.meta, true
}

// unwrapping is the state of one line. text is a part of the line until it has to be decoded; from
// then on it lies in out[base:], where each further decoding shortens it in place, or writes a copy.
type unwrapping struct {
	out  []byte
	base int
	text []byte
	held bool // text lies in out
	meta Meta
}

func (u *unwrapping) take(o opened) {
	if o.UnixNano != 0 {
		u.meta.UnixNano = o.UnixNano
	}
	u.meta.Partial = u.meta.Partial || o.Partial
	if len(o.Node) > 0 {
		u.meta.Node = o.Node
		if u.held { // what follows writes over it
			n := len(u.out)
			u.out = append(u.out, o.Node...)
			u.meta.Node = u.out[n:]
		}
	}
	u.text = o.text
	if o.form != plain {
		if o.form == python && u.held { // it grows
			o.text = bytes.Clone(o.text)
		}
		u.out = appendForm(u.out[:u.base], o.text, o.form)
		u.text, u.held = u.out[u.base:], true
	}
	if o.splitAt > 0 && len(u.text) >= o.splitAt && u.text[len(u.text)-1] != '\n' {
		u.meta.Partial = true
	}
	u.text = bytes.TrimRight(u.text, "\r\n")
}

func (u *unwrapping) finish() {
	if !u.held {
		u.out = append(u.out, u.text...)
		return
	}
	n := copy(u.out[u.base:], u.text)
	u.out = u.out[:u.base+n]
}

func appendForm(dst, text []byte, f form) []byte {
	switch f {
	case escaped:
		return AppendUnquoted(dst, text)
	case byteArray:
		return appendByteArray(dst, text)
	case python:
		return appendPython(dst, text)
	}
	return appendPlain(dst, text)
}

// appendByteArray reads [72,105]; what is no number ends a byte.
func appendByteArray(dst, text []byte) []byte {
	n, digits := 0, false
	for _, c := range text {
		if c-'0' <= 9 {
			n, digits = (n*10+int(c-'0'))&0xFFFF, true
			continue
		}
		if digits {
			dst = append(dst, byte(n))
		}
		n, digits = 0, false
	}
	return dst
}

func openColours(line []byte) (opened, bool) {
	if bytes.IndexByte(line, 0x1b) < 0 {
		return opened{text: line}, true
	}
	return opened{text: line, form: coloured}, true
}

// appendPlain leaves out control sequences: ESC [, parameters, and a final byte of @ to ~ (ECMA-48,
// section 5.4).
func appendPlain(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, 0x1b)
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i+1:]
		if len(text) == 0 || text[0] != '[' {
			continue
		}
		n := 1
		for n < len(text) && (text[n] < '@' || text[n] > '~') {
			n++
		}
		text = text[min(n+1, len(text)):]
	}
}
