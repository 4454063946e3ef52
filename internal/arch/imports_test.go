// Package arch holds the tests that keep the shape of the code: who may import whom, what a source
// file may hold, what lies at the top of the repository. It knows no package's insides.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/keyheat/keyheat"

// A layer says what a package may import: docs/architecture.md, section 4.
type layer struct {
	ours   []string // packages of this module, by folder
	others []string // modules, by the beginning of their import path
	free   bool     // the command: all packages of ours, the operating system and what the lone importers leave
}

// decompressors are what reads compressed and packed inputs.
var decompressors = []string{"github.com/klauspost/compress", "github.com/ulikunitz/xz", "github.com/pierrec/lz4"}

var layers = map[string]layer{
	"cmd/keyheat":                 {free: true},
	"sketch":                      {others: []string{"github.com/zeebo/xxh3"}},
	"ingest":                      {ours: []string{"ingest/cql"}, others: append([]string{"github.com/zeebo/xxh3"}, decompressors...)},
	"ingest/cqltrace":             {ours: []string{"ingest", "ingest/cql"}},
	"ingest/systable":             {ours: []string{"ingest", "ingest/cql", "ingest/cqltrace"}},
	"ingest/formats":              {ours: []string{"ingest", "ingest/cql", "ingest/cqltrace", "ingest/systable", "internal/columnar"}, others: decompressors},
	"ingest/cql":                  {},
	"ingest/dynamo":               {ours: []string{"ingest"}, others: []string{"github.com/aws/"}},
	"ingest/cassandra":            {ours: []string{"ingest", "ingest/cql", "ingest/cqltrace", "ingest/systable"}, others: []string{"github.com/gocql/", "github.com/apache/cassandra-gocql-driver"}},
	"ingest/capture":              {ours: []string{"ingest", "internal/columnar"}},
	"detect":                      {ours: []string{"ingest", "sketch"}},
	"detect/rules":                {ours: []string{"detect", "ingest", "sketch"}},
	"detect/propose":              {ours: []string{"detect", "ingest", "sketch"}},
	"report":                      {ours: []string{"detect", "ingest", "ingest/cql"}},
	"report/render":               {ours: []string{"report", "detect", "ingest", "internal/columnar"}, others: []string{"golang.org/x/text", "github.com/mattn/go-runewidth"}},
	"internal/arch":               {},
	"internal/speed":              {},
	"internal/ddl":                {ours: []string{"ingest/cql"}},
	"internal/columnar":           {others: []string{"github.com/apache/arrow/go", "github.com/klauspost/compress"}},
	"internal/generate":           {},
	"internal/incidents":          {},
	"internal/realtest/aws":       {},
	"internal/realtest/browser":   {},
	"internal/realtest/cassandra": {},
	"internal/realtest/readers":   {},
	"internal/screen":             {ours: []string{"internal/watch", "detect"}, others: []string{"charm.land/bubbletea", "github.com/mattn/go-runewidth"}},
	"internal/watch":              {ours: []string{"detect", "ingest", "sketch"}},
	"internal/parts":              {ours: []string{"detect", "ingest"}, others: []string{"github.com/klauspost/compress"}},
	"internal/realtest/spark":     {},
	"internal/nightly": {ours: []string{"report", "detect", "ingest"}, others: []string{
		"github.com/goccy/go-yaml", "github.com/nicholas-fedor/shoutrrr", "github.com/santhosh-tekuri/jsonschema", "golang.org/x/text"}},
}

// lone are the modules that one package alone imports, so that they can be replaced or left out.
var lone = map[string]string{
	"github.com/aws/":                          "ingest/dynamo",
	"github.com/gocql/":                        "ingest/cassandra",
	"github.com/apache/cassandra-gocql-driver": "ingest/cassandra",
	"github.com/apache/arrow/go":               "internal/columnar",
	"github.com/apache/arrow-go":               "internal/columnar",
	"charm.land/":                              "internal/screen",
	"github.com/goccy/go-yaml":                 "internal/nightly",
	"github.com/nicholas-fedor/shoutrrr":       "internal/nightly",
}

// catalogues are the packages that only the command may import: it hands their values to the run.
var catalogues = []string{"ingest/formats", "detect/rules", "detect/propose", "report/render"}

// outside are the packages of the operating system and the terminal, seen by the command alone.
var outside = []string{"os", "os/exec", "os/signal", "os/user", "flag", "log", "syscall", "golang.org/x/term", "golang.org/x/sys"}

// A listed is a package as go list prints it; GoFiles and Imports leave out tests.
type listed struct {
	ImportPath   string
	Dir          string
	Imports      []string
	TestImports  []string
	XTestImports []string
	GoFiles      []string
}

// badImports gives one sentence for each import that breaks a rule, naming both.
func badImports(packages []listed) []string {
	bad := []string{}
	for _, p := range packages {
		folder := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		rule, known := layerOf(folder)
		if !known {
			bad = append(bad, fmt.Sprintf("%s: no import rule: add it to layers and to docs/architecture.md", folder))
			continue
		}
		for _, path := range p.Imports {
			if why := breaks(folder, rule, path); why != "" {
				bad = append(bad, fmt.Sprintf("%s imports %s: %s", folder, path, why))
			}
		}
	}
	return bad
}

// layerOf gives the rule of a folder: its own, or that of the catalogue it is a member's folder of.
func layerOf(folder string) (layer, bool) {
	if l, ok := layers[folder]; ok {
		return l, true
	}
	for _, c := range catalogues {
		if strings.HasPrefix(folder, c+"/") {
			return layers[c], true
		}
	}
	return layer{}, false
}

func breaks(folder string, rule layer, path string) string {
	ours, isOurs := strings.CutPrefix(path, module+"/")
	if isOurs {
		return breaksOurs(folder, rule, ours)
	}
	for prefix, only := range lone {
		if strings.HasPrefix(path, prefix) && folder != only {
			return "only " + only + " imports it"
		}
	}
	if rule.free {
		return ""
	}
	if slices.Contains(outside, path) {
		return "only cmd sees the operating system and the terminal"
	}
	first, _, _ := strings.Cut(path, "/")
	within := func(module string) bool { return strings.HasPrefix(path, module) }
	if strings.Contains(first, ".") && !slices.ContainsFunc(rule.others, within) {
		return fmt.Sprintf("of other modules it may import only %v", rule.others)
	}
	return ""
}

func breaksOurs(folder string, rule layer, ours string) string {
	for _, c := range catalogues {
		inside := strings.HasPrefix(ours, c+"/")
		switch {
		case inside && folder != c:
			return "members of " + c + " are known to their catalogue alone"
		case ours == c && !rule.free:
			return "only cmd knows a catalogue"
		case inside:
			return ""
		}
	}
	if !rule.free && !slices.Contains(rule.ours, ours) {
		return fmt.Sprintf("of ours it may import only %v", rule.ours)
	}
	return ""
}

// packages lists the packages of the module by the go command.
func packages(t *testing.T) []listed {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports,GoFiles", "./...")
	list.Dir = "../.."
	var errs bytes.Buffer
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.Bytes())
	}
	all := []listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestEachPackageImportsOnlyWhatItsLayerAllows(t *testing.T) {
	all := packages(t)
	if len(all) < 5 {
		t.Errorf("go list found %d packages only", len(all))
	}
	for _, bad := range badImports(all) {
		t.Error(bad)
	}
}

func TestAForbiddenImportIsNamedWithItsRule(t *testing.T) {
	tests := map[string]struct {
		folder string
		path   string
		want   string
	}{
		"a sketch knows nothing of ours":              {"sketch", module + "/ingest", "of ours it may import only []"},
		"ingest does not know detect":                 {"ingest", module + "/detect", "of ours it may import only [ingest/cql]"},
		"detect does not know its rules":              {"detect", module + "/detect/rules", "only cmd knows a catalogue"},
		"rules do not know remedies":                  {"detect/rules", module + "/detect/propose", "only cmd knows a catalogue"},
		"a format's folder is its catalogue's matter": {"detect", module + "/ingest/formats/scylla", "members of ingest/formats are known to their catalogue alone"},
		"two formats with folders are strangers":      {"ingest/formats/cassandra", module + "/ingest/formats/scylla", "members of ingest/formats are known to their catalogue alone"},
		"a format may read CQL":                       {"ingest/formats/cassandra", module + "/ingest/cql", ""},
		"a catalogue knows its members' folders":      {"ingest/formats", module + "/ingest/formats/scylla", ""},
		"the command knows catalogues":                {"cmd/keyheat", module + "/detect/rules", ""},
		"reports do not know renderers":               {"report", module + "/report/render", "only cmd knows a catalogue"},
		"only the command sees os":                    {"ingest", "os", "only cmd sees the operating system and the terminal"},
		"the command sees os":                         {"cmd/keyheat", "os", ""},
		"the AWS SDK has one importer":                {"cmd/keyheat", "github.com/aws/aws-sdk-go-v2/service/dynamodb", "only ingest/dynamo imports it"},
		"that importer may":                           {"ingest/dynamo", "github.com/aws/aws-sdk-go-v2/service/dynamodb", ""},
		"gocql has one importer":                      {"ingest", "github.com/gocql/gocql", "only ingest/cassandra imports it"},
		"Arrow has one importer":                      {"report/render", "github.com/apache/arrow/go/v15/arrow", "only internal/columnar imports it"},
		"a decompressor is ingest's matter":           {"detect", "github.com/klauspost/compress/zstd", "of other modules it may import only []"},
		"ingest decompresses":                         {"ingest", "github.com/klauspost/compress/zstd", ""},
		"the standard library is free":                {"sketch", "encoding/binary", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := badImports([]listed{{ImportPath: module + "/" + tc.folder, Imports: []string{tc.path}}})
			want := []string{}
			if tc.want != "" {
				want = append(want, tc.folder+" imports "+tc.path+": "+tc.want)
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}

func TestAPackageWithoutARuleIsNamed(t *testing.T) {
	got := badImports([]listed{{ImportPath: module + "/util"}})
	want := []string{"util: no import rule: add it to layers and to docs/architecture.md"}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
