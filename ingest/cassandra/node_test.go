package cassandra

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLatenciesAreInMillisecondsWhateverTheVersionMeans(t *testing.T) {
	tests := map[string]struct{ version, max string }{
		"4.0 says milliseconds":     {"4.0.19", "43.0"},
		"4.1 says seconds":          {"4.1.10", "0.043"},
		"5.0 says seconds":          {"5.0.9", "0.043"},
		"6.0-alpha2 says seconds":   {"6.0-alpha2", "0.043"},
		"a later 4 says seconds":    {"4.2-SNAPSHOT", "0.043"},
		"DSE, as of 4.0":            {"4.0.0.6816", "43.0"},
		"no version: as they stand": {"", "43.0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.virtual([2]string{"system_views", "local_read_latency"})
				f.local(record{"release_version": tc.version, "broadcast_address": "10.0.0.1", "tokens": "{'0'}"})
				f.tables["system_views.local_read_latency"] = table(record{"keyspace_name": "shop", "table_name": "carts", "count": "9", "max_ms": tc.max, "p50th_ms": "0", "p99th_ms": "0", "per_second": "0"})
				to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 5*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				want := "point shop.carts local_read_latency_ms maximum 43000 s=0 node=10.0.0.1"
				if !slices.Contains(to.of("point"), want) {
					t.Errorf("no %q in %q", want, to.of("point"))
				}
			})
		})
	}
}

func TestCountsOfRequestsAreWhatCameBetweenTwoPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "local_write_latency"})
		// 100 a poll from 1,000 on; at the fourth the node has restarted.
		counts, polls := []int{1000, 1100, 1200, 70, 70, 75}, 0
		f.tables["system_views.local_write_latency"] = func(string, *query) ([]record, error) {
			n := counts[min(polls, len(counts)-1)]
			polls++
			return []record{{"keyspace_name": "shop", "table_name": "carts", "count": fmt.Sprint(n)}, {"keyspace_name": "system", "table_name": "local", "count": fmt.Sprint(n)}}, nil
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 55*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"point shop.carts writes sum 100000 s=10 node=10.0.0.1", "point shop.carts writes sum 100000 s=10 node=10.0.0.1",
			"point shop.carts writes sum 70000 s=10 node=10.0.0.1", "point shop.carts writes sum 5000 s=10 node=10.0.0.1",
		}
		if d := cmp.Diff(to.of("point"), want); d != "" {
			t.Errorf("got (-), want (+):\n%s", d)
		}
	})
}

func TestEachNodeTellsOfItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "settings"}, [2]string{"system_views", "max_partition_size"}, [2]string{"system_views", "tombstones_per_read"})
		f.tables["system.peers_v2"] = table(record{"peer": "10.0.0.2", "native_address": "192.168.0.2", "native_port": "19042", "tokens": "{'100'}", "data_center": "dc1", "rack": "r2", "release_version": "5.0.9"},
			record{"peer": "10.0.0.3"}) // half gone: without tokens
		f.tables["system_views.max_partition_size"] = func(address string, _ *query) ([]record, error) {
			return []record{{"keyspace_name": "shop", "table_name": "carts", "mebibytes": fmt.Sprint(len(address))}}, nil
		}
		f.tables["system_views.settings"] = table(record{"name": "tombstone_warn_threshold", "value": "1000"}, record{"name": "cluster_name", "value": "c"})
		f.tables["system_views.tombstones_per_read"] = table(record{"keyspace_name": "shop", "table_name": "carts", "count": "0", "max": "1", "p50th": "1", "p99th": "1"})
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		states := slices.Compact(slices.Sorted(slices.Values(to.of("state"))))
		want := []string{`state shop.carts partition_bytes [""] 13631488 node=10.0.0.1`, `state shop.carts partition_bytes [""] 17825792 node=10.0.0.2`}
		if d := cmp.Diff(states, want); d != "" {
			t.Errorf("states (-), want (+):\n%s", d)
		}
		for _, want := range []string{
			"fact shop.carts partition-key user_id node=", "fact shop.carts gc-grace 864000 node=", "fact  rack r2 node=10.0.0.2",
			"fact  tombstone-warn-threshold 1000 node=10.0.0.1", "fact  tombstone-warn-threshold 1000 node=10.0.0.2",
		} {
			if !slices.Contains(to.of("fact"), want) {
				t.Errorf("no %q in %q", want, to.of("fact"))
			}
		}
		if got := to.of("point"); len(got) > 0 {
			t.Errorf("%q: of a table that nobody read", got)
		}
		if f.asked["192.168.0.2:19042"] == 0 {
			t.Errorf("the second node was not asked at its own address: %v", f.asked)
		}
	})
}

func TestSizeEstimatesAreSummedOverRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system", "size_estimates"})
		f.tables["system.size_estimates"] = table(
			record{"keyspace_name": "shop", "table_name": "carts", "range_start": "-9", "range_end": "0", "partitions_count": "100", "mean_partition_size": "10"},
			record{"keyspace_name": "shop", "table_name": "carts", "range_start": "0", "range_end": "9", "partitions_count": "300", "mean_partition_size": "50"})
		s := f.server(t, "cassandra://10.0.0.1")
		n := &nodeReader{server: s, link: s.link("10.0.0.1:9042"), cluster: &cluster{tables: map[string]bool{"system.size_estimates": true}}, note: func(text string) { t.Error(text) }}
		to := &told{}
		n.to = &scoped{Sink: &toldBy{to: to}, config: s.config, node: []byte("10.0.0.1")}
		if err := n.sizeEstimates(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{"point shop.carts partitions reading 400000 s=0 node=10.0.0.1", "point shop.carts mean_partition_bytes reading 40000 s=0 node=10.0.0.1"}
		if d := cmp.Diff(to.of("point"), want); d != "" {
			t.Errorf("got (-), want (+):\n%s", d)
		}
	})
}

func TestATableThatMayNotBeReadIsANoteAndTheRestGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "settings"}, [2]string{"system_views", "max_partition_size"})
		f.tables["system_views.settings"] = func(string, *query) ([]record, error) {
			return nil, &refusal{lacking: true, text: "User app has no SELECT permission"}
		}
		f.tables["system_views.max_partition_size"] = table(record{"keyspace_name": "shop", "table_name": "carts", "mebibytes": "3"})
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 5*time.Second)
		if err != nil || len(to.of("state")) == 0 {
			t.Errorf("%d states: %v", len(to.of("state")), err)
		}
		want := []string{"system_views.settings was not read: User app has no SELECT permission; keyheat doctor prints the least role"}
		if d := cmp.Diff(to.notes, want); d != "" {
			t.Errorf("notes (-), want (+):\n%s", d)
		}
	})
}

func TestRequestsKeepToTheLoadLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "rows_per_read"})
		f.tables["system_views.rows_per_read"] = table(slices.Repeat([]record{{"keyspace_name": "shop", "table_name": "carts", "count": "0"}}, 20)...) // ten pages
		s := f.server(t, "cassandra://10.0.0.1?interval=1s")
		s.config.rate = 4 // two for each of a node's ways
		if _, err := collect(t, s, time.Minute); err != nil {
			t.Fatal(err)
		}
		// 60 s of at most four a second, and what is read after the end.
		if n := f.asked["10.0.0.1:9042"]; n < 100 || n > 260 {
			t.Errorf("%d requests in a minute, want at most about 240", n)
		}
	})
}

func TestSlowQueriesAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "slow_queries"})
		start := time.Now()
		f.tables["system_views.slow_queries"] = func(string, *query) ([]record, error) {
			rows := []record{}
			for i := range int(time.Since(start) / (20 * time.Second)) { // one more every 20 s
				rows = append(rows, record{"keyspace_name": "shop", "table_name": "carts", "timestamp": fmt.Sprintf("2026-11-30T10:00:%02d.000Z", i),
					"query": "SELECT * FROM shop.carts WHERE user_id = 'u' LIMIT 5000 ALLOW FILTERING", "times_reported": "3", "max_ms": "700", "min_ms": "510", "avg_ms": "600", "cross_node": "false"})
			}
			return rows, nil
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 65*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		one := `event selected read shop.carts ["u"] µs=700000`
		if d := cmp.Diff(to.of("event"), []string{one, one, one}); d != "" {
			t.Errorf("got (-), want (+):\n%s", d)
		}
	})
}

func TestTheLargestKeysOfATableThatIsAskedFor(t *testing.T) {
	tests := map[string]struct {
		url  string
		want int
	}{
		"of the table":           {"cassandra://10.0.0.1/shop.carts", keysKept},
		"not of a whole cluster": {"cassandra://10.0.0.1", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.virtual([2]string{"system_views", "partition_key_statistics"})
				rows := []record{}
				for i := range 300 {
					rows = append(rows, record{"keyspace_name": "shop", "table_name": "carts", "token_value": fmt.Sprint(i), "key": fmt.Sprint("k", i), "size_estimate": fmt.Sprint(i * 7 % 300), "sstables": "1"})
				}
				f.tables["system_views.partition_key_statistics"] = table(rows...)
				to, err := collect(t, f.server(t, tc.url), 15*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				got := to.of("state")
				if len(got) != tc.want {
					t.Fatalf("%d states, want %d", len(got), tc.want)
				}
				if tc.want > 0 {
					ends := []string{got[0], got[len(got)-1]}
					want := []string{`state shop.carts partition_bytes ["k257"] 299 node=10.0.0.1`, `state shop.carts partition_bytes ["k200"] 200 node=10.0.0.1`}
					if d := cmp.Diff(ends, want); d != "" {
						t.Errorf("got (-), want (+):\n%s", d)
					}
				}
			})
		})
	}
}
