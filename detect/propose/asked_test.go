package propose

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// A histogram gives half an hour as up to 1,823 seconds. 1 MiB a day leaves room for 50 days, so months; reads that ask for a day and less want days.
func TestBucketsHoldWhatReadsAskFor(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name    string
		windows []uint64 // of reads, seconds
		bucket  string
		reads   map[string][3]detect.Milli // low, after and high of partitions a read
	}{
		{"nothing is told", nil, "month", nil},
		{"24 hours", []uint64{86400}, "day", map[string][3]detect.Milli{"partitions_per_read": {1000, 2000, 2000}, "partitions_per_read_p99": {1000, 2000, 2000}}},
		{"half an hour, and 3 days once", []uint64{1800, 1800, 1800, 3 * 86400}, "hour",
			map[string][3]detect.Milli{"partitions_per_read": {1000, 1506, 2000}, "partitions_per_read_p99": {72000, 73000, 73000}}},
		{"half a year", []uint64{180 * 86400}, "month", map[string][3]detect.Milli{"partitions_per_read": {7000, 7428, 8000}, "partitions_per_read_p99": {7000, 7428, 8000}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := aView()
			v.Targets[0].Asked = &sketch.Histogram{}
			for _, w := range c.windows {
				v.Targets[0].Asked.Add(w, 1)
			}
			p := TimeBucket.Propose(v, aFinding("growing-partition", value("growth_bytes_per_day", detect.Whole(mib)), value("partition_bytes", detect.Whole(75*mib))))[0]
			if p.Bucket != c.bucket {
				t.Errorf("by %s, want %s", p.Bucket, c.bucket)
			}
			got := map[string][3]detect.Milli{}
			for _, e := range p.Effects[1:] {
				got[e.Measure] = [3]detect.Milli{e.Low, e.After, e.High}
			}
			if len(c.windows) == 0 {
				got = nil
			}
			if d := cmp.Diff(got, c.reads); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
		})
	}
}

// 200 of 1,000 reads are of the key and ask for all of it: 8 shards for all keys make 1 + 7 x 1,000 / 1,000 partitions a
// read, for this key alone 1 + 7 x 200 / 1,000.
func TestFewKeysMayHaveShardsAlone(t *testing.T) {
	s := situationOf(ingest.Cassandra, "hot-partition", value("share", 630))
	s.keyRequests(ingest.OpWrite, 430)
	s.keyRequests(ingest.OpRead, 200)
	s.requests(ingest.OpRead, 1000)
	s.requests(ingest.OpWrite, 1000)
	s.t.Distinct.Low = 100
	p := ShardSuffix.Propose(s.v, s.f)[0]
	if want := "a read of the table asks 8.0 partitions on average if all keys have shards, 2.4 if this key alone has"; !slices.Contains(p.Costs, want) {
		t.Errorf("%q is not in %q", want, p.Costs)
	}
	s.t.Distinct.Low = 99
	if p := ShardSuffix.Propose(s.v, s.f)[0]; len(p.Costs) != 1 {
		t.Errorf("of few keys: %q", p.Costs)
	}
}
