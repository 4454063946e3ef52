package detect

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// change feeds a write of one attribute.
func change(to ingest.Sink, at int, key, attribute, value string) {
	e := &ingest.Event{Store: ingest.DynamoDB, Table: []byte("orders"), Op: ingest.OpUpdate, KeyKnown: true, Key: []byte(key),
		At:      ingest.Position{Byte: uint64(at)},
		Changes: []ingest.Change{{Name: []byte(attribute), Value: ingest.HashValue([]byte(value)), Bytes: uint64(len(value))}}}
	e.SetTime((testStart + int64(at)) * second)
	to.Event(e)
}

// changed gives what a Profile says of attributes that are changed, in chunks of so many records.
func changed(t *testing.T, chunk int, feed func(change func(at int, key, attribute, value string))) []RewriteStats {
	t.Helper()
	c := NewCollector(smallSettings())
	in := &ingest.Input{Name: "test", Format: &ingest.Format{Name: "test", Coverage: ingest.Traffic}}
	var sink ingest.Sink
	n, index := 0, 0
	end := func() {
		c.End(ingest.Chunk{Input: in, Index: index}, sink, ingest.ChunkStats{Records: uint64(n)})
		sink, n, index = nil, 0, index+1
	}
	feed(func(at int, key, attribute, value string) {
		if sink == nil {
			sink = c.Begin(ingest.Chunk{Input: in, Index: index})
		}
		change(sink, at, key, attribute, value)
		if n++; n == chunk {
			end()
		}
	})
	if sink != nil {
		end()
	}
	c.EndInput(in, index)
	c.EndFile(0, 1)
	form, _ := c.Profile().MarshalBinary()
	p, err := ReadProfile(form)
	if err != nil {
		t.Fatal(err)
	}
	return p.Targets[0].Rewrites
}

func TestOneValueInManyPartitionsOfAMinuteIsSeen(t *testing.T) {
	for _, chunk := range []int{1_000_000, 7_000} { // a chunk ends within a minute: a lower bound stays
		got := changed(t, chunk, func(change func(int, string, string, string)) {
			for i := range 20_000 {
				change(i/100, fmt.Sprint("order-", i), "note", fmt.Sprint("text ", i))
				if i%100 == 0 && i/100%60 < 40 {
					change(i/100, fmt.Sprint("order-", i), "customer_name", fmt.Sprint("Acme ", i/6000))
				}
				change(i/100, "order-1", "total", fmt.Sprint(i%7)) // one partition
			}
		})
		names, most := []string{}, map[string]uint64{}
		for _, x := range got {
			names, most[x.Attribute] = append(names, x.Attribute), x.Widest.Partitions
		}
		if d := cmp.Diff(names, []string{"customer_name", "note", "total"}); d != "" {
			t.Fatalf("attributes (-got +want):\n%s", d)
		}
		if n := most["customer_name"]; n < 12 || n > 40 || chunk > 10_000 && n < 33 {
			t.Errorf("chunks of %d: one name in %d partitions, 40 were written", chunk, n)
		}
		if most["note"] != 1 || most["total"] != 1 {
			t.Errorf("a note in %d partitions, a total in %d, each was written to one", most["note"], most["total"])
		}
		if got[0].Widest.Bytes != 6 || got[0].Widest.Minute%60 != 0 {
			t.Errorf("%+v", got[0].Widest)
		}
		if v, low, high := got[1].Values.Estimate(); low > 20_000 || high < 20_000 || v == 0 {
			t.Errorf("%d notes (%d to %d), want 20,000", v, low, high)
		}
	}
}

func TestAttributesBeyondTheirNumberAreLeftOut(t *testing.T) {
	got := changed(t, 100, func(change func(int, string, string, string)) {
		for i := range 1000 {
			change(i, "k", fmt.Sprintf("attribute-%02d", i%40), "v")
		}
	})
	if len(got) != MaxRewritten {
		t.Errorf("%d attributes, want %d", len(got), MaxRewritten)
	}
}

func TestCountsOfChangesAreJoined(t *testing.T) {
	of := func(name string, changes, partitions uint64) RewriteStats {
		return RewriteStats{Attribute: name, Changes: changes, Values: sketch.NewDistinct(rewritePrecision), Widest: Rewrite{Partitions: partitions}}
	}
	got := joinRewrites([]RewriteStats{of("a", 1, 5), of("c", 2, 2)}, []RewriteStats{of("a", 3, 4), of("b", 4, 1), of("c", 5, 9)})
	want := []RewriteStats{of("a", 4, 5), of("b", 4, 1), of("c", 7, 9)}
	if d := cmp.Diff(got, want, cmpopts.IgnoreFields(RewriteStats{}, "Values")); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}
