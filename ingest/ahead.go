package ingest

import (
	"io"
	"sync"
)

// aheadFrom is the size from which a compressed file is decompressed beside its decoding, in bytes. Smaller ones
// come in numbers, which keep the workers busy anyway.
const aheadFrom = 1 << 20

const (
	aheadBlocks = 3 // one that is filled, one that waits, one that is read
	aheadSize   = 128 << 10
)

// An aheadReader reads a stream in a goroutine of its own, some blocks ahead of who reads from it. Unlike that of a
// patientReader the goroutine has ended after stop, so that the stream's memory can be used again.
type aheadReader struct {
	free   chan []byte
	blocks chan block
	halt   chan struct{}
	ended  sync.WaitGroup
	cur    block
	at     int
}

// newAheadReader begins to read r, which is the goroutine's until stop.
func newAheadReader(r io.Reader) *aheadReader {
	a := &aheadReader{free: make(chan []byte, aheadBlocks), blocks: make(chan block, aheadBlocks), halt: make(chan struct{})}
	for range aheadBlocks {
		a.free <- make([]byte, aheadSize)
	}
	a.ended.Go(func() { a.pump(r) })
	return a
}

// pump ends with the error of r, or at stop. It waits for free blocks alone: there is room for all that are filled.
func (a *aheadReader) pump(r io.Reader) {
	for {
		select {
		case <-a.halt:
			return
		case buf := <-a.free:
			data, err := fill(r, buf)
			a.blocks <- block{data, err}
			if err != nil {
				return
			}
		}
	}
}

// Read implements io.Reader.
func (a *aheadReader) Read(to []byte) (int, error) {
	for a.at == len(a.cur.data) {
		if a.cur.err != nil {
			return 0, a.cur.err
		}
		if a.cur.data != nil {
			a.free <- a.cur.data
		}
		a.cur, a.at = <-a.blocks, 0
	}
	n := copy(to, a.cur.data[a.at:])
	a.at += n
	return n, nil
}

// stop ends the goroutine and waits for it. Nothing may be read afterwards.
func (a *aheadReader) stop() {
	close(a.halt)
	a.ended.Wait()
}
