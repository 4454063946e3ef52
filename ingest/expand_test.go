package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestExpandNamesFilesOnce(t *testing.T) {
	dir, _ := write(t, map[string][]byte{
		"a.log": []byte("a"), "b.log": []byte("bb"), "sub/c.log": []byte("ccc"), "sub/deep/d": nil,
		".git/config": []byte("x"), "[odd].log": []byte("odd"),
	})
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("b.log", "current")
	link("sub", "loop")
	link("nowhere", "broken")
	t.Chdir(dir)
	for name, c := range map[string]struct {
		args []string
		want string // names, those named with a star
		errs string
	}{
		"files in the order given":           {[]string{"b.log", "a.log"}, "b.log* a.log*", ""},
		"a file named twice":                 {[]string{"a.log", "./a.log", dir + "/a.log"}, "a.log*", ""},
		"a link and its file":                {[]string{"current", "b.log"}, "current*", ""},
		"a folder, with a broken link in it": {[]string{"."}, "[odd].log a.log b.log sub/c.log sub/deep/d", "broken"},
		"a link to a folder":                 {[]string{"loop"}, "loop/c.log loop/deep/d", ""},
		"a glob":                             {[]string{"*.log"}, "[odd].log a.log b.log", ""},
		"a glob of folders":                  {[]string{"s*"}, "sub/c.log sub/deep/d", ""},
		"a file that looks like a glob":      {[]string{"[odd].log"}, "[odd].log*", ""},
		"a glob that matches nothing":        {[]string{"*.txt", "a.log"}, "a.log*", "*.txt: no file matches"},
		"a bad glob":                         {[]string{"[", "a.log"}, "a.log*", "[: syntax error in pattern"},
		"a missing file and another":         {[]string{"no.log", "a.log", "nor.log"}, "a.log*", "stat no.log: no such file or directory\nstat nor.log: no such file or directory"},
		"the standard input, once":           {[]string{"-", "a.log", "-"}, "-* a.log*", ""},
		"a folder and a file in it":          {[]string{"sub/c.log", "sub"}, "sub/c.log* sub/deep/d", ""},
	} {
		src, err := Expand(c.args, disk{})
		var got []string
		for _, s := range src {
			n := s.Name
			if s.Named {
				n += "*"
			}
			got = append(got, n)
			if want := map[bool]int64{true: -1, false: s.Size}[s.Stdin]; s.Size != want || s.Stdin != (s.Name == "-") {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if d := gocmp.Diff(strings.Join(got, " "), c.want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		switch {
		case err == nil && c.errs != "":
			t.Errorf("%s: no error, want %q", name, c.errs)
		case err != nil && (c.errs == "" || !strings.Contains(err.Error(), c.errs)):
			t.Errorf("%s: error %v, want %q", name, err, c.errs)
		}
	}
}
