package ingest

import (
	"bytes"
	"io"
	"io/fs"
	"sync"
	"time"
)

// pipeRoom is what a pipe holds before it holds up its stream, in bytes.
const pipeRoom = 4 << 20

// A pipe shows a stream as a file that grows: it holds what was not forgotten yet. It implements File, and
// io.Reader for who takes the stream as it comes.
type pipe struct {
	done <-chan struct{}
	from io.Reader

	mu   sync.Mutex
	wake *sync.Cond
	base int64 // of data
	data []byte
	at   int64 // of Read
	err  error // why nothing more comes
	next int   // bytes that wait for room; 0: none
	room int
	drop bool // the rest of a line that is too long is not held
}

// newPipe begins to read r. The goroutine ends with r, or with done and the read that it waits for.
func newPipe(r io.Reader, done <-chan struct{}) *pipe {
	p := &pipe{done: done, from: r, room: pipeRoom}
	p.wake = sync.NewCond(&p.mu)
	go p.pump()
	return p
}

func (p *pipe) pump() {
	blocks := newPatientReader(p.from, p.done)
	buf := make([]byte, patientBlock)
	for {
		n, err := readSome(blocks, buf)
		if p.take(buf[:n], err) {
			return
		}
	}
}

// take adds what was read, once there is room, and reports whether it is the last.
func (p *pipe) take(b []byte, err error) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data)+len(b) > p.room && p.err == nil {
		p.next = len(b)
		p.wake.Wait()
	}
	p.next = 0
	if p.err == nil {
		p.err = err
		p.add(b)
	}
	p.wake.Broadcast()
	return p.err != nil
}

// add holds b, less the rest of a line that is too long.
func (p *pipe) add(b []byte) {
	held := len(p.data)
	p.data = append(p.data, b...)
	if !p.drop {
		return
	}
	cut := len(p.data)
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		cut, p.drop = held+i, false
	}
	cut = max(cut-1, 0) // the byte before a record is read with it
	p.data, p.base = p.data[:copy(p.data, p.data[cut:])], p.base+int64(cut)
}

// widen makes room for a longer line.
func (p *pipe) widen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.room *= 2
	p.wake.Broadcast()
}

// dropLine leaves out the rest of the line that comes.
func (p *pipe) dropLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop, p.room = true, pipeRoom
}

// ended reports whether nothing more comes.
func (p *pipe) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

// failure gives why the stream ended early, nil when it did not.
func (p *pipe) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == io.EOF || p.err == io.ErrClosedPipe {
		return nil
	}
	return p.err
}

// waiting reports whether the stream is held up until something is forgotten.
func (p *pipe) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next > 0 && len(p.data)+p.next > p.room
}

// start gives the first byte that is held.
func (p *pipe) start() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.base
}

// forget drops what is before off, less the byte before it.
func (p *pipe) forget(off int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := off - 1 - p.base; n > 0 {
		p.data = p.data[:copy(p.data, p.data[n:])]
		p.base += n
	}
	p.wake.Broadcast()
}

// ReadAt gives what has come and was not forgotten.
func (p *pipe) ReadAt(b []byte, off int64) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if off < p.base || off > p.base+int64(len(p.data)) {
		return 0, io.EOF
	}
	n := copy(b, p.data[off-p.base:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Read takes the stream as it comes, and forgets it.
func (p *pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	for p.at == p.base+int64(len(p.data)) && p.err == nil {
		p.wake.Wait()
	}
	n, err := copy(b, p.data[p.at-p.base:]), p.err
	p.at += int64(n)
	p.mu.Unlock()
	p.forget(p.at)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// Close ends the pipe; what it reads from stays open.
func (p *pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = io.ErrClosedPipe
	}
	p.wake.Broadcast()
	return nil
}

// Stat tells what has come.
func (p *pipe) Stat() (fs.FileInfo, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return pipeInfo(p.base + int64(len(p.data))), nil
}

// pipeInfo is the bytes that have come.
type pipeInfo int64

// Name is empty.
func (pipeInfo) Name() string { return "" }

// Size gives the bytes.
func (i pipeInfo) Size() int64 { return int64(i) }

// Mode is that of a pipe.
func (pipeInfo) Mode() fs.FileMode { return fs.ModeNamedPipe }

// ModTime is not known.
func (pipeInfo) ModTime() time.Time { return time.Time{} }

// IsDir is false.
func (pipeInfo) IsDir() bool { return false }

// Sys is nothing.
func (pipeInfo) Sys() any { return nil }
