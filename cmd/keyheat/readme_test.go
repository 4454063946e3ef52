package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the output in README.md anew")

const readme = "../../README.md"

// more is the last line of an output of which only the beginning is shown.
const more = "…"

// A shown is a fenced block of commands, and the output that stands below it.
type shown struct {
	line     int // of the first command
	commands []string
	output   []string // nil: the commands succeed, whatever they print
	from, to int      // lines of the output, fences left out
}

// shownIn gives the sh blocks of a Markdown text, each with the text block that follows it at once.
func shownIn(lines []string) []shown {
	all := []shown{}
	for i := 0; i < len(lines); i++ {
		if lines[i] != "```sh" {
			continue
		}
		end := i + 1 + slices.Index(lines[i+1:], "```")
		s := shown{line: i + 2, commands: lines[i+1 : end]}
		if end+1 < len(lines) && lines[end+1] == "```text" {
			s.from = end + 2
			s.to = s.from + slices.Index(lines[s.from:], "```")
			s.output = lines[s.from:s.to]
		}
		all = append(all, s)
		i = end
	}
	return all
}

// outputOf runs a command as the README's reader would, with the test's own binary as keyheat.
func outputOf(t *testing.T, dir, command string) []string {
	t.Helper()
	sh := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, "go run ./cmd/keyheat", "keyheat"))
	sh.Dir = dir
	sh.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	var errs bytes.Buffer
	sh.Stderr = &errs
	out, err := sh.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, errs.Bytes())
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}

// abridged gives as much of got as want shows: all of it, unless want ends with the mark of more.
func abridged(got, want []string) []string {
	if n := len(want) - 1; n >= 0 && want[n] == more && len(got) > n {
		return append(slices.Clone(got[:n]), more)
	}
	return got
}

func TestTheReadmesCommandsPrintWhatItShows(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a dozen processes")
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(repository, "fixtures"), filepath.Join(dir, "fixtures")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	blocks := shownIn(lines)
	if len(blocks) < 8 {
		t.Errorf("%d blocks of commands found", len(blocks))
	}
	for _, s := range slices.Backward(blocks) { // an update moves only what is below
		t.Run(fmt.Sprintf("line %d", s.line), func(t *testing.T) {
			var got []string
			for _, command := range s.commands {
				if command != "go test ./..." {
					got = outputOf(t, dir, command)
				}
			}
			if s.output == nil {
				return
			}
			if got = abridged(got, s.output); *update {
				lines = slices.Replace(lines, s.from, s.to, got...)
			} else if d := cmp.Diff(got, s.output); d != "" {
				t.Errorf("got (-), README.md (+):\n%s", d)
			}
		})
	}
	if *update {
		if err := os.WriteFile(readme, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestShownBlocksAreFoundWithTheirOutput(t *testing.T) {
	got := shownIn(strings.Split("a\n```sh\nx\ny\n```\n```text\n1\n2\n```\n\n```sh\nz\n```\n\n```text\n3\n```", "\n"))
	want := []shown{
		{line: 3, commands: []string{"x", "y"}, output: []string{"1", "2"}, from: 6, to: 8},
		{line: 12, commands: []string{"z"}},
	}
	if d := cmp.Diff(got, want, cmp.AllowUnexported(shown{})); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	for _, tc := range [][3]string{{"a b c", "a b " + more, "a b " + more}, {"a b", "a b", "a b"}, {"a b c", "a b", "a b c"}, {"a", "a b " + more, "a"}} {
		if got := abridged(strings.Fields(tc[0]), strings.Fields(tc[1])); !slices.Equal(got, strings.Fields(tc[2])) {
			t.Errorf("%q shown as %q: %q", tc[0], tc[1], got)
		}
	}
}

// The made inputs of the demo are those that the commands of its README make.
func TestTheDemoIsMadeByTheCommandsOfItsReadme(t *testing.T) {
	text, err := os.ReadFile("../../fixtures/demo/README.md")
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`(?m)^go run ./cmd/keyheat generate (.*) \| gzip -9n > fixtures/demo/(\S+)$`).FindAllStringSubmatch(string(text), -1)
	if len(made) != 4 {
		t.Errorf("%d commands found", len(made))
	}
	for _, m := range made {
		t.Run(m[2], func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "made")
			generateTo(t, name, strings.Fields(m[1])...)
			got, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if want := gunzipped(t, "../../fixtures/demo/"+m[2]); !bytes.Equal(got, want) {
				t.Errorf("%d bytes made, other than the %d stored", len(got), len(want))
			}
		})
	}
}

func gunzipped(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
