package cassandra

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// diagnosed gives the diagnosis of a fake, and what each line of it begins with.
func diagnosed(t *testing.T, f *fakeCluster, address string) (d *ingest.Diagnosis, hidden []string) {
	t.Helper()
	d, err := f.server(t, address).Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range d.Hidden {
		hidden = append(hidden, h.What+": "+h.Why)
		if h.Show == "" && !strings.Contains(h.What, "keeps to itself") {
			t.Errorf("%s: nothing would show it", h.What)
		}
	}
	return d, hidden
}

func settings(pairs ...string) func(string, *query) ([]record, error) {
	rows := []record{}
	for i := 0; i < len(pairs); i += 2 {
		rows = append(rows, record{"name": pairs[i], "value": pairs[i+1]})
	}
	return table(rows...)
}

func TestWhatHidesEvidence(t *testing.T) {
	const untraced = "which key is read and written: no request of the last 15m was traced on 1 of 1 nodes, so tracing is likely off there"
	const unrepaired = "the largest partitions by key: system.top_partitions is empty: no full repair has run, or none since an hour"
	const unlogged = "what nodes warn of with its key: reads of many tombstones and those that were ended, large partitions: " +
		"system_views.system_logs is empty on 1 of 1 nodes: its appender is off, or there was no warning since the start"
	const logless = "what nodes warn of with its key: reads of many tombstones and those that were ended, large partitions: " +
		"version 5.0.9 has no table of its log (5.0 and later do)"
	all := [][2]string{{"system_views", "settings"}, {"system_views", "tombstones_per_read"}, {"system", "top_partitions"}}
	tests := map[string]struct {
		settings []string
		top      []record
		traced   bool
		log      []record // nil: there is no such table
		want     []string
	}{
		"everything is shown": {
			[]string{"tombstone_warn_threshold", "1000", "partition_size_warn_threshold", "100MiB", "partition_tombstones_warn_threshold", "100000", "slow_query_log_timeout", "500ms", "read_thresholds_enabled", "false"},
			[]record{{"keyspace_name": "shop", "table_name": "carts"}}, true, []record{{"level": "WARN"}}, nil,
		},
		"defaults of 5.0": {
			[]string{"tombstone_warn_threshold", "1000", "partition_size_warn_threshold", "null", "partition_tombstones_warn_threshold", "-1", "slow_query_log_timeout", "500ms", "read_thresholds_enabled", "false"}, nil, false, []record{},
			[]string{untraced, "large partitions with their keys, in the log: partition_size_warn_threshold is null on 1 of 1 nodes",
				"partitions of many tombstones with their keys, in the log: partition_tombstones_warn_threshold is -1 on 1 of 1 nodes", unlogged, unrepaired},
		},
		"limits raised, the slow log off, thresholds on": {
			[]string{"tombstone_warn_threshold", "5000", "partition_size_warn_threshold", "1GiB", "partition_tombstones_warn_threshold", "100000", "slow_query_log_timeout", "0ms", "read_thresholds_enabled", "true"},
			[]record{{"keyspace_name": "shop", "table_name": "carts"}}, true, []record{{"level": "WARN"}},
			[]string{"reads that scan many tombstones, in the log: tombstone_warn_threshold is 5000 on 1 of 1 nodes",
				"large partitions with their keys, in the log: partition_size_warn_threshold is 1GiB on 1 of 1 nodes",
				"slow requests with their keys, in debug.log: slow_query_log_timeout is 0ms on 1 of 1 nodes",
				"keys of reads that ended for their tombstones, in the log: read_thresholds_enabled is true on 1 of 1 nodes"},
		},
		"names of 4.0": {
			[]string{"compaction_large_partition_warning_threshold", "500MiB", "slow_query_log_timeout_in_ms", "0"}, nil, true, nil,
			[]string{"large partitions with their keys, in the log: compaction_large_partition_warning_threshold is 500MiB on 1 of 1 nodes",
				"slow requests with their keys, in debug.log: slow_query_log_timeout_in_ms is 0 on 1 of 1 nodes", logless, unrepaired},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				names := all
				if tc.log != nil {
					names = append(slices.Clone(all), [2]string{"system_views", "system_logs"})
					f.tables["system_views.system_logs"] = table(tc.log...)
				}
				f.virtual(names...)
				f.tables["system_views.settings"], f.tables["system.top_partitions"], f.tables["system_views.tombstones_per_read"] = settings(tc.settings...), table(tc.top...), table()
				if tc.traced {
					f.tables["system_traces.sessions"] = table(record{"coordinator": "10.0.0.1", "request": "Execute CQL3 query", "parameters": "{}", "started_at": clock(time.Now())})
				} else {
					f.tables["system_traces.sessions"] = table(record{"coordinator": "10.0.0.1", "request": "Execute CQL3 query", "parameters": "{'query': 'SELECT" + mark + "'}", "started_at": clock(time.Now())})
				}
				d, got := diagnosed(t, f, "cassandra://10.0.0.1")
				if d := cmp.Diff(got, tc.want); d != "" {
					t.Errorf("hidden (-), want (+):\n%s", d)
				}
				if len(d.Lacking) > 0 || !strings.Contains(d.Least, "GRANT SELECT ON KEYSPACE system_views") {
					t.Errorf("lacking %q, least role %q", d.Lacking, d.Least)
				}
			})
		})
	}
}

func TestRefusedTablesAreLackingPermissions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "settings"}, [2]string{"system_views", "tombstones_per_read"}, [2]string{"system", "top_partitions"})
		for _, name := range []string{"system_views.settings", "system_views.tombstones_per_read", "system.top_partitions"} {
			f.tables[name] = func(_ string, q *query) ([]record, error) {
				return nil, &refusal{lacking: true, text: "User app has no SELECT permission on <table " + q.table + ">"}
			}
		}
		d, _ := diagnosed(t, f, "cassandra://10.0.0.1")
		want := []string{
			"User app has no SELECT permission on <table system_views.settings>", "User app has no SELECT permission on <table system_views.tombstones_per_read>",
			"User app has no SELECT permission on <table system.top_partitions>",
		}
		if d := cmp.Diff(d.Lacking, want); d != "" {
			t.Errorf("lacking (-), want (+):\n%s", d)
		}
	})
}

func TestANodeThatCannotBeReachedHidesWhatItKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "settings"})
		f.tables["system_views.settings"] = table()
		f.tables["system.peers_v2"] = table(record{"peer": "10.0.0.2", "native_address": "10.0.0.2", "native_port": "9042", "tokens": "{'100'}"})
		f.down["10.0.0.2:9042"] = true
		_, got := diagnosed(t, f, "cassandra://10.0.0.1")
		want := "everything that 10.0.0.2 keeps to itself: connecting to 10.0.0.2:9042: connection refused"
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	})
}

func TestOldServersShowLessAndItIsSaid(t *testing.T) {
	tests := map[string]struct {
		fake  func() *fakeCluster
		want  []string
		notes []string
	}{
		"Cassandra 3.0": {func() *fakeCluster {
			f := newFake()
			f.local(record{"release_version": "3.0.29", "broadcast_address": "10.0.0.1", "tokens": "{'0'}"})
			return f
		}, []string{"version 3.0.29 has no virtual tables", "traces of version 3.0.29 do not hold bound values"}, nil},
		"DSE": {func() *fakeCluster {
			f := newFake()
			f.local(record{"release_version": "4.0.0.6816", "dse_version": "6.8.16", "broadcast_address": "10.0.0.1", "tokens": "{'0'}"})
			return f
		}, []string{"version 4.0.0.6816 has no virtual tables"}, []string{"the live reader of DSE was tested against recorded answers only, never against a running server"}},
		"ScyllaDB": {scylla, []string{"no request of the last 15m was traced", "the busiest partitions without tracing"}, []string{"the live reader of ScyllaDB was tested against recorded answers only, never against a running server"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, got := diagnosed(t, tc.fake(), "cassandra://10.0.0.1")
				for _, want := range tc.want {
					if !strings.Contains(strings.Join(got, "\n"), want) {
						t.Errorf("no %q in %q", want, got)
					}
				}
				if d := cmp.Diff(d.Notes, tc.notes); d != "" {
					t.Errorf("notes (-), want (+):\n%s", d)
				}
			})
		})
	}
}

func TestServersBeforeThirdAreNotReadAndItIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.local(record{"release_version": "2.2.19", "broadcast_address": "10.0.0.1", "tokens": "{'0'}"})
		delete(f.tables, "system_schema.tables")
		want := "this is Cassandra 2.2.19: 3.0 and later are read live; of older ones keyheat reads files"
		if _, err := f.server(t, "cassandra://10.0.0.1").Diagnose(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("doctor: %v, want %s", err, want)
		}
		if _, err := collect(t, f.server(t, "cassandra://10.0.0.1"), time.Minute); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("collect: %v, want %s", err, want)
		}
	})
	// What the driver says of a server of 2.1.
	err := connectFault(errors.New("gocql: unable to create session: unable to discover protocol version: Invalid or unsupported protocol version (4); the lowest supported version is 1 and the greatest is 3"))
	if !strings.HasSuffix(err.Error(), "the greatest is 3: "+notRead) {
		t.Errorf("%v", err)
	}
}
