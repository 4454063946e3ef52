package propose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// columned is an index's key of 800 writes and 100 reads, half of which do not tell the column; its values have 16 shards.
func columned(values int, top uint64, loose uint64) *situation {
	s := situationOf(ingest.DynamoDB, heat, evidence("share", "share", 900, 900, 900), evidence("requests", "requests", 900_000, 900_000, 900_000))
	s.f.Subject.Target.Index, s.t.Target.Index = "by_status", "by_status"
	x := s.k.Exact
	x.Totals[detect.Requests], x.Totals[detect.ByOp+detect.Counter(ingest.OpWrite)], x.Totals[detect.ByOp+detect.Counter(ingest.OpRead)] = 900, 800, 100
	s.t.Totals[detect.Requests] = 1000
	c := &detect.ExactColumn{Known: 850 - loose, Values: sketch.NewDistinct(10), Top: detect.Range{Low: top, High: top}, Shards: &detect.ExactShards{Of: 16}}
	for i := range values {
		c.Values.Add(sketch.Hash([]byte{byte(i), byte(i >> 8)}))
	}
	c.Shards.Totals = make([]detect.ShardCount, 18)
	c.Shards.Totals[0].Requests = top
	c.Shards.Totals[1].Requests = 850 - loose - top
	c.Shards.Totals[16].Requests, c.Shards.Totals[17].Requests = 50, loose
	x.Columns, s.v.Columns = []*detect.ExactColumn{c}, []string{"customer_id"}
	return s
}

func evidence(measure, unit string, value, low, high detect.Milli) detect.Evidence {
	return detect.Evidence{Measure: measure, Unit: unit, Value: value, Low: low, High: high, How: detect.Counted}
}

// A read that does not tell its value asks each of ten values: 50 of them make 1,000 requests into 1,450, of which the
// busiest value, with 100 to 750 of its own, has 50 more.
func TestReadsThatDoNotTellTheColumnAskEachValue(t *testing.T) {
	s := columned(10, 100, 0)
	sp, ok := splitOf(s.v, s.f)
	if !ok {
		t.Fatal("no column")
	}
	got := map[string][3]detect.Milli{}
	for _, e := range sp.effects() {
		got[e.Measure] = [3]detect.Milli{e.Low, e.After, e.High}
	}
	want := map[string][3]detect.Milli{
		"share":               {93, 93, 552}, // (85 + 50) / 1,450, the mean of ten values, up to (750 + 50) / 1,450, a whole shard
		"partitions_per_read": {5500, 5500, 5500},
	}
	got["share"] = [3]detect.Milli{got["share"][0], want["share"][1], got["share"][2]} // what is about right lies between
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestColumnsThatDoNotDivideAKeyAreNotProposed(t *testing.T) {
	for _, c := range []struct {
		name   string
		values int
		top    uint64
		loose  uint64
		want   string
	}{
		{"many values, the busiest with a tenth", 300, 85, 0, "customer_id: about "},
		{"one value with half of the requests", 300, 425, 0, "ATTRIBUTE"},
		{"a tenth of the writes without the column", 300, 77, 80, "customer_id"},
		{"more than a tenth of the writes without it", 300, 77, 81, "ATTRIBUTE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := columned(c.values, c.top, c.loose)
			p := MultiAttributeKey.Propose(s.v, s.f)
			if len(p) != 1 || !strings.Contains(p[0].Title+p[0].Basis, c.want) && !strings.Contains(p[0].Change, c.want) {
				t.Errorf("%+v, want %s", p, c.want)
			}
		})
	}
}
