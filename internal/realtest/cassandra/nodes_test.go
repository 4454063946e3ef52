package cassandra

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"
)

// alone starts a cluster of one node, which join makes one of two.
func alone(t *testing.T) *node {
	t.Helper()
	first, err := startFirst(t.Context(), jars(t, version), filepath.Join(t.TempDir(), "1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.kill)
	return first
}

func join(t *testing.T, first *node) [2]*node {
	t.Helper()
	second, err := newNode(first.lib, filepath.Join(t.TempDir(), "2"), "127.0.0.2", first.native, first.storage, fmt.Sprintf("127.0.0.1:%d", first.storage))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.kill)
	if err := second.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, first, second.host, "UN")
	waitFor(t, second, first.host, "UN")
	return [2]*node{first, second}
}

// A running is a keyheat analyze in the background.
type running struct {
	cmd       *exec.Cmd
	out, said bytes.Buffer
}

func startAnalyze(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{cmd: exec.CommandContext(t.Context(), keyheat(t), append([]string{"analyze", "--format", "json"}, args...)...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.said
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// interrupt ends it as Ctrl-C does, and gives its report.
func (r *running) interrupt(t *testing.T) *report {
	t.Helper()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait()
	if code := r.cmd.ProcessState.ExitCode(); code != 0 { // without --for it is the usual end
		t.Errorf("exit %d, want 0\n%s", code, r.said.Bytes())
	}
	rep := &report{}
	if err := json.Unmarshal(r.out.Bytes(), rep); err != nil {
		t.Fatalf("%v\n%.2000s\n%s", err, r.out.Bytes(), r.said.Bytes())
	}
	return rep
}

// write writes carts, as far as nodes are there.
func write(s *gocql.Session, from, to int) {
	for i := from; i < to; i++ {
		_ = s.Query("INSERT INTO shop.carts (user_id, items) VALUES (?, ?)", fmt.Sprintf("u-%04d", i), i).Exec()
	}
}

func TestNodesMayJoinDieComeBackAndLeaveDuringARun(t *testing.T) {
	first := alone(t)
	connect(t, first.address(), superuser).Close()
	url := "cassandra://" + first.address() + "?interval=2s"
	live := startAnalyze(t, url)
	pair := join(t, first)
	s := connect(t, pair[0].address(), superuser)
	keyspace(t, s, "shop", 1)
	run(t, s, "CREATE TABLE shop.carts (user_id text PRIMARY KEY, items int)")
	trace := func(n *node) { n.nodetool(t, "settraceprobability", "1") }
	trace(pair[0])
	trace(pair[1])
	time.Sleep(6 * time.Second) // who is in the cluster is asked at every second look
	write(s, 0, 300)
	settle(t, s, "shop.carts")
	t.Run("requests belong to the node that holds their key", func(t *testing.T) { checkOwners(t, pair, url, s) })
	pair[1].kill()
	write(s, 300, 600)
	waitFor(t, pair[0], "127.0.0.2", "DN")
	if err := pair[1].start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	waitFor(t, pair[0], "127.0.0.2", "UN")
	trace(pair[1])
	write(s, 600, 900)
	settle(t, s, "shop.carts")
	time.Sleep(5 * time.Second) // more than two polls
	all, _ := traces(t, s, "shop.carts", "")
	pair[1].nodetool(t, "decommission", "--force")
	time.Sleep(6 * time.Second)
	r := live.interrupt(t)

	if got := r.requests("shop.carts"); got != all || all < 300 {
		t.Errorf("%d requests, the cluster can tell of %d", got, all)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"127.0.0.2 joined the cluster during the run", "127.0.0.2 left the cluster during the run", "127.0.0.2 could not be read for a time", "127.0.0.2 was read again; what it kept in memory meanwhile"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in:\n%s", want, notes)
		}
	}
	if strings.Contains(notes, "127.0.0.1 could not be read") {
		t.Errorf("the node that stayed is told gone:\n%s", notes)
	}
}

// waitFor waits until one node sees another in a state.
func waitFor(t *testing.T, n *node, address, state string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < startup; time.Sleep(time.Second) {
		for line := range strings.Lines(string(n.nodetool(t, "status"))) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == state && f[1] == address {
				return
			}
		}
	}
	t.Fatalf("%s is not %s for %s", address, state, n.host)
}

// checkOwners compares the node of requests with the server's own word, getendpoints.
func checkOwners(t *testing.T, pair [2]*node, url string, s *gocql.Session) {
	all, _ := traces(t, s, "shop.carts", "")
	keys, sum := map[string]string{}, uint64(0)
	for _, n := range pair {
		r := analyze(t, superuser, url, "--for", "4s", "--node", n.host)
		sum += r.requests("shop.carts")
		for _, table := range r.Tables {
			for _, k := range table.TopKeys {
				keys[k.Key] = n.host
			}
		}
	}
	if sum != all {
		t.Errorf("the nodes have %d requests, %d were traced", sum, all)
	}
	for i, key := range slices.Sorted(maps.Keys(keys)) {
		if i%max(len(keys)/5, 1) != 0 { // the tool takes a second each
			continue
		}
		if got := strings.TrimSpace(string(pair[0].nodetool(t, "getendpoints", "shop", "carts", key))); got != keys[key] {
			t.Errorf("%s is on %s, the server says %s", strconv.Quote(key), keys[key], got)
		}
	}
}
