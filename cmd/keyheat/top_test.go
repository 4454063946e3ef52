package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// topEnv is the environment of top on a fake server.
func topEnv(play func(ctx context.Context, to ingest.Streams) error, args ...string) *env {
	e := serve(testEnv(append([]string{"top", "test://a"}, args...)...), &fakeServer{play: play})
	e.width, e.now = 160, func() time.Time { return time.Unix(1780567801, 0) }
	return e
}

func TestTopOfALiveSourceThatEnds(t *testing.T) {
	code, stdout, stderr := runArgs(t, topEnv(playHotKey, "--for", "1m"))
	if code != exitRan || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	for _, want := range []string{"keyheat top  test://a", "ended", "shop.carts (cassandra)", "tenant-42", "50 %", "medium: hot-partition"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not told:\n%s", want, stdout)
		}
	}
}

func TestTopOfALiveSourceThatGoesOn(t *testing.T) {
	goesOn := func(ctx context.Context, to ingest.Streams) error {
		err := playHotKey(ctx, to)
		<-ctx.Done()
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := topEnv(goesOn, "--count", "250")
	pictures := &pictureWatcher{until: "10:09:59 UTC  lag 2 s", then: cancel}
	e.stdout = pictures
	if code := run(ctx, e); code != exitInterrupted {
		t.Errorf("exit %d after an interrupt, want 130; the last picture was\n%s", code, pictures.last)
	}
	if code, _, stderr := runArgs(t, topEnv(goesOn, "--count", "2")); code != exitRan || stderr != "" {
		t.Errorf("exit %d, stderr %q after two pictures", code, stderr)
	}
}

// A pictureWatcher calls then when a picture shows a text.
type pictureWatcher struct {
	until string
	then  func()
	last  string
}

func (p *pictureWatcher) Write(b []byte) (int, error) {
	p.last = string(b)
	if strings.Contains(p.last, p.until) {
		p.then()
	}
	return len(b), nil
}

func TestASourceThatFailsIsToldWithoutAPicture(t *testing.T) {
	code, stdout, stderr := runArgs(t, topEnv(func(context.Context, ingest.Streams) error { return os.ErrPermission }))
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "permission denied") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestTopCostsLittleWhenNothingComes measures the processor time of a process whose screen stands still.
func TestTopCostsLittleWhenNothingComes(t *testing.T) {
	path, add := topLog(t)
	add(0, 60_000, "orders", "CUSTOMER#42")
	s := startTerminal(t, 80, 24, xterm, "top", path)
	s.until("orders (dynamodb)")
	s.keys("\r")
	s.until("▸ CUSTOMER#42")
	s.keys("\r")
	s.until("exactly 60,000 requests") // it was judged
	s.keys("\x1b")
	s.until("▸ CUSTOMER#42")
	before, ok := processorTime(s.cmd.Process.Pid)
	if !ok {
		t.Skip("needs /proc")
	}
	const watched = 5 * time.Second
	time.Sleep(watched) // what is measured
	after, _ := processorTime(s.cmd.Process.Pid)
	if used, most := after-before, watched/20; used > most {
		t.Errorf("%v of processor time in %v, want at most %v", used, watched, most)
	}
}

// processorTime gives the user and system time of a process: fields 14 and 15 of proc(5) stat, in ticks of
// 10 ms. The name, field 2, is in parentheses.
func processorTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, found := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if err != nil || !found || len(fields) < 13 {
		return 0, false
	}
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errUser == nil && errSystem == nil
}

func TestAFindingTellsSinceWhen(t *testing.T) {
	for want, s := range map[string]detect.Span{
		"":                        {},
		" since 10:00":            {Start: 1780567200, End: 1780570800},
		" since 2026-06-03 10:00": {Start: 1780567200 - 86400, End: 1780570800},
	} {
		if got := since(s); got != want {
			t.Errorf("%v: got %q, want %q", s, got, want)
		}
	}
}
