package ingest

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// A kind is what a stream of bytes is, by its first bytes; names are not asked.
type kind uint8

const (
	plainText kind = iota
	gzipStream
	zstdStream
	bzip2Stream
	xzStream
	lz4Stream
	tarArchive
	zipArchive
)

// String gives the name used in reports.
func (k kind) String() string {
	return [...]string{"", "gzip", "zstd", "bzip2", "xz", "lz4", "tar", "zip"}[k]
}

// magicBytes is how many first bytes tell the kind: a header of tar.
const magicBytes = 512

func magic(head []byte) kind {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case starts("\x1f\x8b\x08"):
		return gzipStream
	case starts("\x28\xb5\x2f\xfd"), len(head) >= 4 && head[0]&0xF0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18":
		return zstdStream
	case starts("BZh") && len(head) >= 10 && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90"):
		return bzip2Stream
	case starts("\xfd7zXZ\x00"):
		return xzStream
	case starts("\x04\x22\x4d\x18"):
		return lz4Stream
	case starts("PK\x03\x04"), starts("PK\x05\x06"):
		return zipArchive
	case isTar(head):
		return tarArchive
	}
	return plainText
}

// isTar checks the sum of a tar header, which all flavours of tar have (POSIX.1-2017 pax, ustar header
// block: the sum of its bytes with the field itself, at 148, taken as spaces).
func isTar(head []byte) bool {
	if len(head) < magicBytes || head[0] == 0 {
		return false
	}
	want, err := strconv.ParseUint(string(bytes.Trim(head[148:156], " \x00")), 8, 32)
	if err != nil {
		return false
	}
	sum := uint64(8 * ' ')
	for i, c := range head[:magicBytes] {
		if i < 148 || i >= 156 {
			sum += uint64(c)
		}
	}
	return sum == want
}

// MaxWindow is the largest window of a compressed stream, in bytes, that is given memory.
const MaxWindow = 64 << 20

// decompressors keeps those of a worker to be used again.
type decompressors struct {
	buffers []*bufio.Reader
	gzips   []*gzip.Reader
	zstds   []*zstd.Decoder
}

func (d *decompressors) buffer(r io.Reader) *bufio.Reader {
	if n := len(d.buffers); n > 0 {
		b := d.buffers[n-1]
		d.buffers = d.buffers[:n-1]
		b.Reset(r)
		return b
	}
	return bufio.NewReaderSize(r, 64<<10)
}

func (d *decompressors) free(b *bufio.Reader) {
	b.Reset(nil)
	d.buffers = append(d.buffers, b)
}

func (d *decompressors) close() {
	for _, z := range d.zstds {
		z.Close()
	}
}

// A decompressed stream names the compression in its errors.
type decompressed struct {
	r    io.Reader
	kind kind
	free func()
}

func (d *decompressors) open(k kind, r *bufio.Reader) (*decompressed, error) {
	z, err := &decompressed{kind: k, free: func() {}}, error(nil)
	switch k {
	case gzipStream:
		err = d.gzip(z, r)
	case zstdStream:
		err = d.zstd(z, r)
	case bzip2Stream:
		z.r = bzip2.NewReader(r)
	case xzStream:
		err = checkXZ(r)
		if err == nil {
			z.r, err = xz.NewReader(r)
		}
	case lz4Stream:
		l := lz4.NewReader(r)
		err = l.Apply(lz4.ConcurrencyOption(1))
		z.r = l
	}
	if err != nil {
		return nil, z.explain(err)
	}
	return z, nil
}

func (d *decompressors) gzip(z *decompressed, r io.Reader) (err error) {
	var g *gzip.Reader
	if n := len(d.gzips); n > 0 {
		g = d.gzips[n-1]
		d.gzips = d.gzips[:n-1]
	} else {
		g = new(gzip.Reader)
	}
	z.r, z.free = g, func() { d.gzips = append(d.gzips, g) }
	return g.Reset(r)
}

func (d *decompressors) zstd(z *decompressed, r io.Reader) (err error) {
	var s *zstd.Decoder
	if n := len(d.zstds); n > 0 {
		s = d.zstds[n-1]
		d.zstds = d.zstds[:n-1]
	} else {
		s, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderMaxMemory(1<<62))
		if err != nil {
			return err
		}
	}
	z.r, z.free = s, func() { d.zstds = append(d.zstds, s) }
	return s.Reset(r)
}

// checkXZ refuses a dictionary over MaxWindow, by the header of the first block (The .xz File Format
// 1.2.1, sections 3.1 and 5.3.1; xz writes the same filters into each block).
func checkXZ(r *bufio.Reader) error {
	const streamHeader = 12
	h, err := r.Peek(streamHeader + 32)
	if err != nil {
		return nil // too short for a dictionary to matter: the decoder says what is wrong
	}
	h = h[streamHeader:]
	if h[0] == 0 { // no block
		return nil
	}
	at := 2
	for _, flag := range []byte{0x40, 0x80} { // compressed and uncompressed size, both variable
		if h[1]&flag != 0 {
			for at < len(h)-4 && h[at]&0x80 != 0 {
				at++
			}
			at++
		}
	}
	const lzma2 = 0x21
	if h[at] != lzma2 || h[at+1] != 1 {
		return nil
	}
	if size := h[at+2]; uint64(2|size&1)<<(size/2+11) > MaxWindow {
		return errWindow
	}
	return nil
}

var errWindow = errors.New("needs a window over 64 MiB of memory: compress it again with a smaller one (zstd --long=26, xz -9)")

// Read implements io.Reader.
func (z *decompressed) Read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	if err != nil && err != io.EOF {
		err = z.explain(err)
	}
	return n, err
}

func (z *decompressed) close() { z.free() }

// explain names the compression, unless the error comes from further out.
func (z *decompressed) explain(err error) error {
	var inner *streamError
	switch {
	case errors.As(err, &inner), errors.Is(err, errStopped), errors.Is(err, errShort):
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = errWindow
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &streamError{msg: fmt.Sprintf("unexpected end of %s stream", z.kind), err: io.ErrUnexpectedEOF}
	}
	return &streamError{msg: fmt.Sprintf("%s stream: %v", z.kind, err), err: err}
}

// A streamError is a broken compressed stream.
type streamError struct {
	msg string
	err error
}

// Error names the compression and the cause.
func (e *streamError) Error() string { return e.msg }

// Unwrap gives the cause.
func (e *streamError) Unwrap() error { return e.err }
