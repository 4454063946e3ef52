package formats

import "github.com/keyheat/keyheat/ingest"

// Run implements ingest.Runner.
func (d *ndjson) Run(text []byte, at ingest.Position, to ingest.PlainSink) (size, records int) {
	if !d.shape.runs {
		return 0, 0
	}
	return d.runs.read(d, d.shape.fields, text, at, to)
}

// foreseen implements foreseer for records with the values of the shape, which are quickest in its order. Like fast it
// is long for speed.
func (d *ndjson) foreseen(buf []byte, i, n int, e *ingest.Plain) (next int) {
	values, tables, ops := d.shape.values, d.runs.tables, d.runs.ops
	var last *shaped
	var read uint64 // a bit for each of values
	for k := range values {
		if i >= n {
			return -1
		}
		v := &values[k]
		if v.at(buf, i) && read&bitOf(k) == 0 {
			i += v.size
		} else if k, i = d.shape.elsewhere(buf, i, n, last, read); k >= 0 {
			v = &values[k]
		} else {
			return -1
		}
		read |= bitOf(k)
		last = v
		switch v.run {
		case runTime:
			digits, ok := d.times.Milli(buf[i : i+24 : i+24])
			if v.length == 24 && ok {
				e.UnixNano, ok = d.times.OfMinute(digits)
			} else {
				e.UnixNano, ok = d.times.SameMinute(buf[i : i+v.length])
			}
			if !ok { // also where it has a quote
				return -1
			}
			i += v.length
		case runTable:
			b := buf[i : i+16 : i+16]
			w := tables.home(load(b))
			if !w.is(load(b), load(b[8:])) {
				if w = d.runs.table(runCell{buf, i, n, load(b), '"', backslashes}); w == nil {
					return -1
				}
			}
			e.Table = w.number
			i += w.size
		case runOp:
			b := buf[i : i+16 : i+16]
			w := ops.home(load(b))
			if !w.is(load(b), load(b[8:])) {
				if w = d.runs.op(runCell{buf, i, n, load(b), '"', backslashes}); w == nil {
					return -1
				}
			}
			e.Op = ingest.Op(w.number)
			i += w.size
		case runKey:
			end := i + v.length
			if end < n && buf[end] == '"' && v.length <= ingest.MaxKey && bare(buf, i, end, backslashes) {
				e.Key, e.KeySize, e.Unquoted = uint32(i), uint16(v.length), false
				i = end
			} else if i = d.runs.keyOf(v, buf, i, n, e); i < 0 {
				return -1
			}
		case runBytes:
			bytes, size := digitsAt(buf[i : i+8 : i+8])
			if size == 0 || size == 8 {
				return -1
			}
			e.Bytes = bytes
			i += size
		case runText:
			if i = bareEnd(buf, i, n, backslashes); buf[i] == '\\' {
				i = pastEscapes(buf, i, n)
			}
		case runWord:
			if i = wordEnd(buf, i, n); i < 0 {
				return -1
			}
		}
	}
	return d.shape.endBehind(last).endOfLine(buf, i, n)
}

// bitOf gives the bit of a value of a shape, which are fewer than 64.
func bitOf(k int) uint64 { return 1 << (uint(k) & 63) }

// keyOf reads a key that is not as long as foreseen, or not plain, and gives its end; -1 when it must be read another way.
func (r *runs) keyOf(v *shaped, buf []byte, i, n int, e *ingest.Plain) (end int) {
	end = max(bareEnd(buf, i, n, backslashes), i)
	if e.Unquoted = buf[end] == '\\'; e.Unquoted {
		end = pastEscapes(buf, end, n)
	} else {
		v.length = end - i
	}
	if end-i > ingest.MaxKey || buf[i] == 0xFF {
		return -1
	}
	if e.Key, e.KeySize = uint32(i), uint16(end-i); e.Unquoted {
		r.unquote(buf[i:end], e)
	}
	return end
}

// endBehind gives what ends a record behind a value.
func (s *shape) endBehind(last *shaped) *literal {
	if last == &s.values[len(s.values)-1] {
		return &s.tail
	}
	return endOf(last)
}

// Ends of a record behind a value.
var endOfText, endOfNumber = newLiteral([]byte(`"}`)), newLiteral([]byte(`}`))

func endOf(v *shaped) *literal {
	if v.quoted {
		return &endOfText
	}
	return &endOfNumber
}

// elsewhere finds which value of the shape, of those not yet read, comes at buf[i], behind the value last or first where
// that is nil, and where it begins; k is -1 when it is none, or begins in another way than usual or not before n.
func (s *shape) elsewhere(buf []byte, i, n int, last *shaped, read uint64) (k, at int) {
	before := byte('{')
	if last != nil {
		before = ','
		if last.quoted {
			if buf[i] != '"' {
				return -1, i
			}
			i++
		}
	}
	if !s.anyOrder || buf[i] != before {
		return -1, i
	}
	i = pastSpace(buf, i+1)
	k = s.named(buf, i, read)
	if k < 0 {
		return -1, i
	}
	v := &s.values[k]
	if i += v.name.size; buf[i] != ':' {
		return -1, i
	}
	i = pastSpace(buf, i+1)
	if v.quoted {
		if buf[i] != '"' {
			return -1, i
		}
		i++
	}
	if i >= n {
		return -1, i
	}
	return k, i
}

// named gives the value of the shape, of those not yet read, whose name stands at buf[i]; -1 when there is none.
func (s *shape) named(buf []byte, i int, read uint64) int {
	for k := range s.values {
		if read&bitOf(k) == 0 && s.values[k].name.at(buf, i) {
			return k
		}
	}
	return -1
}

// pastSpace passes over one space.
func pastSpace(buf []byte, i int) int {
	if buf[i] == ' ' {
		return i + 1
	}
	return i
}

// endOfLine gives the place behind the line end that follows the literal at buf[i], before n; -1 when it is not there.
func (l *literal) endOfLine(buf []byte, i, n int) int {
	if i >= n || !l.at(buf, i) {
		return -1
	}
	if i += l.size; i < n && buf[i] == '\r' {
		i++
	}
	if i >= n || buf[i] != '\n' {
		return -1
	}
	return i + 1
}

const backslashes = everyByte * '\\' // a pattern

// pastEscapes gives the place of the quote that ends a string whose first backslash is at buf[i], or of a control
// character before; one that is not below n where there is none.
func pastEscapes(buf []byte, i, n int) int {
	for i < n && buf[i] == '\\' {
		i = bareEnd(buf, i+2, n, backslashes)
	}
	return i
}

// wordEnd gives the end of the number, true, false or null that begins at buf[i], if it is one; -1 when none does.
func wordEnd(buf []byte, i, n int) int {
	if c := buf[i]; c == '-' || c-'0' <= 9 {
		for i++; i < n && numberByte(buf[i]); i++ {
		}
		return i
	}
	switch string(buf[i : i+4]) {
	case "true", "null":
		return i + 4
	case "fals":
		if buf[i+4] == 'e' {
			return i + 5
		}
	}
	return -1
}

func numberByte(c byte) bool {
	return c-'0' <= 9 || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// inRun tells what a run makes of the value.
func (v *shaped) inRun() runValue {
	f := v.plain
	switch {
	case v.size > runPast, f == fieldTime && v.length > runPast, f != fieldNone && v.quoted == (f == fieldBytes):
		return runNever
	case v.entry == nil && v.quoted:
		return runText
	case v.entry == nil:
		return runWord
	}
	return runOf(f)
}
