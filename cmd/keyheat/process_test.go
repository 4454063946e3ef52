package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// hotLines are records of one hot key and some others.
func hotLines(from, n int) string {
	b := &strings.Builder{}
	for i := from; i < from+n; i++ {
		key := "hot"
		if i%2 == 1 {
			key = fmt.Sprintf("k%d", i%97)
		}
		at := time.Unix(1_780_000_000+int64(i/10), 0).UTC().Format(time.RFC3339)
		fmt.Fprintf(b, `{"ts":%q,"table":"orders","pk":%q}`+"\n", at, key)
	}
	return b.String()
}

// A pausing reader gives text, then calls then, then gives the rest.
type pausing struct {
	text, rest io.Reader
	then       func()
}

func (p *pausing) Read(b []byte) (int, error) {
	n, err := p.text.Read(b)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	if p.then != nil {
		p.then()
		p.then = nil
	}
	return p.rest.Read(b)
}

func TestAnInterruptedRunReportsWhatItSaw(t *testing.T) {
	for _, command := range []string{"analyze", "keys"} {
		t.Run(command, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			e := testEnv(command, "-", "--format", "json", "--chunk", "64KiB")
			// What follows the interrupt is more than any buffer holds: it is not all read.
			e.stdin = &pausing{text: strings.NewReader(hotLines(0, 20_000)), rest: &endless{}, then: cancel}
			out, errs := &bytes.Buffer{}, &bytes.Buffer{}
			e.stdout, e.stderr = out, errs
			if code := run(ctx, e); code != exitInterrupted {
				t.Errorf("exit %d, want 130; stderr %s", code, errs)
			}
			if !strings.Contains(out.String(), `"key": "hot"`) {
				t.Errorf("the hot key is not reported: %s", out)
			}
			if last := "keyheat: interrupted: what was read until then is reported\n"; !strings.HasSuffix(errs.String(), last) || strings.Contains(errs.String(), "reading -") {
				t.Errorf("stderr is %q, want it to end in %q and to blame no input", errs, last)
			}
		})
	}
}

// endless gives records for ever.
type endless struct{}

func (*endless) Read(b []byte) (int, error) { return copy(b, hotLines(0, 1)), nil }

// onlyIn is a file system of one file that a hook may change between openings.
type onlyIn struct {
	disk
	opened func(times int)
	times  int
}

// Open counts.
func (f *onlyIn) Open(name string) (ingest.File, error) {
	f.times++
	f.opened(f.times)
	return f.disk.Open(name)
}

func TestAnInputThatIsReplacedBeforeTheSecondPassHasNoExactCounts(t *testing.T) {
	for name, age := range map[string]time.Duration{"its bytes are summed": 0, "it was left alone for long": time.Hour} {
		t.Run(name, func(t *testing.T) { replaced(t, age) })
	}
}

func replaced(t *testing.T, age time.Duration) {
	file := filepath.Join(t.TempDir(), "events.ndjson")
	write := func(text string, age time.Duration) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write(hotLines(0, 2000), age)
	run := func(opened func(times int)) (openings int, stdout string) {
		e := testEnv("analyze", "--format", "json", file)
		files := &onlyIn{opened: opened}
		e.files, e.now = files, time.Now
		code, stdout, stderr := runArgs(t, e)
		if code != exitRan || files.times < 2 {
			t.Fatalf("exit %d after %d openings: %s", code, files.times, stderr)
		}
		return files.times, stdout
	}
	last, stdout := run(func(int) {})
	if !strings.Contains(stdout, `"second_pass": true`) {
		t.Error("an input that stays has no exact counts")
	}
	_, stdout = run(func(times int) {
		if times == last {
			write(strings.ReplaceAll(hotLines(0, 2000), "hot", "new"), 2*age)
		}
	})
	for _, want := range []string{`"second_pass": false`, "changed while it was read", `"key": "hot"`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
}

// closedPipe is the stdout of a process whose reader is gone.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestAReaderThatIsGoneIsNoFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	e := testEnv("analyze", "-", "--output", "json="+file)
	e.stdin = strings.NewReader(hotLines(0, 2000))
	errs := &bytes.Buffer{}
	e.stdout, e.stderr, e.create = closedPipe{}, errs, processEnv().create
	if code := run(t.Context(), e); code != exitRan || errs.Len() > 0 {
		t.Errorf("exit %d, stderr %q; want 0 and nothing", code, errs)
	}
	if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte(`"key": "hot"`)) {
		t.Errorf("the other output was not written: %v", err)
	}
}

func TestColourOnATerminalOnly(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		vars     map[string]string
		flag     string
		want     bool
	}{
		{"a terminal", true, nil, "auto", true},
		{"a pipe", false, nil, "auto", false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, "auto", false},
		{"a dumb terminal", true, map[string]string{"TERM": "dumb"}, "auto", false},
		{"asked for in a pipe", false, map[string]string{"NO_COLOR": "1"}, "always", true},
		{"not wanted on a terminal", true, nil, "never", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := testEnv("analyze", "-", "--color", tt.flag)
			e.stdin, e.outTerminal, e.getenv = strings.NewReader(hotLines(0, 2000)), tt.terminal, func(name string) string { return tt.vars[name] }
			code, stdout, stderr := runArgs(t, e)
			if code != exitRan {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if got := strings.Contains(stdout, "\x1b["); got != tt.want {
				t.Errorf("colour %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAProfileIsNotWrittenToATerminal(t *testing.T) {
	for _, args := range [][]string{{"sketch", "-"}, {"merge", "--to", "-", "a"}} {
		e := testEnv(args...)
		e.outTerminal = true
		if code, _, stderr := runArgs(t, e); code != exitUsage || !strings.Contains(stderr, "stdout is a terminal: give --to FILE") {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr)
		}
	}
}

func TestTheMemoryLimitFollowsTheFlag(t *testing.T) {
	e := testEnv("keys", "-", "--memory", "100MiB")
	e.stdin = strings.NewReader(hotLines(0, 10))
	got := int64(0)
	e.limitMemory = func(n int64) { got = n }
	if code, _, stderr := runArgs(t, e); code != exitRan || got != 80<<20 {
		t.Errorf("exit %d, limit %d, want %d; %s", code, got, 80<<20, stderr)
	}
}
