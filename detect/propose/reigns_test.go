package propose

import (
	"strings"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// movingView has hours of 100 requests each, whose key has 80 of them, spread over 16 shards as counts say.
func movingView(counts ...[]uint64) (*detect.View, *detect.Finding) {
	s := situationOf(ingest.DynamoDB, "moving-hot-key", value("share", 800), value("longest_run", detect.Whole(3600)), value("requests", detect.Whole(80)))
	s.t.Keys = nil
	s.v.Panes, s.v.Span = nil, detect.Span{Start: 0, End: int64(3600 * len(counts))}
	s.f.Span = s.v.Span
	s.t.Panes = make([]detect.TargetPane, len(counts))
	for i, of := range counts {
		s.v.Panes = append(s.v.Panes, detect.PaneSpan{Start: int64(3600 * i), End: int64(3600 * (i + 1))})
		s.t.Panes[i].Totals[detect.PaneRequests] = 100
		k := &detect.KeyView{Key: []byte{byte('a' + i)}, Panes: make([]detect.KeyPane, len(counts)), Exact: &detect.ExactKey{SortKnown: 80}}
		k.Panes[i].Requests = detect.Range{Low: 80, High: 80}
		k.Exact.Totals[detect.Requests] = 80
		if of != nil {
			k.Exact.Shards = &detect.ExactShards{Of: 16, Totals: make([]detect.ShardCount, 18)}
			for j, n := range of {
				k.Exact.Shards.Totals[j].Requests = n
			}
		}
		s.t.Keys = append(s.t.Keys, k)
	}
	return s.v, s.f
}

func TestKeysThatMoveAreCountedByShard(t *testing.T) {
	even := []uint64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}
	uneven := []uint64{10, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}
	one := []uint64{80}
	for _, c := range []struct {
		name             string
		counts           [][]uint64
		low, after, high detect.Milli
		how              detect.How
		step             string
	}{
		{"8 shards of ten each", [][]uint64{even, even}, 100, 100, 100, detect.Counted, "hash(sort key) mod 8"},
		{"15 of 80 in the busiest of one hour", [][]uint64{even, uneven}, 100, 150, 150, detect.Counted, "hash(sort key) mod 8"},
		{"one hour was not counted", [][]uint64{even, nil}, 100, 100, 100, detect.Estimated, "hash(sort key) mod 8"},
		{"one item has it all: shards at random spread better", [][]uint64{even, one}, 100, 0, 0, detect.Estimated, "at random"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := TimeBucket.Propose(movingView(c.counts...))[0]
			e := p.Effects[0]
			if e.How != c.how || e.Low != c.low || c.after > 0 && (e.After != c.after || e.High != c.high) {
				t.Errorf("got %d (%d to %d, %s), want %d (%d to %d, %s)", e.After, e.Low, e.High, e.How, c.after, c.low, c.high, c.how)
			}
			if !strings.Contains(p.Steps[0], c.step) {
				t.Errorf("step %q, want %q in it", p.Steps[0], c.step)
			}
		})
	}
}

func TestTheCommandToSimulateCanBePasted(t *testing.T) {
	for _, c := range []struct {
		names []string
		table string
		want  string
	}{
		{[]string{"logs/orders.ndjson.gz"}, "orders", "keyheat simulate logs/orders.ndjson.gz --table orders --key 'key, x'"},
		{[]string{"my logs/a.csv", "b.csv"}, "orders", "keyheat simulate 'my logs/a.csv' b.csv --table orders --key 'key, x'"},
		{[]string{"it's.csv"}, "$(reboot)", "keyheat simulate INPUT --table TABLE --key 'key, x'"},
		{[]string{"-"}, "orders", "keyheat simulate INPUT --table orders --key 'key, x'"},
		{[]string{"a", "b", "c", "d"}, "orders", "keyheat simulate INPUT --table orders --key 'key, x'"},
	} {
		v, f := aView(), aFinding("moving-hot-key")
		f.Subject.Target.Table = c.table
		for _, n := range c.names {
			v.Inputs = append(v.Inputs, detect.InputStats{Name: n})
		}
		if got := simulated(v, f, "key, x"); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
