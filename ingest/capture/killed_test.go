package capture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

const recordTo = "KEYHEAT_TEST_RECORD_TO"

// TestRecordUntilKilled is no test: it is the process that the next one kills. It says how many records are
// in the file.
func TestRecordUntilKilled(t *testing.T) {
	name := os.Getenv(recordTo)
	if name == "" {
		t.Skip("is run by TestAKilledCollectorLeavesWhatItFlushed")
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(file, "test://host", unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(0); ; seed++ {
		play(seed, 500, w)
		w.Flush()
		records, _ := w.Records()
		fmt.Println("flushed", records)
	}
}

func TestAKilledCollectorLeavesWhatItFlushed(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 12 {
		name := filepath.Join(t.TempDir(), "capture.arrow")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for what is flushed at once
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestRecordUntilKilled$")
		cmd.Env = append(os.Environ(), recordTo+"="+name)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		flushed := killLater(t, cmd, bufio.NewScanner(out), r)
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got := &tape{}
		in, err := newReader(file, nil)
		if err == nil {
			err = in.Collect(t.Context(), got)
		}
		if !errors.Is(err, columnar.ErrNoEnd) || len(got.records) < flushed || flushed == 0 {
			t.Errorf("seed %d: %d records of %d, error %v", seed, len(got.records), flushed, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killLater kills the process some time after it has written something, and gives how many records it said
// to have flushed before.
func killLater(t *testing.T, cmd *exec.Cmd, out *bufio.Scanner, r *rand.Rand) (flushed int) {
	t.Helper()
	for out.Scan() {
		text, ok := strings.CutPrefix(out.Text(), "flushed ")
		if !ok {
			t.Fatalf("the process says %q", out.Text())
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if flushed == 0 {
			time.AfterFunc(time.Duration(r.IntN(300))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		}
		flushed = n
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the process was not killed: %v", err)
	}
	return flushed
}

// A purse is an allocator that knows how much it has given.
type purse struct {
	memory.GoAllocator
	out, most int
}

func (p *purse) Allocate(n int) []byte {
	p.take(n)
	return p.GoAllocator.Allocate(n)
}

func (p *purse) Reallocate(n int, b []byte) []byte {
	p.take(n - len(b))
	return p.GoAllocator.Reallocate(n, b)
}

func (p *purse) Free(b []byte) {
	p.out -= len(b)
	p.GoAllocator.Free(b)
}

func (p *purse) take(n int) {
	p.out += n
	p.most = max(p.most, p.out)
}

// A counting is Streams that count.
type counting struct {
	ingest.EventsOnly
	n int
}

func (c *counting) Open(ingest.LiveInput) ingest.Sink { return c }
func (c *counting) Note(string)                       { c.n++ }
func (c *counting) Event(*ingest.Event)               { c.n++ }
func (c *counting) Problem(ingest.Problem)            { c.n++ }
func (c *counting) Skip(string)                       { c.n++ }

// FuzzReader gives the reader captures that nobody would write: it must neither panic nor take much memory.
func FuzzReader(f *testing.F) {
	var file bytes.Buffer
	w, err := NewWriter(&file, "test://host", func() {})
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(2) {
		play(seed, 40, w)
		w.Flush()
	}
	if err := w.Close(errors.New("10.0.0.1: refused")); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()*2/3])
	f.Fuzz(func(t *testing.T, data []byte) {
		Format.Sniff(data[:min(len(data), ingest.SniffBytes)], ingest.DecodeOptions{})
		mem := &purse{}
		in, err := newReader(bytes.NewReader(data), mem)
		if err == nil {
			err = in.Collect(t.Context(), &counting{})
		}
		if err != nil && errors.Is(err, io.EOF) {
			t.Errorf("an end that is none: %v", err)
		}
		if most := 256 << 20; mem.most > most {
			t.Errorf("%d bytes taken, at most %d", mem.most, most)
		}
	})
}
