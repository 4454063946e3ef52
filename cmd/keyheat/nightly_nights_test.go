package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/internal/generate"
	"github.com/keyheat/keyheat/internal/nightly"
)

// firstNight is a Monday.
var firstNight = time.Date(2026, time.June, 1, 0, 0, 0, 0, time.UTC)

// traffic gives events of one table over two hours of a night. A share in thousandths makes one key hot.
func traffic(t *testing.T, kind, store, table string, night int, share uint64) string {
	t.Helper()
	o := generate.Defaults()
	o.Kind, o.Store, o.Events, o.Seed, o.Skew, o.Share = kind, store, 6000, uint64(night)+1, 0, share
	o.Start = firstNight.AddDate(0, 0, night).Add(8 * time.Hour)
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := generate.Write(&out, o); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"table":"[^"]*"`).ReplaceAllString(out.String(), `"table":"`+table+`"`)
}

// nightFiles writes the inputs of a night. The stories, by night from 0:
//   - metrics.readings sensor-4242 has 60 MiB and grows by 4 % a night;
//   - the tenant user-137 of carts is hot at the nights 1 to 3 and 7 to 8;
//   - the queue shop.outbox is fixed after night 4;
//   - orders_by_time becomes orders_v2, with another key, at night 9;
//   - nobody runs keyheat for night 10;
//   - the inputs of night 12 are broken.
func nightFiles(t *testing.T, dir string, night int) {
	t.Helper()
	day := firstNight.AddDate(0, 0, night)
	share := uint64(1)
	if night >= 1 && night <= 3 || night >= 7 && night <= 8 {
		share = 400
	}
	events := traffic(t, "hot-key", "dynamodb", "carts", night, share)
	if night <= 4 {
		events += traffic(t, "queue", "cassandra", "shop.outbox", night, 1)
	} else {
		events += traffic(t, "hot-key", "cassandra", "shop.outbox", night, 1)
	}
	if night < 9 {
		events += traffic(t, "hot-key", "dynamodb", "orders_by_time", night, 300)
	} else {
		events += traffic(t, "hot-key", "dynamodb", "orders_v2", night, 1)
	}
	size := 60 * math.Pow(1.04, float64(night))
	log := fmt.Sprintf("WARN  [CompactionExecutor:7] %s 03:00:01,000 BigTableWriter.java:211 - Writing large partition metrics/readings:sensor-4242 (%.3fMiB) to sstable /var/lib/cassandra/data/metrics/readings-7527f320b7ca11e9b941b7ed10b07722/md-%d-big-Data.db\n",
		day.Format(time.DateOnly), size, night+1)
	if night == 12 {
		events, log = "\x00\x01\x02 broken", "\x00\x01\x02 broken"
	}
	writeFile(t, filepath.Join(dir, "events-"+day.Format("20060102")+".ndjson"), events)
	writeFile(t, filepath.Join(dir, "system-"+day.Format("20060102")+".log"), log)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const nightsConfig = `version: 1
state: state
metrics: keyheat.prom
notify:
  chat: {url: "generic+http://127.0.0.1:1/"}
jobs:
  prod:
    inputs: [events-%Y%m%d.ndjson, system-%Y%m%d.log]
    notify: [chat]
`

// nightlyEnv is a process at the morning after a night; sent are the messages that it sends.
func nightlyEnv(night int, config string, sent *[]string, more ...string) *env {
	e := testEnv(append([]string{"nightly", "-c", config}, more...)...)
	e.now = func() time.Time { return firstNight.AddDate(0, 0, night+1).Add(4 * time.Hour) }
	e.readFile, e.state, e.lock = os.ReadFile, stateDisk{}, lockState
	e.sender = nightly.Sender{Wait: wait, Send: func(_ context.Context, _ *nightly.Target, text string) error {
		*sent = append(*sent, text)
		return nil
	}}
	return e
}

func TestFourteenNightsTellTheirStories(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "keyheat.yaml")
	writeFile(t, config, nightsConfig)
	sent, got := []string{}, strings.Builder{}
	for night := range 14 {
		nightFiles(t, dir, night)
		if night == 10 {
			continue
		}
		code, stdout, stderr := runArgs(t, nightlyEnv(night, config, &sent))
		got.WriteString(stdout)
		if want := map[int]int{12: exitFailed, 13: exitFailed}[night]; code != want {
			t.Errorf("night %d: exit %d, want %d: %s", night, code, want, stderr)
		}
	}
	golden(t, "testdata/nights.txt", strings.ReplaceAll(got.String(), dir, "DIR"))
	golden(t, "testdata/nights_messages.txt", strings.ReplaceAll(strings.Join(sent, "\n"), dir, "DIR"))
	for _, key := range []string{"user-137", "mail-out", "sensor-4242"} {
		if strings.Contains(strings.Join(sent, ""), key) {
			t.Errorf("a message shows the key %s", key)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "state/prod/index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "<tr>"); n != 5 { // the heading and a row each of four findings
		t.Errorf("the history has %d rows, want 5", n)
	}
	if code, stdout, stderr := runArgs(t, nightlyEnv(13, config, &sent, "--date", "2026-06-14")); code != exitRan || !strings.Contains(stdout, "2026-06-14.2") {
		t.Errorf("a night that is made again: exit %d, %s%s", code, stdout, stderr)
	}
}

// golden compares with a file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		t.Errorf("got (-), want %s (+):\n%s", file, d)
	}
}

// oneNight makes the inputs and the configuration of one night.
func oneNight(t *testing.T) (dir, config string) {
	t.Helper()
	dir = t.TempDir()
	config = filepath.Join(dir, "keyheat.yaml")
	writeFile(t, config, nightsConfig)
	nightFiles(t, dir, 0)
	return dir, config
}

func TestAJobReadsOneDayWithItsOptionsLimitsAndSuppressions(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "keyheat.yaml")
	writeFile(t, filepath.Join(dir, "all.ndjson"), traffic(t, "hot-key", "dynamodb", "carts", 0, 400)+traffic(t, "hot-key", "dynamodb", "carts", 1, 400)+
		traffic(t, "hot-key", "dynamodb", "orders", 1, 400)+"no record\n")
	const text = `version: 1
state: state
jobs:
  day:
    inputs: [all.ndjson]
    window: day
    options: {max-bad: 0}
    suppress:
      - {rule: hot-partition, table: carts, key: user-137, reason: known, until: 2026-06-02}
      - {rule: hot-partition, table: nowhere, reason: forgotten, until: 2026-06-02}
      - {rule: hot-partition, table: orders, reason: over, until: 2026-06-01}
    outputs: [text]
    fail_on: medium
`
	writeFile(t, config, text)
	sent := []string{}
	code, stdout, stderr := runArgs(t, nightlyEnv(1, config, &sent))
	want := `keyheat nightly · day · 2026-06-02 · 1 new, partial: 1 of 18001 records could not be read, more than --max-bad allows
NEW       orders user-137: hot-partition, medium, since 08:00 UTC
note: the suppression of hot-partition orders was until 2026-06-01: over
note: no finding fits the suppression of hot-partition nowhere: forgotten
report: DIR/state/day/2026-06-02.1
`
	if d := cmp.Diff(strings.ReplaceAll(stdout, dir, "DIR"), want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if code != exitBadRecords || !strings.Contains(stderr, "day 2026-06-02: findings at or over fail_on medium: 1") {
		t.Errorf("exit %d, stderr %s", code, stderr)
	}
	rep, err := os.ReadFile(filepath.Join(dir, "state/day/2026-06-02.1/report.txt"))
	if err != nil || !strings.Contains(string(rep), "findings left out by suppressions: 1") {
		t.Errorf("the text report: %v\n%s", err, rep)
	}
	writeFile(t, config, strings.ReplaceAll(text, "{max-bad: 0}", "{max-bad: 5}"))
	if code, _, stderr := runArgs(t, nightlyEnv(1, config, &sent, "--date", "2026-06-02")); code != exitFindings {
		t.Errorf("exit %d, want 1: %s", code, stderr)
	}
	if code, _, stderr := runArgs(t, nightlyEnv(1, config, &sent, "--job", "dya")); code != exitUsage || !strings.Contains(stderr, "there is no such job: did you mean day?") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestTwoRunsExcludeEachOther(t *testing.T) {
	dir, config := oneNight(t)
	release, err := lockState(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	sent := []string{}
	code, stdout, stderr := runArgs(t, nightlyEnv(0, config, &sent))
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "another run uses") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runArgs(t, nightlyEnv(0, config, &sent)); code != exitRan {
		t.Errorf("exit %d after the other run: %s", code, stderr)
	}
}

func TestAMessageThatIsNotTakenIsSentByTheNextRun(t *testing.T) {
	dir, config := oneNight(t)
	sent := []string{}
	e := nightlyEnv(0, config, &sent)
	tried := 0
	e.sender.Wait = func(context.Context, time.Duration) {}
	e.sender.Send = func(context.Context, *nightly.Target, string) error {
		tried++
		return errors.New("the service is down")
	}
	code, stdout, stderr := runArgs(t, e)
	if code != exitFailed || tried != 3 || !strings.Contains(stderr, "telling chat: the service is down (tried 3 times)") {
		t.Errorf("exit %d after %d attempts: %s", code, tried, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "state/prod/2026-06-01.1/report.json")); err != nil || !strings.Contains(stdout, "3 new") {
		t.Errorf("the report is lost: %v, stdout %s", err, stdout)
	}
	for range 2 { // the second of these has nothing to tell
		if code, _, stderr := runArgs(t, nightlyEnv(0, config, &sent)); code != exitRan {
			t.Errorf("exit %d: %s", code, stderr)
		}
	}
	if len(sent) != 1 || !strings.Contains(sent[0], "3 new") {
		t.Errorf("sent %q, want the message of the night once", sent)
	}
}

func TestAKilledRunLeavesAReadableState(t *testing.T) {
	times := 5
	if os.Getenv("KEYHEAT_LONG") != "" {
		times = 100
	}
	dir, config := oneNight(t)
	sent := []string{}
	if code, _, stderr := runArgs(t, nightlyEnv(0, config, &sent)); code != exitRan {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	whole := time.Duration(0) // that the last run took which was not killed
	// night makes the night once more, and reports whether it was killed before its end. testscript.Main runs
	// keyheat under this name.
	night := func(after time.Duration) bool {
		began := time.Now()
		cmd := &exec.Cmd{Path: program, Args: []string{"keyheat", "nightly", "-c", config, "--date", "2026-06-01"}}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer timer.Stop()
		if cmd.Wait() != nil {
			return true
		}
		whole = time.Since(began)
		return false
	}
	if night(time.Hour) {
		t.Fatal("the run that nothing kills failed")
	}
	killed, runs := 0, 0
	for ; killed < times && runs < 20*times; runs++ {
		if night(time.Duration(random.Int64N(int64(whole)))) {
			killed++
		}
		readable(t, filepath.Join(dir, "state"))
	}
	t.Logf("%d of %d runs were killed before their end", killed, runs)
	if killed < times {
		t.Errorf("only %d of %d runs were killed", killed, runs)
	}
	if code, _, stderr := runArgs(t, nightlyEnv(0, config, &sent, "--date", "2026-06-01")); code != exitRan {
		t.Errorf("the next run: exit %d: %s", code, stderr)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "state/prod"))
	if err != nil || len(entries) != 2 { // the night and the history
		t.Errorf("left %v, %v", entries, err)
	}
}

// readable checks that the state has its night, with a whole report and a whole Profile.
func readable(t *testing.T, state string) {
	t.Helper()
	store, err := nightly.Open(stateDisk{}, state)
	if err != nil {
		t.Fatal(err)
	}
	nights, err := store.Nights("prod")
	if err != nil || len(nights) != 1 || len(nights[0].Digest.Findings) != 3 {
		t.Fatalf("nights %v, %v", nights, err)
	}
	e := testEnv("compare", filepath.Join(store.Dir(nights[0]), "report.json"), filepath.Join(store.Dir(nights[0]), "profile.khp.gz"))
	e.readFile = os.ReadFile
	if code, _, stderr := runArgs(t, e); code != exitRan {
		t.Fatalf("comparing the report and the Profile of the night: exit %d: %s", code, stderr)
	}
}
