package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

// declared counts the package variables that are set to a literal of each type of output.
func declared(t *testing.T) map[string]int {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok {
				if id, ok := lit.Type.(*ast.Ident); ok {
					counts[id.Name]++
				}
			}
			return true
		})
	}
	return counts
}

func TestEveryOutputStandsInItsCatalogueOnce(t *testing.T) {
	got := map[string]int{"Renderer": len(Catalogue()), "KeysRenderer": len(KeysCatalogue()), "KeyRenderer": len(KeyCatalogue()),
		"CompareRenderer": len(CompareCatalogue())}
	want := declared(t)
	for kind, n := range got {
		if n != want[kind] {
			t.Errorf("%d %ss in the catalogue, %d declared", n, kind, want[kind])
		}
	}
}

func TestOutputsAreDescribed(t *testing.T) {
	check(t, Catalogue())
	check(t, KeysCatalogue())
	check(t, KeyCatalogue())
	check(t, CompareCatalogue())
}

func check[T any](t *testing.T, outputs []*Output[T]) {
	t.Helper()
	names := map[string]bool{}
	for _, o := range outputs {
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)?$`).MatchString(o.Name) || names[o.Name] || o.Title == "" || o.Doc == "" || o.Render == nil {
			t.Errorf("output %q is not described, or twice there", o.Name)
		}
		names[o.Name] = true
	}
}
