package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// single gives a table of two types of entity with two indexes, one inverted and one by two attributes.
func single() *detect.View {
	target := func(index string, items uint64, types ...detect.EntitySize) *detect.TargetView {
		return &detect.TargetView{
			Target: detect.Target{Store: ingest.DynamoDB, Table: "App", Index: index},
			Stored: detect.StoredItems{Items: items, Bytes: 100 * items, Entities: types, ItemBytes: &sketch.Histogram{}},
		}
	}
	app := target("", 100, detect.EntitySize{Name: "ORDER", Items: 90, Bytes: 9500}, detect.EntitySize{Name: "PROFILE", Items: 10, Bytes: 500})
	app.Totals[detect.Requests] = 400
	app.Patterns = []detect.PatternStats{{PatternKey: detect.PatternKey{Entity: "USER", SortEntity: "PROFILE"}, Requests: 300}}
	facts := []detect.FactStats{}
	for _, f := range [][3]string{
		{"", ingest.FactPartitionKey, "pk"}, {"", ingest.FactClustering, "sk"},
		{"turned", ingest.FactPartitionKey, "sk"}, {"turned", ingest.FactClustering, "pk"},
		{"byBoth", ingest.FactPartitionKey, "tenant,region"},
	} {
		facts = append(facts, detect.FactStats{Target: detect.Target{Store: ingest.DynamoDB, Table: "App", Index: f[0]}, Name: f[1], Value: f[2]})
	}
	return &detect.View{Limits: detect.DefaultLimits(), Facts: facts, Targets: []*detect.TargetView{
		app, target("byBoth", 30), target("turned", 100, detect.EntitySize{Name: "ORDER", Items: 90}, detect.EntitySize{Name: "PROFILE", Items: 10}),
	}}
}

func TestDesignsOfTablesAndIndexesAreTold(t *testing.T) {
	want := []string{
		"index byBoth of App: its partition key is 2 attributes together (tenant,region): queries must give all, and heat is told by their tuple",
		"index byBoth of App: it is sparse: 30 of the table's 100 items have an entry, the others lack an attribute of its key",
		"index turned of App: it is inverted: its key is the table's key turned round, so what shares a sort key there shares a partition here",
		"App holds 2 types of entity, as keys or an attribute name them: ORDER 95.0 % of the bytes (90 items); PROFILE 5.0 % of the bytes (10 items), 75.0 % of the requests",
		"index turned of App: it is overloaded: its keys begin as 2 types (ORDER, PROFILE), which share its capacity",
	}
	r := Build(&Parts{View: single()})
	if diff := cmp.Diff(r.Notes, want); diff != "" {
		t.Errorf("got -, want +\n%s", diff)
	}
	designs := map[string]*Design{}
	for _, table := range r.Tables {
		designs[table.Target.Index] = table.Design
	}
	if diff := cmp.Diff(designs, map[string]*Design{
		"":       {Entities: []Entity{{"ORDER", 90, 9500, 0}, {"PROFILE", 10, 500, 300}}},
		"byBoth": {Kinds: []string{"multi-attribute", "sparse"}},
		"turned": {Kinds: []string{"inverted", "overloaded"}, Entities: []Entity{{"ORDER", 90, 0, 0}, {"PROFILE", 10, 0, 0}}},
	}); diff != "" {
		t.Errorf("designs: got -, want +\n%s", diff)
	}
	for _, table := range r.Masked(func([]byte) []byte { return []byte("x") }).Tables {
		for _, e := range designs[table.Target.Index].Entities {
			if slices.ContainsFunc(table.Design.Entities, func(m Entity) bool { return m.Name == e.Name }) {
				t.Errorf("index %q: %s is not masked", table.Target.Index, e.Name)
			}
		}
	}
	masked := strings.Join(r.Masked(func([]byte) []byte { return []byte("x") }).Notes, "\n")
	if strings.Contains(masked, "ORDER") || !strings.Contains(masked, "sparse") {
		t.Errorf("masked: %s", masked)
	}
}
