package cassandra

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// peer is a row of system.peers_v2.
func peer(address, token string) record {
	return record{"peer": address, "native_address": address, "native_port": "9042", "tokens": "{'" + token + "'}", "data_center": "dc1", "rack": "r1", "release_version": "5.0.9"}
}

// changing gives a cluster whose nodes tell of these peers of the first one until a time, and then of others.
func changing(before, after []record, at time.Duration) *fakeCluster {
	f := newFake()
	f.virtual([2]string{"system_views", "rows_per_read"})
	f.tables["system_views.rows_per_read"] = table(record{"keyspace_name": "shop", "table_name": "carts", "count": "4", "max": "9", "p50th": "2", "p99th": "9"})
	start := time.Now()
	f.tables["system.peers_v2"] = func(string, *query) ([]record, error) {
		if time.Since(start) < at {
			return before, nil
		}
		return after, nil
	}
	return f
}

// pointsOf counts what a node told of its tables.
func pointsOf(to *told, node string) int {
	n := 0
	for _, p := range to.of("point") {
		if strings.HasSuffix(p, "node="+node) {
			n++
		}
	}
	return n
}

func TestNodesThatJoinAreReadFromThenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := changing(nil, []record{peer("10.0.0.2", "100")}, 45*time.Second)
		// Its rows follow the change: a request of a key that is now its own.
		log := &traceLog{start: time.Now(), sessions: []fakeSession{
			{id: sessionID(1), key: "k", at: 10 * time.Second, appears: 10 * time.Second, finishes: 11 * time.Second},
			{id: sessionID(2), key: "k", at: 100 * time.Second, appears: 100 * time.Second, finishes: 101 * time.Second},
		}}
		f.local(record{"release_version": "5.0.9", "broadcast_address": "10.0.0.1", "data_center": "dc1", "rack": "r1", "tokens": "{'-9223372036854775807'}"})
		f.tables["system.peers_v2"] = func(of func(string, *query) ([]record, error)) func(string, *query) ([]record, error) {
			return func(a string, q *query) ([]record, error) {
				rows, err := of(a, q)
				for _, r := range rows {
					r["tokens"] = "{'9223372036854775807'}" // all but one token
				}
				return rows, err
			}
		}(f.tables["system.peers_v2"])
		f.tables["system_traces.sessions"], f.tables["system_traces.events"] = log.rows, log.events
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 3*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(to.notes, []string{"10.0.0.2 joined the cluster during the run: it is read from then on"}); d != "" {
			t.Errorf("notes (-), want (+):\n%s", d)
		}
		if a, b := pointsOf(to, "10.0.0.1"), pointsOf(to, "10.0.0.2"); b == 0 || b >= a {
			t.Errorf("%d points of the node that was there, %d of the one that joined", a, b)
		}
		if want := "fact  rack r1 node=10.0.0.2"; !slices.Contains(to.of("fact"), want) {
			t.Errorf("no %q in %q", want, to.of("fact"))
		}
		want := []string{`event traffic read shop.carts ["k"] tombstones=7 µs=1500 node=10.0.0.1`, `event traffic read shop.carts ["k"] tombstones=7 µs=1500 node=10.0.0.2`}
		if d := cmp.Diff(to.of("event"), want); d != "" {
			t.Errorf("requests before and after (-), want (+):\n%s", d)
		}
	})
}

func TestNodesThatLeaveAreNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := changing([]record{peer("10.0.0.2", "100")}, nil, 60*time.Second)
		time.AfterFunc(50*time.Second, func() { // it is gone before the others have heard of it
			f.mu.Lock()
			defer f.mu.Unlock()
			f.down["10.0.0.2:9042"] = true
		})
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 3*time.Minute)
		if err != nil {
			t.Errorf("%v: a node that left is none that failed", err)
		}
		if want := "10.0.0.2 left the cluster during the run: it is read until then"; !slices.Contains(to.notes, want) {
			t.Errorf("no %q in %q", want, to.notes)
		}
		if a, b := pointsOf(to, "10.0.0.1"), pointsOf(to, "10.0.0.2"); b == 0 || b >= a {
			t.Errorf("%d points of the node that stayed, %d of the one that left", a, b)
		}
	})
}

func TestNodesAreToldApartByTheirHostID(t *testing.T) {
	at := func(id, address, port, native string) record {
		r := peer(address, "100")
		r["host_id"], r["peer_port"], r["native_port"] = id, port, native
		return r
	}
	tests := map[string]struct {
		before, after []record
		notes         []string
		read          []string // nodes that told of their tables
	}{
		"one more at the same address": {nil, []record{at("b", "10.0.0.1", "7001", "9043")},
			[]string{"10.0.0.1:7001 joined the cluster during the run: it is read from then on"}, []string{"10.0.0.1", "10.0.0.1:7001"}},
		"two at one address from the begin on": {[]record{at("b", "10.0.0.1", "7001", "9043")}, []record{at("b", "10.0.0.1", "7001", "9043")},
			nil, []string{"10.0.0.1:7000", "10.0.0.1:7001"}},
		"one of them leaves": {[]record{at("b", "10.0.0.1", "7001", "9043")}, nil,
			[]string{"10.0.0.1:7001 left the cluster during the run: it is read until then"}, []string{"10.0.0.1:7000", "10.0.0.1:7001"}},
		"one takes another's address": {[]record{at("b", "10.0.0.2", "7000", "9042")}, []record{at("c", "10.0.0.2", "7000", "9042")},
			[]string{"10.0.0.2 left the cluster during the run: it is read until then", "10.0.0.2 joined the cluster during the run: it is read from then on"},
			[]string{"10.0.0.1", "10.0.0.2"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := changing(tc.before, tc.after, 45*time.Second)
				f.local(record{"release_version": "5.0.9", "host_id": "a", "broadcast_address": "10.0.0.1", "broadcast_port": "7000", "data_center": "dc1", "rack": "r1", "tokens": "{'0'}"})
				to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 3*time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(to.notes, tc.notes); d != "" {
					t.Errorf("notes (-), want (+):\n%s", d)
				}
				nodes := map[string]bool{}
				for _, line := range append(to.of("point"), to.of("fact  rack")...) {
					_, node, _ := strings.Cut(line, " node=")
					nodes[node] = true
				}
				if d := cmp.Diff(slices.Sorted(maps.Keys(nodes)), tc.read); d != "" {
					t.Errorf("nodes that are told of (-), want (+):\n%s", d)
				}
				for _, node := range tc.read {
					if pointsOf(to, node) == 0 {
						t.Errorf("%s told nothing of its tables", node)
					}
				}
			})
		})
	}
}

func TestANodeThatIsStillComingIsNoMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := changing(nil, []record{{"peer": "10.0.0.2"}}, 40*time.Second)
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 2*time.Minute)
		if err != nil || len(to.notes) > 0 || pointsOf(to, "10.0.0.2") > 0 {
			t.Errorf("%v, notes %q", err, to.notes)
		}
	})
}

func TestWhatChangesSlowlyIsReadSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "max_partition_size"}, [2]string{"system_views", "tombstones_per_read"}, [2]string{"system_views", "settings"})
		reads := map[string]int{}
		for _, name := range []string{"system_views.max_partition_size", "system_views.tombstones_per_read", "system_views.settings"} {
			f.tables[name] = func(string, *query) ([]record, error) { reads[name]++; return nil, nil }
		}
		if _, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 85*time.Second); err != nil {
			t.Fatal(err)
		}
		// Looks at 0, 10, … 80 s, and the last one.
		want := map[string]int{"system_views.max_partition_size": 4, "system_views.tombstones_per_read": 10, "system_views.settings": 1}
		if d := cmp.Diff(reads, want); d != "" {
			t.Errorf("reads (-), want (+):\n%s", d)
		}
	})
}

func TestAClusterThatIsTooSlowForTheTimeIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		columns := f.tables["system_schema.columns"]
		f.tables["system_schema.columns"] = func(a string, q *query) ([]record, error) {
			time.Sleep(3 * time.Second)
			return columns(a, q)
		}
		_, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 2*time.Second)
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "cassandra://10.0.0.1:9042: it was not read before the end: context deadline exceeded" {
			t.Errorf("error %v", err)
		}
	})
}
