package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// namedProfile gives the Profile of an input with a request for each of these records.
func namedProfile(t *testing.T, input string, names []uint64) *Profile {
	t.Helper()
	b := NewBuilder(DefaultSettings())
	b.coverage = ingest.Traffic
	stats := InputStats{Name: input}
	for _, n := range names {
		e := ingest.Event{Store: ingest.DynamoDB, Op: ingest.OpWrite, Table: []byte("orders"), Key: []byte("k"), KeyKnown: true}
		e.ID = ingest.HashID(fmt.Appendf(nil, "%032x", n))
		stats.Named.add(e.ID)
		b.Event(&e)
	}
	return b.seal([]InputStats{stats})
}

func upTo(from, to uint64) (names []uint64) {
	for n := from; n < to; n++ {
		names = append(names, n)
	}
	return names
}

func TestRecordsThatAreReadAgainAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		inputs [][]uint64
		want   Copies
	}{
		"each once":                   {[][]uint64{upTo(0, 50), upTo(50, 90)}, Copies{Records: 90}},
		"a file twice":                {[][]uint64{upTo(0, 50), upTo(0, 50)}, Copies{100, 50, 50, 50}},
		"dumps that overlap":          {[][]uint64{upTo(0, 50), upTo(30, 80)}, Copies{100, 20, 20, 20}},
		"three of the same":           {[][]uint64{upTo(0, 5), upTo(0, 5), upTo(0, 5)}, Copies{15, 10, 10, 10}},
		"more than any sample, once":  {[][]uint64{upTo(0, 9000), upTo(9000, 20000)}, Copies{Records: 20000}},
		"as many as the sample holds": {[][]uint64{upTo(0, 1024), upTo(0, 1024)}, Copies{2048, 1024, 1024, 1024}},
	} {
		t.Run(name, func(t *testing.T) {
			p := namedProfile(t, "a", c.inputs[0])
			for _, names := range c.inputs[1:] {
				p = merge(p, namedProfile(t, "b", names), false)
			}
			if d := cmp.Diff(p.Targets[0].copies(), c.want); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
		})
	}
}

// The interval holds the truth in 95 of 100 streams: in fewer than 85 in less than one test of 10,000.
func TestCopiesAreEstimatedWithinTheirBounds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	const streams, records = 100, 6000
	for _, again := range []int{120, 600, 3000, 6000} {
		held, seen := 0, 0
		for range streams {
			first := make([]uint64, records)
			for i := range first {
				first[i] = rng.Uint64()
			}
			c := namedProfile(t, "a", append(first, first[:again]...)).Targets[0].copies()
			if c.Low <= uint64(again) && uint64(again) <= c.High {
				held++
			}
			if c.Value > 0 {
				seen++
			}
			if c.Low > c.Value || c.Value > c.High {
				t.Fatalf("bounds out of order: %+v", c)
			}
		}
		if held < 85 || seen < streams {
			t.Errorf("%d copies of %d: %d of %d intervals hold it, and %d saw any", again, records, held, streams, seen)
		}
	}
}

func TestCopiesDependOnNoOrderOfMerges(t *testing.T) {
	parts := [][]uint64{upTo(0, 700), upTo(500, 2500), upTo(2000, 2100), upTo(2400, 5000)}
	forms := map[string]bool{}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		p := namedProfile(t, "a", parts[order[0]])
		for _, i := range order[1:] {
			p = merge(p, namedProfile(t, "a", parts[i]), false)
		}
		forms[fmt.Sprint(p.Targets[0].copies())] = true
		form, _ := p.MarshalBinary()
		back, err := ReadProfile(form)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(back.Targets[0].copies(), p.Targets[0].copies()); d != "" {
			t.Errorf("read back (-got +want):\n%s", d)
		}
		if back.Inputs[1].Named != p.Inputs[1].Named {
			t.Errorf("read back: %+v, want %+v", back.Inputs[1].Named, p.Inputs[1].Named)
		}
	}
	if len(forms) != 1 {
		t.Errorf("several: %v", forms)
	}
}

func TestInputsOfTheSameRecordsAreNamed(t *testing.T) {
	reversed := upTo(0, 30)
	slices.Reverse(reversed)
	p := namedProfile(t, "a.json", upTo(0, 30))
	for _, in := range []struct {
		name  string
		names []uint64
	}{{"b.json", upTo(0, 29)}, {"c.ndjson", reversed}, {"none", nil}, {"also none", nil}, {"d.json", append(upTo(0, 29), 30)}, {"b again", upTo(0, 29)}, {"dynamodb://a/1", upTo(50, 60)}, {"dynamodb://a/1", upTo(50, 60)}} {
		p = merge(p, namedProfile(t, in.name, in.names), false)
	}
	if d := cmp.Diff(p.Same(), [][]string{{"a.json", "c.ndjson"}, {"b.json", "b again"}}); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestFindingsOnCopiesAreOnlyPossible(t *testing.T) {
	orders, index, other := Target{Store: ingest.DynamoDB, Table: "orders"}, Target{Store: ingest.DynamoDB, Table: "orders", Index: "by-state"}, Target{Store: ingest.DynamoDB, Table: "other"}
	v := &View{Targets: []*TargetView{{Target: orders, Copies: Copies{10, 5, 4, 6}}, {Target: index}, {Target: other, Copies: Copies{Records: 7}}}}
	for name, c := range map[string]struct {
		target Target
		counts bool
		how    How
		want   Confidence
	}{
		"a count of the table":           {orders, true, Counted, Maybe},
		"an estimate of its index":       {index, true, Estimated, Maybe},
		"what the store says":            {orders, true, Stored, Sure},
		"a size":                         {orders, false, Counted, Sure},
		"a table whose records are once": {other, true, Counted, Sure},
	} {
		t.Run(name, func(t *testing.T) {
			f := Finding{Confidence: Sure, Subject: Subject{Target: c.target}, Evidence: []Evidence{{Measure: "requests", How: c.how}}}
			found, _ := Judge(v, []*Rule{{ID: "x", Counts: c.counts, Judge: func(*View) ([]Finding, []NotAssessed) { return []Finding{f}, nil }}}, nil)
			if got := found[0].Confidence; got != c.want {
				t.Errorf("confidence %v, want %v", got, c.want)
			}
			if told := len(found[0].Evidence) == 2; told != (c.want == Maybe) {
				t.Errorf("evidence: %+v", found[0].Evidence)
			}
		})
	}
}
