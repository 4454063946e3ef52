package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	maxFunctionLines = 80
	maxFileLines     = 600
)

// clock are the functions of package time that tell or await the time.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc"}

// constructors are the calls that may make the value of a package variable: what they give is never
// changed afterwards.
var constructors = []string{"errors.New", "fmt.Errorf", "regexp.MustCompile", "crc32.MakeTable", "strings.NewReplacer"}

// A source is one parsed file of a package.
type source struct {
	name  string // below the repository
	files *token.FileSet
	file  *ast.File
}

func parse(t *testing.T, name string, text any) source {
	t.Helper()
	s := source{name: name, files: token.NewFileSet()}
	file, err := parser.ParseFile(s.files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s.file = file
	return s
}

func (s *source) line(p token.Pos) int { return s.files.Position(p).Line }

// faults gives one sentence for each place where a file breaks the house rules.
func faults(s *source) []string {
	bad := []string{}
	say := func(at ast.Node, format string, args ...any) {
		bad = append(bad, fmt.Sprintf("%s:%d: ", s.name, s.line(at.Pos()))+fmt.Sprintf(format, args...))
	}
	if n := s.line(s.file.FileEnd); n > maxFileLines {
		say(s.file, "%d lines: split it before %d", n, maxFileLines)
	}
	vars := map[string]bool{}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			checkFunction(s, d, say)
		case *ast.GenDecl:
			checkDeclaration(d, vars, say)
		}
	}
	checkAssignments(s, vars, say)
	if !strings.HasPrefix(s.name, "cmd/") {
		checkClock(s, say)
	}
	return bad
}

type sayer func(at ast.Node, format string, args ...any)

func checkFunction(s *source, f *ast.FuncDecl, say sayer) {
	name := f.Name.Name
	if f.Recv == nil && name == "init" {
		say(f, "init function: hand values over instead")
	}
	if lines := s.line(f.End()) - s.line(f.Pos()) + 1; lines > maxFunctionLines {
		say(f, "func %s has %d lines: split it before %d", name, lines, maxFunctionLines)
	}
	if ast.IsExported(name) && f.Doc == nil && (f.Recv == nil || ast.IsExported(receiver(f))) {
		say(f, "exported func %s has no doc comment", name)
	}
}

func receiver(f *ast.FuncDecl) string {
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

func checkDeclaration(d *ast.GenDecl, vars map[string]bool, say sayer) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if ast.IsExported(spec.Name.Name) && d.Doc == nil && spec.Doc == nil {
				say(spec, "exported type %s has no doc comment", spec.Name.Name)
			}
		case *ast.ValueSpec:
			documented := d.Doc != nil || spec.Doc != nil || spec.Comment != nil
			for _, name := range spec.Names {
				if ast.IsExported(name.Name) && !documented {
					say(spec, "exported %s %s has no doc comment", d.Tok, name.Name)
				}
				if d.Tok == token.VAR && name.Name != "_" {
					vars[name.Name] = true
					checkVariable(name.Name, spec, embedded(d.Doc) || embedded(spec.Doc), say)
				}
			}
		}
	}
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

// checkVariable allows package variables that hold what never changes: specs, limits, sentinels,
// compiled expressions, fixed tables and embedded files.
func checkVariable(name string, spec *ast.ValueSpec, embedded bool, say sayer) {
	if len(spec.Values) == 0 && !embedded {
		say(spec, "package variable %s begins empty: state belongs to a value that is handed over", name)
		return
	}
	for _, v := range spec.Values {
		call, ok := v.(*ast.CallExpr)
		if !ok {
			continue
		}
		if !mayMake(call) {
			say(spec, "package variable %s is made by %s: only specs, limits, sentinels and compiled expressions may be", name, calleeName(call))
		}
	}
}

// mayMake allows the constructors, conversions and functions of the package itself, whose value the
// other checks hold constant.
func mayMake(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.ArrayType:
		return true
	case *ast.Ident:
		return f.Name != "make" && f.Name != "new"
	}
	return slices.Contains(constructors, calleeName(call))
}

func calleeName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return "a call"
}

// checkAssignments finds functions that change a package variable of their own file. A function that
// declares the same name itself is taken to mean its own.
func checkAssignments(s *source, vars map[string]bool, say sayer) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		local := declared(f)
		change := func(at ast.Node, target ast.Expr) {
			if name := root(target); vars[name] && !local[name] {
				say(at, "func %s changes package variable %s", f.Name.Name, name)
			}
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, target := range n.Lhs {
					change(n, target)
				}
			case *ast.IncDecStmt:
				change(n, n.X)
			}
			return true
		})
	}
}

// root gives the name at the left end of an expression that is assigned to.
func root(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return ""
}

// declared gives every name that a function declares anywhere in it.
func declared(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(e ast.Node) {
		if id, ok := e.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					add(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				if n.Value != nil {
					add(n.Value)
				}
			}
		}
		return true
	})
	return names
}

func checkClock(s *source, say sayer) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, sel.Sel.Name) {
			say(sel, "time.%s: only cmd sees the clock", sel.Sel.Name)
		}
		return true
	})
}

func TestEachSourceFileKeepsTheHouseRules(t *testing.T) {
	for _, p := range packages(t) {
		folder := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		described := len(p.GoFiles) == 0
		for _, name := range p.GoFiles {
			s := parse(t, filepath.Join(p.Dir, name), nil)
			s.name = path.Join(folder, name)
			described = described || s.file.Doc != nil
			for _, bad := range faults(&s) {
				t.Error(bad)
			}
		}
		if !described {
			t.Errorf("%s: no package comment: say what it is for and what it must not know", folder)
		}
	}
}

func TestABrokenHouseRuleIsNamed(t *testing.T) {
	tests := map[string]struct {
		name string
		text string
		want []string
	}{
		"clean code has no fault": {"detect/a.go", `
			// E is an error.
			var E = errors.New("e")
			var table = []int{1, 2}
			// A is exported.
			type A struct{}
			// F is documented.
			func (a A) F() { table := 1; table = 2; _ = table }
			func (b hidden) F() {}`, nil},
		"init is refused":                  {"a.go", `func init() {}`, []string{"a.go:2: init function: hand values over instead"}},
		"a function without doc":           {"a.go", `func F() {}`, []string{"a.go:2: exported func F has no doc comment"}},
		"a method without doc":             {"a.go", `func (a *A) F() {}`, []string{"a.go:2: exported func F has no doc comment"}},
		"a method of a generic type":       {"a.go", `func (a *A[T]) F() {}`, []string{"a.go:2: exported func F has no doc comment"}},
		"a type without doc":               {"a.go", `type A int`, []string{"a.go:2: exported type A has no doc comment"}},
		"a constant without doc":           {"a.go", `const A = 1`, []string{"a.go:2: exported const A has no doc comment"}},
		"a group's doc serves its members": {"a.go", "// Both.\nconst (\nA = 1\nB = 2\n)", nil},
		"an empty variable":                {"a.go", `var cache map[string]int`, []string{"a.go:2: package variable cache begins empty: state belongs to a value that is handed over"}},
		"an embedded variable":             {"a.go", "//go:embed a.md\nvar doc string", nil},
		"a converted variable":             {"a.go", `var bom = []byte("x")`, nil},
		"a made variable":                  {"a.go", `var cache = make(map[string]int)`, []string{"a.go:2: package variable cache is made by make: only specs, limits, sentinels and compiled expressions may be"}},
		"a variable that is changed": {"a.go", "var limits = []int{1}\nfunc f() { limits[0] = 2 }\nfunc g() { limits[0]++ }",
			[]string{"a.go:3: func f changes package variable limits", "a.go:4: func g changes package variable limits"}},
		"a table made by a function of its package": {"a.go", `var table = placed("x")`, nil},
		"a variable made by another package":        {"a.go", `var cache = sync.OnceValue(f)`, []string{"a.go:2: package variable cache is made by sync.OnceValue: only specs, limits, sentinels and compiled expressions may be"}},
		"an assertion is no variable":               {"a.go", `var _ io.Writer = (*A)(nil)`, nil},
		"the clock below cmd":                       {"detect/a.go", `func f() { time.Now() }`, []string{"detect/a.go:2: time.Now: only cmd sees the clock"}},
		"the clock in cmd":                          {"cmd/keyheat/a.go", `func f() { time.Now() }`, nil},
		"a long function": {"a.go", "func f() {" + strings.Repeat("\n", maxFunctionLines) + "}",
			[]string{"a.go:2: func f has 81 lines: split it before 80"}},
		"a long file": {"a.go", strings.Repeat("\n", maxFileLines), []string{"a.go:1: 602 lines: split it before 600"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := parse(t, tc.name, "package a\n"+tc.text+"\n")
			got := faults(&s)
			if d := cmp.Diff(got, tc.want, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}
