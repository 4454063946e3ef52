package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestSettingsThatDifferAreTold(t *testing.T) {
	orders := detect.Target{Store: ingest.Cassandra, Table: "shop.orders"}
	fact := func(t detect.Target, name, node, value, other string) detect.FactStats {
		return detect.FactStats{Target: t, Name: name, Node: node, Value: value, Other: other}
	}
	for name, c := range map[string]struct {
		facts []detect.FactStats
		want  []string
	}{
		"nodes of unlike settings": {
			[]detect.FactStats{
				fact(detect.Target{}, ingest.FactTombstoneWarn, "10.0.0.1", "1000", ""),
				fact(detect.Target{}, ingest.FactTombstoneWarn, "10.0.0.2", "100", ""),
				fact(detect.Target{}, ingest.FactTombstoneWarn, "10.0.0.3", "1000", ""),
			},
			[]string{"tombstone-warn-threshold differs: 100 (10.0.0.2), 1000 (10.0.0.1, 10.0.0.3); judged with 1000"},
		},
		"a table that two schemas tell differently": {
			[]detect.FactStats{fact(orders, ingest.FactGCGrace, "", "3600", "864000")},
			[]string{"gc-grace of shop.orders differs: 3600, 864000; judged with 3600"},
		},
		"a node that is up for one and down for another": {
			[]detect.FactStats{fact(detect.Target{}, ingest.FactNodeState, "10.0.0.1", "UN", ""), fact(detect.Target{}, ingest.FactNodeState, "10.0.0.2", "UN", "DN")},
			[]string{"node-state of 10.0.0.2 differs: DN, UN; judged with UN"},
		},
		"nodes that have their own": {
			[]detect.FactStats{fact(detect.Target{}, ingest.FactRack, "10.0.0.1", "r1", ""), fact(detect.Target{}, ingest.FactRack, "10.0.0.2", "r2", "")},
			nil,
		},
		"what each node has, of nodes that are not named": {
			[]detect.FactStats{fact(detect.Target{}, ingest.FactRack, "", "r1", "r2")},
			nil,
		},
		"amounts, which change": {
			[]detect.FactStats{fact(orders, ingest.FactItems, "", "10", "11")},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(conflictNotes(&detect.View{Facts: c.facts}), c.want); diff != "" {
				t.Errorf("got -, want +\n%s", diff)
			}
		})
	}
}
