package ingest

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// disk is the file system of this machine.
type disk struct{}

func (disk) Open(name string) (File, error)             { return os.Open(name) }
func (disk) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (disk) Glob(pattern string) ([]string, error)      { return filepath.Glob(pattern) }
func (disk) SameFile(a, b fs.FileInfo) bool             { return os.SameFile(a, b) }

// echo is a decoder that makes an event of each record, with the record as its key.
type echo struct{ e Event }

func (d *echo) Decode(r *Record, to Sink) {
	if cap(r.Data) < len(r.Data)+recordPadding {
		to.Problem(Problem{Cause: "no padding", At: r.At})
		return
	}
	d.e.Reset()
	d.e.Key, d.e.Node, d.e.At = r.Data, r.Node, r.At
	if r.UnixNano != 0 {
		d.e.SetTime(r.UnixNano)
	}
	to.Event(&d.e)
}

func (s shape) format() *Format {
	return &Format{
		Name: s.name, Begins: s.begins, Quoted: s.quoted, Header: s.header,
		Sniff: func(head []byte, _ DecodeOptions) Verdict {
			if bytes.IndexByte(head, 0) >= 0 {
				return Verdict{No, "has a zero byte"}
			}
			return Verdict{Certain, "is text"}
		},
		New: func([]byte, DecodeOptions) (Decoder, error) { return new(echo), nil },
	}
}

// A recorder is a Handler that remembers everything.
type recorder struct {
	mu     sync.Mutex
	chunks []recorded
	inputs map[InputID]int
	files  map[int]int
	began  func(Chunk)
}

type recorded struct {
	EventsOnly

	c     Chunk
	seen  []seen
	nodes []string
	st    ChunkStats
}

func (h *recorder) Begin(c Chunk) Sink {
	if h.began != nil {
		h.began(c)
	}
	return &recorded{c: c}
}

func (h *recorder) End(_ Chunk, to Sink, st ChunkStats) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := to.(*recorded)
	r.st = st
	h.chunks = append(h.chunks, *r)
}

func (h *recorder) EndInput(in *Input, chunks int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inputs == nil {
		h.inputs = map[InputID]int{}
	}
	h.inputs[in.ID] = chunks
}

func (h *recorder) EndFile(file, members int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files == nil {
		h.files = map[int]int{}
	}
	h.files[file] = members
}

func (r *recorded) add(at Position, text, problem string) {
	r.seen = append(r.seen, seen{Input: r.c.Input.Name, Chunk: r.c.Index, Byte: at.Byte, Line: at.Line, Text: text, Problem: problem})
}

func (r *recorded) Event(e *Event) {
	r.add(e.At, string(e.Key), "")
	r.nodes = append(r.nodes, string(e.Node))
}
func (r *recorded) Problem(p Problem) { r.add(p.At, p.Text, p.Cause) }
func (r *recorded) Skip(kind string)  { r.add(Position{}, kind, "skip") }

// all gives the records in order, with lines counted through each input.
func (h *recorder) all() []seen {
	slices.SortFunc(h.chunks, func(a, b recorded) int {
		x, y := a.c.Input.ID, b.c.Input.ID
		return cmp.Or(x.File-y.File, x.Member-y.Member, a.c.Index-b.c.Index)
	})
	var out []seen
	var lines uint64
	for _, c := range h.chunks {
		if c.c.Index == 0 {
			lines = 0
		}
		for _, s := range c.seen {
			s.Line += lines
			out = append(out, s)
		}
		lines += c.st.Lines
	}
	return out
}

// stats gives the statistics of all chunks, after all.
func (h *recorder) stats() (out []ChunkStats) {
	for _, c := range h.chunks {
		out = append(out, c.st)
	}
	return out
}

// write puts files into a folder and gives their names as sources.
func write(t testing.TB, files map[string][]byte) (dir string, src []Source) {
	t.Helper()
	dir = t.TempDir()
	names := make([]string, 0, len(files))
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, path)
	}
	slices.Sort(names)
	src, err := Expand(names, disk{})
	if err != nil {
		t.Fatal(err)
	}
	return dir, src
}

// read reads sources and fails the test when the run does.
// patience is how long a test waits for what must happen, on a loaded machine.
const patience = 2 * time.Minute

// await gives what a channel gives; after some time the test has failed, and goes on. It may be called by any goroutine.
func await[T any](t testing.TB, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Errorf("waited %v for %s", patience, what)
	}
	return v
}

func read(t testing.TB, src []Source, o Options) (*recorder, *Result) {
	t.Helper()
	h := &recorder{}
	o.Files = disk{}
	ctx := context.Background()
	res, err := Read(ctx, src, o, h)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range res.Sources {
		if got, want := h.files[i], len(s.Inputs); got != want {
			t.Errorf("EndFile(%d) said %d members, the result has %d", i, got, want)
		}
		for _, in := range s.Inputs {
			if got, want := h.inputs[in.Input.ID], in.Chunks; got != want {
				t.Errorf("EndInput of %s said %d chunks, the result has %d", in.Input.Name, got, want)
			}
		}
	}
	return h, res
}

// firstError gives the first error of a result.
func firstError(res *Result) error {
	for _, s := range res.Sources {
		if s.Err != nil {
			return s.Err
		}
		for _, in := range s.Inputs {
			if in.Err != nil {
				return in.Err
			}
		}
	}
	return nil
}

func seedOf(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestReadFramesAsTheBookSays(t *testing.T) {
	rng := seedOf(t)
	rounds := 150
	if os.Getenv("KEYHEAT_LONG") != "" {
		rounds = 5000
	}
	for round := range rounds {
		const limit = 120
		data := randomText(rng, 60, limit)
		s := shapes[round%len(shapes)]
		chunk := minChunk + rng.IntN(700)
		want := oracle(data, s, limit, uint64(chunk))
		_, src := write(t, map[string][]byte{"plain": data})
		for _, pack := range packers {
			packed := data
			if pack.pack != nil {
				packed = pack.pack(t, data)
			}
			if err := os.WriteFile(src[0].Path, packed, 0o644); err != nil {
				t.Fatal(err)
			}
			o := Options{
				Formats: []*Format{s.format()}, Chunk: int64(chunk), MaxRecord: limit, Sums: true,
				Workers: 1 << rng.IntN(4), ReadBuffer: minReadBuffer << rng.IntN(6),
			}
			h, res := read(t, src, o)
			if err := firstError(res); err != nil {
				t.Fatal(err)
			}
			got := h.all()
			for i := range got {
				got[i].Input = ""
			}
			if d := gocmp.Diff(got, want); d != "" {
				t.Fatalf("%s, %s, chunk %d, workers %d, buffer %d, %q:\n%s", s.name, pack.name, chunk, o.Workers, o.ReadBuffer, data, d)
			}
			if d := gocmp.Diff(h.stats(), wantStats(data, uint64(chunk), want)); d != "" {
				t.Fatalf("%s, %s, chunk %d: statistics\n%s", s.name, pack.name, chunk, d)
			}
		}
	}
}

func wantStats(data []byte, chunk uint64, want []seen) (out []ChunkStats) {
	for i, lines := range lineEnds(data, chunk) {
		part := data[uint64(i)*chunk : min(uint64(i+1)*chunk, uint64(len(data)))]
		st := ChunkStats{Bytes: uint64(len(part)), Lines: lines, Sum: castagnoliOf(part)}
		for _, s := range want {
			if s.Chunk == i {
				st.Records++
			}
		}
		out = append(out, st)
	}
	return out
}
