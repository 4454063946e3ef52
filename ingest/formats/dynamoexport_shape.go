package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// An itemShape is how the lines of a full export look while its items have the same attributes in the same order:
// then a line is read by comparing the text between the values, and looking for the end of each. Where a line
// differs, Reader must read it.
type itemShape struct {
	values []itemValue
	tail   string         // what follows the last value
	begin  int            // offset of the object that holds the item
	item   int            // offset of the item
	inside awsjson.Reader // in an item
	size   uint64         // bytes of all names
	miss   int            // lines since the last hit that did not fit
	learn  int            // misses at which the next shape is learned
}

// An itemValue is the value of one attribute and the text before it, as much of its type included as is always
// the same.
type itemValue struct {
	before string
	kind   byte // S, N or B; oneByte; 0: of another type, read with it
	want   int  // place in awsItems.want; -1: none
}

const (
	maxItemShape = 64  // attributes of a shape
	oneByte      = 't' // true, false and null, which count as one byte
)

// relearn takes the shape of a line that the general way has read, when the one at hand has not fitted for long;
// the more often that was in vain, the longer.
func (s *itemShape) relearn(data []byte, want *[2]awsjson.Attribute) {
	if s.miss++; s.miss < s.learn {
		return
	}
	s.miss, s.learn = 0, min(2*s.learn+1, 1<<12)
	if !s.take(data, want) {
		s.values = s.values[:0]
	}
}

// take takes the shape of a line that holds one item and nothing else.
func (s *itemShape) take(data []byte, want *[2]awsjson.Attribute) bool {
	s.values, s.size = s.values[:0], 0
	text := string(data)
	r := awsjson.Read(data, 0)
	if !r.Next() {
		return false
	}
	s.begin = r.At()
	r.Open('{')
	if name, ok := r.Member(); !ok || string(name) != "Item" || r.Peek() != '{' {
		return false
	}
	s.item = r.At()
	r.Open('{')
	s.inside = r
	from := 0
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		r.Peek()
		at := r.At()
		r.Skip()
		if len(s.values) == maxItemShape || ingest.StringEnd(name, 0) >= 0 {
			return false
		}
		kind, before, behind := plainValue(data[at:r.At()])
		v := itemValue{before: text[from : at+before], kind: kind, want: -1}
		for i := range want {
			if string(want[i].Name) == string(name) {
				v.want = i
			}
		}
		if v.want >= 0 && (kind == 0 || kind == oneByte) {
			return false // the general way reads what the key is
		}
		s.size += uint64(len(name))
		s.values, from = append(s.values, v), r.At()-behind
	}
	if _, more := r.Member(); more || r.Broken() || ingest.SkipSpace(data, r.At()) != len(data) {
		return false
	}
	s.tail = text[from:]
	return true
}

// plainValue tells of a typed value whether it is one of the plain ones, and then how many bytes of it stand before
// and behind what differs from item to item.
func plainValue(text []byte) (kind byte, before, behind int) {
	n, colon := len(text), bytes.IndexByte(text, ':')
	if colon < len(`{"S"`) || text[0] != '{' || text[n-1] != '}' {
		return 0, 0, 0
	}
	name, at := string(text[1:colon]), ingest.SkipSpace(text, colon+1)
	switch value := string(text[at : n-1]); name {
	case `"BOOL"`, `"NULL"`:
		if value == "true" || value == "false" {
			return oneByte, at, len("}")
		}
	case `"S"`, `"N"`, `"B"`:
		if len(value) > 1 && value[0] == '"' && ingest.StringEnd(text, at+1) == n-2 {
			return name[1], at + 1, len(`"}`)
		}
	}
	return 0, 0, 0
}

// read reads a line that has the shape: the attributes of the key go to want. ok is false, and want of no use, for
// any other line.
func (s *itemShape) read(data []byte, want *[2]awsjson.Attribute) (size uint64, ok bool) {
	if len(s.values) == 0 {
		return 0, false
	}
	want[0].Kind, want[1].Kind = 0, 0
	size = s.size
	i := 0
	for k := range s.values {
		v := &s.values[k]
		begin := i + len(v.before)
		if begin >= len(data) || string(data[i:begin]) != v.before {
			return 0, false
		}
		bytes, end := s.measure(v.kind, data, begin)
		if end < 0 {
			return 0, false
		}
		size += bytes
		if v.want >= 0 {
			want[v.want] = awsjson.Attribute{Name: want[v.want].Name, Kind: v.kind, Text: data[begin:end], At: begin}
		}
		i = end
	}
	if string(data[i:]) != s.tail {
		return 0, false
	}
	s.miss = 0
	return size, true
}

// measure gives the size of the value of that kind at data[i] and where it ends; -1 when it is not as foreseen.
func (s *itemShape) measure(kind byte, data []byte, i int) (size uint64, end int) {
	switch kind {
	case oneByte:
		for _, literal := range [...]string{"true", "false"} {
			if end := i + len(literal); end <= len(data) && string(data[i:end]) == literal {
				return 1, end
			}
		}
		return 0, -1
	case 0:
		r := s.inside.On(data, i)
		if size = r.Attribute(); r.Broken() {
			return 0, -1
		}
		return size, r.At()
	}
	if end = ingest.StringEnd(data, i); end < 0 || data[end] != '"' {
		return 0, -1
	}
	switch kind {
	case 'N':
		return awsjson.NumberSize(data[i:end]), end
	case 'B':
		return awsjson.Base64Size(data[i:end]), end
	}
	return uint64(end - i), end
}
