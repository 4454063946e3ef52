package ingest

import (
	"errors"
	"hash"
	"io"
)

// A section is what a file held when it was opened, or a part of it.
type section struct {
	f        File
	off, end int64
	run      *run
}

// errShort is a file that was cut while it was read.
var errShort = errors.New("the file became shorter while it was read")

// Read implements io.Reader.
func (s *section) Read(p []byte) (int, error) {
	if s.off >= s.end {
		return 0, io.EOF
	}
	n, err := s.ReadAt(p[:min(int64(len(p)), s.end-s.off)], s.off)
	s.off += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// ReadAt implements io.ReaderAt, from the beginning of the file.
func (s *section) ReadAt(p []byte, off int64) (int, error) {
	if s.run.stopped.Load() {
		return 0, errStopped
	}
	if off >= s.end {
		return 0, io.EOF
	}
	want := min(int64(len(p)), s.end-off)
	n, err := s.f.ReadAt(p[:want], off)
	s.run.meter.add(n)
	switch {
	case err == io.EOF && int64(n) < want:
		return n, errShort
	case err == nil && int64(n) < int64(len(p)):
		return n, io.EOF
	case err == io.EOF && int64(n) == int64(len(p)):
		return n, nil
	}
	return n, err
}

// A tap counts what is read of a stream, and ends it when the run is cancelled.
type tap struct {
	r   io.Reader
	run *run
}

// Read implements io.Reader.
func (t *tap) Read(p []byte) (int, error) {
	if t.run.stopped.Load() {
		return 0, errStopped
	}
	n, err := t.r.Read(p)
	t.run.meter.add(n)
	return n, err
}

// resumed gives the beginning of a stream, which was read already, and then the rest, or the error
// that reading the beginning ended with.
type resumed struct {
	head []byte
	err  error
	r    io.Reader
}

// Read implements io.Reader.
func (r *resumed) Read(p []byte) (int, error) {
	if len(r.head) > 0 {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if r.err != nil {
		return 0, r.err
	}
	return r.r.Read(p)
}

// fill reads until buf is full or reading ends.
func fill(r io.Reader, buf []byte) (got []byte, err error) {
	n := 0
	for n < len(buf) && err == nil {
		var more int
		more, err = readSome(r, buf[n:])
		n += more
	}
	return buf[:n], err
}

// A patientReader reads what may keep it waiting for ever, and still ends when done is closed. Its
// goroutine then ends with the read that it waits for.
type patientReader struct {
	done   <-chan struct{}
	blocks chan block
	free   chan []byte
	cur    block
	at     int
}

type block struct {
	data []byte
	err  error
}

const patientBlock = 256 << 10

// newPatientReader starts to read r; the goroutine ends at the end of r or with done.
func newPatientReader(r io.Reader, done <-chan struct{}) *patientReader {
	p := &patientReader{done: done, blocks: make(chan block), free: make(chan []byte, 2)}
	p.free <- make([]byte, patientBlock)
	p.free <- make([]byte, patientBlock)
	go p.pump(r)
	return p
}

func (p *patientReader) pump(r io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.done:
			return
		}
		n, err := readSome(r, buf[:patientBlock])
		select {
		case p.blocks <- block{data: buf[:n], err: err}:
		case <-p.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (p *patientReader) Read(to []byte) (int, error) {
	for p.at == len(p.cur.data) {
		if p.cur.err != nil {
			return 0, p.cur.err
		}
		if p.cur.data != nil {
			p.free <- p.cur.data
		}
		select {
		case p.cur = <-p.blocks:
			p.at = 0
		case <-p.done:
			return 0, errStopped
		}
	}
	n := copy(to, p.cur.data[p.at:])
	p.at += n
	return n, nil
}

// A summedReader adds up what is read.
type summedReader struct {
	r   io.Reader
	sum hash.Hash
}

// Read implements io.Reader.
func (s *summedReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}
