package ingest

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Order tells whether text begins as UTF-16 does: with a byte order mark, or with ASCII letters
// each beside a zero byte.
func utf16Order(head []byte) (order binary.ByteOrder, ok bool) {
	switch {
	case len(head) < 2:
		return nil, false
	case head[0] == 0xFF && head[1] == 0xFE:
		return binary.LittleEndian, true
	case head[0] == 0xFE && head[1] == 0xFF:
		return binary.BigEndian, true
	}
	const least = 8 // letters
	pairs := min(len(head), 512) / 2
	if pairs < least {
		return nil, false
	}
	for i := range pairs {
		switch hi, lo := head[2*i], head[2*i+1]; {
		case hi != 0 && hi < 0x80 && lo == 0 && (order == nil || order == binary.LittleEndian):
			order = binary.LittleEndian
		case hi == 0 && lo != 0 && lo < 0x80 && (order == nil || order == binary.BigEndian):
			order = binary.BigEndian
		default:
			return nil, false
		}
	}
	return order, true
}

// A utf16Reader gives UTF-16 text as UTF-8, without its byte order mark. What is no text becomes U+FFFD.
type utf16Reader struct {
	r     io.Reader
	order binary.ByteOrder
	in    []byte // read and not yet converted: less than a character
	buf   []byte
	out   []byte // converted and not yet given
	space []byte
	begun bool
	err   error
}

func newUTF16Reader(r io.Reader, order binary.ByteOrder) *utf16Reader {
	return &utf16Reader{r: r, order: order, buf: make([]byte, 16<<10)}
}

// Read implements io.Reader.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		n, err := readSome(u.r, u.buf[len(u.in):])
		u.in, u.err = u.buf[:len(u.in)+n], err
		u.convert()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// convert turns whole characters of in into out, and all of it at the end.
func (u *utf16Reader) convert() {
	out, in := u.space[:0], u.in
	for len(in) >= 2 {
		c, size := rune(u.order.Uint16(in)), 2
		if utf16.IsSurrogate(c) {
			if len(in) < 4 && u.err == nil {
				break
			}
			if len(in) >= 4 {
				c = utf16.DecodeRune(c, rune(u.order.Uint16(in[2:])))
			}
			if c == utf8.RuneError || utf16.IsSurrogate(c) {
				c = utf8.RuneError
			} else {
				size = 4
			}
		}
		if !u.begun && c == 0xFEFF {
			c = -1
		}
		u.begun = true
		if c >= 0 {
			out = utf8.AppendRune(out, c)
		}
		in = in[size:]
	}
	if len(in) > 0 && u.err == io.EOF {
		out, in = utf8.AppendRune(out, utf8.RuneError), nil
	}
	u.in = u.buf[:copy(u.buf, in)]
	u.out, u.space = out, out
}
