package ingest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// followSteps reads the sources and calls a step between any two looks, then ends.
func followSteps(t *testing.T, src []Source, o Options, steps ...func()) (*recorder, *Result) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Files, o.Follow = disk{}, func(context.Context) {
		if len(steps) == 0 {
			cancel()
			return
		}
		steps[0]()
		steps = steps[1:]
	}
	h := &recorder{}
	res, err := Read(ctx, src, o, h)
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	for i, s := range res.Sources {
		if got, want := h.files[i], len(s.Inputs); got != want {
			t.Errorf("EndFile(%d) said %d members, the result has %d", i, got, want)
		}
	}
	return h, res
}

// A followedFile is a log that a test writes.
type followedFile struct {
	t    *testing.T
	path string
}

func (f followedFile) add(text string) func() {
	return func() {
		out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = out.WriteString(text)
		}
		if err == nil {
			err = out.Close()
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f followedFile) cut(text string) func() {
	return func() {
		if err := os.Truncate(f.path, 0); err != nil {
			f.t.Fatal(err)
		}
		f.add(text)()
	}
}

func (f followedFile) rename(to string) func() {
	return func() {
		if err := os.Rename(f.path, to); err != nil {
			f.t.Fatal(err)
		}
	}
}

func idle() {}

func both(steps ...func()) func() {
	return func() {
		for _, step := range steps {
			step()
		}
	}
}

func TestFollowedFilesGiveEachLineOnce(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape shape
		first string
		steps func(f followedFile) []func()
		want  []string
	}{
		{"lines that are appended", shapes[0], "a\nb\n", func(f followedFile) []func() {
			return []func(){f.add("c\nd\n"), idle, f.add("e\n")}
		}, []string{"a", "b", "c", "d", "e"}},
		{"a line that comes in parts waits for its end", shapes[0], "a\n", func(f followedFile) []func() {
			return []func(){f.add("b"), idle, f.add("c"), idle, f.add("\nd")}
		}, []string{"a", "bc"}},
		{"a file that is empty at first", shapes[0], "", func(f followedFile) []func() {
			return []func(){idle, f.add("a"), f.add("b\nc\n")}
		}, []string{"ab", "c"}},
		{"a record of several lines waits for what follows it", shapes[1], "1 a\n", func(f followedFile) []func() {
			return []func(){f.add(" at b\n"), f.add(" at c\n2 d\n")}
		}, []string{"1 a\n at b\n at c", "2 d"}},
		{"a record of several lines that nothing follows", shapes[1], "1 a\n at b\n", func(f followedFile) []func() {
			return []func(){idle, idle, f.add("2 c\n"), idle}
		}, []string{"1 a\n at b", "2 c"}},
		{"a quote that is closed later", shapes[2], "\"a\n", func(f followedFile) []func() {
			return []func(){f.add("b\nc\n"), f.add("d\"\ne\n"), idle}
		}, []string{"\"a\nb\nc\nd\"", "e"}},
		{"a header is no record", shapes[3], "ts,pk\n", func(f followedFile) []func() {
			return []func(){f.add("1,a\n"), idle, f.add("2,b\n"), idle}
		}, []string{"1,a", "2,b"}},
		{"a file that is renamed, and written to before and after", shapes[0], "a\n", func(f followedFile) []func() {
			return []func(){both(f.add("b\n"), f.rename(f.path+".1"), f.add("c\n")), idle, idle, f.add("d\n")}
		}, []string{"a", "b", "c", "d"}},
		{"the old file is written to after the new one is there", shapes[0], "a\n", func(f followedFile) []func() {
			old := followedFile{f.t, f.path + ".1"}
			return []func(){both(f.rename(old.path), f.add("c\n"), old.add("b\n")), idle, f.add("d\n"), idle}
		}, []string{"a", "b", "c", "d"}},
		{"a renamed file ends without a line end", shapes[0], "a\nb", func(f followedFile) []func() {
			return []func(){f.rename(f.path + ".1"), idle, f.add("c\n"), idle}
		}, []string{"a", "b", "c"}},
		{"a renamed file ends in a record that is held back", shapes[1], "1 a\n b\n", func(f followedFile) []func() {
			return []func(){both(f.add("2 c\n"), f.rename(f.path+".1"), f.add("3 d\n")), idle, idle, idle}
		}, []string{"1 a\n b", "2 c", "3 d"}},
		{"for a time there is no file", shapes[0], "a\n", func(f followedFile) []func() {
			return []func(){f.rename(f.path + ".1"), idle, idle, f.add("b\n"), idle}
		}, []string{"a", "b"}},
		{"a file that is cut and grows again", shapes[0], "a\nb\nc\n", func(f followedFile) []func() {
			return []func(){f.cut("d\n"), f.add("e\n"), f.cut(""), f.add("f\n")}
		}, []string{"a", "b", "c", "d", "e", "f"}},
		{"a file that is cut and grows past its old end between two looks", shapes[0], "a\nb\n", func(f followedFile) []func() {
			return []func(){f.cut("c\nd\ne\nf\n"), idle}
		}, []string{"a", "b", "c", "d", "e", "f"}},
		{"a file that is cut and grows to its old size between two looks", shapes[0], "a\nb\n", func(f followedFile) []func() {
			return []func(){f.cut("c\nd\n"), idle}
		}, []string{"a", "b", "c", "d"}},
		{"a file that is cut while its last record is held back", shapes[1], "1 a\n2 b\n c\n", func(f followedFile) []func() {
			return []func(){f.cut("3 d\n"), idle}
		}, []string{"1 a", "2 b\n c", "3 d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, src := write(t, map[string][]byte{"log": []byte(tt.first)})
			f := followedFile{t, filepath.Join(dir, "log")}
			h, res := followSteps(t, src, Options{Formats: []*Format{tt.shape.format()}}, tt.steps(f)...)
			if d := gocmp.Diff(texts(h), tt.want); d != "" {
				t.Error(d)
			}
			if err := firstError(res); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPositionsOfFollowedFilesAreThoseOfTheWholeFile(t *testing.T) {
	rng := seedOf(t)
	for round := range 120 {
		const limit = 120
		data := randomText(rng, 40, limit)
		s := shapes[round%len(shapes)]
		want := oracle(data, s, limit, 1<<40)
		o := Options{Formats: []*Format{s.format()}, MaxRecord: limit, ReadBuffer: minReadBuffer << rng.IntN(3), Chunk: int64(minChunk + rng.IntN(700))}
		dir, src := write(t, map[string][]byte{"log": nil})
		h, res := followSteps(t, src, o, pieces(followedFile{t, filepath.Join(dir, "log")}, rng, data)...)
		if err := firstError(res); err != nil {
			t.Fatal(err)
		}
		got := h.all()
		for i := range got {
			got[i].Input, got[i].Chunk = "", 0
		}
		if d := gocmp.Diff(got, want); d != "" {
			t.Fatalf("round %d, %s, chunk %d, %q:\n%s", round, s.name, o.Chunk, data, d)
		}
	}
}

// pieces appends data in parts, one a look, and moves the log away in the end.
func pieces(f followedFile, rng *rand.Rand, data []byte) (steps []func()) {
	for len(data) > 0 {
		n := 1 + rng.IntN(min(len(data), 400))
		steps = append(steps, f.add(string(data[:n])))
		data = data[n:]
	}
	return append(steps, both(f.rename(f.path+".1"), f.add("")), idle)
}

func TestStandardInputIsReadAsItComes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parts []string
		want  []string
	}{
		{"lines in parts", []string{"a\nb", "c\nd", "e"}, []string{"a", "bc", "de"}},
		{"nothing", nil, nil},
		{"one line without its end", []string{"a"}, []string{"a"}},
		{"gzip", []string{string(gzipped(t, []byte("a\nb\n")))}, []string{"a", "b"}},
		{"a line that just fills what is held, and goes on", []string{"a\n", strings.Repeat("x", pipeRoom-1), "x", "\nb\n", "c\n"}, []string{"a", CauseLong, "b", "c"}},
		{"a line that is longer than what is held", []string{"a\n", strings.Repeat("x", 9<<20), "\nb\n", "c\n"}, []string{"a", CauseLong, "b", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, w := io.Pipe()
			next := make(chan struct{}, 1)
			go func() { // the stream is held up while it is not looked at
				for _, part := range tt.parts {
					<-next
					io.WriteString(w, part)
				}
				w.Close()
			}()
			o := Options{Formats: []*Format{shapes[0].format()}, Stdin: r, Files: disk{}, Follow: func(context.Context) {
				select {
				case next <- struct{}{}:
				default:
				}
				runtime.Gosched()
			}}
			h := &recorder{}
			res, err := Read(t.Context(), []Source{{Name: "-", Stdin: true, Size: -1, Named: true}}, o, h)
			if err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(texts(h), tt.want); d != "" {
				t.Error(d)
			}
			if err := firstError(res); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatCannotGrowIsReadOnce(t *testing.T) {
	document := &Format{Name: "document", Document: true, Sniff: shapes[0].format().Sniff, New: shapes[0].format().New}
	for _, tt := range []struct {
		name   string
		data   []byte
		format *Format
		want   []string
	}{
		{"gzip", gzipped(t, []byte("a\nb\n")), shapes[0].format(), []string{"a", "b"}},
		{"a document", []byte("a\nb\n"), document, []string{"a\nb"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, src := write(t, map[string][]byte{"it": tt.data})
			h, _ := followSteps(t, src, Options{Formats: []*Format{tt.format}}, func() { t.Error("it was looked at again") })
			if d := gocmp.Diff(texts(h), tt.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEnvelopesOfFollowedFilesAreUndone(t *testing.T) {
	line := func(tag, text string) string {
		return "2026-06-04T10:00:00.000000000Z stdout " + tag + " " + text + "\n"
	}
	dir, src := write(t, map[string][]byte{"log": []byte(line("F", "1 a"))})
	f := followedFile{t, filepath.Join(dir, "log")}
	h, _ := followSteps(t, src, Options{Formats: []*Format{shapes[1].format()}},
		f.add(line("F", " at b")+line("P", "2 c")), f.add(line("F", " d")), f.add(line("F", "3 e")+line("F", "4 f")), f.add(line("F", "5 g")), idle)
	if d := gocmp.Diff(texts(h), []string{"1 a\n at b", "2 c d", "3 e", "4 f", "5 g"}); d != "" {
		t.Error(d)
	}
}

func TestAnUnknownFileIsRefusedAtOnce(t *testing.T) {
	_, src := write(t, map[string][]byte{"noise": []byte("\x00\x01 noise\n")})
	_, res := followSteps(t, src, Options{Formats: []*Format{shapes[0].format()}})
	if err := firstError(res); err == nil || !strings.Contains(err.Error(), "no format knows it") {
		t.Errorf("error %v", err)
	}
}

func TestManyFilesAreFollowedAtOnce(t *testing.T) {
	files := map[string][]byte{}
	for i := range 20 {
		files[fmt.Sprintf("%02d", i)] = []byte("first\n")
	}
	dir, src := write(t, files)
	steps := []func(){}
	for name := range files {
		steps = append(steps, followedFile{t, filepath.Join(dir, name)}.add("second\n"))
	}
	h, _ := followSteps(t, src, Options{Formats: []*Format{shapes[0].format()}, Workers: 2}, both(steps...))
	if got, want := strings.Count(strings.Join(texts(h), " "), "first second"), len(files); got != want {
		t.Errorf("%d files gave both lines, want %d", got, want)
	}
}
