package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// specs are the types whose values stand in a catalogue.
var specs = []string{"ingest.Format", "detect.Rule", "detect.Remedy", "Renderer", "KeysRenderer", "KeyRenderer", "PatternsRenderer", "ChecklistRenderer", "CompareRenderer", "SimulationRenderer"}

const catalogueFile = "catalogue.go"

// badCatalogue says which spec of a catalogue package is not listed exactly once, and which one leads
// to another: from the file that declares a spec, along the uses of names, one must not arrive at the
// file of another spec, so that each is deletable with its files and its line.
func badCatalogue(files []source) []string {
	listed := map[string]int{}
	owner := map[string]string{} // of a name: the file that declares it
	for i := range files {
		if filepath.Base(files[i].name) == catalogueFile {
			countNames(files[i].file, listed)
			continue
		}
		for _, name := range topLevel(files[i].file) {
			owner[name] = files[i].name
		}
	}
	uses := map[string][]use{}
	declares := map[string]bool{} // a spec, by file
	bad := []string{}
	for i := range files {
		file := &files[i]
		if filepath.Base(file.name) == catalogueFile {
			continue
		}
		uses[file.name] = usesOf(file, owner)
		for _, name := range specNames(file.file) {
			declares[file.name] = true
			if n := listed[name]; n != 1 {
				bad = append(bad, fmt.Sprintf("%s: %s stands %d times in %s", file.name, name, n, catalogueFile))
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(declares)) {
		for of, way := range reached(from, uses) {
			if declares[of] && of != from {
				bad = append(bad, from+" leads to another spec: "+way)
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// A use is a name in one file that another file declares.
type use struct{ at, name, of string }

// reached gives each file that can be reached from one, with the uses that lead there.
func reached(from string, uses map[string][]use) map[string]string {
	ways := map[string]string{from: ""}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, u := range uses[next[0]] {
			if _, seen := ways[u.of]; !seen {
				ways[u.of] = strings.TrimPrefix(fmt.Sprintf("%s, %s uses %s of %s", ways[next[0]], u.at, u.name, u.of), ", ")
				next = append(next, u.of)
			}
		}
	}
	return ways
}

func countNames(f *ast.File, counts map[string]int) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			counts[id.Name]++
		}
		return true
	})
}

// specNames gives the package variables of a file that hold a spec.
func specNames(f *ast.File) []string {
	names := []string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, value := range v.Values {
				if slices.Contains(specs, literalType(value)) {
					names = append(names, v.Names[i].Name)
				}
			}
		}
	}
	return names
}

func literalType(e ast.Expr) string {
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return ""
	}
	switch t := lit.Type.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return fmt.Sprint(t.X) + "." + t.Sel.Name
	}
	return ""
}

// topLevel gives the names that a file declares for its package; methods belong to their types.
func topLevel(f *ast.File) []string {
	names := []string{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// usesOf finds the uses of what other files declare. Names after a dot, keys of literals and names
// that a function declares itself are another scope.
func usesOf(s *source, owner map[string]string) []use {
	all := []use{}
	for _, d := range s.file.Decls {
		own := map[string]bool{}
		if f, ok := d.(*ast.FuncDecl); ok {
			own = declared(f)
		}
		skip := map[ast.Node]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				skip[n.Sel] = true
			case *ast.KeyValueExpr:
				skip[n.Key] = true
			case *ast.Field:
				for _, name := range n.Names {
					skip[name] = true
				}
			case *ast.Ident:
				if of := owner[n.Name]; of != "" && of != s.name && !own[n.Name] && !skip[n] {
					all = append(all, use{fmt.Sprintf("%s:%d", s.name, s.line(n.Pos())), n.Name, of})
				}
			}
			return true
		})
	}
	return all
}

func TestEachSpecIsListedOnceAndDeletable(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		folder := strings.TrimPrefix(p.ImportPath, module+"/")
		if !slices.Contains(catalogues, folder) {
			continue
		}
		files := []source{}
		for _, name := range p.GoFiles {
			s := parse(t, filepath.Join(p.Dir, name), nil)
			s.name = folder + "/" + name
			files = append(files, s)
			found += len(specNames(s.file))
		}
		for _, bad := range badCatalogue(files) {
			t.Error(bad)
		}
	}
	if found == 0 {
		t.Error("no spec found in any catalogue package")
	}
}

func TestAForgottenOrBorrowingSpecIsNamed(t *testing.T) {
	const list = "package a\nfunc Catalogue() []*detect.Rule { return []*detect.Rule{&One, &Two} }"
	one := map[string]string{"catalogue.go": list, "one.go": "package a\nvar One = detect.Rule{Judge: judgeOne}\nfunc judgeOne() { shared() }"}
	tests := map[string]struct {
		files map[string]string
		want  []string
	}{
		"two strangers are well":                {map[string]string{"two.go": "package a\nvar Two = detect.Rule{ID: x.judgeOne}\nfunc f(judgeOne int) { _ = judgeOne }", "shared.go": "package a\nfunc shared() {}"}, nil},
		"a spec may have more files of its own": {map[string]string{"two.go": "package a\nvar Two = detect.Rule{}", "shared.go": "package a\nfunc shared() { judgeOne() }"}, nil},
		"a forgotten line":                      {map[string]string{"three.go": "package a\nvar Three = detect.Rule{}"}, []string{"three.go: Three stands 0 times in catalogue.go"}},
		"a borrowed function":                   {map[string]string{"two.go": "package a\nvar Two = &detect.Rule{Judge: judgeOne}"}, []string{"two.go leads to another spec: two.go:2 uses judgeOne of one.go"}},
		"a file of two specs that uses one of them": {map[string]string{"two.go": "package a\nvar Two = detect.Rule{}\nfunc g() { shared() }", "shared.go": "package a\nfunc shared() { judgeOne() }"},
			[]string{"two.go leads to another spec: two.go:3 uses shared of shared.go, shared.go:2 uses judgeOne of one.go"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			files := []source{}
			for _, group := range []map[string]string{one, tc.files} {
				for name, text := range group {
					files = append(files, parse(t, name, text))
				}
			}
			if d := cmp.Diff(badCatalogue(files), tc.want, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}
