package generate

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

// header is the first record of a CSV file. Fields that do not apply to a record are empty.
const header = "ts,table,pk,sk,op,bytes,rcu,wcu,rows,tombstones,latency_us,node\n"

// An encoder appends records to a buffer, in one of two formats and with the fields of one store.
type encoder struct {
	s      *source
	csv    bool
	dynamo bool
	buf    []byte
	tables []string
	second uint64 // of which stamp is the time, without its milliseconds
	stamp  []byte
}

func newEncoder(s *source) *encoder {
	enc := &encoder{s: s, csv: s.o.Format == "csv", dynamo: s.store == "dynamodb", buf: make([]byte, 0, flushAt+1024)}
	for i := range s.o.Tables {
		enc.tables = append(enc.tables, s.tableName(int(i)))
	}
	if enc.csv {
		enc.buf = append(enc.buf, header...)
	}
	return enc
}

// tableName gives the name of a table; those of cassandra have a keyspace.
func (s *source) tableName(i int) string {
	name := s.kind.table
	if i > 0 {
		name = fmt.Sprintf("table_%04d", i)
	}
	if s.store == "cassandra" {
		return "shop." + name
	}
	return name
}

// keyName gives the name of a background key.
func keyName(number uint64) string { return string(appendKey(nil, number)) }

func appendKey(dst []byte, number uint64) []byte {
	return strconv.AppendUint(append(dst, "user-"...), number+1, 10)
}

func appendNode(dst []byte, n uint64) []byte {
	dst = strconv.AppendUint(append(dst, "10.0."...), n/250, 10)
	return strconv.AppendUint(append(dst, '.'), n%250+1, 10)
}

func (enc *encoder) flush(w io.Writer) error {
	if _, err := w.Write(enc.buf); err != nil {
		return fmt.Errorf("writing records: %w", err)
	}
	enc.buf = enc.buf[:0]
	return nil
}

func (enc *encoder) append(e *event) {
	if enc.csv {
		enc.appendCSV(e)
	} else {
		enc.appendJSON(e)
	}
}

func (enc *encoder) appendJSON(e *event) {
	b := enc.appendTime(append(enc.buf, `{"ts":"`...), e.at)
	b = append(append(b, `","table":"`...), enc.tables[e.table]...)
	b = enc.appendEventKey(append(b, `","pk":"`...), e)
	b = appendPadded(append(b, `","sk":"`...), e.sort, 10)
	b = append(append(b, `","op":"`...), e.op.String()...)
	b = strconv.AppendUint(append(b, `","bytes":`...), e.bytes, 10)
	switch {
	case enc.dynamo && e.op == read:
		b = appendReadUnits(append(b, `,"rcu":`...), e.bytes)
	case enc.dynamo:
		b = strconv.AppendUint(append(b, `,"wcu":`...), writeUnits(e.bytes), 10)
	case e.op == read:
		b = strconv.AppendUint(append(b, `,"rows":`...), e.rows, 10)
		b = strconv.AppendUint(append(b, `,"tombstones":`...), e.tombstones, 10)
	}
	b = strconv.AppendUint(append(b, `,"latency_us":`...), e.micros, 10)
	if !enc.dynamo {
		b = append(appendNode(append(b, `,"node":"`...), e.node), '"')
	}
	enc.buf = append(b, '}', '\n')
}

func (enc *encoder) appendCSV(e *event) {
	b := append(enc.appendTime(enc.buf, e.at), ',')
	b = append(append(b, enc.tables[e.table]...), ',')
	b = append(enc.appendEventKey(b, e), ',')
	b = append(appendPadded(b, e.sort, 10), ',')
	b = append(append(b, e.op.String()...), ',')
	b = append(strconv.AppendUint(b, e.bytes, 10), ',')
	switch {
	case enc.dynamo && e.op == read:
		b = append(appendReadUnits(b, e.bytes), ",,,,"...)
	case enc.dynamo:
		b = append(strconv.AppendUint(append(b, ','), writeUnits(e.bytes), 10), ",,,"...)
	case e.op == read:
		b = append(strconv.AppendUint(append(b, ',', ','), e.rows, 10), ',')
		b = append(strconv.AppendUint(b, e.tombstones, 10), ',')
	default:
		b = append(b, ",,,,"...)
	}
	b = append(strconv.AppendUint(b, e.micros, 10), ',')
	if !enc.dynamo {
		b = appendNode(b, e.node)
	}
	enc.buf = append(b, '\n')
}

func (enc *encoder) appendEventKey(dst []byte, e *event) []byte {
	if e.planted {
		return append(dst, enc.s.planted[e.key].name...)
	}
	return appendKey(dst, e.key)
}

// appendTime appends Unix milliseconds as RFC 3339; the part that changes once a second is kept.
func (enc *encoder) appendTime(dst []byte, milli uint64) []byte {
	if second := milli / 1000; second != enc.second || enc.stamp == nil {
		enc.second = second
		enc.stamp = time.Unix(int64(second), 0).UTC().AppendFormat(enc.stamp[:0], "2006-01-02T15:04:05.")
	}
	return append(appendPadded(append(dst, enc.stamp...), milli%1000, 3), 'Z')
}

// appendPadded appends n with leading zeros, in width digits or as many as it has.
func appendPadded(dst []byte, n uint64, width int) []byte {
	digits := 1
	for rest := n; rest >= 10; rest /= 10 {
		digits++
	}
	for ; digits < width; digits++ {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, n, 10)
}

// Units of a request, by the rules of DynamoDB: a write unit for each begun KiB of the item, half a
// read unit for each begun 4 KiB (eventually consistent).
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func writeUnits(bytes uint64) uint64 { return (bytes + 1023) / 1024 }

func appendReadUnits(dst []byte, bytes uint64) []byte {
	halves := (bytes + 4095) / 4096
	dst = strconv.AppendUint(dst, halves/2, 10)
	if halves%2 == 1 {
		dst = append(dst, ".5"...)
	}
	return dst
}
