package cassandra

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// cpu gives the processor time that a node has used (proc(5): fields 14 and 15, in hundredths of a second).
func (n *node) cpu(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(n.cmd.Process.Pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// statements gives how many statements a node has executed.
func statements(t *testing.T, s *gocql.Session) float64 {
	t.Helper()
	sum, name, value := 0.0, "", 0.0
	rows := s.Query("SELECT name, value FROM system_views.cql_metrics").Iter()
	for rows.Scan(&name, &value) {
		if strings.HasSuffix(name, "statements_executed") {
			sum += value
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestLongLoadOfReadingIsUnderAHundredthOfACore measures what docs/live-cassandra.md says.
func TestLongLoadOfReadingIsUnderAHundredthOfACore(t *testing.T) {
	if os.Getenv("KEYHEAT_LONG") == "" {
		t.Skip("takes minutes: KEYHEAT_LONG=1")
	}
	n := theNode(t)
	s := connect(t, n.address(), superuser)
	const short, long = 30 * time.Second, 120 * time.Second
	const span = long - short
	measure := func(during func()) (cpu time.Duration, sent float64) {
		before, sentBefore := n.cpu(t), statements(t, s)
		during()
		return n.cpu(t) - before, statements(t, s) - sentBefore
	}
	idle := func() { time.Sleep(span) }
	live := func(span time.Duration) func() {
		return func() {
			analyze(t, superuser, "cassandra://"+superuser+"@"+n.address(), "--for", span.String())
		}
	}
	check := func(name string) {
		live(20 * time.Second)() // the server compiles what it does often
		alone, _ := measure(idle)
		// Both begin with four connections, each with a password to be hashed, and the schema, and end with a look.
		shorter, sentShorter := measure(live(short))
		longer, sent := measure(live(long))
		share := (longer - shorter - alone).Seconds() / span.Seconds()
		t.Logf("%s: %.0f requests a minute; server %s in %s alone, %s read for %s, %s for %s: %.2f %% of a core", name,
			(sent-sentShorter)/span.Minutes(), alone, span, shorter, short, longer, long, 100*share)
		if share > 0.01 {
			t.Errorf("%s: reading costs %.2f %% of a core, want at most 1 %%", name, 100*share)
		}
	}
	check("nothing is traced")

	keyspace(t, s, "shop", 1)
	run(t, s, "CREATE TABLE shop.carts (user_id text PRIMARY KEY, items int)")
	n.nodetool(t, "settraceprobability", "1")
	for range 10 {
		playHot(t, s)
	}
	n.nodetool(t, "settraceprobability", "0")
	check("12,000 traces are stored")
}
