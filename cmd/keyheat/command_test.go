package main

import (
	"bytes"
	"context"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// testEnv is a process without terminal, files of the machine, or environment.
func testEnv(args ...string) *env {
	return &env{
		args:        args,
		stdin:       strings.NewReader(""),
		stdout:      io.Discard,
		stderr:      io.Discard,
		getenv:      func(string) string { return "" },
		now:         func() time.Time { return time.Unix(0, 0) },
		files:       disk{},
		readFile:    func(string) ([]byte, error) { return nil, io.ErrUnexpectedEOF },
		create:      func(string) (io.WriteCloser, error) { return nil, io.ErrUnexpectedEOF },
		createNew:   func(string) (io.WriteCloser, error) { return nil, io.ErrUnexpectedEOF },
		update:      func(string) (updatable, error) { return nil, io.ErrUnexpectedEOF },
		spool:       spool,
		limitMemory: func(int64) {},
		cpus:        2,
		random:      func([]byte) {},
		buildInfo:   func() (*debug.BuildInfo, bool) { return nil, false },
	}
}

// runArgs runs a command line in this process.
func runArgs(t *testing.T, e *env) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := &bytes.Buffer{}, &bytes.Buffer{}
	e.stdout, e.stderr = out, errs
	code = run(t.Context(), e)
	return code, out.String(), errs.String()
}

func allCommands(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{}
	for _, c := range root.Commands() {
		if c.Name() != "completion" && c.Name() != "help" {
			all = append(all, c)
		}
	}
	return all
}

func TestEveryCommandTellsItsExitCodesAndHasAnExample(t *testing.T) {
	for _, c := range allCommands(newRoot(testEnv())) {
		if !strings.HasSuffix(c.Long, exitHelp) {
			t.Errorf("%s: the long help does not end with the exit codes", c.Name())
		}
		if !strings.HasPrefix(c.Example, "  keyheat ") {
			t.Errorf("%s: no example", c.Name())
		}
		if c.RunE == nil || c.Args == nil {
			t.Errorf("%s: no RunE or Args", c.Name())
		}
	}
}

func TestEveryCommandRefusesAFlagThatItDoesNotHave(t *testing.T) {
	for _, c := range allCommands(newRoot(testEnv())) {
		code, stdout, stderr := runArgs(t, testEnv(c.Name(), "--no-such-flag"))
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, "unknown flag --no-such-flag") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.Name(), code, stdout, stderr)
		}
	}
}

func TestFaultsOfTheCommandLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		args string
		want string // lines of stderr but the last, which names the help
	}{
		{"an unknown command suggests the nearest", "analize x", `unknown command "analize": did you mean analyze?`},
		{"an unknown command far from all suggests none", "frobnicate", `unknown command "frobnicate"`},
		{"an unknown flag suggests the nearest", "analyze --worker 2 x", "unknown flag --worker: did you mean --workers?"},
		{"an unknown shorthand is named", "analyze -z x", "unknown shorthand flag: 'z' in -z"},
		{"a flag without its value", "analyze x --chunk", "flag needs an argument: --chunk"},
		{"no input", "analyze", "0 arguments given: want at least one INPUT: a file, a directory, a glob, a URL or -"},
		{"too few words of key", "key x orders", "2 arguments given: want INPUT… TABLE KEY"},
		{"a word too many", "version now", `unexpected argument "now": want no arguments`},
		{
			"all faults of a command line at once",
			"analyze x --chunk 0 --workers 0 --memory 1k --pane 7m --sample-rate 2 --max-bad x --timezone Mars --since soon --fail-on bad --map pk --color red --format pdf --output x=y --mask-secret f",
			`--map pk: must be field=path, like pk=user.id
--timezone Mars: must be a zone like UTC or Europe/Lisbon
--since soon: must be a time like 2026-06-04T10:00:00Z or a duration like 2h before the end of the input
--max-bad x: must be a count or a percentage: 500 or 1%
--memory 1k: must be at least 64MiB
--chunk 0: must be at least 4KiB
--workers 0: must be a whole number of at least 1
--pane 7m: must be one of 1m, 2m, 4m, 12m, 1h, 3h, 6h, 12h, 1d, 7d, 28d, 364d
--sample-rate 2: must be over 0 and at most 1
--color red: must be one of auto, always, never
--mask-secret f: needs --mask-keys
--format pdf: must be one of text, json, html, markdown, sarif, csv, csv-patterns, csv-checklist, prometheus, arrow, arrow-panes, parquet, parquet-panes
--output x=y: must be FORMAT=FILE with a format of text, json, html, markdown, sarif, csv, csv-patterns, csv-checklist, prometheus, arrow, arrow-panes, parquet, parquet-panes
--fail-on bad: must be never, low, medium, high or critical`,
		},
		{"bounds of time that nothing fits between", "analyze x --since 2026-06-04 --until 2026-06-03", "--since 2026-06-04 --until 2026-06-03: must be later than --since"},
		{"relative bounds that nothing fits between", "analyze x --since 1h --until 2h", "--since 1h --until 2h: must be later than --since"},
		{"a field that is mapped twice", "keys x --map pk=a --map pk=b", "--map pk=b: pk is mapped twice"},
		{"two renderings on stdout", "analyze x --format text --output json=-", "--output FORMAT=-: stdout takes one rendering"},
		{"keys by an unknown weight", "keys x --by heat", "--by heat: must be one of requests, cost, bytes, tombstones"},
		{"an unknown rule suggests the nearest", "explain hot-partitions", `unknown rule "hot-partitions": did you mean hot-partition?`},
		{"an unknown format suggests the nearest", "formats key-events-njson", `unknown format "key-events-njson": did you mean key-events-ndjson?`},
		{"an unknown topic of help", "help nothing", `unknown command "nothing"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := runArgs(t, testEnv(strings.Fields(tt.args)...))
			if code != exitUsage || stdout != "" {
				t.Errorf("exit %d, stdout %q; want 2 and nothing", code, stdout)
			}
			got := []string{}
			for line := range strings.Lines(stderr) {
				got = append(got, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "keyheat: "))
			}
			if last := got[len(got)-1]; !strings.HasPrefix(last, "see keyheat") {
				t.Errorf("the last line is %q; want one that names the help", last)
			}
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), got[:len(got)-1]); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnInterruptedRunWithoutAnythingReadEndsWith130(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := testEnv("analyze", "main.go")
	out := &bytes.Buffer{}
	e.stdout = out
	if code := run(ctx, e); code != exitInterrupted || out.Len() > 0 {
		t.Errorf("exit %d, stdout %q; want 130 and nothing", code, out)
	}
}

func TestNamesOfFilesCannotCommandTheTerminal(t *testing.T) {
	code, _, stderr := runArgs(t, testEnv("analyze", "a\x1b]0;b\u202e\xffé"))
	want := `keyheat: stat a\x1b]0;b\u202e\ufffdé: no such file or directory` + "\n"
	if code != exitFailed || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit %d, stderr %q, want it to begin with %q", code, stderr, want)
	}
}

func TestTheVersionTellsTheCommit(t *testing.T) {
	e := testEnv("version")
	e.buildInfo = func() (*debug.BuildInfo, bool) {
		return &debug.BuildInfo{
			Main: debug.Module{Version: "v1.2.3"},
			Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"},
			},
		}, true
	}
	_, stdout, _ := runArgs(t, e)
	if want := "keyheat v1.2.3 (0123456789ab, modified) go"; !strings.HasPrefix(stdout, want) {
		t.Errorf("got %q, want it to begin with %q", stdout, want)
	}
}
