package cassandra

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/google/go-cmp/cmp"
)

// traces gives how many requests the server has traced of those whose statement names a table, and how
// many of them bind a value. That is what a reader can know: a loaded server drops traces.
func traces(t *testing.T, s *gocql.Session, table, bound string) (all, of uint64) {
	t.Helper()
	rows := s.Query("SELECT request, parameters FROM system_traces.sessions").Iter()
	var request string
	var parameters map[string]string
	for rows.Scan(&request, &parameters) {
		if strings.HasPrefix(request, "Execute") && strings.Contains(parameters["query"], table+" ") {
			all++
			for name, value := range parameters {
				if strings.HasPrefix(name, "bound_var_0") && value == "'"+bound+"'" {
					of++
				}
			}
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return all, of
}

// settle waits until the server has written the traces of a table, which it does apart from requests.
func settle(t *testing.T, s *gocql.Session, table string) {
	t.Helper()
	for last, n := uint64(1), uint64(0); n != last; {
		last = n
		time.Sleep(2 * time.Second)
		n, _ = traces(t, s, table, "")
	}
}

// An incident is what must be found of a table.
type incident struct {
	rule, table, key string
	severity         string
	mechanism        string // of the live cluster, whose schema is known
	measure          string
	low, high        float64
}

const reads = 5 // of each of the tables with tombstones

var incidents = []incident{
	{"tombstone-dense-read", "shop.jobs", "mail-out", "low", "queue", "tombstones", reads * jobsDeleted, reads * jobsDeleted},
	{"tombstone-dense-read", "shop.letters", "dead letters", "critical", "unknown", "aborted_reads", reads, reads},
	{"tombstone-dense-read", "shop.profiles", "acme", "low", "null-insert", "tombstones", reads * 3 * nullRows, reads * 3 * nullRows},
	{"tombstone-dense-read", "shop.labels", "77001", "low", "collection-overwrite", "tombstones", reads * labelRows, reads * labelRows},
	{"tombstone-dense-read", "shop.sensors", "4242", "low", "ttl", "tombstones", reads * sensorRows, reads * sensorRows},
	{"tombstone-dense-read", "shop.events", "7b2f3c5e-0000-4000-8000-00000000beef", "low", "unknown", "tombstones", reads * 2 * ranges, reads * 2 * ranges},
	{"full-scan", "shop.products", "", "medium", "", "scans", scans, scans},
	{"large-partition", "shop.orders", "(us-east, 2026-11-20)", "low", "", "partition_bytes", 110 << 20, 111 << 20},
}

// check holds a report against the incidents, and says what is found beyond them.
func (r *report) check(t *testing.T, incidents []incident) {
	t.Helper()
	for _, want := range incidents {
		f := r.find(want.rule, want.table)
		if f == nil {
			t.Errorf("no %s of %s", want.rule, want.table)
			continue
		}
		if f.Subject.Key != want.key || f.Severity != want.severity || f.Mechanism != want.mechanism {
			t.Errorf("%s of %s: key %q, severity %s, mechanism %q; want %q, %s, %q", f.Rule, want.table, f.Subject.Key, f.Severity, f.Mechanism, want.key, want.severity, want.mechanism)
		}
		if got := f.value(want.measure); got < want.low || got > want.high {
			t.Errorf("%s of %s: %s %v, want between %v and %v", f.Rule, want.table, want.measure, got, want.low, want.high)
		}
	}
	for _, f := range r.Findings {
		known := slices.ContainsFunc(incidents, func(i incident) bool { return i.rule == f.Rule && i.table == f.Subject.Table })
		if !known && f.Rule != "blind-spot" {
			t.Errorf("surplus: %s %s of %s %q: %s", f.Severity, f.Rule, f.Subject.Table, f.Subject.Key, f.Message)
		}
	}
}

func TestIncidentsAreNamedFromTheLiveClusterAndFromItsFiles(t *testing.T) {
	n := theNode(t)
	s := connect(t, n.address(), superuser)
	url := "cassandra://" + superuser + "@" + n.address() + "?interval=2s"
	t.Run("a quiet cluster", func(t *testing.T) {
		keyspace(t, s, "calm", 1)
		run(t, s, "CREATE TABLE calm.carts (user_id text PRIMARY KEY, items int)", "TRUNCATE system_views.system_logs")
		n.nodetool(t, "settraceprobability", "1")
		for i := range 400 {
			run(t, s, fmt.Sprintf("INSERT INTO calm.carts (user_id, items) VALUES ('u-%d', 1)", i*7919%300))
		}
		n.nodetool(t, "settraceprobability", "0")
		settle(t, s, "calm.carts")
		r := analyze(t, superuser, url, "--for", "3s")
		r.check(t, nil)
		if all, _ := traces(t, s, "calm.carts", ""); all == 0 || r.requests("calm.carts") != all {
			t.Errorf("%d requests, the server traced %d", r.requests("calm.carts"), all)
		}
	})

	keyspace(t, s, "shop", 1)
	run(t, s, schema...)
	n.nodetool(t, "settraceprobability", "1")
	hot := playHot(t, s)
	n.nodetool(t, "settraceprobability", "0")
	playWrites(t, s)
	n.nodetool(t, "flush")
	n.nodetool(t, "settraceprobability", "1")
	playReads(t, s, reads)
	n.nodetool(t, "enableauditlog", "--logger", "FileAuditLogger", "--included-keyspaces", "shop")
	playScans(t, s)
	n.nodetool(t, "disableauditlog")
	n.nodetool(t, "settraceprobability", "0")
	settle(t, s, "shop.products")

	t.Run("from the live cluster", func(t *testing.T) {
		all, ofHot := traces(t, s, "shop.carts", hotKey)
		if all > hot.all || ofHot > hot.hot || all < hot.all/2 {
			t.Fatalf("the server traced %d of %d requests", all, hot.all)
		}
		r := analyze(t, superuser, url, "--for", "4s", "--load-limit", "2000")
		r.check(t, append(incidents, incident{"hot-partition", "shop.carts", hotKey, "low", "", "requests", float64(ofHot), float64(ofHot)}))
		if got := r.requests("shop.carts"); got != all {
			t.Errorf("%d requests, the server traced %d", got, all)
		}
	})
	t.Run("from a capture", func(t *testing.T) {
		_, ofHot := traces(t, s, "shop.carts", hotKey)
		capture := filepath.Join(t.TempDir(), "capture.arrows")
		keyheatRuns(t, superuser, "collect", url, "--to", capture, "--for", "4s", "--load-limit", "2000")
		analyze(t, superuser, "--no-exact", capture).check(t, append(incidents, incident{"hot-partition", "shop.carts", hotKey, "low", "", "requests", float64(ofHot), float64(ofHot)}))
	})
	t.Run("from its log, in its table and in its file", func(t *testing.T) { checkLog(t, n, url) })
	t.Run("from its files", func(t *testing.T) { checkFiles(t, n, s) })
}

// checkLog reads the server's log from its table and from the file, and from both: what they tell is told once.
func checkLog(t *testing.T, n *node, url string) {
	dir := filepath.Join(t.TempDir(), "nodes", n.host)
	data, err := os.ReadFile(n.path("log/system.log"))
	if err := errors.Join(err, os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "system.log"), data, 0o644)); err != nil {
		t.Fatal(err)
	}
	scanned := regexp.MustCompile(`(?m)^WARN .* Read \d+ live rows and \d+ tombstone cells for query SELECT .* FROM shop\.jobs `)
	lines := len(scanned.FindAll(data, -1))
	told := analyze(t, superuser, url+"&since=1h", "--for", "4s", "--table", "shop.jobs")
	events := uint64(0)
	for _, in := range told.Inputs {
		if in.Format == "cassandra-live-log" {
			events += in.Events
		}
	}
	if lines == 0 || events != uint64(lines) {
		t.Errorf("%d lines from the table, %d are in the file", events, lines)
	}
	both := analyze(t, superuser, url+"&since=1h", dir, "--for", "4s", "--table", "shop.jobs")
	a, b := told.find("tombstone-dense-read", "shop.jobs"), both.find("tombstone-dense-read", "shop.jobs")
	if a == nil || b == nil {
		t.Fatalf("from the table %v, with the file %v", a, b)
	}
	if d := cmp.Diff(a.Evidence, b.Evidence); d != "" {
		t.Errorf("evidence from the table (-), with the file (+):\n%s", d)
	}
}

// requests gives how many a report counted of a table.
func (r *report) requests(table string) uint64 {
	for _, t := range r.Tables {
		if t.Table == table {
			return uint64(t.Requests.Value)
		}
	}
	return 0
}

// fileIncidents are what files tell: mechanisms are measured, since sstablepartitions counts kinds of
// tombstones, and partitions have keys.
var fileIncidents = []incident{
	{"tombstone-dense-read", "shop.jobs", "mail-out", "low", "queue", "tombstones", reads * jobsDeleted, reads * jobsDeleted},
	{"tombstone-dense-read", "shop.letters", "dead letters", "critical", "queue", "aborted_reads", reads, reads},
	{"tombstone-dense-read", "shop.profiles", "acme", "low", "null-insert", "tombstones", reads * 3 * nullRows, reads * 3 * nullRows},
	{"tombstone-dense-read", "shop.labels", "77001", "low", "collection-overwrite", "tombstones", reads * labelRows, reads * labelRows},
	{"tombstone-dense-read", "shop.sensors", "4242", "low", "ttl", "tombstones", reads * sensorRows, reads * sensorRows},
	{"tombstone-dense-read", "shop.events", "7b2f3c5e-0000-4000-8000-00000000beef", "low", "range-delete", "tombstones", reads * 2 * ranges, reads * 2 * ranges},
	{"full-scan", "shop.products", "", "medium", "", "scans", scans, scans},
	{"large-partition", "shop.orders", "(us-east, 2026-11-20)", "low", "", "partition_bytes", 110 << 20, 111 << 20},
	{"hot-partition", "shop.carts", hotKey, "low", "", "sampled_requests", 300, hotOfTen * hotRequests / 10},
}

// describe gives what DESCRIBE prints of a keyspace.
func describe(t *testing.T, s *gocql.Session, keyspace string) []byte {
	t.Helper()
	rows, text := s.Query("DESCRIBE KEYSPACE "+keyspace).Iter(), []byte{}
	for row := (map[string]any{}); rows.MapScan(row); row = map[string]any{} {
		text = append(text, fmt.Sprintln(row["create_statement"])...)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return text
}

// checkFiles reads what the server and its tools leave, without the traces.
func checkFiles(t *testing.T, n *node, s *gocql.Session) {
	dir := t.TempDir()
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sampled := make(chan []byte, 1)
	go func() { sampled <- n.nodetool(t, "profileload", "shop", "carts", "12000") }()
	time.Sleep(3 * time.Second) // the tool starts
	playHot(t, s)
	put("profileload.txt", <-sampled)
	for _, name := range []string{"system.log", "debug.log", "audit.log"} {
		data, err := os.ReadFile(n.path("log/" + name))
		if err != nil {
			t.Fatal(err)
		}
		put(name, data)
	}
	put("tablestats.txt", n.nodetool(t, "tablestats", "shop"))
	put("sstablepartitions.csv", n.tool(t, "SSTablePartitions", "-m", "-o", "1", "-r", n.path("data/shop")))
	put("schema.cql", describe(t, s, "shop"))
	analyze(t, superuser, dir, "--schema", filepath.Join(dir, "schema.cql")).check(t, fileIncidents)
}
