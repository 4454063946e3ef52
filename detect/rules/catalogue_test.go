package rules

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

var update = flag.Bool("update", false, "write docs/rules.md anew")

// Every variable of type detect.Rule in this folder must stand in the catalogue once.
func TestCatalogueHasEveryRule(t *testing.T) {
	declared := declaredAs(t, "Rule")
	if got := len(Catalogue()); got != len(declared) {
		t.Errorf("the catalogue has %d rules, declared are %d: %v", got, len(declared), declared)
	}
	ids := []string{}
	for _, r := range Catalogue() {
		ids = append(ids, r.ID)
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("ids are not in order, or twice: %v", ids)
	}
}

// declaredAs gives the package variables that are literals of a type of detect.
func declaredAs(t *testing.T, name string) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				found = append(found, literals(g, name)...)
			}
		}
	}
	return found
}

func literals(g *ast.GenDecl, name string) []string {
	found := []string{}
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		for i, value := range v.Values {
			lit, ok := value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if sel, ok := lit.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == name {
				found = append(found, v.Names[i].Name)
			}
		}
	}
	return found
}

func TestEveryRuleIsComplete(t *testing.T) {
	for _, r := range Catalogue() {
		if r.ID == "" || r.Title == "" || r.Needs == "" || r.Judge == nil {
			t.Errorf("%+v is not complete", r)
		}
		for _, part := range []string{"**Evidence.**", "**Not to be taken for it.**", "**Remedies.**"} {
			if !strings.Contains(r.Doc, part) {
				t.Errorf("%s: its text has no %s", r.ID, part)
			}
		}
		if found, _ := r.Judge(&detect.View{Limits: detect.DefaultLimits()}); len(found) > 0 {
			t.Errorf("%s finds something in nothing: %+v", r.ID, found)
		}
	}
}

var limitName = regexp.MustCompile("`([a-z]+[a-z-]*\\.[a-z-]+)`")

// A limit that a text names must exist, and each floor of a rule must be named in some text.
func TestTextsNameLimitsThatExist(t *testing.T) {
	named := map[string]bool{}
	for _, r := range Catalogue() {
		for _, m := range limitName.FindAllStringSubmatch(r.Doc, -1) {
			named[m[1]] = true
		}
	}
	rules := map[string]bool{}
	for _, r := range Catalogue() {
		rules[r.ID] = true
	}
	for _, l := range detect.DefaultLimits().All() {
		if owner, _, _ := strings.Cut(l.Name, "."); rules[owner] && !named[l.Name] {
			t.Errorf("limit %s stands in no text of a rule", l.Name)
		}
		delete(named, l.Name)
	}
	for name := range named {
		t.Errorf("a text names %s, and there is no such limit", name)
	}
}

// docs/rules.md is made from the catalogue: go test ./detect/rules -update.
func TestDocsShowTheCatalogue(t *testing.T) {
	const name = "../../docs/rules.md"
	want := docs()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("docs/rules.md is not what the catalogue says; run go test ./detect/rules -update (-got +want):\n%s", diff)
	}
}

func docs() string {
	b := &strings.Builder{}
	b.WriteString(`# Rules

What keyheat finds, from which floor, how severe, and what it must not be taken for. This page is made from
the catalogue of rules; ` + "`keyheat explain RULE`" + ` prints one section of it. Names like ` + "`hot-partition.share`" + ` are
limits: ` + "`keyheat limits`" + ` prints their values, units and sources, and ` + "`--limits-file`" + ` changes them.

Two principles. **Relative heat is not trouble**: a busy key is normal, and only harm or a passed limit makes it
more than *medium*. **A complaint is not a sample**: records of slow or refused requests give counts that are at
least so high, and no shares.

* A floor is reached when the lower bound reaches it. A *minute* is a pane; a wider one counts with its mean.
* Of input sampled at a known rate, floors hold for the records seen and limits for the lower bound of the scaled
  count (Poisson, 95 %). Of an unknown rate, shares are judged and rates are not.
* A finding is *certain* when a lower bound reaches its limit, or the store itself said so, and a record can be
  shown; else it is *possible*. What could not be judged stands at the end of a report, with what would let it.
`)
	for _, r := range Catalogue() {
		b.WriteString("\n## " + r.ID + "\n\n" + r.Title + ". Needs " + r.Needs + ".\n\n" + strings.TrimSpace(r.Doc) + "\n")
	}
	return b.String()
}

// Limits come from users too: no value may make a rule fail or run on.
func TestRulesStandAnyLimit(t *testing.T) {
	for _, value := range []detect.Milli{0, 1, 999, 1000, ^detect.Milli(0)} {
		values := map[string]detect.Milli{}
		for _, l := range detect.DefaultLimits().All() {
			values[l.Name] = value
		}
		k := writing("2026-06-04", times(12, 600)...)
		v := aView(12, aTarget(ingest.DynamoDB, 100, k), reading(detect.ShapeStats{
			Reads: 9, RowsKnown: 9, Rows: 1, Tombstones: 200_000, Dense: 9, Failed: 1, Largest: largest(150_000, 1),
		}, nil).Targets[0])
		perSecond(v, k, 2000, upTo(100)...)
		v.Nodes = []detect.NodeView{{Name: "n1", Requests: times(12, 400)}, {Name: "n2", Requests: times(12, 1)}, {Name: "n3", Requests: times(12, 1)}}
		if err := v.Limits.Override(values); err != nil {
			t.Fatal(err)
		}
		detect.Judge(v, Catalogue(), nil)
	}
}
