package cassandra

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// leastRole is what the role of a reader needs where the cluster checks permissions. All else that is read
// is open to every role that may log in (service/ClientState.java, READABLE_SYSTEM_RESOURCES).
const leastRole = `CREATE ROLE keyheat WITH LOGIN = true AND PASSWORD = '…';
GRANT SELECT ON KEYSPACE system_views TO keyheat;
GRANT SELECT ON TABLE system.top_partitions TO keyheat;`

// leastScylla is the same for ScyllaDB, which has none of those tables.
const leastScylla = `CREATE ROLE keyheat WITH LOGIN = true AND PASSWORD = '…';`

// maxTracesLooked bounds the sessions that a diagnosis looks at: it asks whether there are any.
const maxTracesLooked = 5000

// Diagnose implements ingest.Server.
func (s *server) Diagnose(ctx context.Context) (*ingest.Diagnosis, error) {
	defer s.close()
	l := s.link(s.config.address)
	c, err := s.readCluster(ctx, l, nothing{})
	if err != nil {
		return nil, err
	}
	d := &diagnosis{server: s, cluster: c, Diagnosis: ingest.Diagnosis{Least: leastRole}}
	if c.scylla {
		d.Least = leastScylla
	}
	nodes := fmt.Sprintf("%d nodes", len(c.all))
	if len(c.all) == 1 {
		nodes = "1 node"
	}
	d.Sees = append(d.Sees, "schema of "+plural(len(c.types().Tables()), "table"), "topology of "+nodes)
	if err := d.traces(ctx, l); err != nil {
		return nil, err
	}
	for _, m := range c.all {
		d.node(ctx, m)
	}
	d.settings()
	d.tables()
	s.remark(c, func(text string) { d.Notes = append(d.Notes, text) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &d.Diagnosis, nil
}

// A diagnosis gathers what the nodes show.
type diagnosis struct {
	ingest.Diagnosis
	server  *server
	cluster *cluster
	asked   []string                       // nodes that answered
	values  map[string]map[string][]string // of settings: nodes by name and value
	top     int                            // rows of system.top_partitions on all nodes
	logged  int                            // nodes with a row of their log
	refused map[string]bool                // tables
}

// node asks a node for its settings and for what it keeps.
func (d *diagnosis) node(ctx context.Context, m *member) {
	l := d.server.link(m.address)
	logged := 0
	read := func(table, cols string, each func(*systable.Row)) bool {
		if !d.cluster.tables[table] || d.refused[table] {
			return true
		}
		q := &query{table: table, cols: cols}
		if table == systemLogs {
			q.rest = "LIMIT 1"
		}
		err := l.rows(ctx, q, each)
		var said *refusal
		switch {
		case err == nil:
			return true
		case !errors.As(err, &said) || said.gone:
			d.hide("everything that "+m.name+" keeps to itself", firstLine(err), "", "")
			return false
		}
		if d.refused == nil {
			d.refused = map[string]bool{}
		}
		d.refused[table] = true
		d.Lacking = append(d.Lacking, firstLine(err))
		return true
	}
	if read("system_views.settings", "", func(r *systable.Row) { d.setting(m.name, string(r.Of("name")), cmp.Or(string(r.Of("value")), "null")) }) &&
		read("system_views.tombstones_per_read", "keyspace_name", func(*systable.Row) {}) &&
		read("system.top_partitions", "table_name", func(*systable.Row) { d.top++ }) &&
		read(systemLogs, "level", func(*systable.Row) { logged = 1 }) {
		d.asked, d.logged = append(d.asked, m.name), d.logged+logged
	}
}

func (d *diagnosis) setting(node, name, value string) {
	if d.values == nil {
		d.values = map[string]map[string][]string{}
	}
	if d.values[name] == nil {
		d.values[name] = map[string][]string{}
	}
	d.values[name][value] = append(d.values[name][value], node)
}

func (d *diagnosis) hide(what, why, show, cost string) {
	d.Hidden = append(d.Hidden, ingest.Hidden{What: what, Why: why, Show: show, Cost: cost})
}

// traces looks for traced requests. Whether nodes trace cannot be asked through CQL: it shows in what
// there is.
func (d *diagnosis) traces(ctx context.Context, l *link) error {
	now, err := d.server.now(ctx, l)
	if err != nil {
		return err
	}
	since := time.Unix(0, now-int64(d.server.config.since)).UTC()
	coordinators, looked := map[string]int{}, 0
	q := &query{table: "system_traces.sessions", cols: "coordinator, parameters, request, started_at", rest: fmt.Sprintf("WHERE started_at >= ? LIMIT %d ALLOW FILTERING", maxTracesLooked), args: []any{since}}
	err = l.rows(ctx, q, func(r *systable.Row) {
		if !bytes.Contains(r.Of("parameters"), []byte(mark)) && bytes.HasPrefix(r.Of("request"), []byte("Execute")) {
			coordinators[string(r.Of("coordinator"))]++
			looked++
		}
	})
	var said *refusal
	if errors.As(err, &said) {
		d.Lacking = append(d.Lacking, firstLine(err))
		return nil
	}
	if err != nil {
		return err
	}
	if looked > 0 {
		n := fmt.Sprint(looked)
		if looked >= maxTracesLooked {
			n = "at least " + n
		}
		d.Sees = append(d.Sees, fmt.Sprintf("keys and tombstones of traced requests (%s in the last %s, of %d of %d nodes)", n, span(d.server.config.since), len(coordinators), len(d.cluster.all)))
	}
	if missing := len(d.cluster.all) - len(coordinators); missing > 0 {
		d.hide("which key is read and written",
			fmt.Sprintf("no request of the last %s was traced on %d of %d nodes, so tracing is likely off there", span(d.server.config.since), missing, len(d.cluster.all)),
			"nodetool settraceprobability 0.001",
			"on each of these nodes; 1 request in 1,000 writes some 10 rows more; undone by nodetool settraceprobability 0")
	}
	return nil
}

// A hider is a setting that hides evidence.
type hider struct {
	name  string
	hides func(value string) bool
	what  string
	show  string
	cost  string
}

const byRestart = "read at the start of a node"

var hiders = []hider{
	{"tombstone_warn_threshold", over(1000), "reads that scan many tombstones, in the log", "tombstone_warn_threshold: 1000", byRestart + "; changed at once through JMX (StorageService, TombstoneWarnThreshold)"},
	{"partition_size_warn_threshold", offOr(over(100 << 20)), "large partitions with their keys, in the log", "partition_size_warn_threshold: 100MiB", byRestart + "; a line for each large partition at flush and compaction"},
	{"partition_tombstones_warn_threshold", offOr(over(100_000)), "partitions of many tombstones with their keys, in the log", "partition_tombstones_warn_threshold: 100000", byRestart + "; a line for each such partition at flush and compaction"},
	{"compaction_large_partition_warning_threshold", offOr(over(100 << 20)), "large partitions with their keys, in the log", "compaction_large_partition_warning_threshold: 100MiB", byRestart},
	{"slow_query_log_timeout", off, "slow requests with their keys, in debug.log", "slow_query_log_timeout: 500ms", byRestart + "; lines in debug.log alone"},
	{"slow_query_log_timeout_in_ms", off, "slow requests with their keys, in debug.log", "slow_query_log_timeout_in_ms: 500", byRestart + "; lines in debug.log alone"},
	{"read_thresholds_enabled", func(v string) bool { return v == "true" }, "keys of reads that ended for their tombstones, in the log", "read_thresholds_enabled: false", byRestart + "; clients get no warnings of large reads then"},
}

// renamed are settings that a newer name stands for, so that both are listed.
var renamed = map[string]string{
	"compaction_large_partition_warning_threshold": "partition_size_warn_threshold",
	"slow_query_log_timeout_in_ms":                 "slow_query_log_timeout",
}

func off(value string) bool {
	return value == "" || value == "null" || strings.HasPrefix(value, "-") || strings.TrimRight(value, "ms") == "0"
}

func over(limit uint64) func(string) bool {
	return func(value string) bool {
		n, ok := systable.Bytes([]byte(value))
		return ok && n > limit
	}
}

func offOr(other func(string) bool) func(string) bool {
	return func(value string) bool { return off(value) || other(value) }
}

// settings says which settings hide what.
func (d *diagnosis) settings() {
	if !d.cluster.tables["system_views.settings"] || d.refused["system_views.settings"] {
		return
	}
	d.Sees = append(d.Sees, "settings and thresholds")
	for i := range hiders {
		h := &hiders[i]
		if newer := renamed[h.name]; newer != "" && d.values[newer] != nil {
			continue
		}
		nodes, values := []string{}, []string{}
		for value, of := range d.values[h.name] {
			if h.hides(value) {
				nodes, values = append(nodes, of...), append(values, value)
			}
		}
		if len(nodes) > 0 {
			slices.Sort(values)
			d.hide(h.what, fmt.Sprintf("%s is %s on %d of %d nodes", h.name, strings.Join(values, ", "), len(nodes), len(d.asked)), h.show+"   (cassandra.yaml)", h.cost)
		}
	}
}

// tables says which tables with evidence there are, and which are empty.
func (d *diagnosis) tables() {
	sees := func(table, what string) bool {
		if d.cluster.tables[table] && !d.refused[table] {
			d.Sees = append(d.Sees, what)
			return true
		}
		return false
	}
	switch {
	case sees("system_views.tombstones_per_read", "tombstones and rows per read, and the largest partition, of each table"), d.refused["system_views.tombstones_per_read"]:
	default:
		d.hide("tombstones per read, largest partitions", "version "+d.cluster.version+" has no virtual tables", "nodetool tablestats > tablestats.txt; keyheat analyze tablestats.txt", "a few seconds on each node")
	}
	d.log()
	sees("system.large_partitions", "large partitions, rows and cells with their keys")
	if d.cluster.scylla {
		d.hide("the busiest partitions without tracing", "ScyllaDB samples them when asked, and tells them by its REST API alone",
			"curl 'http://127.0.0.1:10000/storage_service/toppartitions/?duration=10000' > top.json; keyheat analyze top.json", "a sampler on the node where it is run, for 10 s")
	}
	if older, known := olderThan(d.cluster.version, 3, 8); known && older && !d.cluster.scylla {
		d.hide("keys of prepared statements", "traces of version "+d.cluster.version+" do not hold bound values (3.8 and later do)", "nodetool toppartitions KEYSPACE TABLE 10000", "a sampler on one node for 10 s")
	}
	switch {
	case !d.cluster.tables["system.top_partitions"] || d.refused["system.top_partitions"]:
	case d.top == 0:
		d.hide("the largest partitions by key", "system.top_partitions is empty: no full repair has run, or none since an hour", "nodetool repair -full KEYSPACE", "reads all data of the keyspace; the table is written up to 60 minutes later, nodetool tablestats shows the lists at once")
	default:
		d.Sees = append(d.Sees, "the largest partitions by key, as of the last full repair")
	}
}

// appender makes the log a table too.
const appender = `<appender name="CQLLOG" class="org.apache.cassandra.utils.logging.VirtualTableAppender"><filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>WARN</level></filter></appender> and, in root, <appender-ref ref="CQLLOG"/>   (logback.xml)`

// log says whether the warnings of nodes can be read.
func (d *diagnosis) log() {
	const what = "what nodes warn of with its key: reads of many tombstones and those that were ended, large partitions"
	switch {
	case d.cluster.scylla || d.refused[systemLogs] || len(d.asked) == 0:
	case !d.cluster.tables[systemLogs]:
		d.hide(what, "version "+d.cluster.version+" has no table of its log (5.0 and later do)", "keyheat analyze system.log debug.log", "a copy of the files of each node")
	case d.logged < len(d.asked):
		d.hide(what, fmt.Sprintf("%s is empty on %d of %d nodes: its appender is off, or there was no warning since the start", systemLogs, len(d.asked)-d.logged, len(d.asked)),
			appender, byRestart+"; the last 50,000 lines are kept in memory; keyheat analyze system.log reads the file instead")
	default:
		d.Sees = append(d.Sees, "warnings of the log, with their keys")
	}
}

// olderThan compares major and minor of a version; known is false when it is no number.
func olderThan(version string, major, minor int) (older, known bool) {
	parts := strings.SplitN(version, ".", 3)
	a, err := strconv.Atoi(parts[0])
	if err != nil || len(parts) < 2 {
		return false, false
	}
	digits, _, _ := strings.Cut(parts[1], "-") // 6.0-alpha2
	b, _ := strconv.Atoi(digits)
	return a < major || a == major && b < minor, true
}

// span gives a duration without parts that are 0: 15m.
func span(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// nothing takes what reading the cluster tells.
type nothing struct{ ingest.EventsOnly }

// Event does nothing.
func (nothing) Event(*ingest.Event) {}

// Problem does nothing.
func (nothing) Problem(ingest.Problem) {}

// Skip does nothing.
func (nothing) Skip(string) {}
