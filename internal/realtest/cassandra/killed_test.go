package cassandra

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// tracedReads makes requests that the server traces, each for its own sake.
func tracedReads(t *testing.T, s *gocql.Session, table string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := s.Query("SELECT items FROM "+table+" WHERE user_id = ?", fmt.Sprintf("u-%04d", i)).Trace(untold{}).Exec(); err != nil {
			t.Fatal(err)
		}
	}
}

// untold takes no notice of traces, which are there for whoever reads them.
type untold struct{}

func (untold) Trace([]byte) {}

// captured gives how many requests a capture holds that may break off.
func captured(t *testing.T, capture, table string) uint64 {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), keyheat(t), "analyze", "--format", "json", "--no-exact", capture).Output()
	r := &report{}
	_ = json.Unmarshal(out, r) // there may be none yet
	return r.requests(table)
}

func TestACollectThatWasKilledGoesOnWithoutLossAndWithoutDouble(t *testing.T) {
	n := theNode(t)
	s := connect(t, n.address(), superuser)
	keyspace(t, s, "kept", 1)
	run(t, s, "CREATE TABLE kept.carts (user_id text PRIMARY KEY, items int)")
	capture := filepath.Join(t.TempDir(), "capture.arrow")
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), keyheat(t), "collect", "cassandra://"+superuser+"@"+n.address()+"/kept?interval=1s&since=1m",
			"--to", capture, "--append", "--load-limit", "2000")
		cmd.Env = append(os.Environ(), "KEYHEAT_CASSANDRA_PASSWORD="+superuser)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	tracedReads(t, s, "kept.carts", 0, 60)
	killed := start()
	untilMore := func(than uint64) {
		t.Helper()
		for begun := time.Now(); captured(t, capture, "kept.carts") <= than; time.Sleep(time.Second) {
			if time.Since(begun) > startup {
				t.Fatalf("no more than %d requests were recorded", than)
			}
		}
	}
	untilMore(0)
	tracedReads(t, s, "kept.carts", 60, 100)
	_ = killed.Process.Kill()
	_ = killed.Wait()
	before := captured(t, capture, "kept.carts")
	tracedReads(t, s, "kept.carts", 100, 150)
	settle(t, s, "kept.carts")
	again := start()
	untilMore(before)
	if err := again.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := again.Wait(); err != nil {
		t.Error(err)
	}
	all, _ := traces(t, s, "kept.carts", "")
	if got := captured(t, capture, "kept.carts"); got != all || before == 0 || before >= all {
		t.Errorf("%d requests when it was killed, %d in the end; the server traced %d", before, got, all)
	}
}
