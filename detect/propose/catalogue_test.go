package propose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Every variable of type detect.Remedy in this folder must stand in the catalogue once.
func TestCatalogueHasEveryRemedy(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
					if sel, ok := lit.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Remedy" {
						declared++
					}
				}
			}
			return true
		})
	}
	if got := len(Catalogue()); got != declared {
		t.Errorf("the catalogue has %d remedies, declared are %d", got, declared)
	}
}

func TestEveryRemedyIsComplete(t *testing.T) {
	kinds := map[string]bool{}
	for _, r := range Catalogue() {
		if r.Kind == "" || r.Title == "" || len(r.Rules) == 0 || r.Propose == nil || kinds[r.Kind] {
			t.Errorf("%q is not complete, or there twice", r.Kind)
		}
		kinds[r.Kind] = true
		for _, part := range []string{"**Gate.**", "**Caveats.**"} {
			if !strings.Contains(r.Doc, part) {
				t.Errorf("%s: its text has no %s", r.Kind, part)
			}
		}
	}
	all := Catalogue()
	if all[len(all)-1].Kind != "confirm" {
		t.Errorf("%s comes last, want confirm: it looks at what the others proposed", all[len(all)-1].Kind)
	}
}
