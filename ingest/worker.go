package ingest

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A worker reads one file or chunk at a time, with buffers that it uses again.
type worker struct {
	r       *run
	f       framer
	wrapped wrapped
	head    []byte // SniffBytes of the current input
	// kept is the last decoder of a format whose decoders are Alike.
	kept       Decoder
	keptFormat *Format
	pool       decompressors
}

func newWorker(r *run) *worker {
	w := &worker{r: r, head: make([]byte, SniffBytes)}
	for _, l := range []*lines{&w.f.lines, &w.wrapped.outer} {
		l.stopped, l.block = &r.stopped, r.o.ReadBuffer
	}
	return w
}

func (w *worker) work() {
	defer w.pool.close()
	for {
		g, i, ok := w.r.take()
		switch {
		case !ok:
			return
		case g == nil:
			w.file(i)
		default:
			w.rangedChunk(g, i)
		}
	}
}

// A place is where in a file a stream of bytes comes from.
type place struct {
	file  int
	name  string
	named bool     // not found in an archive
	under []string // compressions undone
	depth int      // compressions and archives undone
	size  int64    // bytes of the stream, about; -1: unknown
	disk  *section // the file itself when nothing was undone, and it can be read at any place
}

// maxDepth bounds compressions and archives inside each other.
const maxDepth = 8

// file reads a source, or leaves it to be read by ranges.
func (w *worker) file(i int) {
	src, res := &w.r.src[i], &w.r.res.Sources[i]
	p := place{file: i, name: src.Name, named: src.Named, size: -1}
	if src.Live != nil {
		return // it is read beside the workers
	}
	res.Size = -1
	later := false
	switch again := w.r.o.Again; {
	case again != nil && (again.Sources[i].Stream || len(again.Sources[i].Inputs) == 0):
		res.Stream = again.Sources[i].Stream
	case src.Stdin && w.r.o.Stdin == nil:
		res.Fail(errors.New("there is no standard input"))
	case src.Stdin && w.r.o.Follow != nil:
		res.Stream = true
		w.followStream(p, w.r.o.Stdin)
		return
	case src.Stdin:
		res.Stream = true
		stdin := newPatientReader(w.r.o.Stdin, w.r.done)
		w.stream(p, &tap{r: stdin, run: w.r})
	default:
		var err error
		later, err = w.open(p, src.Path)
		res.Fail(err)
	}
	if !later {
		w.r.endFile(i)
	}
}

// open reads a file. later says that it is left open for its chunks.
func (w *worker) open(p place, path string) (later bool, err error) {
	f, err := w.r.o.Files.Open(path)
	if err != nil {
		return false, err
	}
	defer func() {
		if !later {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	res := &w.r.res.Sources[p.file]
	if info.IsDir() {
		return false, fmt.Errorf("%s: is a directory", p.name)
	}
	if !info.Mode().IsRegular() && w.r.o.Follow != nil {
		res.Stream = true
		w.followStream(p, f)
		return true, nil
	}
	if !info.Mode().IsRegular() {
		res.Stream = true
		w.stream(p, &tap{r: newPatientReader(f, w.r.done), run: w.r})
		return false, nil
	}
	res.Size = info.Size()
	if again := w.r.o.Again; again != nil {
		first := &again.Sources[p.file]
		if res.stamp = first.stamp; res.Size < first.Size || !res.stillIs(f, &w.r.o) {
			res.Changed = true
			return false, nil
		}
		res.Size = first.Size
	} else if w.r.o.Stamp != nil {
		res.stamp = w.r.o.Stamp(info)
	}
	if s := w.r.src[p.file].Split; s != nil {
		if res.Size < s.Size {
			return false, fmt.Errorf("%s: has %d bytes, where its split says %d", p.name, res.Size, s.Size)
		}
		res.Size = s.Size
	}
	p.size = res.Size
	if w.follow(p, path, f, info) {
		return true, nil
	}
	p.disk = &section{f: f, end: res.Size, run: w.r}
	if later = w.stream(p, p.disk); !later && w.r.o.Again != nil {
		res.stillIs(f, &w.r.o)
	}
	return later, nil
}

// summed reads a compressed data file of an export, and compares the sum of its bytes with that in its manifest.
func (w *worker) summed(p place, k kind, r io.Reader, want []byte) {
	sum := &summedReader{r: r, sum: md5.New()}
	br := w.pool.buffer(sum)
	defer w.pool.free(br)
	w.compressed(p, k, br)
	if _, err := io.Copy(io.Discard, br); err == nil && !bytes.Equal(sum.sum.Sum(nil), want) { // what stands behind the last stream
		res := &w.r.res.Sources[p.file]
		res.damage(p.name)
	}
}

// endFile ends a source of which nothing more comes.
func (r *run) endFile(i int) {
	select {
	case <-r.done:
	default:
		r.files[i].whole = true
	}
	res := &r.res.Sources[i]
	if s := res.Source.Split; res.archive && r.o.Again == nil && (s == nil || s.Entries == 0) {
		res.WantInputs()
	}
	if r.o.Again != nil && !res.Stream && !sameBytes(res, &r.o.Again.Sources[i]) {
		res.Changed = true
	}
	r.h.EndFile(i, len(res.Inputs))
	r.finished(i)
}

func sameBytes(a, b *SourceResult) bool {
	return slices.Equal(a.sums, b.sums) &&
		slices.EqualFunc(a.Inputs, b.Inputs, func(x, y InputResult) bool { return slices.Equal(x.Sums, y.Sums) })
}

// stream reads what r gives: text, or what is compressed or archived in it. later says that the file
// was left to be read by ranges.
func (w *worker) stream(p place, r io.Reader) (later bool) {
	res := &w.r.res.Sources[p.file]
	if p.depth > maxDepth {
		res.Fail(fmt.Errorf("%s: compressed or archived more than %d times", p.name, maxDepth))
		return false
	}
	br := w.pool.buffer(r)
	defer w.pool.free(br)
	head, _ := br.Peek(magicBytes) // an error comes again when it is read
	k := magic(head)
	if w.r.o.layout != nil && k != plainText {
		w.layoutArchive(p, k)
		return false
	}
	switch k {
	case plainText:
		return w.text(p, br)
	case tarArchive:
		w.tar(p, br)
	case zipArchive:
		w.zip(p, br)
	default:
		if x, ok := w.r.o.Decode.Exports.Of(p.name); ok && x.MD5 != nil && len(p.under) == 0 && w.r.o.Again == nil {
			w.summed(p, k, br, x.MD5)
		} else {
			w.compressed(p, k, br)
		}
	}
	return false
}

// compressed reads what r gives when it is decompressed.
func (w *worker) compressed(p place, k kind, r *bufio.Reader) {
	d, err := w.pool.open(k, r)
	if err != nil {
		w.r.res.Sources[p.file].Fail(&ReadError{Name: p.name, Err: err})
		return
	}
	defer d.close()
	p.under = append(slices.Clip(p.under), k.String())
	p.depth++
	p.disk = nil
	var from io.Reader = d
	if p.size >= aheadFrom {
		a := newAheadReader(d)
		defer a.stop()
		from = a
	}
	if p.size >= 0 {
		p.size *= 8 // what logs are usually compressed to
	}
	w.stream(p, from)
}

// text reads an input.
func (w *worker) text(p place, r io.Reader) (later bool) {
	res := &w.r.res.Sources[p.file]
	in := &Input{
		ID: InputID{File: p.file, Member: len(res.Inputs)}, Name: p.name, Node: nodeOf(p.name),
		Compression: strings.Join(p.under, "+"),
	}
	head, err := fill(r, w.head)
	all := &resumed{head: head, err: err, r: r}
	if f := w.r.o.stored(head); f != nil {
		w.stored(p, f, all)
		return false
	}
	if order, ok := utf16Order(head); ok {
		in.UTF16, p.disk = true, nil
		r = newUTF16Reader(all, order)
		head, err = fill(r, make([]byte, SniffBytes))
		all = &resumed{head: head, err: err, r: r}
	}
	switch {
	case len(head) == 0 && err == io.EOF:
		res.Skip(p.name, "empty")
		return false
	case len(head) == 0:
		res.Fail(&ReadError{Name: p.name, Err: err})
		return false
	case len(res.Inputs) == maxInputs:
		res.Fail(fmt.Errorf("%s: more than %d inputs in one archive, the rest is not read", p.name, maxInputs))
		return false
	}
	first, unknown := w.recognise(in, head, err != nil)
	switch {
	case unknown == nil:
		return w.records(p, in, first, all)
	case err != nil && err != io.EOF:
		res.Fail(&ReadError{Name: p.name, Byte: uint64(len(head)), Err: err})
	default:
		w.refuse(p, unknown)
	}
	return false
}

// records reads an input whose format is known; first is the decoder of its first chunk.
func (w *worker) records(p place, in *Input, first Decoder, all io.Reader) (later bool) {
	o := &w.r.o
	hidden := in.Format.Header && o.Chunk < SniffBytes // the header may be in a later chunk
	whole := p.disk == nil || in.quoted || hidden || in.Format.Document || in.Format.Sequential
	ranges := !whole && o.tail == 0 && p.size > o.Chunk
	split := w.r.src[p.file].Split
	switch {
	case o.layout != nil:
		o.layout[p.file] = layoutOf(p.size, o.Chunk, in.Format, ranges)
	case split != nil && !split.fits(ranges, chunksOf(p.size, o.Chunk), p.depth):
		w.r.res.Sources[p.file].Fail(fmt.Errorf("%s: its split does not fit: it was another file when the plan was made", p.name))
	case ranges:
		w.ranges(p, in)
		return true
	case !whole && o.tail > 0 && p.size > o.tail:
		w.tail(p, in)
	default:
		w.sequence(p, in, first, all)
	}
	return false
}

// ranges leaves a file to be read by ranges.
func (w *worker) ranges(p place, in *Input) {
	in.head = bytes.Clone(in.head)
	from, n := 0, chunksOf(p.size, w.r.o.Chunk)
	if s := w.r.src[p.file].Split; s != nil {
		from, n = s.First, s.First+s.Chunks
	}
	g := &rangedFile{
		file: p.file, f: p.disk.f, size: p.size, in: in,
		from: from, next: from, low: from, chunks: n, done: make([]bool, n-from),
	}
	if w.r.sums(p.file) {
		g.result.Sums = make([]uint32, n-from)
	}
	w.r.offer(g)
}

// maxInputs bounds the inputs of one archive, and so what is remembered of them.
const maxInputs = 1 << 20

// recognise finds the format of an input and makes the decoder of its first chunk.
func (w *worker) recognise(in *Input, head []byte, whole bool) (Decoder, error) {
	if err := w.r.o.recognise(in, head, whole); err != nil {
		return nil, err
	}
	d, err := w.newDecoder(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", in.Name, in.Format.Name, err)
	}
	return d, nil
}

// newDecoder makes the decoder of a chunk, or takes the one that read another.
func (w *worker) newDecoder(in *Input) (Decoder, error) {
	if in.Format.Alike && w.kept != nil && w.keptFormat == in.Format {
		return w.kept, nil
	}
	options := w.r.o.Decode
	options.Input = in.Name
	d, err := in.Format.New(in.head, options)
	if err == nil && in.Format.Alike {
		w.kept, w.keptFormat = d, in.Format
	}
	return d, err
}

// refuse notes an input that cannot be read as any format: an error when it was named.
func (w *worker) refuse(p place, err error) {
	res := &w.r.res.Sources[p.file]
	var unknown *UnrecognisedError
	switch {
	case p.named:
		res.Fail(err)
	case errors.As(err, &unknown):
		res.Skip(p.name, unknown.nearest())
	default:
		res.Skip(p.name, err.Error())
	}
}
