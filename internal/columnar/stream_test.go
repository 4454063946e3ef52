package columnar

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

var streamFields = []Field{{"word", Word}, {"name", Name}, {"count", Count}, {"signed", Signed}, {"moment", Moment}, {"flag", Flag}}

// A streamRow is a row of streamFields; nil is null, and a flag that is not set.
type streamRow struct {
	Word, Name     []byte
	Count          *uint64
	Signed, Moment *int64
	Flag           bool
}

func randomRow(r *rand.Rand) streamRow {
	row := streamRow{Flag: r.IntN(2) == 0}
	if r.IntN(3) > 0 {
		row.Word = []byte([]string{"a", "ü", ""}[r.IntN(3)])
	}
	if r.IntN(3) > 0 {
		row.Name = make([]byte, r.IntN(40))
		for i := range row.Name {
			row.Name[i] = byte(r.IntN(256))
		}
	}
	if r.IntN(3) > 0 {
		row.Count = new([]uint64{0, 1, math.MaxUint64, r.Uint64()}[r.IntN(4)])
	}
	if r.IntN(3) > 0 {
		row.Signed = new([]int64{0, math.MinInt64, math.MaxInt64, int64(r.Uint64())}[r.IntN(4)])
		row.Moment = new(int64(r.Uint64()))
	}
	return row
}

func (row *streamRow) write(w *StreamWriter) error {
	var err error
	if row.Word != nil {
		err = w.Text(0, string(row.Word))
	}
	if row.Name != nil {
		err = errors.Join(err, w.Bytes(1, row.Name))
	}
	if row.Count != nil {
		w.Count(2, *row.Count)
	}
	if row.Signed != nil {
		w.Signed(3, *row.Signed)
	}
	if row.Moment != nil {
		w.Moment(4, *row.Moment)
	}
	if row.Flag {
		w.Flag(5, true)
	}
	w.EndRow()
	return err
}

func readRow(b *Batch, row int) streamRow {
	got := streamRow{Flag: b.Flag(5, row)}
	if cell, ok := b.Bytes(0, row); ok {
		got.Word = append([]byte{}, cell...)
	}
	if cell, ok := b.Bytes(1, row); ok {
		got.Name = append([]byte{}, cell...)
	}
	if cell, ok := b.Count(2, row); ok {
		got.Count = &cell
	}
	if cell, ok := b.Signed(3, row); ok {
		got.Signed = &cell
	}
	if cell, ok := b.Moment(4, row); ok {
		got.Moment = &cell
	}
	return got
}

// readAll gives the rows of all batches, and why there were no more.
func readAll(data []byte, mem Allocator) (rows []streamRow, err error) {
	r, err := NewStreamReader(bytes.NewReader(data), mem)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if len(r.Fields()) < len(streamFields) {
		return nil, errors.New("has fewer columns") // which readers look at before they ask for cells
	}
	for {
		b, err := r.Next()
		if err != nil {
			return rows, err
		}
		for i := range b.Rows() {
			rows = append(rows, readRow(b, i))
		}
	}
}

// writeBatches writes batches of rows, and gives the stream with the lengths it had after each.
func writeBatches(t testing.TB, mem Allocator, batches [][]streamRow) (data []byte, ends []int) {
	t.Helper()
	var out bytes.Buffer
	w, err := NewStreamWriter(&out, streamFields, map[string]string{"made": "here"}, mem)
	if err != nil {
		t.Fatal(err)
	}
	ends = append(ends, out.Len())
	for _, rows := range batches {
		for i := range rows {
			if err := rows[i].write(w); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, out.Len())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), ends
}

func randomBatches(seed uint64) (batches [][]streamRow, all []streamRow) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1 + r.IntN(5) {
		rows := make([]streamRow, r.IntN(30))
		for i := range rows {
			rows[i] = randomRow(r)
		}
		batches, all = append(batches, rows), append(all, rows...)
	}
	return batches, all
}

func TestAStreamGivesBackWhatWasWritten(t *testing.T) {
	for range 30 {
		seed := rand.Uint64()
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		batches, want := randomBatches(seed)
		data, _ := writeBatches(t, mem, batches)
		got, err := readAll(data, mem)
		if d := cmp.Diff(got, want); d != "" || err != io.EOF {
			t.Errorf("seed %d: error %v, got (-), want (+):\n%s", seed, err, d)
		}
		mem.AssertSize(t, 0)
	}
}

func TestAStreamTellsItsFieldsAndMetadata(t *testing.T) {
	data, _ := writeBatches(t, nil, nil)
	r, err := NewStreamReader(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if d := cmp.Diff(r.Fields(), streamFields); d != "" {
		t.Errorf("fields: got (-), want (+):\n%s", d)
	}
	if made, ok := r.Meta("made"); made != "here" || !ok {
		t.Errorf("made %q, %v", made, ok)
	}
	if _, ok := r.Meta("unmade"); ok {
		t.Error("metadata that was not written")
	}
	if !BeginsStream(data) || !BeginsStream([]byte(fileMagic)) || BeginsStream([]byte("{}\n{}\n{}\n")) || BeginsStream(data[:8]) {
		t.Error("BeginsStream")
	}
}

func TestAStreamThatBreaksOffGivesTheBatchesBefore(t *testing.T) {
	seed := rand.Uint64()
	batches, _ := randomBatches(seed)
	data, ends := writeBatches(t, nil, batches)
	for n := range len(data) {
		want := 0
		for i, rows := range batches {
			if ends[i+1] <= n {
				want += len(rows)
			}
		}
		got, err := readAll(data[:n], nil)
		if !errors.Is(err, ErrNoEnd) || len(got) != want {
			t.Fatalf("seed %d: cut at %d of %d: %d rows, want %d; error %v", seed, n, len(data), len(got), want, err)
		}
	}
}

func TestABrokenStreamIsAnErrorAndTakesLittleMemory(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	batches, _ := randomBatches(seed)
	data, _ := writeBatches(t, nil, batches)
	var before, after runtime.MemStats
	for range 3000 {
		broken := bytes.Clone(data)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(broken) - 8)
			switch r.IntN(3) {
			case 0:
				broken[at] = byte(r.IntN(256))
			case 1:
				copy(broken[at:], []byte{0xFF, 0xFF, 0xFF, 0x7F})
			case 2:
				copy(broken[at:], make([]byte, 8))
			}
		}
		runtime.ReadMemStats(&before)
		_, _ = readAll(broken, nil)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 3*maxBatch {
			t.Fatalf("seed %d: %d bytes taken", seed, took)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]streamRow, 8192)
	for i := range rows {
		rows[i] = randomRow(r)
	}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		w, err := NewStreamWriter(io.Discard, streamFields, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			for i := range rows {
				if err := rows[i].write(w); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
	})
	data, _ := writeBatches(b, nil, [][]streamRow{rows, rows, rows, rows})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := NewStreamReader(bytes.NewReader(data), nil)
			for err == nil {
				_, err = s.Next()
			}
			if err != io.EOF {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*4*len(rows)), "ns/row")
		b.ReportMetric(float64(len(data))/float64(4*len(rows)), "B/row")
	})
}

func TestEachBatchHasTheTextsOfItsOwnRowsAlone(t *testing.T) {
	var out bytes.Buffer
	w, err := NewStreamWriter(&out, streamFields, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{3})
	sizes := []int{}
	for range 5 {
		before := out.Len()
		for range 500 {
			row := streamRow{Name: make([]byte, 100), Word: []byte("a")}
			random.Read(row.Name)
			if err := row.write(w); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, out.Len()-before)
	}
	for _, size := range sizes {
		if size < 500*100 || size > 500*130 {
			t.Errorf("batches of 500 names of 100 bytes have %d bytes", sizes)
			break
		}
	}
}
