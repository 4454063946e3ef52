package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pastes are the forms in which text of a terminal or a log arrives in tickets, questions and files.
var pastes = map[string]func(line string) string{
	"indented as code":                 func(l string) string { return "    " + l },
	"quoted in a mail":                 func(l string) string { return "> " + l },
	"filled up with blanks":            func(l string) string { return l + "   " },
	"with ends of lines of Windows":    func(l string) string { return l + "\r" },
	"behind the name of a container":   func(l string) string { return "cassandra-1  | " + l },
	"in colour":                        func(l string) string { return "\x1b[33m" + l + "\x1b[0m" },
	"behind what a log shipper writes": func(l string) string { return "Mar  1 10:00:00 db-17 cassandra[4711]: " + l },
}

// found gives what was found in a text, without places and times.
func found(t *testing.T, name, text string) []string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", name))
	if code != exitRan {
		return []string{stderr}
	}
	var r struct {
		Findings []struct {
			Rule, Severity, Mechanism string
			Table, Key                json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range r.Findings {
		if f.Rule != "blind-spot" {
			all = append(all, strings.Join([]string{f.Rule, f.Severity, f.Mechanism, string(f.Table), string(f.Key)}, " "))
		}
	}
	slices.Sort(all)
	return all
}

func TestPastedTextTellsWhatTheFileTells(t *testing.T) {
	names, err := filepath.Glob("../../fixtures/formats/*/*.[tl][xo][tg]")
	if err != nil || len(names) < 100 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 32<<10 || bytes.ContainsAny(text, "\x1b\r") || bytes.Contains(text, []byte("'line1\nline2'")) {
			continue // too long for each form, in one of them already, or with a key that they change
		}
		to := filepath.Join(t.TempDir(), filepath.Base(name))
		want := found(t, to, string(text))
		for form, of := range pastes {
			var b strings.Builder
			for line := range strings.Lines(string(text)) {
				line, ended := strings.CutSuffix(line, "\n")
				if b.WriteString(of(line)); ended {
					b.WriteByte('\n')
				}
			}
			if d := cmp.Diff(found(t, to, b.String()), want); d != "" {
				t.Errorf("%s %s: findings (-got +want):\n%s", name, form, d)
			}
		}
	}
}
