package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// A jsonWalk reads JSON of any length by lines, or by pieces of lines, and knows the names of the objects and arrays
// around. What it holds does not depend on the length of what it reads.
type jsonWalk struct {
	names [walkDepth]string // of the members that stand open, by depth; elements of an array have its name
	array [walkDepth]bool
	depth int
	name  string // member whose value comes next
	keyed bool   // a name comes next

	held    []byte // the beginning of a value that the piece before was cut in
	quoted  bool   // it is a string
	escaped bool   // and ended in a backslash
}

const (
	walkDepth = 32
	// maxHeld bounds what is held of a value: twice the longest partition key in hex.
	maxHeld = 256 << 10
)

// What of a dump is no partition, or not read.
const (
	skipDump      = "part of a partition's JSON"
	causeDumpCut  = "partition that the dump ends in"
	causeDumpKey  = "partition of a dump without a key"
	causeDumpDeep = "JSON that is no dump of an SSTable"
)

// A walkStep is what a jsonWalk came upon.
type walkStep uint8

const (
	walkOn walkStep = iota // nothing to tell
	walkEnter
	walkLeave
	walkValue
	walkDeep // more than walkDepth levels
)

// next reads what stands at data[i] and gives the offset after it. text is that of a value, valid until the next
// call; cut says that data goes on in the next record.
func (w *jsonWalk) next(data []byte, i int, cut bool) (step walkStep, text []byte, next int) {
	if len(w.held) > 0 {
		return w.resume(data)
	}
	switch c := data[i]; c {
	case ' ', '\t', ':', '\r', '\n':
		return walkOn, nil, i + 1
	case ',':
		w.keyed = w.depth > 0 && !w.array[w.depth-1]
		return walkOn, nil, i + 1
	case '{', '[':
		return w.enter(c == '['), nil, i + 1
	case '}', ']':
		return w.leave(), nil, i + 1
	}
	kind, text, next := ingest.ScanJSON(data, i)
	broken, quoted := kind == ingest.JSONBroken, data[i] == '"'
	switch {
	case cut && (broken || !quoted && next == len(data)):
		w.hold(data[i:], quoted)
		return walkOn, nil, len(data)
	case broken:
		return walkOn, nil, i + 1 // a prompt, or a string that is cut off
	}
	return w.value(text), text, next
}

// value takes a string, number or literal, which is a name where one comes next.
func (w *jsonWalk) value(text []byte) walkStep {
	if w.keyed {
		w.name, w.keyed = string(text), false
		return walkOn
	}
	return walkValue
}

func (w *jsonWalk) hold(text []byte, quoted bool) {
	w.held, w.quoted, w.escaped = append(w.held[:0], text...), quoted, false
	if quoted {
		rest := text[len(bytes.TrimRight(text, `\`)):]
		w.escaped = len(rest)%2 == 1
	}
}

// resume goes on with a value that was cut.
func (w *jsonWalk) resume(data []byte) (step walkStep, text []byte, next int) {
	end := 0
	if w.quoted {
		end = w.stringEnd(data)
	} else {
		for end < len(data) && bytes.IndexByte([]byte(" \t,:]}\r\n"), data[end]) < 0 {
			end++
		}
	}
	whole := end < len(data)
	if room := maxHeld - len(w.held); room > 0 {
		w.held = append(w.held, data[:min(end, room)]...)
	}
	if !whole {
		return walkOn, nil, len(data)
	}
	text = w.held
	if w.quoted {
		text, end = text[1:], end+1
	}
	w.held = w.held[:0]
	return w.value(text), text, end
}

// stringEnd gives where the quote stands that ends the string; len(data): further on.
func (w *jsonWalk) stringEnd(data []byte) int {
	i := 0
	if w.escaped {
		i, w.escaped = 1, false
	}
	for i < len(data) {
		if i = ingest.StringEnd(data, i); i < 0 {
			return len(data)
		}
		if data[i] == '"' {
			return i
		}
		i += 2
	}
	w.escaped = i > len(data)
	return len(data)
}

func (w *jsonWalk) enter(array bool) walkStep {
	if w.depth == walkDepth {
		w.depth, w.keyed = 0, false
		return walkDeep
	}
	name := w.name
	if w.depth > 0 && w.array[w.depth-1] {
		name = w.names[w.depth-1]
	}
	w.names[w.depth], w.array[w.depth], w.name = name, array, ""
	w.depth++
	w.keyed = !array
	return walkEnter
}

// leave closes an object or array; w.names[w.depth] is the one that was closed.
func (w *jsonWalk) leave() walkStep {
	w.keyed = false
	if w.depth == 0 {
		return walkOn
	}
	w.depth--
	return walkLeave
}

// in reports whether the innermost open members have these names.
func (w *jsonWalk) in(names ...string) bool {
	if w.depth < len(names) {
		return false
	}
	for i, n := range names {
		if w.names[w.depth-len(names)+i] != n {
			return false
		}
	}
	return true
}

// dumped tells what one dump, of many that there may be, says of a partition; tombstones with their kinds.
func dumped(to ingest.Sink, s *ingest.State, kinds ingest.TombstoneKinds) {
	s.KeyKnown, s.Source, s.AtLeast = true, ingest.SourceDump, true
	if s.Measure == ingest.PartitionTombstones {
		s.Kinds = kinds
	}
	to.State(s)
}
