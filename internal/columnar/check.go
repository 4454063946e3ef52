package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// What a stream may ask of memory. A batch of more is refused: it should be written in several.
const (
	maxHead   = 4 << 20  // bytes of the head of a message
	maxBatch  = 64 << 20 // bytes of a batch, or of a dictionary, uncompressed too
	maxFields = 4096     // columns, and columns of columns
	maxNested = 16
	maxWindow = 8 << 20 // of a zstd frame, if it does not hold as much
)

// The types of messages: MessageHeader of Message.fbs.
const (
	headSchema     = 1
	headDictionary = 2
	headRecords    = 3
)

// A checker looks at the heads of a stream's messages before Arrow reads them.
type checker struct {
	dictionaries map[int64]int // bytes, by id
	held         int           // of all
}

// A message is what its head tells.
type message struct {
	kind uint64
	head flat
	body int64
}

func readHead(b []byte) (message, error) {
	t, err := root(b)
	if err != nil {
		return message{}, err
	}
	kind, errKind := t.number(1, 1)
	head, ok, errHeader := t.table(2)
	body, errBody := t.number(3, 8)
	switch err := errors.Join(errKind, errHeader, errBody); {
	case err != nil || !ok:
		return message{}, errHead
	case body > maxBatch:
		return message{}, fmt.Errorf("a batch of %d bytes: at most %d are read at once; write smaller batches", body, maxBatch)
	}
	return message{kind, head, int64(body)}, nil
}

// check looks at a whole message.
func (c *checker) check(m message, body []byte) error {
	switch m.kind {
	case headSchema:
		_, err := checkSchema(m.head)
		return err
	case headDictionary:
		return c.dictionary(m.head, body)
	case headRecords:
		_, err := checkBatch(m.head, body)
		return err
	}
	return fmt.Errorf("a message of the unknown kind %d", m.kind)
}

func checkSchema(t flat) (fields int, err error) {
	if _, _, err := t.vector(2, 4); err != nil { // its metadata
		return 0, err
	}
	return checkFields(t, 1, 0)
}

// checkFields counts the columns in the i-th field of a table, with the columns of columns.
func checkFields(t flat, i, depth int) (fields int, err error) {
	at, n, err := t.vector(i, 4)
	if err != nil || depth > maxNested {
		return 0, errors.Join(err, errHead)
	}
	for k := range n {
		f, err := tableAt(t.b, at+4*k)
		if err != nil {
			return 0, err
		}
		inner, err := checkField(f, depth)
		if err != nil {
			return 0, err
		}
		if fields += 1 + inner; fields > maxFields {
			return 0, fmt.Errorf("more than %d columns", maxFields)
		}
	}
	return fields, nil
}

const typeUnion = 14 // Type of Schema.fbs

func checkField(f flat, depth int) (inner int, err error) {
	kind, err := f.number(2, 1)
	if err == nil {
		_, _, err = f.vector(6, 4) // its metadata
	}
	if err == nil && kind == typeUnion {
		var union flat
		if union, _, err = f.table(3); err == nil {
			_, _, err = union.vector(1, 4) // ids of its types
		}
	}
	if err != nil {
		return 0, err
	}
	return checkFields(f, 5, depth+1)
}

// dictionary counts what the dictionaries hold: deltas add up.
func (c *checker) dictionary(t flat, body []byte) error {
	id, errID := t.number(0, 8)
	data, ok, errData := t.table(1)
	delta, errDelta := t.number(2, 1)
	if err := errors.Join(errID, errData, errDelta); err != nil || !ok {
		return errHead
	}
	size, err := checkBatch(data, body)
	if err != nil {
		return err
	}
	if delta == 0 {
		c.held -= c.dictionaries[int64(id)]
		delete(c.dictionaries, int64(id))
	}
	c.held += size
	c.dictionaries[int64(id)] += size
	if c.held > maxBatch {
		return fmt.Errorf("dictionaries of %d bytes: at most %d are held", c.held, maxBatch)
	}
	return nil
}

// checkBatch gives the bytes that a batch has uncompressed.
func checkBatch(t flat, body []byte) (size int, err error) {
	rows, errRows := t.number(0, 8)
	nodes, n, errNodes := t.vector(1, 16)
	compression, compressed, errCompression := t.table(3)
	codec, errCodec := uint64(0), error(nil)
	if compressed {
		codec, errCodec = compression.number(0, 1)
	}
	size, errBuffers := checkBuffers(t, body, compressed, codec)
	if err := errors.Join(errRows, errNodes, errCompression, errCodec, errBuffers); err != nil {
		return 0, err
	}
	most := 8*uint64(size) + 8 // a cell takes a bit at least
	for k := range n {
		rows = max(rows, binary.LittleEndian.Uint64(t.b[nodes+16*k:]))
	}
	if rows > most {
		return 0, fmt.Errorf("a batch of %d rows in %d bytes", rows, size)
	}
	return size, nil
}

// checkBuffers gives the sum of the uncompressed sizes of a batch's buffers.
func checkBuffers(t flat, body []byte, compressed bool, codec uint64) (size int, err error) {
	at, n, err := t.vector(2, 16)
	if err != nil {
		return 0, err
	}
	for k := range n {
		off, length := binary.LittleEndian.Uint64(t.b[at+16*k:]), binary.LittleEndian.Uint64(t.b[at+16*k+8:])
		if off > uint64(len(body)) || length > uint64(len(body))-off {
			return 0, errors.New("a buffer outside of its message")
		}
		one := int(length)
		if compressed && length > 0 {
			if one, err = uncompressedSize(body[off:off+length], codec); err != nil {
				return 0, err
			}
		}
		if size += one; size > maxBatch {
			return 0, fmt.Errorf("a batch of more than %d bytes uncompressed: write smaller batches", maxBatch)
		}
	}
	views, m, err := t.vector(4, 8)
	for k := range m {
		if binary.LittleEndian.Uint64(t.b[views+8*k:]) > uint64(n) {
			return 0, errHead
		}
	}
	return size, err
}

const codecZstd = 1 // CompressionType of Message.fbs

// uncompressedSize gives what a compressed buffer says that it holds: its first 8 bytes, all ones when it is
// not compressed after all.
func uncompressedSize(b []byte, codec uint64) (int, error) {
	if len(b) < 8 {
		return 0, errHead
	}
	size := binary.LittleEndian.Uint64(b)
	switch {
	case size == 1<<64-1:
		return len(b) - 8, nil
	case size > maxBatch:
		return 0, fmt.Errorf("a batch of more than %d bytes uncompressed: write smaller batches", maxBatch)
	}
	if codec == codecZstd {
		return int(size), checkZstd(b[8:])
	}
	return int(size), nil
}

// checkZstd looks at a zstd frame, which must be alone: its window is memory that whoever reads it takes.
// https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
func checkZstd(b []byte) error {
	var head zstd.Header
	if err := head.Decode(b); err != nil || head.Skippable {
		return errors.New("a broken zstd frame")
	}
	window := head.WindowSize
	if head.SingleSegment {
		window = head.FrameContentSize
	}
	if window > maxWindow && window > head.FrameContentSize || window > maxBatch {
		return fmt.Errorf("a zstd window of %d bytes", window)
	}
	at, last := head.HeaderSize, false
	for !last {
		if at+3 > len(b) {
			return errors.New("a broken zstd frame")
		}
		block := int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16
		at, last = at+3, block&1 != 0
		if block>>1&3 == 1 { // one byte again and again
			at++
		} else {
			at += block >> 3
		}
	}
	if head.HasCheckSum {
		at += 4
	}
	if at != len(b) {
		return errors.New("a zstd frame that does not end with its buffer")
	}
	return nil
}
