package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func lineOptions() Options { return Options{Formats: []*Format{shapes[0].format()}} }

func texts(h *recorder) (out []string) {
	for _, s := range h.all() {
		if s.Problem != "" {
			s.Text = s.Problem
		}
		out = append(out, s.Text)
	}
	return out
}

func TestReadUndoesBzip2(t *testing.T) {
	_, src := write(t, map[string][]byte{"a": bzip2Hello(t)})
	h, res := read(t, src, lineOptions())
	if d := gocmp.Diff(texts(h), []string{"1 first", "2 second"}); d != "" {
		t.Error(d)
	}
	if got, want := res.Sources[0].Inputs[0].Input.Compression, "bzip2"; got != want {
		t.Errorf("compression %q, want %q", got, want)
	}
}

func TestTruncatedGzipKeepsWhatWasDecoded(t *testing.T) {
	var data []byte
	for i := range 60 {
		data = fmt.Appendf(data, "%d line %d\n", i*i*7919%1000, i)
	}
	whole := gzipped(t, data)
	_, src := write(t, map[string][]byte{"a.gz": whole, "b": []byte("the other\n")})
	all := oracle(data, shapes[0], defaultMaxRecord, defaultChunk)
	for cut := 3; cut < len(whole); cut++ {
		if err := os.WriteFile(src[0].Path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		h, res := read(t, src, lineOptions())
		err := firstError(res)
		if err == nil || !strings.Contains(err.Error(), "unexpected end of gzip stream") || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d: error %v", cut, err)
		}
		got := h.all()
		if len(got) == 0 || got[len(got)-1].Text != "the other" {
			t.Fatalf("cut at %d: the other file is not read", cut)
		}
		for i, s := range got[:len(got)-1] {
			if s.Text != all[i].Text || s.Problem != "" {
				t.Fatalf("cut at %d: record %d is %q, want %q", cut, i, s.Text, all[i].Text)
			}
		}
	}
}

func TestBrokenInputsLoseNothingElse(t *testing.T) {
	large, err := zstd.NewWriter(nil, zstd.WithWindowSize(128<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	var wide bytes.Buffer
	large.Reset(&wide)
	if _, err := large.Write(bytes.Repeat([]byte("x\n"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	flipped := gzipped(t, lines110(100_000))
	flipped[len(flipped)/2] ^= 0xFF
	xzWide := []byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x28")
	xzWide = append(xzWide, make([]byte, 64)...)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a zstd window over the limit":    {wide.Bytes(), "window over 64 MiB"},
		"an xz dictionary over the limit": {xzWide, "window over 64 MiB"},
		"a flipped byte in gzip":          {flipped, "gzip stream"},
		"only a gzip header":              {flipped[:10], "unexpected end of gzip stream"},
		"gzip cut off before a line":      {gzipped(t, []byte("\x00 no line that a format knows"))[:24], "unexpected end of gzip stream"},
		"half a zip":                      {[]byte("PK\x03\x04 and no more"), "zip archive"},
		"binary noise":                    {[]byte("\x00\x01\x02noise\n"), "no format knows it"},
		"an xz header and noise":          {[]byte("\xfd7zXZ\x00noise"), "xz stream"},
	} {
		t.Run(name, func(t *testing.T) {
			_, src := write(t, map[string][]byte{"a": c.data, "b": []byte("fine\n")})
			h, res := read(t, src, lineOptions())
			if err := firstError(res); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			got := texts(h)
			if len(got) == 0 || got[len(got)-1] != "fine" {
				t.Errorf("the next file gave %q", got)
			}
		})
	}
}

func TestMissingUnreadableAndEmptyFiles(t *testing.T) {
	dir, src := write(t, map[string][]byte{"empty": nil, "fine": []byte("fine\n"), "gone": []byte("x\n"), "packed": gzipped(t, nil)})
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	src = append(src, Source{Name: "dir", Path: dir})
	h, res := read(t, src, lineOptions())
	if d := gocmp.Diff(texts(h), []string{"fine"}); d != "" {
		t.Error(d)
	}
	for i, want := range []string{"empty", "", "no such file", "empty", "is a directory"} {
		s, got := res.Sources[i], ""
		if s.Err != nil {
			got = s.Err.Error()
		} else if len(s.Skipped) > 0 {
			got = s.Skipped[0].Why
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", s.Source.Name, got, want)
		}
	}
	if !errors.Is(res.Sources[2].Err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", res.Sources[2].Err)
	}
}

func TestUnrecognisedIsAnErrorWhenNamedAndListedWhenFound(t *testing.T) {
	dir, src := write(t, map[string][]byte{"noise": []byte("\x00\n")})
	o := lineOptions()
	o.Formats = append(o.Formats, &Format{Name: "maybe", Sniff: func([]byte, DecodeOptions) Verdict {
		return Verdict{Ambiguous, "two columns could be the key: --map pk=a"}
	}})
	_, res := read(t, src, o)
	var unknown *UnrecognisedError
	if !errors.As(res.Sources[0].Err, &unknown) {
		t.Fatalf("error %v", res.Sources[0].Err)
	}
	want := src[0].Name + ": ambiguous\n  maybe: two columns could be the key: --map pk=a\n  lines: has a zero byte"
	if got := unknown.Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	found, err := Expand([]string{dir}, disk{})
	if err != nil {
		t.Fatal(err)
	}
	_, res = read(t, found, o)
	if res.Sources[0].Err != nil || len(res.Sources[0].Skipped) != 1 || !strings.HasPrefix(res.Sources[0].Skipped[0].Why, "maybe: ") {
		t.Errorf("found: %+v", res.Sources[0])
	}
}

func TestBestFitWinsAndTheFirstOfEquals(t *testing.T) {
	fits := func(name string, fit Fit) *Format {
		f := shapes[0].format()
		f.Name, f.Sniff = name, func([]byte, DecodeOptions) Verdict { return Verdict{fit, ""} }
		return f
	}
	_, src := write(t, map[string][]byte{"a": []byte("x\n")})
	for want, formats := range map[string][]*Format{
		"certain":  {fits("no", No), fits("possible", Possible), fits("certain", Certain)},
		"possible": {fits("no", No), fits("ambiguous", Ambiguous), fits("possible", Possible), fits("second", Possible)},
	} {
		_, res := read(t, src, Options{Formats: formats})
		if got := res.Sources[0].Inputs[0].Input.Format.Name; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestHugeLineIsAProblemInBoundedMemory(t *testing.T) {
	const size = 100 << 20
	huge := bytes.Repeat([]byte{'x'}, size)
	data := append(append([]byte("before\n"), huge...), "\nafter\n"...)
	for name, stored := range map[string][]byte{"plain": data, "gzip": gzipped(t, data)} {
		_, src := write(t, map[string][]byte{"a": stored})
		var was, is runtime.MemStats
		runtime.ReadMemStats(&was)
		o := lineOptions()
		o.Chunk, o.Workers = 8<<20, 2
		h, _ := read(t, src, o)
		runtime.ReadMemStats(&is)
		if d := gocmp.Diff(texts(h), []string{"before", CauseLong, "after"}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if got := h.all()[2]; got.Line != 3 || got.Byte != size+8 {
			t.Errorf("%s: after is at %d, line %d", name, got.Byte, got.Line)
		}
		if used := is.TotalAlloc - was.TotalAlloc; used > 24<<20 {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}

func TestTextIsReadInAnyEncoding(t *testing.T) {
	text := "first ä\r\nsecond 𝄞 line\nthird"
	encode := func(order binary.AppendByteOrder, mark bool) (out []byte) {
		if mark {
			out = order.AppendUint16(out, 0xFEFF)
		}
		for _, u := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, u)
		}
		return out
	}
	ascii := "only plain letters\nand more of them\n"
	var bare []byte
	for _, c := range []byte(ascii) {
		bare = append(bare, c, 0)
	}
	want := []string{"first ä", "second 𝄞 line", "third"}
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"UTF-8 with a mark":          {append(bytes.Clone(bom), text...), want},
		"UTF-16 little endian":       {encode(binary.LittleEndian, true), want},
		"UTF-16 big endian":          {encode(binary.BigEndian, true), want},
		"UTF-16 without a mark":      {bare, []string{"only plain letters", "and more of them"}},
		"UTF-16, gzip":               {gzipped(t, encode(binary.BigEndian, true)), want},
		"UTF-16 cut in a character":  {append(encode(binary.LittleEndian, true), 'x'), []string{"first ä", "second 𝄞 line", "third\uFFFD"}},
		"UTF-16 with half a pair":    {append(encode(binary.LittleEndian, true), 0x34, 0xD8), []string{"first ä", "second 𝄞 line", "third\uFFFD"}},
		"UTF-16 mark in an odd text": {[]byte("\xff\xfea\x00\x00\xdcb\x00\n\x00"), []string{"a\uFFFDb"}},
	} {
		_, src := write(t, map[string][]byte{"a": c.data})
		o := lineOptions()
		o.Chunk = 16
		h, _ := read(t, src, o)
		if d := gocmp.Diff(texts(h), c.want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestManySmallFilesComeInOrder(t *testing.T) {
	files := map[string][]byte{}
	for i := range 5000 {
		files[fmt.Sprintf("%02d/%04d.log", i/100, i)] = fmt.Appendf(nil, "file %d\nend\n", i)
	}
	dir, _ := write(t, files)
	src, err := Expand([]string{dir}, disk{})
	if err != nil {
		t.Fatal(err)
	}
	o := lineOptions()
	o.Workers = 8
	h, res := read(t, src, o)
	got := h.all()
	if len(got) != 10_000 || len(res.Sources) != 5000 || len(h.files) != 5000 {
		t.Fatalf("%d records, %d results, %d ends of files", len(got), len(res.Sources), len(h.files))
	}
	for i := range 5000 {
		if got, want := got[2*i].Text, fmt.Sprintf("file %d", i); got != want {
			t.Fatalf("record %d is %q, want %q", 2*i, got, want)
		}
	}
}

func TestWorkersDoNotRunAhead(t *testing.T) {
	const workers, chunks = 2, 200
	data := lines110(chunks * 1024)
	for name, stored := range map[string][]byte{"plain": data, "gzip": gzipped(t, data)} {
		_, src := write(t, map[string][]byte{"a": stored, "b": stored})
		first := make(chan struct{})
		var most int
		h := &recorder{}
		h.began = func(c Chunk) {
			if c.Input.ID.File == 0 && c.Index == 0 {
				await(t, first, "the chunks behind the first one")
			}
		}
		blocked := &blocking{recorder: h, limit: 4*workers + 3, first: first, most: &most}
		o := lineOptions()
		o.Files, o.Workers, o.Chunk = disk{}, workers, 1024
		if _, err := Read(t.Context(), src, o, blocked); err != nil {
			t.Fatal(err)
		}
		if most > 4*workers+4 {
			t.Errorf("%s: %d chunks were finished behind one that was not", name, most)
		}
		if got, want := len(h.all()), 2*bytes.Count(data, lineEnd); got != want {
			t.Errorf("%s: %d records, want %d", name, got, want)
		}
	}
}

// blocking lets the first chunk go on when limit others are finished, as many as may be.
type blocking struct {
	*recorder
	limit int
	first chan struct{}
	done  int
	most  *int
}

func (b *blocking) End(c Chunk, to Sink, st ChunkStats) {
	b.recorder.End(c, to, st)
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.first:
		return
	default:
	}
	b.done++
	*b.most = max(*b.most, b.done)
	if b.done == b.limit {
		close(b.first)
	}
}

func TestCancelledRunGivesWhatWasRead(t *testing.T) {
	data := lines110(4 << 20)
	_, src := write(t, map[string][]byte{"a": data, "b": gzipped(t, data), "c": data})
	for _, workers := range []int{1, 2, 8} {
		ctx, cancel := context.WithCancel(t.Context())
		h := &recorder{}
		h.began = func(Chunk) {
			h.mu.Lock()
			ended := len(h.chunks)
			h.mu.Unlock()
			if ended >= 3 {
				cancel()
				time.Sleep(10 * time.Millisecond) // of each chunk: a busy machine is late to hear of it
			}
		}
		o := lineOptions()
		o.Files, o.Workers, o.Chunk = disk{}, workers, 64<<10
		res, err := Read(ctx, src, o, h)
		if !errors.Is(err, context.Canceled) || res == nil {
			t.Fatalf("%d workers: error %v", workers, err)
		}
		chunks := map[InputID]int{}
		for _, c := range h.chunks {
			chunks[c.c.Input.ID]++
		}
		if d := gocmp.Diff(chunks, h.inputs); d != "" {
			t.Errorf("%d workers: ends of chunks and what EndInput said: %s", workers, d)
		}
		if got := len(h.all()); got == 0 || got >= 3*bytes.Count(data, lineEnd) {
			t.Errorf("%d workers: %d records", workers, got)
		}
	}
}

func TestStandardInputIsReadOnceAndCanBeLeft(t *testing.T) {
	o := lineOptions()
	o.Stdin = bytes.NewReader(gzipped(t, []byte("one\ntwo\n")))
	h, res := read(t, []Source{{Name: "-", Stdin: true, Named: true, Size: -1}}, o)
	if d := gocmp.Diff(texts(h), []string{"one", "two"}); d != "" {
		t.Error(d)
	}
	if s := res.Sources[0]; !s.Stream || s.Size != -1 {
		t.Errorf("result %+v", s)
	}
	o.Stdin = nil
	if _, none := read(t, res.sources(), o); none.Sources[0].Err == nil {
		t.Error("no standard input is no error")
	}
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if _, err := w.Write([]byte("one\n")); err == nil {
			cancel()
		}
	}()
	o.Stdin, o.Files = r, disk{}
	if _, err := Read(ctx, res.sources(), o, &recorder{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent standard input: %v", err)
	}
}

// endless gives the same lines again and again, n bytes in all.
type endless struct {
	lines []byte
	at, n int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), e.n)], e.lines[e.at:])
	e.at, e.n = (e.at+n)%len(e.lines), e.n-n
	return n, nil
}

func TestStreamNeedsTheSameMemoryForAnyLength(t *testing.T) {
	size := 300 << 20
	if os.Getenv("KEYHEAT_LONG") != "" {
		size = 10 << 30
	}
	o := Options{Formats: []*Format{nothingFormat(shapes[0])}, Files: disk{}, Stdin: &endless{lines: lines110(1 << 20), n: size}}
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	res, err := Read(t.Context(), []Source{{Name: "-", Stdin: true}}, o, nothing{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&is)
	if in := res.Sources[0].Inputs[0]; in.Err != nil || in.Bytes != uint64(size) || in.Records < uint64(size/111) {
		t.Errorf("%d bytes, %d records, %v", in.Bytes, in.Records, in.Err)
	}
	if used := is.TotalAlloc - was.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes allocated for %d", used, size)
	}
}

func TestPipeIsReadAsAStreamWhenNamed(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if found, err := Expand([]string{dir}, disk{}); err != nil || len(found) > 0 {
		t.Errorf("found %v, %v", found, err)
	}
	src, err := Expand([]string{pipe}, disk{})
	if err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(pipe, []byte("one\ntwo\n"), 0o600) }()
	h, res := read(t, src, lineOptions())
	if err := await(t, wrote, "the pipe to be read"); err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(texts(h), []string{"one", "two"}); d != "" || !res.Sources[0].Stream {
		t.Errorf("stream %v, %s", res.Sources[0].Stream, d)
	}
}

func (r *Result) sources() (src []Source) {
	for _, s := range r.Sources {
		src = append(src, s.Source)
	}
	return src
}

func TestProgressReachesTheWhole(t *testing.T) {
	data := lines110(20 << 20)
	_, src := write(t, map[string][]byte{"a": data, "b": gzipped(t, data)})
	o := lineOptions()
	var all []Progress
	o.Progress = func(p Progress) { all = append(all, p) }
	read(t, src, o)
	total := uint64(src[0].Size + src[1].Size)
	if got, want := all[len(all)-1], (Progress{Bytes: total, Total: total}); got != want {
		t.Errorf("last %+v, want %+v", got, want)
	}
	if len(all) < 3 || len(all) > 12 {
		t.Errorf("%d reports of %d bytes", len(all), total)
	}
}

func TestOptionsSayEveryFault(t *testing.T) {
	_, err := Read(t.Context(), nil, Options{Chunk: 1, Workers: -1, ReadBuffer: 1, MaxRecord: -1}, nothing{})
	want := "no formats to read with\nno files to read from\nchunk size 1: must be at least 16 bytes\n" +
		"workers -1: must be at least 1\nread buffer 1: must be at least 512 bytes\nlongest record -1: must be at least 1 byte"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAnEnvelopesLineGoesOnAfterAnEmptyLineAtTheEndOfAChunk(t *testing.T) {
	head := bytes.Repeat([]byte("2026-06-04T10:00:00Z stdout F begin\n"), 20)
	data := append(head, "2026-06-04T10:00:00Z stdout P one \n\r\n\n2026-06-04T10:00:00Z stdout F two\n"...)
	for chunk := len(head) + 1; chunk <= len(data); chunk++ {
		_, src := write(t, map[string][]byte{"a": data})
		h, _ := read(t, src, Options{Formats: lineOptions().Formats, Chunk: int64(chunk), Workers: 1, ReadBuffer: minReadBuffer})
		if got := texts(h); len(got) != 21 || got[20] != "one two" {
			t.Errorf("chunk %d: %d lines, the last ones %q", chunk, len(got), got[20:])
		}
	}
}

func TestEnvelopesAreUndoneAlikeInAllChunks(t *testing.T) {
	rng := seedOf(t)
	for range 60 {
		var data []byte
		var want []seen
		chunk := 200 + rng.IntN(1500)
		line, open := uint64(0), -1
		for i := range rng.IntN(200) {
			line++
			at := len(data)
			text := fmt.Sprintf("%d %s", i, strings.Repeat("x", rng.IntN(60)))
			if rng.IntN(4) == 0 {
				text = "  cont " + text
			}
			switch rng.IntN(20) {
			case 0:
				data = append(data, "no envelope\n"...)
				if open >= 0 {
					open = -1
				}
				want = append(want, seen{Chunk: at / chunk, Byte: uint64(at), Line: line, Text: "no envelope", Problem: CauseUnwrapped})
				continue
			case 1:
				data = append(data, '\n')
				continue
			}
			tag := "F"
			if rng.IntN(4) == 0 {
				tag = "P"
			}
			data = fmt.Appendf(data, "2026-06-04T10:00:00.%09dZ stdout %s %s\n", i, tag, text)
			if open < 0 {
				want = append(want, seen{Chunk: at / chunk, Byte: uint64(at), Line: line})
				open = len(want) - 1
			}
			want[open].Text += text
			if tag == "F" {
				open = -1
			}
		}
		head := "2026-06-04T10:00:00Z stdout F 0 begin\n"
		whole := append(bytes.Repeat([]byte(head), 20), data...)
		var all []seen
		for i := range 20 {
			all = append(all, seen{Chunk: i * len(head) / chunk, Byte: uint64(i * len(head)), Line: uint64(i + 1), Text: "0 begin"})
		}
		for _, s := range want {
			s.Byte += uint64(20 * len(head))
			s.Chunk = int(s.Byte) / chunk
			s.Line += 20
			all = append(all, s)
		}
		for _, s := range shapes[:2] {
			for _, stored := range [][]byte{whole, zstded(t, whole)} {
				_, src := write(t, map[string][]byte{"a": stored})
				h, res := read(t, src, Options{
					Formats: []*Format{s.format()}, Chunk: int64(chunk), Workers: 1 + rng.IntN(4), ReadBuffer: minReadBuffer << rng.IntN(4),
				})
				if d := gocmp.Diff(res.Sources[0].Inputs[0].Input.Envelopes, []string{"cri"}); d != "" {
					t.Fatal(d)
				}
				got := h.all()
				for i := range got {
					got[i].Input = ""
				}
				if d := gocmp.Diff(got, grouped(all, s)); d != "" {
					t.Fatalf("%s, chunk %d: %s\n%s", s.name, chunk, d, whole)
				}
			}
		}
	}
}

// grouped joins records that do not begin one to the one before.
func grouped(all []seen, s shape) (out []seen) {
	for _, x := range all {
		if s.begins == nil || x.Problem != "" || s.begins([]byte(x.Text)) || len(out) == 0 {
			out = append(out, x)
		} else if last := &out[len(out)-1]; last.Problem == "" {
			last.Text += "\n" + x.Text
		}
	}
	return out
}
