package columnar

import (
	"encoding/binary"
	"errors"
)

// The heads of Arrow's messages are FlatBuffers. The reader of Arrow believes the numbers that stand in them
// and asks for as much memory; so they are looked at before. https://flatbuffers.dev/internals/
// The numbers of fields are those of Message.fbs and Schema.fbs:
// https://github.com/apache/arrow/tree/main/format

var errHead = errors.New("the head of a message is broken")

// A flat is a table in a FlatBuffer.
type flat struct {
	b      []byte
	at     int
	fields []byte // of its vtable: where each field is, from at on
}

// root gives the table that a buffer holds.
func root(b []byte) (flat, error) { return tableAt(b, 0) }

// tableAt gives the table to which the offset at b[at:] leads.
func tableAt(b []byte, at int) (flat, error) {
	at, ok := follow(b, at)
	if !ok || at+4 > len(b) {
		return flat{}, errHead
	}
	vtable := at - int(int32(binary.LittleEndian.Uint32(b[at:])))
	if vtable < 0 || vtable+4 > len(b) {
		return flat{}, errHead
	}
	size := int(binary.LittleEndian.Uint16(b[vtable:]))
	if size < 4 || vtable+size > len(b) {
		return flat{}, errHead
	}
	return flat{b, at, b[vtable+4 : vtable+size]}, nil
}

// follow gives the place to which the offset at b[at:] leads.
func follow(b []byte, at int) (int, bool) {
	if at < 0 || at+4 > len(b) {
		return 0, false
	}
	to := at + int(binary.LittleEndian.Uint32(b[at:]))
	return to, to < len(b)
}

// place gives where the i-th field is, 0 when it is absent.
func (t flat) place(i int) int {
	if 2*i+2 > len(t.fields) {
		return 0
	}
	if off := int(binary.LittleEndian.Uint16(t.fields[2*i:])); off != 0 {
		return t.at + off
	}
	return 0
}

// number gives a field of so many bytes, 0 when it is absent.
func (t flat) number(i, size int) (uint64, error) {
	at := t.place(i)
	if at == 0 {
		return 0, nil
	}
	return numberAt(t.b, at, size)
}

func numberAt(b []byte, at, size int) (uint64, error) {
	if at < 0 || at+size > len(b) {
		return 0, errHead
	}
	n := uint64(0)
	for i := range size {
		n |= uint64(b[at+i]) << (8 * i)
	}
	return n, nil
}

// table gives a field that is a table; ok is false when it is absent.
func (t flat) table(i int) (sub flat, ok bool, err error) {
	at := t.place(i)
	if at == 0 {
		return flat{}, false, nil
	}
	sub, err = tableAt(t.b, at)
	return sub, err == nil, err
}

// vector gives where the elements of a field are, and how many; 0 when it is absent. They lie inside the
// buffer.
func (t flat) vector(i, size int) (at, n int, err error) {
	at = t.place(i)
	if at == 0 {
		return 0, 0, nil
	}
	at, ok := follow(t.b, at)
	if !ok || at+4 > len(t.b) {
		return 0, 0, errHead
	}
	count := uint64(binary.LittleEndian.Uint32(t.b[at:]))
	if count*uint64(size) > uint64(len(t.b)-at-4) {
		return 0, 0, errHead
	}
	return at + 4, int(count), nil
}
