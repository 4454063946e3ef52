package arch

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// top are the entries that may lie at the top of the repository, beside dot-files and what .gitignore
// leaves out.
var top = []string{
	"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "cmd", "detect", "docs", "fixtures", "go.mod", "go.sum",
	"ingest", "internal", "report", "sketch",
}

// strangers gives the entries that have no place at the top, and those that are missing there.
func strangers(entries, ignored []string) (surplus, missing []string) {
	for _, name := range entries {
		if !slices.Contains(top, name) && !slices.Contains(ignored, name) && !strings.HasPrefix(name, ".") {
			surplus = append(surplus, name)
		}
	}
	for _, name := range top {
		if !slices.Contains(entries, name) {
			missing = append(missing, name)
		}
	}
	return surplus, missing
}

func TestTheTopOfTheRepositoryHoldsWhatIsAgreed(t *testing.T) {
	dir, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	entries := []string{}
	for _, e := range dir {
		entries = append(entries, e.Name())
	}
	text, err := os.ReadFile("../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	ignored := []string{}
	for line := range strings.FieldsSeq(string(text)) {
		ignored = append(ignored, strings.Trim(line, "/"))
	}
	surplus, missing := strangers(entries, ignored)
	if len(surplus)+len(missing) > 0 {
		t.Errorf("no place at the top: %v; missing there: %v", surplus, missing)
	}
}

func TestAStrangerAtTheTopIsNamed(t *testing.T) {
	surplus, missing := strangers(append(slices.Clone(top[1:]), "util", ".ci", "keyheat"), []string{"keyheat"})
	if d := cmp.Diff([][]string{surplus, missing}, [][]string{{"util"}, {"CHANGELOG.md"}}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
