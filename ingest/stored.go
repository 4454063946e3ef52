package ingest

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// stored gives the format that is no text and fits the beginning of an input best, nil when none does.
func (o *Options) stored(head []byte) *Format {
	var best *Format
	fit := Ambiguous
	for _, f := range o.Formats {
		if f.Open == nil {
			continue
		}
		if v := f.Sniff(head, o.Decode); v.Fit > fit {
			best, fit = f, v.Fit
		}
	}
	return best
}

// stored reads an input that is no text: what it holds are inputs of its own.
func (w *worker) stored(p place, f *Format, all io.Reader) {
	if w.r.o.layout != nil {
		return // it is read as a whole
	}
	res := &w.r.res.Sources[p.file]
	sum := &summed{all: all}
	st := &Stored{Name: p.name, Node: nodeOf(p.name), All: sum}
	if p.disk != nil {
		sum.at = p.disk
		st.At, st.Size = sum, p.size
	}
	live, err := f.Open(st, w.r.o.Decode)
	if err != nil {
		w.refuse(p, fmt.Errorf("%s: %s: %w", p.name, f.Name, err))
		return
	}
	s := &streams{h: w.r.h, file: p.file, first: len(res.Inputs)}
	err = live.Collect(context.Background(), s) // reading ends with the run: see tap and section
	s.end(res)
	for _, one := range Parts(err) {
		res.failStored(p.name, one, sum.bytes)
	}
	if w.r.sums(p.file) {
		res.sums = append(res.sums, sum.crc)
	}
}

// failStored takes an error of an input that is no text: what its Live could not read of the database, or
// what cannot be read of the input.
func (r *SourceResult) failStored(name string, err error, bytes uint64) {
	var part *PartError
	if errors.As(err, &part) {
		r.Fail(part)
		return
	}
	err = &ReadError{Name: name, Byte: bytes, Err: err}
	if len(r.Inputs) == 0 {
		r.Fail(err)
		return
	}
	r.Inputs[len(r.Inputs)-1].Err = err
}

// A summed sums what is read of an input, in the order in which it is read.
type summed struct {
	all   io.Reader
	at    io.ReaderAt
	crc   uint32
	bytes uint64
}

// Read implements io.Reader.
func (s *summed) Read(p []byte) (int, error) {
	n, err := s.all.Read(p)
	s.add(p[:n])
	return n, err
}

// ReadAt implements io.ReaderAt.
func (s *summed) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.at.ReadAt(p, off)
	s.add(p[:n])
	return n, err
}

func (s *summed) add(b []byte) {
	s.crc = crc32.Update(s.crc, castagnoli, b)
	s.bytes += uint64(len(b))
}
