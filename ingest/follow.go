package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"time"
)

// A followed is a plain file, or the standard input, that is read on as it grows. Each look at it hands
// over the whole lines that came since the last: as chunks, of at most Options.Chunk bytes.
//
// Where a record may go on in the next line (records of several lines, quotes, envelopes) the last one is
// held back: the next look reads it again from off on, and hands it over when something follows it, or
// when nothing came meanwhile. Records at off that were handed over already (an envelope may hold several
// in one line) are passed over.
type followed struct {
	place
	path string // empty: the standard input
	f    File
	info fs.FileInfo // of f: a file of another identity under path has taken its place

	in      *Input // nil: not recognised yet
	res     InputResult
	decoder Decoder
	fed     uint64 // bytes that the decoder was given

	off  uint64 // up to which records were handed over
	skip int    // of those that begin at off
	end  uint64 // behind the last line end that was seen
	size uint64 // at the last look
	tail []byte // the last bytes before size, to know the file again
	// written is when the file was last written to.
	written time.Time
	last    heldRecord
	done    bool
}

// tailBytes are compared to tell a file that grew from one that was cut and written anew past its old end.
const tailBytes = 64

// follow takes a file that is followed from now on. It is false for what cannot grow: it is read as ever.
func (w *worker) follow(p place, path string, f File, info fs.FileInfo) bool {
	if w.r.o.Follow == nil || !p.named {
		return false
	}
	fl := &followed{place: p, path: path, f: f, info: info}
	if info.Size() > 0 && fl.recognise(w, false) != nil {
		return false
	}
	w.r.res.Sources[p.file].Stream = true // it is not read again
	fl.look(w)
	w.r.keep(fl)
	return true
}

// followStream takes a stream, of which nothing may have come yet.
func (w *worker) followStream(p place, r io.Reader) {
	w.r.keep(&followed{place: p, f: newPipe(r, w.r.done)})
}

// keep adds to what is followed. Its source counts as read, so that others are not held up.
func (r *run) keep(fl *followed) {
	r.mu.Lock()
	r.followed = append(r.followed, fl)
	r.mu.Unlock()
	r.finished(fl.file)
}

// followAll looks at what grows until the context ends, or until nothing is left that can grow.
func (r *run) followAll(ctx context.Context) {
	if len(r.followed) == 0 {
		return
	}
	w := newWorker(r)
	defer w.pool.close()
	for more, open := false, true; open; {
		if !more {
			r.o.Follow(ctx)
		}
		if ctx.Err() != nil {
			break
		}
		more, open = false, false
		for _, fl := range r.followed {
			if !fl.done {
				more = fl.look(w) || more
				open = open || !fl.done
			}
		}
	}
	for _, fl := range r.followed {
		if !fl.done {
			fl.close(w, true)
		}
	}
}

// look hands over what came since the last look. more says that there is more at once.
func (fl *followed) look(w *worker) (more bool) {
	pipe, _ := fl.f.(*pipe)
	ended := pipe != nil && pipe.ended()
	info, err := fl.f.Stat()
	if err != nil {
		fl.fail(w, err)
		return false
	}
	size := uint64(info.Size())
	if pipe == nil && fl.wasCut(size, info.ModTime()) {
		fl.restart(w, fl.f, info, true)
	}
	fl.written = info.ModTime()
	if pipe != nil {
		fl.passOver(pipe.start())
	}
	grown := size > fl.size
	if grown {
		fl.grow(w, size)
	} else {
		fl.flush(w)
	}
	switch {
	case fl.done:
	case pipe != nil:
		return fl.lookOn(w, pipe, grown, ended)
	case !grown:
		fl.replaced(w)
	}
	return false
}

// lookOn ends a look at a stream, which had ended before it.
func (fl *followed) lookOn(w *worker, pipe *pipe, grown, ended bool) (more bool) {
	full := pipe.waiting()
	pipe.forget(int64(fl.off))
	switch {
	case pipe.waiting():
		fl.overlong(w, pipe)
		return true
	case full:
		return true
	case ended && !grown:
		if fl.in == nil {
			fl.readOnce(w, pipe)
			return false
		}
		w.r.res.Sources[fl.file].Fail(pipe.failure())
		fl.close(w, false)
	}
	return false
}

// passOver takes that what is before start, and the byte there, were left out: the rest of a line.
func (fl *followed) passOver(start int64) {
	if off := uint64(start) + 1; start > 0 && off > fl.off {
		fl.off, fl.end, fl.size = off, off, off
	}
}

// overlong makes room for a line that fills all of it, or gives up that line.
func (fl *followed) overlong(w *worker, pipe *pipe) {
	limit := w.r.o.MaxRecord
	if fl.in != nil && fl.in.Format.Long {
		limit = MaxDocument
	}
	if fl.in == nil || fl.size-fl.off <= uint64(limit) {
		pipe.widen()
		return
	}
	fl.end = fl.size
	fl.pass(w, fl.end, true)
	pipe.forget(int64(fl.off))
	pipe.dropLine()
}

// grow hands over the whole lines of what came.
func (fl *followed) grow(w *worker, size uint64) {
	from := max(fl.size, fl.end)
	if fl.in == nil {
		from = 0
		if err := fl.recognise(w, false); err != nil {
			fl.remember(size)
			fl.unknown(w, err)
			return
		}
	}
	if end := fl.lastLine(from, size); end > 0 {
		fl.end = end
	}
	fl.remember(size)
	fl.passes(w)
}

// remember keeps the end of what was seen.
func (fl *followed) remember(size uint64) {
	fl.size = size
	fl.tail = make([]byte, min(size, tailBytes))
	n, _ := fl.f.ReadAt(fl.tail, int64(size)-int64(len(fl.tail))) // less is known again by less
	fl.tail = fl.tail[:n]
}

// wasCut reports whether a file was made shorter since the last look, whatever was written to it then.
func (fl *followed) wasCut(size uint64, written time.Time) bool {
	switch {
	case size < fl.size:
		return true
	case size == fl.size && written.Equal(fl.written):
		return false
	}
	return !fl.knownAgain()
}

// knownAgain reports whether what was seen last is still there.
func (fl *followed) knownAgain() bool {
	now := make([]byte, len(fl.tail))
	n, _ := fl.f.ReadAt(now, int64(fl.size)-int64(min(fl.size, tailBytes)))
	return bytes.Equal(now[:n], fl.tail)
}

// lastLine gives the place behind the last line end in [from, to), 0 when there is none.
func (fl *followed) lastLine(from, to uint64) uint64 {
	buf := make([]byte, min(to-from, 64<<10))
	for to > from {
		n := min(uint64(len(buf)), to-from)
		got, _ := fl.f.ReadAt(buf[:n], int64(to-n)) // an error comes again when it is read
		if i := bytes.LastIndexByte(buf[:got], '\n'); i >= 0 {
			return to - n + uint64(i) + 1
		}
		to -= n
	}
	return 0
}

// errWaiting is an input that says too little yet to be recognised.
var errWaiting = errors.New("no line yet")

// errOnce is an input that is read at once, and not line by line.
var errOnce = errors.New("cannot grow")

// recognise finds the format of an input that grows, and makes its decoder; whole says that it is all there.
func (fl *followed) recognise(w *worker, whole bool) error {
	head := make([]byte, SniffBytes)
	n, _ := fl.f.ReadAt(head, 0) // an error comes again when it is read
	head = head[:n]
	if _, wide := utf16Order(head); wide || magic(head[:min(n, magicBytes)]) != plainText {
		return errOnce
	}
	if !whole && bytes.IndexByte(head, '\n') < 0 {
		return errWaiting
	}
	source := &w.r.res.Sources[fl.file]
	in := &Input{ID: InputID{File: fl.file, Member: len(source.Inputs)}, Name: fl.name, Node: nodeOf(fl.name)}
	d, err := w.recognise(in, head, whole)
	switch {
	case err != nil:
		return err
	case in.Format.Document:
		return errOnce
	}
	in.head, in.quoted = bytes.Clone(in.head), in.Format.Quoted // quotes may come later
	fl.in, fl.decoder, fl.res = in, d, InputResult{Input: in}
	return nil
}

// unknown is told of an input that no format knows yet. The standard input is then read as ever; of a
// file that has taken the place of another the first lines are waited for.
func (fl *followed) unknown(w *worker, err error) {
	pipe, isPipe := fl.f.(*pipe)
	switch {
	case isPipe && (errors.Is(err, errOnce) || fl.size >= SniffBytes || pipe.ended()):
		fl.readOnce(w, pipe)
	case !isPipe && fl.size >= SniffBytes:
		fl.fail(w, err)
	}
}

// readOnce reads a stream that is not followed, as ever.
func (fl *followed) readOnce(w *worker, pipe *pipe) {
	fl.done = true
	w.stream(fl.place, &tap{r: pipe, run: w.r})
	pipe.Close()
	w.r.endFile(fl.file)
}

// replaced goes over to the file that has taken the place of the one that is read, once that one has
// nothing more.
func (fl *followed) replaced(w *worker) {
	now, err := w.r.o.Files.Stat(fl.path)
	if err != nil || w.r.o.Files.SameFile(fl.info, now) {
		return // between two files of a rotation there may be none
	}
	f, err := w.r.o.Files.Open(fl.path)
	if err != nil {
		return // it is tried again
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || w.r.o.Files.SameFile(fl.info, info) {
		f.Close()
		return
	}
	if last, err := fl.f.Stat(); err != nil || uint64(last.Size()) != fl.size {
		f.Close()
		return // it was written to before it was replaced: that first
	}
	old := fl.f
	fl.restart(w, f, info, false)
	w.r.res.Sources[fl.file].Fail(closing(fl.name, old))
}

// restart ends the input, and begins another one with what f holds. cut says that the end of the first
// cannot be read (again): of it is handed over what is held.
func (fl *followed) restart(w *worker, f File, info fs.FileInfo, cut bool) {
	fl.endInput(w, cut)
	*fl = followed{place: fl.place, path: fl.path, f: f, info: info}
}

// endInput hands over what is left, also a last line without its end, and ends the input.
func (fl *followed) endInput(w *worker, cut bool) {
	if fl.in == nil && (cut || fl.size == 0 || fl.recognise(w, true) != nil) {
		return
	}
	if !cut {
		fl.end = fl.size
	}
	switch {
	case fl.off >= fl.end:
	case !cut:
		fl.pass(w, fl.end, true)
	case fl.last.full:
		fl.endHeld(w)
	}
	if d, ok := fl.decoder.(Closer); ok {
		c := fl.begin(w)
		d.Close(c.sink)
		fl.endChunk(w, &c, ChunkStats{})
	}
	w.r.h.EndInput(fl.in, fl.res.Chunks)
	fl.in.head = nil
	source := &w.r.res.Sources[fl.file]
	source.Inputs = append(source.Inputs, fl.res)
	fl.in = nil
}

// endHeld hands over the copy of the record that is held back, where its bytes are gone.
func (fl *followed) endHeld(w *worker) {
	c := fl.begin(w)
	w.f.rec, w.f.recFault = fl.last.rec, fl.last.fault
	w.f.rec.At.Line = 1 // of a chunk that begins with it
	w.decode(&c)
	fl.endChunk(w, &c, ChunkStats{Bytes: uint64(len(fl.last.data)), Records: c.records})
}

// fail ends what can no longer be read.
func (fl *followed) fail(w *worker, err error) {
	if fl.in != nil && fl.res.Err == nil {
		fl.res.Err = err
	} else {
		w.r.res.Sources[fl.file].Fail(err)
	}
	fl.close(w, true)
}

// close ends the source; cut as for restart.
func (fl *followed) close(w *worker, cut bool) {
	if fl.done {
		return
	}
	fl.done = true
	fl.endInput(w, cut)
	w.r.res.Sources[fl.file].Fail(closing(fl.name, fl.f))
	w.r.endFile(fl.file)
}

// closing closes f, which was read from.
func closing(name string, f File) error {
	if err := f.Close(); err != nil {
		return &ReadError{Name: name, Err: err}
	}
	return nil
}
