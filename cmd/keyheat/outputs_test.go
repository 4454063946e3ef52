package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// keptWhole are the outputs whose whole text is kept; of the others the size and the hash are.
var keptWhole = []string{"text", "markdown", "csv", "prometheus"}

// goldenOutputs are the fixtures of which every output is kept.
var goldenOutputs = []string{"demo", "scenarios/hot-partition-over-limit", "scenarios/moving-hot-key-hours", "scenarios/tombstone-dense-read-queue",
	"scenarios/hot-node-first", "scenarios/hot-partition-quiet-zipf"}

func TestEveryOutputOfTheFixturesIsAsReviewed(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses six fixtures")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range goldenOutputs {
		t.Run(filepath.Base(name), func(t *testing.T) {
			dir := staged(t, "../../fixtures/"+name)
			t.Chdir(dir)
			pages := analyzeAll(t, ".")
			kept := filepath.Join(here, "testdata", "outputs", filepath.Base(name))
			sums := &strings.Builder{}
			for _, format := range slices.Sorted(maps.Keys(pages)) {
				if slices.Contains(keptWhole, format) {
					goldenFile(t, filepath.Join(kept, format+".txt"), pages[format])
					continue
				}
				fmt.Fprintf(sums, "%-14s %7d bytes  sha256 %x\n", format, len(pages[format]), sha256.Sum256([]byte(pages[format])))
			}
			goldenFile(t, filepath.Join(kept, "sums.txt"), sums.String())
		})
	}
}

// goldenFile holds text against a file; -update writes it anew.
func goldenFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s differs (-got +want); -update writes it anew:\n%s", path, diff)
	}
}
