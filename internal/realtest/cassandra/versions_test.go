package cassandra

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// TestLongOtherVersionsAreReadLive plays what needs no settings of 5.0 on the versions before and after.
func TestLongOtherVersionsAreReadLive(t *testing.T) {
	if os.Getenv("KEYHEAT_LONG") == "" {
		t.Skip("starts further servers: KEYHEAT_LONG=1")
	}
	for _, version := range []string{"4.1.10", "6.0-alpha2"} {
		t.Run(version, func(t *testing.T) {
			n, err := newFirst(jars(t, version), t.TempDir(), setting{"tombstone_warn_threshold", "100"}, setting{"tombstone_failure_threshold", "2000"}, setting{"slow_query_log_timeout", "20ms"})
			if err != nil {
				t.Fatal(err)
			}
			newer := strings.HasPrefix(version, "6.")
			if newer {
				listSlowQueries(t, n)
			}
			t.Cleanup(n.kill)
			if err := n.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := connect(t, n.address(), superuser)
			keyspace(t, s, "shop", 1)
			run(t, s, schema...)
			n.nodetool(t, "settraceprobability", "1")
			playHot(t, s)
			n.nodetool(t, "settraceprobability", "0")
			playWrites(t, s)
			n.nodetool(t, "flush")
			n.nodetool(t, "settraceprobability", "1")
			playReads(t, s, reads)
			playScans(t, s)
			n.nodetool(t, "settraceprobability", "0")
			settle(t, s, "shop.products")
			all, ofHot := traces(t, s, "shop.carts", hotKey)
			r := analyze(t, superuser, "cassandra://"+n.address()+"?interval=2s", "--for", "4s", "--load-limit", "2000")
			r.check(t, append(slices.Clone(incidents), incident{"hot-partition", "shop.carts", hotKey, "low", "", "requests", float64(ofHot), float64(ofHot)}))
			if got := r.requests("shop.carts"); got != all {
				t.Errorf("%d requests, the server traced %d", got, all)
			}
			if doctor := keyheatRuns(t, superuser, "doctor", "cassandra://"+n.address()); !strings.Contains(string(doctor), "permissions  enough") {
				t.Errorf("doctor says:\n%s", doctor)
			}
			if newer {
				checkNewer(t, n, s)
			}
		})
	}
}

// listSlowQueries makes a node keep slow requests in system_views.slow_queries.
func listSlowQueries(t *testing.T, n *node) {
	t.Helper()
	text := strings.Replace(logback, "</configuration>", `  <appender name="SLOW_QUERIES_APPENDER" class="org.apache.cassandra.utils.logging.SlowQueriesAppender"/>
  <logger name="slow_queries" level="DEBUG" additivity="true"><appender-ref ref="SLOW_QUERIES_APPENDER"/></logger>
</configuration>`, 1)
	if err := os.WriteFile(n.path("conf/logback.xml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkNewer looks for what 6.0 alone tells: sizes of partitions with their keys, and slow requests.
func checkNewer(t *testing.T, n *node, s *gocql.Session) {
	url := "cassandra://" + n.address() + "/shop.orders"
	for range 5 {
		if err := read(s, "SELECT id FROM shop.orders WHERE region = 'us-east' AND day = '2026-11-20'"); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(5 * time.Second) // slow requests are listed every 2 s
	r := analyze(t, superuser, url, "--for", "4s")
	r.check(t, []incident{{"large-partition", "shop.orders", "(us-east, 2026-11-20)", "low", "", "partition_bytes", 110 << 20, 111 << 20}})
	slow := uint64(0)
	for _, in := range r.Inputs {
		if in.Format == "cassandra-live-tables" {
			slow += in.Events
		}
	}
	if slow == 0 {
		t.Errorf("no slow request of 5 is told")
	}
}
