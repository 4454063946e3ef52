package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyheat/keyheat/internal/generate"
	"github.com/keyheat/keyheat/internal/incidents"
)

// seed chooses the traffic and the drawing of shards. Bounds hold for nearly all traffic, not for all: the number of
// partitions is outside of them once in 400 times, so a seed of the day would fail now and then.
const seed = 20260604

// A simulatedDoc is what a program reads of keyheat.simulation/1.
type simulatedDoc struct {
	Best       *string
	Candidates []simulatedKey
}

type simulatedKey struct {
	Key         string                       `json:"key"`
	Distinct    *float64                     `json:"distinct_keys"`
	TopShare    *float64                     `json:"top_share"`
	Peak        *float64                     `json:"peak_per_second"`
	Largest     *float64                     `json:"largest_partition_bytes"`
	Fanout      struct{ Mean, P99 *float64 } `json:"read_fanout"`
	NotReplayed uint64                       `json:"not_replayed"`
	Replayed    uint64                       `json:"replayed"`
	PeakWrite   *float64                     `json:"peak_write_units_per_second"`
	PeakRead    *float64                     `json:"peak_read_units_per_second"`
	SecondsOver *float64                     `json:"seconds_over_limit"`
	Projected   *float64                     `json:"projected_bytes"`
	ReadUnits   *float64                     `json:"read_units_per_read"`
	Bounds      map[string]struct{ Low, High *float64 }
	Removes     []string
	Keeps       []string
}

func simulated(t *testing.T, args ...string) simulatedDoc {
	t.Helper()
	code, stdout, stderr := runArgs(t, testEnv(slices.Concat([]string{"simulate", "--format", "json"}, args)...))
	if code != exitRan {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	d := simulatedDoc{}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// within reports what a prediction says of a measured number: that it is known, and within its bounds. Values
// are rounded to a thousandth.
func (k *simulatedKey) within(t *testing.T, name string, value *float64, measured float64) {
	t.Helper()
	if value == nil {
		t.Errorf("%s: %s is not known, measured %v", k.Key, name, measured)
		return
	}
	low, high, open := *value, *value, false
	if b, ok := k.Bounds[name]; ok {
		low, open = *b.Low, b.High == nil
		if !open {
			high = *b.High
		}
	}
	if measured < low-0.001 || !open && measured > high+0.001 {
		t.Errorf("%s: %s: predicted %v (%v to %v, open %v), measured %v", k.Key, name, *value, low, high, open, measured)
	}
}

// holds compares what was predicted of a key with a recount of the same traffic under it.
func (k *simulatedKey) holds(t *testing.T, c *incidents.Recount, dynamo bool) {
	t.Helper()
	k.within(t, "distinct_keys", k.Distinct, float64(c.Partitions()))
	k.within(t, "top_share", k.TopShare, c.TopShare())
	k.within(t, "peak_per_second", k.Peak, c.Peak(0))
	k.within(t, "largest_partition_bytes", k.Largest, float64(c.Largest()))
	k.within(t, "read_fanout.mean", k.Fanout.Mean, c.MeanFanout())
	if dynamo {
		k.within(t, "peak_write_units_per_second", k.PeakWrite, c.Peak(1))
		k.within(t, "peak_read_units_per_second", k.PeakRead, c.Peak(2))
		k.within(t, "seconds_over_limit", k.SecondsOver, float64(c.SecondsOver()))
		k.within(t, "read_units_per_read", k.ReadUnits, c.UnitsOfReads()/float64(max(c.Reads(), 1)))
	}
}

// The prediction is tested: traffic is generated, each of its requests is put under the key, and counted.
func TestPredictionsHoldForGeneratedTraffic(t *testing.T) {
	keys := []string{"key, shard(8)", "key, shard_by(sk, 8)", "shard_by(sk, 16)", "key, bucket(hour, ts)", "key, bucket(hour, ts), shard(2)", "sk"}
	for _, kind := range []string{"hot-key", "moving-key", "late-burst", "skewed", "growing-partition", "quiet"} {
		t.Run(kind, func(t *testing.T) {
			o := generate.Defaults()
			o.Kind, o.Seed, o.Events, o.Keys = kind, seed, 15_000, 2_000
			file := filepath.Join(t.TempDir(), "events.ndjson")
			all := generated(t, file, o)
			args := []string{file, "--table", all[0].Table()}
			for _, k := range keys {
				args = append(args, "--key", k)
			}
			d := simulated(t, args...)
			for i, k := range append([]string{"key"}, keys...) {
				c := incidents.Count(all, k, rand.New(rand.NewPCG(seed, uint64(i))))
				d.Candidates[i].holds(t, c, kind != "growing-partition")
			}
		})
	}
}

// generated writes generated traffic to a file, and gives it as an independent reader sees it.
func generated(t *testing.T, file string, o generate.Options) []incidents.Request {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := generate.Write(f, o); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return readRequests(t, file)
}

func TestSimulationsAreTheSameForAllWorkers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.ndjson")
	generateTo(t, file, "hot-key", "--events", "20000")
	outputs := []string{}
	for _, workers := range []string{"1", "2", "5"} {
		code, stdout, stderr := runArgs(t, testEnv("simulate", file, "--table", "carts", "--chunk", "100KiB", "--workers", workers, "--format", "json",
			"--key", "key, shard(8)", "--key", "key, shard_by(sk, 4), bucket(day, ts)"))
		if code != exitRan {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		outputs = append(outputs, stdout)
	}
	for _, o := range outputs[1:] {
		if o != outputs[0] {
			t.Error("the number of workers changes the output")
		}
	}
}

func TestAutoProposesNothingForQuietTraffic(t *testing.T) {
	for i, args := range [][]string{
		{"quiet"}, {"quiet", "--store", "cassandra", "--keys", "200"}, {"zipf", "--skew", "0.7"}, {"quiet", "--minutes", "600", "--events", "50000"},
	} {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.ndjson", i))
		generateTo(t, file, args...)
		table := readRequests(t, file)[0].Table()
		if d := simulated(t, file, "--table", table, "--auto"); len(d.Candidates) != 1 || d.Best != nil {
			t.Errorf("%v: proposed %v", args, d.Candidates)
		}
	}
}

func readRequests(t *testing.T, file string) []incidents.Request {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := incidents.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A stream and CloudTrail tell of the same writes: a request is replayed once, as a report counts it.
func TestARequestThatTwoWitnessesTellOfIsReplayedOnce(t *testing.T) {
	const folder = "../../fixtures/scenarios/hot-partition-trail-tells-more/"
	for _, key := range []string{"key, shard_by(sk, 8)", "key, shard(4)"} {
		both := simulated(t, folder+"stream.ndjson.gz", folder+"trail.json.gz", "--table", "Orders", "--key", key)
		one := simulated(t, folder+"trail.json.gz", "--table", "Orders", "--key", key)
		for i := range one.Candidates {
			got, want := &both.Candidates[i], &one.Candidates[i]
			if got.Replayed != want.Replayed || *got.Fanout.Mean != *want.Fanout.Mean || *got.TopShare > *want.TopShare*1.1 || *got.TopShare < *want.TopShare*0.9 {
				t.Errorf("%s: %d requests replayed, fan-out %v and share %v with both witnesses, want %d, %v and about %v",
					got.Key, got.Replayed, *got.Fanout.Mean, *got.TopShare, want.Replayed, *want.Fanout.Mean, *want.TopShare)
			}
		}
	}
}
