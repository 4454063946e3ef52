package detect

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// An account is what one witness tells of a table: n requests, one a second, every other of key "all".
type account struct {
	witness ingest.Witness
	from    int64 // seconds after testStart; -1: of unknown time
	n       int
	tombs   uint64 // of each read; 0: not told
	keyless bool   // its requests tell no key
}

func accounts(list []account, h ingest.Handler) {
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	for i, a := range list {
		chunk := ingest.Chunk{Input: in, Index: i}
		s := h.Begin(chunk)
		for j := range a.n {
			e := &ingest.Event{Store: ingest.Cassandra, Witness: a.witness, Op: ingest.OpRead, Table: []byte("ks.t"), KeyKnown: !a.keyless}
			if a.from >= 0 {
				e.SetTime((testStart + a.from + int64(j)) * second)
			}
			if a.tombs > 0 {
				e.SetTombstones(a.tombs)
			}
			switch {
			case a.keyless:
			case j%2 == 0:
				e.Key = []byte("all")
			default:
				e.Key = []byte{'k', byte(j)}
			}
			s.Event(e)
		}
		s.State(&ingest.State{Store: ingest.Cassandra, Table: []byte("ks.t"), Measure: ingest.PartitionBytes, Value: 5})
		h.End(chunk, s, ingest.ChunkStats{})
	}
	h.EndInput(in, len(list))
	h.EndFile(0, 1)
}

// A counted is what a View holds of a table that witnesses tell of.
type counted struct {
	Told     []ingest.Witness
	Requests uint64
	All      Range // of key "all"
	Also     []uint64
	Tombs    uint64
	States   int
}

func TestTheSameRequestsToldTwiceAreCountedOnce(t *testing.T) {
	named := func(w ...ingest.Witness) []ingest.Witness { return w }
	for _, c := range []struct {
		name string
		list []account
		want counted
	}{
		{"an audit log and traces of part of it", []account{{ingest.Traces, 10, 10, 7, false}, {ingest.AuditLog, 0, 60, 0, false}},
			counted{named(ingest.AuditLog), 60, Range{30, 30}, []uint64{10}, 70, 1}},
		{"an audit log without keys and traces of part of it", []account{{ingest.Traces, 10, 10, 7, false}, {ingest.AuditLog, 0, 60, 0, true}},
			counted{named(ingest.Traces), 10, Range{5, 5}, []uint64{60}, 70, 1}},
		{"all traced and little audited", []account{{ingest.AuditLog, 5, 4, 0, false}, {ingest.Traces, 0, 40, 1, false}},
			counted{named(ingest.Traces), 40, Range{20, 20}, []uint64{4}, 40, 1}},
		{"two files of one witness", []account{{ingest.Traces, 0, 20, 0, false}, {ingest.Traces, 0, 10, 0, false}},
			counted{named(ingest.Traces), 30, Range{15, 15}, nil, 0, 1}},
		{"witnesses one after the other", []account{{ingest.AuditLog, 0, 20, 0, false}, {ingest.QueryLog, 100, 10, 0, false}},
			counted{named(ingest.AuditLog, ingest.QueryLog), 30, Range{15, 15}, nil, 0, 1}},
		{"one after the other, and a third over both", []account{{ingest.AuditLog, 0, 20, 0, false}, {ingest.Traces, 10, 12, 0, false}, {ingest.QueryLog, 100, 10, 0, false}},
			counted{named(ingest.AuditLog, ingest.QueryLog), 30, Range{15, 15}, []uint64{12}, 0, 1}},
		{"one without times", []account{{ingest.AuditLog, 0, 20, 0, false}, {ingest.QueryLog, -1, 10, 0, false}},
			counted{named(ingest.AuditLog), 20, Range{10, 10}, []uint64{10}, 0, 1}},
		{"CloudTrail's reads and a stream's writes, of which CloudTrail tells fewer", []account{{ingest.TrailOthers, 0, 30, 0, false}, {ingest.TrailChanges, 0, 10, 0, false}, {ingest.ChangeStream, 0, 20, 0, false}},
			counted{named(ingest.ChangeStream, ingest.TrailOthers), 50, Range{25, 25}, []uint64{10}, 0, 1}},
		{"CloudTrail's reads and writes, of which a stream tells fewer", []account{{ingest.TrailOthers, 0, 10, 0, false}, {ingest.TrailChanges, 0, 40, 0, false}, {ingest.ChangeStream, 0, 20, 0, false}},
			counted{named(ingest.TrailChanges, ingest.TrailOthers), 50, Range{25, 25}, []uint64{20}, 0, 1}},
		{"more event records than CloudTrail and a stream tell", []account{{ingest.AnyWitness, 0, 70, 0, false}, {ingest.TrailOthers, 0, 30, 0, false}, {ingest.ChangeStream, 0, 20, 0, false}},
			counted{named(ingest.AnyWitness), 70, Range{35, 35}, []uint64{50}, 0, 1}},
		{"event records of part, more than CloudTrail or a stream tell alone", []account{{ingest.AnyWitness, 0, 40, 0, false}, {ingest.TrailOthers, 0, 30, 0, false}, {ingest.ChangeStream, 0, 20, 0, false}},
			counted{named(ingest.ChangeStream, ingest.TrailOthers), 50, Range{25, 25}, []uint64{40}, 0, 1}},
		{"a stream of another hour than CloudTrail's writes", []account{{ingest.TrailOthers, 0, 10, 0, false}, {ingest.TrailChanges, 0, 10, 0, false}, {ingest.ChangeStream, 3600, 20, 0, false}},
			counted{named(ingest.ChangeStream, ingest.TrailChanges, ingest.TrailOthers), 40, Range{20, 20}, nil, 0, 1}},
		{"event records and the audit log", []account{{ingest.AnyWitness, 0, 20, 0, false}, {ingest.AuditLog, 0, 60, 0, false}},
			counted{named(ingest.AuditLog), 60, Range{30, 30}, []uint64{20}, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 { // and the other way round
				collector := NewCollector(smallSettings())
				accounts(c.list, collector)
				p := JoinStores(collector.Profile())
				x := NewCounter(p, Nominate(p))
				accounts(c.list, x)
				v := NewView(p, x.Exact(), DefaultLimits(), Rate{})
				if len(v.Targets) != 1 {
					t.Fatalf("%d tables, want one", len(v.Targets))
				}
				if diff := cmp.Diff(countedOf(t, v.Targets[0]), c.want); diff != "" {
					t.Errorf("got -, want +\n%s", diff)
				}
				raw, err := p.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := ReadProfile(raw); err != nil {
					t.Errorf("does not read back: %v", err)
				}
				slices.Reverse(c.list)
			}
		})
	}
}

func countedOf(t *testing.T, target *TargetView) (h counted) {
	t.Helper()
	h.Told, h.Requests, h.States = target.Told.Witnesses(), target.Totals[Requests], len(target.States)
	i := slices.IndexFunc(target.Keys, func(k *KeyView) bool { return string(k.Key) == "all" })
	h.All = target.Keys[i].Requests
	if target.Keys[i].Exact == nil {
		t.Error("the second pass did not count the key")
	}
	for _, o := range target.Also {
		h.Also = append(h.Also, o.Totals[Requests])
	}
	h.Tombs = target.Teller(TombstonesKnown).Totals[Tombstones]
	return h
}

// What JoinStores does to a Profile must be the same whether it is joined from parts or read at once.
func TestWitnessesAreJoinedAfterMergingAsBefore(t *testing.T) {
	list := []account{{ingest.Traces, 10, 10, 7, false}, {ingest.AuditLog, 0, 60, 0, false}, {ingest.QueryLog, 200, 5, 0, false}}
	part := func(list []account) *Profile {
		c := NewCollector(smallSettings())
		accounts(list, c)
		return c.Profile()
	}
	whole := NewView(JoinStores(part(list)), nil, DefaultLimits(), Rate{})
	merged := part(list[:1])
	for i := range list[1:] {
		var err error
		if merged, err = Merge(merged, part(list[i+1:i+2])); err != nil {
			t.Fatal(err)
		}
	}
	view := NewView(JoinStores(merged), nil, DefaultLimits(), Rate{})
	type told struct {
		Told     Told
		Totals   Totals
		Distinct Distinct
	}
	sum := func(v *View) (all []told) {
		for _, t := range v.Targets {
			for _, t := range append([]*TargetView{t}, t.Also...) {
				all = append(all, told{t.Told, t.Totals, t.Distinct})
			}
		}
		return all
	}
	if diff := cmp.Diff(sum(view), sum(whole)); diff != "" {
		t.Errorf("merged -, whole +\n%s", diff)
	}
}
