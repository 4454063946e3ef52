package ingest

import (
	"bytes"
	"math"
	"sync/atomic"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
)

// frameAll frames data in one go, read in pieces as r gives them.
func frameAll(data []byte, s shape, limit, block int, chunk uint64, oneByte bool) (out []seen) {
	w := &worker{r: &run{o: Options{Chunk: int64(chunk), MaxRecord: limit, ReadBuffer: block}}}
	var stopped atomic.Bool
	w.f.stopped, w.f.limit, w.f.block = &stopped, limit, block
	in := &Input{Format: s.format(), quoted: s.quoted && bytes.IndexByte(data[:min(len(data), SniffBytes)], '"') >= 0}
	r := iotest.DataErrReader(bytes.NewReader(data))
	if oneByte {
		r = iotest.OneByteReader(r)
	}
	w.frame(in, r, 0, 0, math.MaxUint64, uint64(chunk))
	to := &recorded{c: Chunk{Input: in}}
	c := openChunk{sink: to, decoder: new(echo)}
	for w.f.record() {
		w.decode(&c)
	}
	for i := range to.seen {
		x := &to.seen[i]
		x.Chunk = int(x.Byte / chunk)
		for k := range x.Chunk {
			x.Line += w.f.tally.count(k)
		}
	}
	return to.seen
}

func FuzzFraming(f *testing.F) {
	f.Add([]byte("1 a\n b\r\n\n2 c"), uint8(0), uint16(40), uint16(7), uint8(3))
	f.Add([]byte("\xef\xbb\xbf\"a\nb\",c\n\"stray\nd\n"), uint8(2), uint16(20), uint16(16), uint8(1))
	f.Add(bytes.Repeat([]byte("x"), 100), uint8(1), uint16(9), uint16(16), uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, which uint8, limit, chunk uint16, block uint8) {
		s := shapes[int(which)%len(shapes)]
		n, c := 1+int(limit)%300, minChunk+uint64(chunk)%300
		want := oracle(data, s, n, c)
		if d := gocmp.Diff(frameAll(data, s, n, 4+int(block), c, block%2 == 0), want); d != "" {
			t.Errorf("%s, limit %d, chunk %d: %s", s.name, n, c, d)
		}
	})
}

func TestStrayQuoteSpoilsOneLineOnly(t *testing.T) {
	data := []byte("a,\"b\nc,d\n\"e\nf\",g\nh,\"i\nj,k\n")
	want := []string{CauseQuote, "c,d", "\"e\nf\",g", CauseQuote, "j,k"}
	data = append(append(data[:9:9], bytes.Repeat([]byte("c,d\n"), 10)...), data[9:]...)
	var got []string
	for _, x := range frameAll(data, shapes[2], 20, 16, 1<<20, false) {
		if x.Problem != "" {
			x.Text = x.Problem
		}
		if x.Text != "c,d" || len(got) == 0 || got[len(got)-1] != "c,d" {
			got = append(got, x.Text)
		}
	}
	if d := gocmp.Diff(got, want); d != "" {
		t.Error(d)
	}
}

func TestFramingAllocatesNothingForARecord(t *testing.T) {
	data := lines110(4 << 20)
	for _, s := range shapes[:3] {
		_, src := write(t, map[string][]byte{"a": data})
		o := Options{Formats: []*Format{nothingFormat(s)}, Files: disk{}, Workers: 1}
		allocs := testing.AllocsPerRun(3, func() {
			if _, err := Read(t.Context(), src, o, nothing{}); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 200 {
			t.Errorf("%s: %v allocations for %d records", s.name, allocs, bytes.Count(data, lineEnd))
		}
	}
}

// A line of any length comes in pieces that do not depend on how it was read.
func TestALineThatIsTooLongComesInPieces(t *testing.T) {
	data := []byte("short\n" + string(bytes.Repeat([]byte("0123456789"), 5)) + "\r\nlast")
	for _, block := range []int{1, 7, 16, 100} {
		w := &worker{r: &run{o: Options{Chunk: 1 << 20, MaxRecord: 20, ReadBuffer: block}}}
		var stopped atomic.Bool
		w.f.stopped, w.f.block = &stopped, block
		in := &Input{Format: &Format{Name: "pieces", Sequential: true, Pieces: true}}
		w.frame(in, bytes.NewReader(data), 0, 0, math.MaxUint64, 1<<20)
		var got []Record
		for w.f.record() {
			got = append(got, Record{Data: bytes.Clone(w.f.rec.Data), At: w.f.rec.At, Cut: w.f.rec.Cut})
		}
		want := []Record{
			{Data: []byte("short"), At: Position{Line: 1}},
			{Data: []byte("01234567890123456789"), At: Position{Byte: 6, Line: 2}, Cut: true},
			{Data: []byte("01234567890123456789"), At: Position{Byte: 26, Line: 2}, Cut: true},
			{Data: []byte("0123456789"), At: Position{Byte: 46, Line: 2}},
			{Data: []byte("last"), At: Position{Byte: 58, Line: 3}},
		}
		if d := gocmp.Diff(got, want); d != "" {
			t.Errorf("read by %d bytes: %s", block, d)
		}
	}
}
