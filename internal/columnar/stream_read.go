package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// ErrNoEnd is a stream that breaks off: after a whole batch, or inside of one. All batches before were given.
var ErrNoEnd = errors.New("the end is missing")

// ErrNoStream is what does not begin like a stream.
var ErrNoStream = errors.New("no Arrow message where one must begin")

// A StreamReader reads an Arrow IPC stream or file batch by batch, one at a time in memory.
type StreamReader struct {
	messages *messages
	in       *ipc.Reader
	batch    Batch
}

// fileMagic begins an Arrow IPC file, which holds a stream.
// https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
const fileMagic = "ARROW1\x00\x00"

// BeginsStream reports whether b is the beginning of an Arrow IPC stream or file: one byte of its schema
// message must be there.
func BeginsStream(b []byte) bool {
	if bytes.HasPrefix(b, []byte(fileMagic)) {
		return true
	}
	if len(b) < 9 || !bytes.HasPrefix(b, continuation) {
		return false
	}
	size := binary.LittleEndian.Uint32(b[4:])
	if size == 0 || size%8 != 0 || size > maxHead {
		return false
	}
	if len(b) < 8+int(size) {
		return true
	}
	m, err := readHead(b[8 : 8+size])
	return err == nil && m.kind == headSchema
}

// NewStreamReader reads the schema.
func NewStreamReader(r io.Reader, mem Allocator) (*StreamReader, error) {
	if mem == nil {
		mem = memory.NewGoAllocator()
	}
	m := &messages{r: r, mem: mem, checker: checker{dictionaries: map[int64]int{}}}
	in, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(mem))
	if err != nil {
		m.Release()
		switch {
		case m.err == io.EOF:
			err = errors.New("ends before its schema")
		case m.err != nil:
			err = m.err
		}
		return nil, err
	}
	return &StreamReader{messages: m, in: in}, nil
}

// Release frees what the reader holds.
func (s *StreamReader) Release() { s.in.Release() }

// Fields gives the columns; the Kind of those that are of none is Other.
func (s *StreamReader) Fields() []Field { return fieldsOf(s.in.Schema()) }

// Meta gives a value of the schema's metadata.
func (s *StreamReader) Meta(name string) (string, bool) { return metaOf(s.in.Schema(), name) }

// Read gives the bytes that whole messages took so far.
func (s *StreamReader) Read() uint64 { return s.messages.read }

// Next gives the next batch, valid until the next call. The error is io.EOF at the end of the stream, and
// wraps ErrNoEnd where that is missing.
func (s *StreamReader) Next() (*Batch, error) {
	if !s.in.Next() {
		if err := s.messages.cause(s.in.Err()); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	rec := s.in.Record()
	return &s.batch, s.batch.take(int(rec.NumRows()), rec.Columns())
}

// messages gives Arrow the messages of a stream, after a look at each.
type messages struct {
	r       io.Reader
	mem     Allocator
	checker checker
	read    uint64
	err     error // why there is no next
	last    *ipc.Message
	file    bool // it is a file: a footer may follow the last message with no mark between
}

var continuation = []byte{0xFF, 0xFF, 0xFF, 0xFF}

// cause gives why reading ended, nil at the end of the stream: Arrow tells an end where there is none, too.
func (m *messages) cause(err error) error {
	switch {
	case m.err == io.EOF:
		return nil
	case m.err != nil:
		return m.err
	}
	return err
}

// Message implements ipc.MessageReader.
func (m *messages) Message() (*ipc.Message, error) {
	if m.err == nil {
		m.err = m.next()
	}
	return m.last, m.err
}

func (m *messages) next() error {
	m.forget()
	size, err := m.size()
	if err != nil {
		return err
	}
	head := make([]byte, size)
	if err := m.fill(head); err != nil {
		return err
	}
	told, err := readHead(head)
	if err != nil {
		return err
	}
	body := memory.NewResizableBuffer(m.mem)
	defer body.Release()
	body.Resize(int(told.body))
	if err := m.fill(body.Bytes()); err != nil {
		return err
	}
	if err := m.checker.check(told, body.Bytes()); err != nil {
		return err
	}
	meta := memory.NewBufferBytes(head)
	m.last = ipc.NewMessage(meta, body)
	m.read += uint64(8 + len(head) + body.Len())
	return nil
}

// size reads how long the next head is. The error is io.EOF at the end of the stream.
func (m *messages) size() (int, error) {
	prefix := make([]byte, 8)
	err := m.fill(prefix)
	if err == nil && m.read == 0 && string(prefix) == fileMagic {
		m.file = true
		m.read += 8
		err = m.fill(prefix)
	}
	if err != nil {
		return 0, err
	}
	if m.file && m.read > 8 && !bytes.HasPrefix(prefix, continuation) {
		return 0, io.EOF
	}
	if !bytes.HasPrefix(prefix, continuation) {
		return 0, ErrNoStream
	}
	size := binary.LittleEndian.Uint32(prefix[4:])
	if size == 0 {
		return 0, io.EOF
	}
	if size > maxHead {
		return 0, fmt.Errorf("a message with a head of %d bytes: at most %d", size, maxHead)
	}
	return int(size), nil
}

func (m *messages) fill(b []byte) error {
	_, err := io.ReadFull(m.r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w after %d bytes", ErrNoEnd, m.read)
	}
	return err
}

func (m *messages) forget() {
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
}

// Release implements ipc.MessageReader.
func (m *messages) Release() { m.forget() }

// Retain implements ipc.MessageReader; a reader has one owner.
func (*messages) Retain() {}
