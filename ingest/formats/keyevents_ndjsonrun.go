package formats

import "github.com/keyheat/keyheat/ingest"

// Run implements ingest.Runner.
func (d *ndjson) Run(text []byte, at ingest.Position, to ingest.PlainSink) (size, records int) {
	if !d.shape.runs {
		return 0, 0
	}
	return d.runs.read(d, d.shape.fields, text, at, to)
}

// foreseen implements foreseer for records of the shape. Like fast it is long for speed.
func (d *ndjson) foreseen(buf []byte, i, n int, e *ingest.Plain) (next int) {
	values, tables, ops := d.shape.values, d.runs.tables, d.runs.ops
	for k := range values {
		v := &values[k]
		if i >= n || !v.at(buf, i) {
			return -1
		}
		i += v.size
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
			if end >= n || buf[end] != '"' || !bare(buf, i, end, backslashes) {
				end = max(bareEnd(buf, i, n, backslashes), i)
				v.length = end - i
			}
			if end-i > ingest.MaxKey || buf[i] == 0xFF {
				return -1
			}
			e.Key, e.KeySize = uint32(i), uint16(end-i)
			i = end
		case runBytes:
			bytes, size := digitsAt(buf[i : i+8 : i+8])
			if size == 0 || size == 8 {
				return -1
			}
			e.Bytes = bytes
			i += size
		case runText:
			i = bareEnd(buf, i, n, backslashes)
		case runNumber:
			if c := buf[i]; c != '-' && c-'0' > 9 {
				return -1
			}
			for i++; i < n && numberByte(buf[i]); i++ {
			}
		}
	}
	return d.shape.tail.endOfLine(buf, i, n)
}

// endOfLine gives the place behind the line end that follows the literal at buf[i], before n; -1 when it is not there.
func (l *shaped) endOfLine(buf []byte, i, n int) int {
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
		return runNumber
	}
	return runOf(f)
}
