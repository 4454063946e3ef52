package ingest

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestSecondPassReadsTheBytesOfTheFirst(t *testing.T) {
	data := lines110(40_000)
	other := bytes.Clone(data)
	other[20_000] ^= 1
	rewrite := func(change []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, change, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := map[string]struct {
		stored  []byte
		change  func(t *testing.T, path string)
		changed bool
	}{
		"untouched":             {data, func(*testing.T, string) {}, false},
		"grown":                 {data, rewrite(append(bytes.Clone(data), "more\n"...)), false},
		"shorter":               {data, rewrite(data[:30_000]), true},
		"another byte":          {data, rewrite(other), true},
		"another byte, gzip":    {gzipped(t, data), rewrite(gzipped(t, other)), true},
		"gzip untouched":        {gzipped(t, data), func(*testing.T, string) {}, false},
		"replaced by an equal":  {data, func(t *testing.T, path string) { replace(t, path, data) }, false},
		"replaced by another":   {data, func(t *testing.T, path string) { replace(t, path, other) }, true},
		"removed":               {data, func(t *testing.T, path string) { os.Remove(path) }, true},
		"no longer of a format": {data, rewrite(append([]byte{0}, data[1:]...)), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, src := write(t, map[string][]byte{"a": c.stored})
			o := lineOptions()
			o.Chunk, o.Sums, o.Workers = 3000, true, 2
			first, res := read(t, src, o)
			c.change(t, src[0].Path)
			o.Again, o.Sums = res, false
			second, res := read(t, src, o)
			if got := res.Sources[0].Changed; got != c.changed {
				t.Errorf("changed %v, want %v", got, c.changed)
			}
			if !c.changed {
				if d := gocmp.Diff(second.all(), first.all()); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestSecondPassPassesOverStreams(t *testing.T) {
	o := lineOptions()
	o.Stdin, o.Sums = strings.NewReader("one\n"), true
	src := []Source{{Name: "-", Stdin: true, Size: -1}}
	_, res := read(t, src, o)
	o.Again = res
	h, res := read(t, src, o)
	if s := res.Sources[0]; !s.Stream || s.Changed || len(h.all()) != 0 {
		t.Errorf("%+v", s)
	}
}

// moving is a disk on which something happens to a file after it was opened.
type moving struct {
	disk
	then func()
}

func (m moving) Open(name string) (File, error) {
	f, err := os.Open(name)
	return &movingFile{File: f, then: m.then}, err
}

type movingFile struct {
	*os.File
	then  func()
	reads int
}

// ReadAt lets it happen after the beginning of the file was read.
func (f *movingFile) ReadAt(p []byte, off int64) (int, error) {
	if f.reads++; f.reads == 2 {
		f.then()
	}
	n, err := f.File.ReadAt(p, off)
	if err == io.EOF && n == len(p) {
		err = nil
	}
	return n, err
}

func TestFileThatChangesWhileItIsRead(t *testing.T) {
	data := lines110(400_000)
	for name, c := range map[string]struct {
		then func(path string) error
		want string
	}{
		"grows": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			if _, err := f.WriteString("more\n"); err != nil {
				return err
			}
			return f.Close()
		}, ""},
		"is cut":      {func(path string) error { return os.Truncate(path, 150_000) }, "became shorter"},
		"is replaced": {func(path string) error { return os.Rename(path, path+".old") }, ""},
	} {
		for _, chunk := range []int64{0, 64 << 10} {
			_, src := write(t, map[string][]byte{"a": data})
			o := lineOptions()
			o.Workers, o.Chunk = 1, chunk
			o.Files = moving{then: func() {
				if err := c.then(src[0].Path); err != nil {
					t.Error(err)
				}
			}}
			h := &recorder{}
			res, err := Read(t.Context(), src, o, h)
			if err != nil {
				t.Fatal(err)
			}
			err = firstError(res)
			if c.want == "" && (err != nil || len(h.all()) != bytes.Count(data, lineEnd)) {
				t.Errorf("a file that %s: %d records, %v", name, len(h.all()), err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "after 150000 bytes")) {
				t.Errorf("a file that %s: %v", name, err)
			}
			if got := len(h.all()); c.want != "" && got != 150_000/110 {
				t.Errorf("a file that %s: %d records", name, got)
			}
		}
	}
}
