package awsjson

import (
	"encoding/base64"

	"github.com/keyheat/keyheat/ingest"
)

// Limits of DynamoDB, in bytes.
const (
	// MaxItem is the largest item, by names and values
	// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
	MaxItem = 400 << 10
	// MaxCollection is the most that an item collection may hold under a local secondary index
	// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ItemCollections.SizeLimit).
	MaxCollection = 10 << 30
)

// An Attribute is one attribute of an item or a key.
type Attribute struct {
	Name []byte
	// Kind is S, N or B; 0 for the types that cannot be a key.
	Kind byte
	Text []byte // as it stands between the quotes
	// At is the offset of the value in the text that was read.
	At int
	// Raw is the value with its type, as it stands, and Size the bytes of name and value, where an item
	// was read: the zero values for keys.
	Raw  []byte
	Size uint64
}

// Append appends what an attribute stands for, as bytes of a key: the text of a string or number, the
// bytes of a binary value.
func (a *Attribute) Append(dst []byte) []byte {
	n := len(dst)
	dst = ingest.AppendUnquoted(dst, a.Text)
	if a.Kind != 'B' {
		return dst
	}
	size, err := base64.StdEncoding.Decode(dst[n:], dst[n:])
	if err != nil {
		return dst
	}
	return dst[:n+size]
}

// Item reads an item, an object of typed attributes, and gives its size by DynamoDB's rules: names and
// values, without the overhead of storage. Attributes that are named in want are put there.
func (r *Reader) Item(want []Attribute) (size uint64) {
	if !r.Open('{') {
		return 0
	}
	for {
		name, ok := r.Member()
		if !ok {
			return size
		}
		begin := r.at
		n, a := r.typed()
		n += textSize(name)
		size += n
		for i := range want {
			if string(want[i].Name) == string(name) {
				want[i].Kind, want[i].Text, want[i].At, want[i].Size = a.Kind, a.Text, a.At, n
				want[i].Raw = r.data[begin:min(r.at, len(r.data))]
			}
		}
	}
}

// Attribute reads one typed attribute and gives the size of its value.
func (r *Reader) Attribute() (size uint64) {
	size, _ = r.typed()
	return size
}

// Keys appends the attributes of a key, an object of typed attributes, to dst.
func (r *Reader) Keys(dst []Attribute) []Attribute {
	if !r.Open('{') {
		return dst
	}
	for {
		name, ok := r.Member()
		if !ok {
			return dst
		}
		_, a := r.typed()
		a.Name = name
		dst = append(dst, a)
	}
}

// PlainKeys is Keys for values without a type, as CloudTrail writes them.
func (r *Reader) PlainKeys(dst []Attribute) []Attribute {
	if !r.Open('{') {
		return dst
	}
	for {
		name, ok := r.Member()
		if !ok {
			return dst
		}
		if r.Peek() == '{' {
			_, a := r.typed()
			a.Name = name
			dst = append(dst, a)
			continue
		}
		at := r.at
		kind, text := r.Value()
		a := Attribute{Name: name, Text: text, At: at}
		switch kind {
		case ingest.JSONString, ingest.JSONEscaped:
			a.Kind, a.At = 'S', at+1
		case ingest.JSONNumber:
			a.Kind = 'N'
		}
		dst = append(dst, a)
	}
}

// typed reads {"S":"text"} and its like. Programs that print every type as a member give null to those
// that a value does not have.
func (r *Reader) typed() (size uint64, a Attribute) {
	if size, a, ok := r.usual(); ok {
		return size, a
	}
	if !r.Open('{') {
		return 0, a
	}
	for {
		name, ok := r.Member()
		if !ok {
			return size, a
		}
		if r.Peek() == 'n' {
			r.Skip()
			continue
		}
		n, b := r.ofType(typeOf(name))
		size += n
		if b.Kind != 0 {
			a = b
		}
	}
}

// usual reads the commonest form of a value, {"S":"text"} without blanks or escapes, at once. ok is false,
// and nothing is read, for any other.
func (r *Reader) usual() (size uint64, a Attribute, ok bool) {
	if r.Peek() != '{' {
		return 0, a, false
	}
	d := r.data[r.at:]
	if len(d) < 8 || d[1] != '"' || d[3] != '"' || d[4] != ':' || d[5] != '"' {
		return 0, a, false
	}
	end := ingest.StringEnd(d, 6)
	if end < 0 || end+1 >= len(d) || d[end] != '"' || d[end+1] != '}' {
		return 0, a, false
	}
	a = Attribute{Kind: d[2], Text: d[6:end], At: r.at + 6}
	switch d[2] {
	case 'S':
		size = uint64(end - 6)
	case 'N':
		size = NumberSize(a.Text)
	case 'B':
		size = Base64Size(a.Text)
	default:
		return 0, a, false
	}
	r.at, r.fresh = r.at+end+2, false
	return size, a, true
}

// A valueType is the type of an attribute value.
type valueType uint8

const (
	typeUnknown valueType = iota
	typeString
	typeNumber
	typeBinary
	typeByte // true, false and null
	typeStrings
	typeNumbers
	typeBinaries
	typeList
	typeMap
)

// typeOf reads a type as the services spell it, and as SDKs print their own objects.
func typeOf(name []byte) valueType {
	switch string(name) {
	case "S", "s", "Value", "value": // the last two: the Go SDK, which does not print the type
		return typeString
	case "N", "n":
		return typeNumber
	case "B", "b":
		return typeBinary
	case "BOOL", "bool", "Bool", "NULL", "null", "nul", "nullValue", "Null":
		return typeByte
	case "SS", "ss", "Ss":
		return typeStrings
	case "NS", "ns", "Ns":
		return typeNumbers
	case "BS", "bs", "Bs":
		return typeBinaries
	case "L", "l":
		return typeList
	case "M", "m":
		return typeMap
	}
	return typeUnknown
}

// ofType reads a value of a known type.
func (r *Reader) ofType(t valueType) (size uint64, a Attribute) {
	switch t {
	case typeString, typeNumber, typeBinary:
		return r.scalar(t)
	case typeByte:
		r.Skip()
		return 1, a
	case typeStrings, typeNumbers, typeBinaries:
		return r.set(t - typeStrings + typeString), a
	case typeList:
		return r.list(), a
	case typeMap:
		return r.fields(), a
	}
	r.Skip()
	return 0, a
}

func (r *Reader) scalar(t valueType) (size uint64, a Attribute) {
	at := r.at
	kind, text := r.Value()
	switch kind {
	case ingest.JSONString, ingest.JSONEscaped:
		at++
	case ingest.JSONNumber:
	default:
		return 0, a
	}
	a = Attribute{Kind: " SNB"[t], Text: text, At: at}
	return sizeOf(t, text), a
}

func sizeOf(t valueType, text []byte) uint64 {
	switch t {
	case typeNumber:
		return NumberSize(text)
	case typeBinary:
		return Base64Size(text)
	}
	return textSize(text)
}

// set reads a set, whose size is that of its elements.
func (r *Reader) set(t valueType) (size uint64) {
	if !r.Open('[') {
		return 0
	}
	for r.Element() {
		n, _ := r.scalar(t)
		size += n
	}
	return size
}

// list reads a list: 3 bytes, and 1 for each element.
func (r *Reader) list() (size uint64) {
	if !r.Open('[') {
		return 0
	}
	size = 3
	for r.Element() {
		n, _ := r.typed()
		size += n + 1
	}
	return size
}

// fields reads a map: 3 bytes, and 1 for each member.
func (r *Reader) fields() (size uint64) {
	if !r.Open('{') {
		return 0
	}
	size = 3
	for {
		name, ok := r.Member()
		if !ok {
			return size
		}
		n, _ := r.typed()
		size += textSize(name) + n + 1
	}
}

// textSize gives the bytes of UTF-8 that the text of a JSON string stands for.
func textSize(text []byte) uint64 {
	n := len(text)
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		taken, given := escapeSize(text[i:])
		n += given - taken
		i += taken - 1
	}
	return uint64(n)
}

// escapeSize gives the bytes of the escape at the beginning of text, and of what it stands for.
func escapeSize(text []byte) (taken, given int) {
	if len(text) < 6 || text[1] != 'u' {
		return min(2, len(text)), min(1, len(text)-1)
	}
	var buf [16]byte
	taken = 6
	if len(text) >= 12 && highSurrogate(text) && text[6] == '\\' && text[7] == 'u' {
		taken = 12
	}
	return taken, len(ingest.AppendUnquoted(buf[:0], text[:taken]))
}

// highSurrogate reports whether the escape at the beginning of text is the first of a pair.
func highSurrogate(text []byte) bool {
	d, next := text[2]|0x20, text[3]|0x20
	return d == 'd' && (text[3] == '8' || text[3] == '9' || next == 'a' || next == 'b')
}

// Base64Size gives the bytes that base64 text stands for.
func Base64Size(text []byte) uint64 {
	n := textSize(text)
	for i := len(text); i > 0 && text[i-1] == '='; i-- {
		n--
	}
	return n * 3 / 4
}
