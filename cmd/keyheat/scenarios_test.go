package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect/rules"
	"github.com/keyheat/keyheat/internal/generate"
)

// notData are the files of a scenario that are no input.
var notData = []string{"README.md", "truth.json", "generate.args"}

// analyzed gives the report of a folder of inputs.
func analyzed(t *testing.T, dir string, args ...string) *readReport {
	t.Helper()
	code, stdout, stderr := runArgs(t, testEnv(slices.Concat([]string{"analyze", "--format", "json"}, args, []string{dir})...))
	if code != exitRan {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r := &readReport{}
	if err := json.Unmarshal([]byte(stdout), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// staged copies the inputs of a scenario to a folder of their own, and makes those of generate.args:
// in each line the name of a file, and after it what keyheat generate is to be given.
func staged(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, name := range notData {
		if err := os.Remove(filepath.Join(to, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	list, err := os.ReadFile(filepath.Join(from, "generate.args"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		generateTo(t, filepath.Join(to, words[0]), words[1:]...)
	}
	return to
}

func generateTo(t *testing.T, name string, args ...string) {
	t.Helper()
	e := testEnv(slices.Concat([]string{"generate", "--to", name}, args)...)
	e.create = func(name string) (io.WriteCloser, error) { return os.Create(name) }
	if code, _, stderr := runArgs(t, e); code != exitRan {
		t.Fatalf("generate %v: exit %d: %s", args, code, stderr)
	}
}

func truths(t *testing.T, name string) []truth {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cases := []truth{}
	if err := strict(data, &cases); err != nil {
		t.Fatalf("reading %s: %v", name, err)
	}
	return cases
}

func TestReportsOfScenariosAreTrue(t *testing.T) {
	files, err := filepath.Glob("../../fixtures/scenarios/*/truth.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../fixtures/demo/truth.json") {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			dir := staged(t, folder)
			for _, tr := range truths(t, filepath.Join(folder, "truth.json")) {
				for _, bad := range tr.wrong(analyzed(t, filepath.Join(dir, tr.File), tr.Args...)) {
					t.Errorf("case %s: %s", tr.Case, bad)
				}
			}
		})
	}
}

// Each rule has a scenario that it must find and one close to it that it must not.
func TestEachRuleHasAScenarioItFindsAndAQuietOne(t *testing.T) {
	for _, r := range rules.Catalogue() {
		found, quiet := 0, 0
		folders, err := filepath.Glob("../../fixtures/scenarios/" + r.ID + "-*")
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			for _, tr := range truths(t, filepath.Join(folder, "truth.json")) {
				if slices.ContainsFunc(tr.Must, func(e expected) bool { return slices.Contains(e.Rule, r.ID) }) {
					found++
				}
				if slices.ContainsFunc(tr.MustNot, func(f forbidden) bool { return slices.Contains(f.Rule, r.ID) || slices.Contains(f.Rule, "*") }) {
					quiet++
				}
			}
		}
		if found == 0 || quiet == 0 {
			t.Errorf("%s: %d scenarios find it and %d must not: want one each", r.ID, found, quiet)
		}
	}
}

func TestReportsOfGeneratedTrafficAreTrue(t *testing.T) {
	for _, k := range generate.Kinds() {
		for _, size := range []struct {
			name string
			args []string
		}{
			{"of the default size", nil},
			{"of three tables as CSV", []string{"--tables", "3", "--format", "csv", "--seed", "11", "--events", "60000"}},
			{"of a day", []string{"--minutes", "1440", "--seed", "12"}},
			{"of few records", []string{"--events", "50", "--minutes", "120", "--seed", "13"}},
		} {
			if testing.Short() && size.args != nil {
				continue
			}
			t.Run(k.Name+" "+size.name, func(t *testing.T) { checkGenerated(t, k.Name, size.args...) })
		}
	}
}

// Each kind is held against its truth for many seeds, sizes and forms.
func TestLongReportsOfManySeedsAreTrue(t *testing.T) {
	if os.Getenv("KEYHEAT_LONG") == "" {
		t.Skip("takes minutes: set KEYHEAT_LONG=1, see docs/long-runs.md")
	}
	kinds := generate.Kinds()
	for seed := range 1000 {
		k := kinds[seed%len(kinds)].Name
		args := strings.Fields(fmt.Sprintf("--seed %d --tables %d --events %d --minutes %d --keys %d --format %s",
			seed, 1+seed/10%5, 1000+seed*7919%90_000, 120+seed*131%600, 1000+seed*613%50_000, []string{"ndjson", "csv"}[seed/10%2]))
		t.Run(fmt.Sprintf("%s %d", k, seed), func(t *testing.T) { checkGenerated(t, k, args...) })
	}
}

func checkGenerated(t *testing.T, kind string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "truth.json")
	generateTo(t, filepath.Join(dir, "events"), slices.Concat([]string{kind, "--truth", file}, args)...)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tr := truth{}
	if err := strict(data, &tr); err != nil {
		t.Fatal(err)
	}
	for _, bad := range tr.wrong(analyzed(t, dir)) {
		t.Errorf("generate %s %s: %s", kind, strings.Join(args, " "), bad)
	}
}
