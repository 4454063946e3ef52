package cassandra

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// growing gives a cluster with the table shop.baskets from a time on, and requests to it soon after.
func growing(at time.Duration) (f *fakeCluster, asked map[string]int) {
	f, asked = newFake(), map[string]int{}
	start := time.Now()
	there := func() bool { return time.Since(start) >= at }
	of := func(name string, more record) {
		before := f.tables[name]
		f.tables[name] = func(address string, q *query) ([]record, error) {
			asked[name]++
			rows, err := before(address, q)
			if there() {
				rows = append(slices.Clone(rows), more)
			}
			return rows, err
		}
	}
	of("system_schema.tables", record{"keyspace_name": "shop", "table_name": "baskets", "gc_grace_seconds": "3600", "default_time_to_live": "0"})
	of("system_schema.columns", record{"keyspace_name": "shop", "table_name": "baskets", "column_name": "user_id", "kind": "partition_key", "position": "0", "type": "text"})
	local := f.tables["system.local"]
	f.tables["system.local"] = func(address string, q *query) ([]record, error) {
		rows, err := local(address, q)
		rows[0] = maps.Clone(rows[0])
		if rows[0]["schema_version"] = "v1"; there() {
			rows[0]["schema_version"] = "v2"
		}
		return rows, err
	}
	log := &traceLog{start: start, sessions: []fakeSession{
		{id: sessionID(1), key: "k", at: 10 * time.Second, appears: 10 * time.Second, finishes: 11 * time.Second},
		{id: sessionID(2), key: "b", table: "shop.baskets", at: at + time.Second, appears: at + time.Second, finishes: at + time.Second},
	}}
	f.tables["system_traces.sessions"], f.tables["system_traces.events"] = log.rows, log.events
	return f, asked
}

func TestTablesThatAreMadeDuringTheRunHaveASchema(t *testing.T) {
	for name, tc := range map[string]struct {
		url   string
		notes []string
		facts []string
		want  []string
	}{
		"all are asked for": {"cassandra://10.0.0.1",
			[]string{"made during the run: the schema of shop.baskets is known from 2000-01-02T00:00:50Z on"},
			[]string{"fact shop.baskets gc-grace 3600 node=", "fact shop.baskets default-ttl 0 node=", "fact shop.baskets partition-key user_id node="},
			[]string{`event traffic read shop.carts ["k"] tombstones=7 µs=1500 node=10.0.0.1`, `event traffic read shop.baskets ["b"] tombstones=7 µs=1500 node=10.0.0.1`}},
		"another is asked for": {"cassandra://10.0.0.1/shop.carts", nil, nil,
			[]string{`event traffic read shop.carts ["k"] tombstones=7 µs=1500 node=10.0.0.1`}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(24 * time.Hour) // times before 2000 are none
				f, asked := growing(45 * time.Second)
				to, err := collect(t, f.server(t, tc.url), 3*time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(to.notes, tc.notes); d != "" {
					t.Errorf("notes (-), want (+):\n%s", d)
				}
				if d := cmp.Diff(to.of("event"), tc.want); d != "" {
					t.Errorf("requests (-), want (+):\n%s", d)
				}
				if d := cmp.Diff(to.of("fact shop.baskets"), append([]string{}, tc.facts...)); d != "" {
					t.Errorf("facts of the new table (-), want (+):\n%s", d)
				}
				if got := asked["system_schema.tables"]; got > 4 { // two pages at the most, at the begin and once more
					t.Errorf("the schema was asked for in %d pages", got)
				}
			})
		})
	}
}
