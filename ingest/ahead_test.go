package ingest

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/iotest"
)

func TestAnAheadReaderGivesTheStreamAndItsError(t *testing.T) {
	const seed = 4
	random := rand.New(rand.NewPCG(seed, 1))
	broken := errors.New("broken")
	for _, size := range []int{0, 1, aheadSize - 1, aheadSize, aheadSize + 1, 5*aheadSize + 77} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		a := newAheadReader(io.MultiReader(iotest.HalfReader(bytes.NewReader(data)), iotest.ErrReader(broken)))
		got, err := io.ReadAll(a)
		a.stop()
		if !bytes.Equal(got, data) || !errors.Is(err, broken) {
			t.Errorf("seed %d, %d bytes: got %d and the error %v, want them all and %v", seed, size, len(got), err, broken)
		}
	}
}

func TestAnAheadReaderStopsAnywhere(t *testing.T) {
	for _, read := range []int{0, 1, aheadSize, 3 * aheadSize} {
		source := bytes.NewReader(make([]byte, 20*aheadSize))
		a := newAheadReader(source)
		if _, err := io.ReadFull(a, make([]byte, read)); err != nil {
			t.Fatal(err)
		}
		a.stop()
		left := source.Len() // the goroutine would change it
		if used := 20*aheadSize - left; used < read || used > read+(aheadBlocks+1)*aheadSize {
			t.Errorf("%d bytes read ahead of %d", used, read)
		}
	}
}

// An aheadWatch looks whether somebody reads ahead when a chunk begins.
type aheadWatch struct {
	nothing
	ahead bool
}

func (w *aheadWatch) Begin(c Chunk) Sink {
	stacks := make([]byte, 1<<20)
	w.ahead = bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("(*aheadReader).pump"))
	return w.nothing.Begin(c)
}

// A file that is read ahead gives the bytes that it would give otherwise, and says that it breaks off.
func TestALargeCompressedFileIsReadAhead(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	text := make([]byte, 2*aheadFrom)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(26))
		if i%61 == 60 {
			text[i] = '\n'
		}
	}
	packed := gzipped(t, text)
	if len(packed) < aheadFrom+100 {
		t.Fatalf("a file of %d bytes is not read ahead", len(packed))
	}
	for _, data := range [][]byte{packed, packed[:len(packed)-9]} {
		file := filepath.Join(t.TempDir(), "x.gz")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		watch := &aheadWatch{}
		o := Options{Formats: []*Format{nothingFormat(shapes[0])}, Files: disk{}, Workers: 1, Chunk: 1 << 30}
		result, err := Read(t.Context(), []Source{{Name: "x", Path: file}}, o, watch)
		if err != nil {
			t.Fatal(err)
		}
		if !watch.ahead {
			t.Error("nothing reads ahead while the input is decoded")
		}
		in := result.Sources[0].Inputs[0]
		if whole := len(data) == len(packed); whole != (in.Err == nil) || whole && in.Bytes != uint64(len(text)) {
			t.Errorf("%d of %d bytes: %d bytes and the error %v came out, want %d of the whole, none of which is missing", len(data), len(packed), in.Bytes, in.Err, len(text))
		}
	}
}
