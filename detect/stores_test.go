package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A mention is a record of one table that names its store, or not.
type mention struct {
	store ingest.Store
	table string
	index string
	n     int
}

// mentioned feeds what is told to a Handler, each mention as a chunk of its own; key k of each has one
// request, key "all" is in every mention.
func mentioned(list []mention, h ingest.Handler) {
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	for i, m := range list {
		chunk := ingest.Chunk{Input: in, Index: i}
		s := h.Begin(chunk)
		for j := range m.n {
			e := &ingest.Event{Store: m.store, Op: ingest.OpRead, Table: []byte(m.table), Index: []byte(m.index), KeyKnown: true}
			e.SetTime((testStart + int64(j)) * second)
			e.Key, e.Node = []byte{'k', byte(j)}, []byte("n")
			if j%2 == 0 {
				e.Key = []byte("all")
			}
			s.Event(e)
		}
		h.End(chunk, s, ingest.ChunkStats{})
	}
	h.EndInput(in, len(list))
	h.EndFile(0, 1)
}

func TestATableIsOfTheOnlyStoreThatIsToldOfIt(t *testing.T) {
	const dynamo, cassandra, unknown = ingest.DynamoDB, ingest.Cassandra, ingest.StoreUnknown
	type held struct {
		Target   Target
		Requests uint64
		Distinct uint64
		All      Range
	}
	tests := []struct {
		name string
		list []mention
		want []held
	}{
		{"records without units between others", []mention{{dynamo, "t", "", 10}, {unknown, "t", "", 20}, {dynamo, "t", "", 10}},
			[]held{{Target{Store: dynamo, Table: "t", Index: ""}, 40, 11, Range{20, 20}}}},
		{"the store is told last", []mention{{unknown, "t", "", 20}, {dynamo, "t", "", 10}},
			[]held{{Target{Store: dynamo, Table: "t", Index: ""}, 30, 11, Range{15, 15}}}},
		{"an index is of the store of its table", []mention{{dynamo, "t", "", 10}, {unknown, "t", "by-day", 20}},
			[]held{{Target{Store: dynamo, Table: "t", Index: ""}, 10, 6, Range{5, 5}}, {Target{Store: dynamo, Table: "t", Index: "by-day"}, 20, 11, Range{10, 10}}}},
		{"two stores have a table of that name", []mention{{dynamo, "t", "", 10}, {unknown, "t", "", 20}, {cassandra, "t", "", 10}},
			[]held{{Target{Store: unknown, Table: "t", Index: ""}, 20, 11, Range{10, 10}}, {Target{Store: dynamo, Table: "t", Index: ""}, 10, 6, Range{5, 5}}, {Target{Store: cassandra, Table: "t", Index: ""}, 10, 6, Range{5, 5}}}},
		{"another table", []mention{{dynamo, "t", "", 10}, {unknown, "u", "", 20}},
			[]held{{Target{Store: unknown, Table: "u", Index: ""}, 20, 11, Range{10, 10}}, {Target{Store: dynamo, Table: "t", Index: ""}, 10, 6, Range{5, 5}}}},
		{"no store is told", []mention{{unknown, "t", "", 10}}, []held{{Target{Store: unknown, Table: "t", Index: ""}, 10, 6, Range{5, 5}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := NewCollector(smallSettings())
			mentioned(test.list, c)
			p := JoinStores(c.Profile())
			x := NewCounter(p, Nominate(p))
			mentioned(test.list, x)
			exact := x.Exact()
			for _, v := range []*View{NewView(p, nil, DefaultLimits(), Rate{}), NewView(p, exact, DefaultLimits(), Rate{})} {
				var got []held
				nodes := uint64(0)
				for _, target := range v.Targets {
					h := held{Target: target.Target, Requests: target.Totals[Requests], Distinct: target.Distinct.Value}
					i := slices.IndexFunc(target.Keys, func(k *KeyView) bool { return string(k.Key) == "all" })
					h.All = target.Keys[i].Requests
					if v.Second && target.Keys[i].Exact == nil {
						t.Errorf("%v: the second pass did not count its key", target.Target)
					}
					nodes += h.Requests
					got = append(got, h)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("tables (-want +got):\n%s", diff)
				}
				if v.Nodes[0].Total != nodes {
					t.Errorf("node has %d requests, want %d", v.Nodes[0].Total, nodes)
				}
			}
			raw, err := p.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ReadProfile(raw); err != nil {
				t.Errorf("does not read back: %v", err)
			}
		})
	}
}

func TestWhatToolsTellOfATableWithoutItsStoreJoinsIt(t *testing.T) {
	b := NewBuilder(smallSettings())
	b.State(&ingest.State{Store: ingest.Cassandra, Table: []byte("ks.t"), Measure: ingest.PartitionBytes, Value: 5})
	b.State(&ingest.State{Table: []byte("ks.t"), Key: []byte("k"), KeyKnown: true, Measure: ingest.PartitionBytes, Value: 7})
	v := NewView(JoinStores(b.seal([]InputStats{{}})), nil, DefaultLimits(), Rate{})
	if len(v.Targets) != 1 || len(v.Targets[0].States) != 2 {
		t.Errorf("%d tables, want one with both states", len(v.Targets))
	}
}

func TestTheSecondPassCountsTablesThatItsIndexHasNoRoomFor(t *testing.T) {
	list := []mention{}
	for i := range MaxTargets + 10 {
		list = append(list, mention{ingest.Cassandra, "ks.t" + string(rune('a'+i%26)) + strings.Repeat("x", i/26), "", 1})
	}
	list = append(list, mention{ingest.Cassandra, "ks.busy", "", 50})
	c := NewCollector(smallSettings())
	mentioned(list, c)
	p := c.Profile()
	x := NewCounter(p, Nominate(p))
	mentioned(list, x)
	v := NewView(p, x.Exact(), DefaultLimits(), Rate{})
	i := slices.IndexFunc(v.Targets, func(t *TargetView) bool { return t.Target.Table == "ks.busy" })
	k := v.Targets[i].Keys[0]
	if string(k.Key) != "all" || k.Exact == nil || k.Requests != (Range{25, 25}) {
		t.Errorf("%s: %v, want 25 requests of key all", k.Key, k.Requests)
	}
}
