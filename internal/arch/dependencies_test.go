package arch

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// required gives the modules of a go.mod file.
func required(text string) []string {
	modules := []string{}
	for _, m := range regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+) v\S+`).FindAllStringSubmatch(text, -1) {
		modules = append(modules, m[1])
	}
	return modules
}

// direct gives those of the modules that one of the imports belongs to, sorted.
func direct(modules, imports []string) []string {
	used := []string{}
	for _, path := range imports {
		best := ""
		for _, m := range modules {
			if (path == m || strings.HasPrefix(path, m+"/")) && len(m) > len(best) {
				best = m
			}
		}
		if best != "" && !slices.Contains(used, best) {
			used = append(used, best)
		}
	}
	slices.Sort(used)
	return used
}

// described gives the modules of the table of dependencies that have a licence and a reason.
func described(text string) []string {
	modules := []string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \| \w[^|]* \| \w[^|]* \|$`).FindAllStringSubmatch(text, -1) {
		modules = append(modules, m[1])
	}
	return modules
}

func TestEachDependencyHasItsReason(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	imports := []string{}
	for _, p := range packages(t) {
		imports = slices.Concat(imports, p.Imports, p.TestImports, p.XTestImports)
	}
	if d := cmp.Diff(described(string(doc)), direct(required(string(mod)), imports)); d != "" {
		t.Errorf("docs/dependencies.md (-) and what is imported (+) differ:\n%s", d)
	}
}

func TestADependencyIsTheModuleOfAnImport(t *testing.T) {
	modules := required("module a.b/c\n\nrequire d.e/f v1.2.3\n\nrequire (\n\tg.h/i v0.1.0 // indirect\n\tg.h/i/v2 v2.0.0\n\tu.v/w v1.0.0\n)\n")
	got := direct(modules, []string{"fmt", "g.h/i/v2/sub", "d.e/f", "d.e/fx", "a.b/c/d"})
	if d := cmp.Diff(got, []string{"d.e/f", "g.h/i/v2"}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if d := cmp.Diff(described("| module | licence | why |\n|---|---|---|\n| a.b/c | MIT | it reads |\n| d.e/f | MIT |  |\n"), []string{"a.b/c"}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
