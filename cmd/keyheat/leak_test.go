package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/keyheat/keyheat/report/render"
)

// shownKeys gives the keys that a JSON report names, and their components. Short ones, plain words,
// numbers and parts of a time stand in reports for other reasons.
func shownKeys(t *testing.T, page string) []string {
	t.Helper()
	var rep struct {
		Tables []struct {
			TopKeys []struct{ Key string } `json:"top_keys"`
		}
		Findings []struct {
			Subject struct {
				Key        string
				Components []struct{ Value string }
			}
		}
	}
	if err := json.Unmarshal([]byte(page), &rep); err != nil {
		t.Fatal(err)
	}
	var keys []string
	add := func(key string) {
		if len(key) >= 5 && !common.MatchString(key) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, table := range rep.Tables {
		for _, k := range table.TopKeys {
			add(k.Key)
		}
	}
	for _, f := range rep.Findings {
		add(f.Subject.Key)
		for _, c := range f.Subject.Components {
			add(c.Value)
		}
	}
	return keys
}

var common = regexp.MustCompile(`^\d{4}-\d\d|^\d+$|^[a-z]+$`)

// parquetText gives all cells of a Parquet file.
func parquetText(t *testing.T, page []byte) string {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 1 << 20}, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range int(table.NumCols()) {
		fmt.Fprintln(&b, table.Column(i).Data())
	}
	return b.String()
}

// analyzeAll runs one analysis with every format at once, each to its file in memory.
func analyzeAll(t *testing.T, input string, flags ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"analyze", "--quiet", "--max-bad", "100%", "--min-severity", "low", "--heatmap"}, flags...)
	for _, r := range render.Catalogue() {
		args = append(args, "--output", r.Name+"="+filepath.Join(dir, r.Name))
	}
	e := testEnv(append(args, input)...)
	e.create = processEnv().create
	e.getenv = func(name string) string { return map[string]string{maskVariable: "s3cret"}[name] }
	if code, _, errs := runArgs(t, e); code != 0 && code != exitBadRecords {
		t.Fatalf("exit %d: %s", code, errs)
	}
	pages := map[string]string{}
	for _, r := range render.Catalogue() {
		page, err := os.ReadFile(filepath.Join(dir, r.Name))
		if err != nil {
			t.Fatal(err)
		}
		pages[r.Name] = string(page)
	}
	return pages
}

func TestMaskedReportsLeakNoKeyInAnyFormat(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses all fixtures twice")
	}
	inputs := []string{"../../fixtures/demo", "../../fixtures/scenarios/hot-partition-over-limit", "../../fixtures/scenarios/tombstone-dense-read-queue"}
	for _, pattern := range []string{"../../fixtures/scenarios/*-hours", "../../fixtures/formats/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, found...)
	}
	checked := 0
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(input), func(t *testing.T) {
			input := staged(t, input)
			keys := shownKeys(t, analyzeAll(t, input)["json"])
			for name, page := range analyzeAll(t, input, "--mask-keys") {
				page = strings.ReplaceAll(page, input, "")
				if strings.HasPrefix(name, "parquet") {
					page = parquetText(t, []byte(page))
				}
				for _, key := range keys {
					if at := strings.Index(page, key); at >= 0 {
						t.Errorf("%s shows the key %q: …%q…", name, key, page[max(0, at-60):min(len(page), at+len(key)+60)])
					}
				}
			}
			checked += len(keys)
		})
	}
	if checked < 100 {
		t.Errorf("%d keys were looked for, want at least 100", checked)
	}
}

func TestTheSameSecretGivesTheSameMasksInEachReport(t *testing.T) {
	masks := func(input string) []string {
		return shownKeys(t, analyzeAll(t, input, "--mask-keys")["json"])
	}
	all, part := masks("../../fixtures/demo"), masks("../../fixtures/demo/carts.ndjson.gz")
	if len(part) == 0 || !slices.Contains(all, part[0]) {
		t.Errorf("mask %v of a part is not among those of the whole", part[:min(len(part), 1)])
	}
}

func TestBytesAreNotWrittenToATerminal(t *testing.T) {
	for _, args := range [][]string{{"--format", "parquet"}, {"--output", "arrow=-"}} {
		e := testEnv(append(append([]string{"analyze"}, args...), "../../fixtures/demo")...)
		e.outTerminal = true
		code, stdout, stderr := runArgs(t, e)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, "to the terminal") {
			t.Errorf("%v: exit %d, %d bytes on stdout, stderr %q", args, code, len(stdout), stderr)
		}
	}
}
