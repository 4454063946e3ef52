package detect

import (
	"fmt"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// exportRun gives the View of files that hold items of a table at two times, after a second pass. Each
// file is an input; small ones are held as their events until they are folded.
func exportRun(t *testing.T, perFile int) (*View, *Profile) {
	t.Helper()
	times := []int64{testStart * second, (testStart + 2*86400) * second}
	read := func(h ingest.Handler) {
		for file := range 12 {
			in := &ingest.Input{ID: ingest.InputID{File: file}, Name: fmt.Sprint(file), Format: &ingest.Format{Name: "test", Coverage: ingest.StateOnly}}
			s := h.Begin(ingest.Chunk{Input: in})
			for i := range perFile {
				e := ingest.Event{Store: ingest.DynamoDB, Table: []byte("t"), Key: fmt.Appendf(nil, "own-%d", file), KeyKnown: true, Inventory: times[file%2]}
				if i%4 == 0 {
					e.Key = []byte("split")
				}
				e.SetBytes(uint64(100 + 50*(file%2)))
				s.Event(&e)
			}
			h.End(ingest.Chunk{Input: in}, s, ingest.ChunkStats{})
			h.EndInput(in, 1)
			h.EndFile(file, 1)
		}
	}
	c := NewCollector(smallSettings())
	read(c)
	p := c.Profile()
	raw, _ := p.MarshalBinary()
	again, err := ReadProfile(raw)
	if err != nil {
		t.Fatal(err)
	}
	counter := NewCounter(p, Nominate(p))
	read(counter)
	return NewView(again, counter.Exact(), DefaultLimits(), Rate{}), p
}

func TestItemsOfTwoTimesAreNotAddedUp(t *testing.T) {
	for _, perFile := range []int{40, 4000} {
		v, _ := exportRun(t, perFile)
		x := v.Targets[0]
		if len(x.Earlier) != 1 || x.Earlier[0].UnixNano != testStart*second || x.Stored.UnixNano != (testStart+2*86400)*second {
			t.Fatalf("%d items a file: times %v, %d", perFile, x.Earlier, x.Stored.UnixNano)
		}
		for _, s := range []struct {
			stored StoredItems
			size   uint64
		}{{x.Earlier[0], 100}, {x.Stored, 150}} {
			n := uint64(6 * perFile)
			if s.stored.Items != n || s.stored.Bytes != n*s.size || s.stored.Distinct.Value != 7 {
				t.Errorf("%d items of %d bytes, keys %v; want %d of %d, 7 keys", s.stored.Items, s.stored.Bytes, s.stored.Distinct, n, n*s.size)
			}
			for _, c := range s.stored.Collections {
				items, files := uint64(perFile*3/4), uint64(1)
				if string(c.Key) == "split" {
					items, files = n/4, 6
				}
				want := Collection{Items: Range{items, items}, Bytes: Range{items * s.size, items * s.size}, Files: Range{files, files}}
				if c.Items != want.Items || c.Bytes != want.Bytes || c.Files != want.Files {
					t.Errorf("%s: %v items, %v bytes in %v files; want %v, %v, %v", c.Key, c.Items, c.Bytes, c.Files, want.Items, want.Bytes, want.Files)
				}
				if stored := items * (s.size + StorageOverhead); c.Storage != (Range{stored, stored}) {
					t.Errorf("%s takes %v, want %d", c.Key, c.Storage, stored)
				}
			}
			if q := s.stored.PerKey; len(q) != 3 || q[0].Items != uint64(perFile*3/4) {
				t.Errorf("quantiles of keys: %v", q)
			}
		}
	}
}

func TestTheLastInventoriesAreKept(t *testing.T) {
	lost := Lost{}
	all := []Inventory{}
	for i := range int64(MaxInventories + 3) {
		all = append(all, Inventory{UnixNano: i, Targets: []StoredTarget{{Items: 10}}})
	}
	kept := capInventories(all, &lost)
	if len(kept) != MaxInventories+1 || kept[0].UnixNano != 0 || kept[1].UnixNano != 3 || lost.Stored != 20 {
		t.Errorf("%d kept from %d on, %d items lost; want %d from 3 on and that of no time, 20 lost", len(kept), kept[1].UnixNano, lost.Stored, MaxInventories+1)
	}
}

func TestEntriesInLocalIndexesCountWithTheirCollection(t *testing.T) {
	b := NewBuilder(smallSettings())
	b.inputContext = inputContext{coverage: ingest.StateOnly, name: "export"}
	for i := range 10 {
		for index, size := range map[string]uint64{"": 1000, "byDay": 60, "byTown": 500} {
			e := ingest.Event{Store: ingest.DynamoDB, Table: []byte("t"), Index: []byte(index), Key: []byte("k"), KeyKnown: true}
			e.SetBytes(size)
			if index != "byDay" || i%2 == 0 {
				b.Event(&e)
			}
		}
	}
	b.Fact(&ingest.Fact{Store: ingest.DynamoDB, Table: []byte("t"), Name: ingest.FactLocalIndex, Value: []byte("byDay")})
	v := NewView(b.seal([]InputStats{{}}), nil, DefaultLimits(), Rate{})
	c := v.Targets[0].Stored.Collections[0]
	if c.Bytes != (Range{10_000, 10_000}) || c.Local != (Range{300, 300}) || c.Storage != (Range{11_800, 11_800}) {
		t.Errorf("bytes %v, in local indexes %v, in all %v; want 10000, 300 and 11800", c.Bytes, c.Local, c.Storage)
	}
}

func TestGrowthOfKeysIsExactInTheSecondPass(t *testing.T) {
	in := &ingest.Input{Name: "stream", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	read := func(h ingest.Handler) {
		for c := range 2 {
			s := h.Begin(ingest.Chunk{Input: in, Index: c})
			for i := range 6000 {
				e := ingest.Event{Store: ingest.DynamoDB, Op: ingest.OpUpdate, Table: []byte("t"), Key: []byte("hot"), KeyKnown: true}
				if i%3 > 0 {
					e.Key = fmt.Appendf(nil, "k%d", i)
				}
				e.SetTime((testStart + int64(i)) * second)
				e.SetGrowth(int64(300 - 100*(i/3%2*4))) // +300, -100
				s.Event(&e)
			}
			e := ingest.Event{Store: ingest.DynamoDB, Coverage: ingest.StateOnly, Changed: true, Table: []byte("t"), Key: []byte("hot"), KeyKnown: true}
			e.SetTime((testStart + 6000) * second)
			e.SetGrowth(-50)
			s.Event(&e)
			h.End(ingest.Chunk{Input: in, Index: c}, s, ingest.ChunkStats{})
		}
		h.EndInput(in, 2)
		h.EndFile(0, 1)
	}
	c := NewCollector(smallSettings())
	read(c)
	p := c.Profile()
	for _, second := range []bool{false, true} {
		var x *Exact
		if second {
			counter := NewCounter(p, Nominate(p))
			read(counter)
			x = counter.Exact()
		}
		v := NewView(p, x, DefaultLimits(), Rate{})
		k := v.Targets[0].Growing[0]
		grown, shrunk := uint64(2*1000*300), uint64(2*1000*100+2*50)
		if string(k.Key) != "hot" || k.Grown.Low > grown || k.Grown.High < grown || k.Shrunk.Low > shrunk || k.Shrunk.High < shrunk {
			t.Errorf("%s grew by %v and shrank by %v, want %d and %d", k.Key, k.Grown, k.Shrunk, grown, shrunk)
		}
		if net := k.Net(); second && (net != Range{grown - shrunk, grown - shrunk} || k.Changes != Range{4002, 4002}) {
			t.Errorf("net %v in %v changes, want %d in 4002", net, k.Changes, grown-shrunk)
		}
		if g := v.Targets[0].Grew; g.End-g.Start != 6001 {
			t.Errorf("over %d s, want 6001", g.End-g.Start)
		}
		if n := v.Targets[0].Totals[Requests]; n != 12000 {
			t.Errorf("%d requests: changes that are no traffic were counted", n)
		}
	}
}
