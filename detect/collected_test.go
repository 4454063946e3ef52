package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestStreamsThatWereRecordedTwiceAreNamed(t *testing.T) {
	const minute = int64(60e9)
	in := func(name string, first, last int64) InputStats {
		return InputStats{Name: name, Format: "dynamodb-stream", First: first * minute, Last: last * minute}
	}
	for _, c := range []struct {
		name   string
		inputs []InputStats
		want   []Doubled
	}{
		{"two collectors", []InputStats{in("dynamodb://orders/shard-1", 1, 5), in("dynamodb://orders/shard-1", 4, 9)}, []Doubled{{"dynamodb://orders/shard-1", Span{240, 301}}}},
		{"one within the other", []InputStats{in("dynamodb://a/1", 1, 9), in("dynamodb://a/1", 2, 3), in("dynamodb://a/1", 5, 6)},
			[]Doubled{{"dynamodb://a/1", Span{120, 181}}, {"dynamodb://a/1", Span{300, 361}}}},
		{"one after the other", []InputStats{in("dynamodb://a/1", 1, 5), in("dynamodb://a/1", 5, 9)}, nil},
		{"unlike streams", []InputStats{in("dynamodb://a/1", 1, 5), in("dynamodb://a/2", 1, 5)}, nil},
		{"files of two hosts", []InputStats{in("/var/log/system.log", 1, 5), in("/var/log/system.log", 1, 5)}, nil},
		{"without times", []InputStats{in("dynamodb://a/1", 0, 0), in("dynamodb://a/1", 0, 0)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Profile{Inputs: c.inputs}
			if diff := cmp.Diff(p.Doubled(), c.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestNodesOfTheTopologyThatSentNothingAreNamed(t *testing.T) {
	facts := []FactStats{{Node: "10.0.0.1", Name: ingest.FactNodeState}, {Node: "10.0.0.2", Name: ingest.FactNodeState}, {Node: "10.0.0.3", Name: ingest.FactDatacenter}}
	for _, c := range []struct {
		name    string
		profile Profile
		nodes   []string
		of      int
	}{
		{"one of three", Profile{Facts: facts, Inputs: []InputStats{{Node: "10.0.0.1"}}, Observers: []Observer{{Node: "10.0.0.3"}}}, []string{"10.0.0.2"}, 3},
		{"none", Profile{Facts: facts[:1], Inputs: []InputStats{{Node: "10.0.0.1"}}}, nil, 1},
		{"names of another kind", Profile{Facts: facts, Inputs: []InputStats{{Node: "db-1"}}}, nil, 0},
		{"no topology", Profile{Inputs: []InputStats{{Node: "10.0.0.1"}}}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes, of := c.profile.Unseen()
			if diff := cmp.Diff(nodes, c.nodes); diff != "" || of != c.of {
				t.Errorf("of %d, want %d (-got +want):\n%s", of, c.of, diff)
			}
		})
	}
}
