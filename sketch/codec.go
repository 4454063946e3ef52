package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// Every summary has one canonical form: equal state gives equal bytes, whatever the order of updates or
// the layout in memory. AppendBinary and the Read functions handle the bare form, for embedding in a
// larger file that has its own header and checksum. MarshalBinary frames it:
//
//	"KHSK" kind version uvarint(len(HashName)) HashName form crc32c
//
// with kind and version of one byte and the little-endian Castagnoli CRC of all before it. Numbers are
// uvarints of least length. Readers trust nothing: counts are held against the bytes left before memory is
// taken, and what no writer can have written is ErrCorrupt. A form takes at most about 100 times its bytes in memory,
// beside 4 MiB for the groups of a Table.

// ErrCorrupt is what reading reports for bytes that no writer made.
var ErrCorrupt = errors.New("corrupt sketch")

// ErrUnlike is what reading reports for a summary of another kind, version or hash.
var ErrUnlike = errors.New("sketch of another kind, version or hash")

const (
	magic   = "KHSK"
	version = 1
)

type kind byte

const (
	kindTable kind = iota + 1
	kindTop
	kindDistinct
	kindSample
	kindHistogram
)

type appender interface{ AppendBinary(dst []byte) []byte }

func frame(k kind, x appender) ([]byte, error) {
	dst := append([]byte(magic), byte(k), version)
	dst = appendString(dst, HashName)
	dst = x.AppendBinary(dst)
	return binary.LittleEndian.AppendUint32(dst, checksum(dst)), nil
}

// unframe reads a whole frame with the reader of its form.
func unframe[T any](k kind, b []byte, read func([]byte) (*T, []byte, error)) (*T, error) {
	want := appendString(append([]byte(magic), byte(k), version), HashName)
	if len(b) < len(want)+4 {
		return nil, fmt.Errorf("%w: %d bytes are no frame", ErrCorrupt, len(b))
	}
	if got := b[:len(want)]; string(got) != string(want) {
		return nil, fmt.Errorf("%w: header %.48q, want %q", ErrUnlike, got, want)
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if checksum(body) != sum {
		return nil, fmt.Errorf("%w: checksum differs", ErrCorrupt)
	}
	x, rest, err := read(body[len(want):])
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: %d bytes after the end", ErrCorrupt, len(rest))
	}
	return x, err
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendVector(dst []byte, v Vector) []byte {
	for _, n := range v {
		dst = binary.AppendUvarint(dst, n)
	}
	return dst
}

// A decoder takes apart a form. After the first fault it gives zeros and keeps the fault.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
		d.b = nil
	}
}

// check keeps a fault unless ok.
func (d *decoder) check(ok bool, what string) {
	if !ok {
		d.fail("%s", what)
	}
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 || size > 1 && d.b[size-1] == 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[size:]
	return n
}

// upTo reads a number that is at most limit.
func (d *decoder) upTo(limit uint64, what string) uint64 {
	n := d.uvarint()
	if n > limit {
		d.fail("%s %d over %d", what, n, limit)
		return 0
	}
	return n
}

func (d *decoder) uint32(what string) uint32 { return uint32(d.upTo(math.MaxUint32, what)) }

// count reads how many items of at least size bytes follow.
func (d *decoder) count(size int, what string) int {
	return int(d.upTo(uint64(len(d.b)/size), what))
}

func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail("%d bytes wanted, %d left", n, len(d.b))
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (d *decoder) vector() (v Vector) {
	for w := range v {
		v[w] = d.uvarint()
	}
	return v
}

// MarshalBinary gives the framed form. The error is always nil.
func (t *Table) MarshalBinary() ([]byte, error) { return frame(kindTable, t) }

// UnmarshalBinary makes t what MarshalBinary wrote.
func (t *Table) UnmarshalBinary(b []byte) error { return assign(t, kindTable, b, ReadTable) }

// MarshalBinary gives the framed form. The error is always nil.
func (t *Top) MarshalBinary() ([]byte, error) { return frame(kindTop, t) }

// UnmarshalBinary makes t what MarshalBinary wrote.
func (t *Top) UnmarshalBinary(b []byte) error { return assign(t, kindTop, b, ReadTop) }

// MarshalBinary gives the framed form. The error is always nil.
func (d *Distinct) MarshalBinary() ([]byte, error) { return frame(kindDistinct, d) }

// UnmarshalBinary makes d what MarshalBinary wrote.
func (d *Distinct) UnmarshalBinary(b []byte) error { return assign(d, kindDistinct, b, ReadDistinct) }

// MarshalBinary gives the framed form. The error is always nil.
func (s *Sample) MarshalBinary() ([]byte, error) { return frame(kindSample, s) }

// UnmarshalBinary makes s what MarshalBinary wrote.
func (s *Sample) UnmarshalBinary(b []byte) error { return assign(s, kindSample, b, ReadSample) }

// MarshalBinary gives the framed form. The error is always nil.
func (h *Histogram) MarshalBinary() ([]byte, error) { return frame(kindHistogram, h) }

// UnmarshalBinary makes h what MarshalBinary wrote.
func (h *Histogram) UnmarshalBinary(b []byte) error {
	return assign(h, kindHistogram, b, ReadHistogram)
}

// assign replaces *x by what b holds; on an error *x stays as it was.
func assign[T any](x *T, k kind, b []byte, read func([]byte) (*T, []byte, error)) error {
	y, err := unframe(k, b, read)
	if err == nil {
		*x = *y
	}
	return err
}
