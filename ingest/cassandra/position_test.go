package cassandra

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
)

// A tornFile keeps what is written until its writer is killed.
type tornFile struct {
	bytes.Buffer
	killed atomic.Bool
}

func (f *tornFile) Write(p []byte) (int, error) {
	if f.killed.Load() {
		return len(p), nil
	}
	return f.Buffer.Write(p)
}

// recordUntil goes on with a capture for a time, at the end of which it is killed or ends.
func recordUntil(t *testing.T, f *fakeCluster, file *tornFile, url string, d time.Duration, kill bool) {
	t.Helper()
	before := &capture.Before{}
	if file.Len() > 0 {
		var err error
		if before, err = capture.ReadBefore(bytes.NewReader(file.Bytes()), url); err != nil {
			t.Fatal(err)
		}
		file.Truncate(int(before.End))
	}
	file.killed.Store(false)
	w, err := before.Continue(file, url, func() { t.Error("writing failed") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	time.AfterFunc(d, func() { file.killed.Store(kill) })
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		for ctx.Err() == nil {
			time.Sleep(3 * time.Second)
			w.Flush()
		}
	}()
	parts := f.server(t, url).Collect(ctx, w)
	<-flushed
	if err := w.Close(parts); err != nil || parts != nil {
		t.Fatal(err, parts)
	}
}

func TestACollectThatWasKilledGoesOnWhereItsCaptureEnds(t *testing.T) {
	for _, killed := range []time.Duration{2 * time.Second, 11 * time.Second, 23 * time.Second, 31 * time.Second, 52 * time.Second, 90 * time.Second} {
		t.Run(killed.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(24 * time.Hour)
				traces, log := &traceLog{start: time.Now()}, &fakeLog{start: time.Now()}
				want := []string{}
				for i := range 120 {
					at := time.Duration(i) * time.Second
					s := fakeSession{id: sessionID(i), key: fmt.Sprintf("k%03d", i), at: at, appears: at, finishes: at + time.Second}
					switch i % 10 {
					case 3:
						s.appears, s.finishes = at+20*time.Second, at+20*time.Second
					case 5:
						s.finishes = at + 40*time.Second
					}
					traces.sessions = append(traces.sessions, s)
					want = append(want, fmt.Sprintf("event traffic read shop.carts [%q] tombstones=7 µs=1500 node=10.0.0.1", s.key))
				}
				for i := range 100 {
					logger, message := scanned("k", 3000+i)
					log.lines = append(log.lines, fakeLine{time.Duration(i) * 1100 * time.Millisecond, logger, message})
					want = append(want, fmt.Sprintf(`event - read shop.carts ["k"] tombstones=%d`, 3000+i))
				}
				f := newFake()
				f.tables["system_traces.sessions"], f.tables["system_traces.events"] = traces.rows, traces.events
				f.virtual([2]string{"system_views", "system_logs"})
				f.tables[systemLogs] = log.rows
				const url = "cassandra://10.0.0.1"
				file := &tornFile{}
				recordUntil(t, f, file, url, killed, true)
				time.Sleep(7 * time.Second)
				recordUntil(t, f, file, url, killed, true)
				time.Sleep(30 * time.Second)
				recordUntil(t, f, file, url, 3*time.Minute, false)
				live, err := capture.Format.Open(&ingest.Stored{All: bytes.NewReader(file.Bytes())}, ingest.DecodeOptions{})
				if err != nil {
					t.Fatal(err)
				}
				to := &told{}
				if err := live.Collect(t.Context(), to); err != nil {
					t.Fatal(err)
				}
				got := to.of("event")
				slices.Sort(got)
				slices.Sort(want)
				if d := cmp.Diff(got, want); d != "" {
					t.Errorf("events (-), want (+):\n%s", d)
				}
			})
		})
	}
}

func TestAGapIsToldWhenTracesWereNotKeptSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(24 * time.Hour)
		traces := &traceLog{start: time.Now(), sessions: []fakeSession{{id: sessionID(1), key: "k", at: time.Second, appears: time.Second, finishes: 2 * time.Second}}}
		f := newFake()
		f.tables["system_traces.sessions"], f.tables["system_traces.events"] = traces.rows, traces.events
		file := &tornFile{}
		recordUntil(t, f, file, "cassandra://10.0.0.1", time.Minute, false)
		time.Sleep(25 * time.Hour)
		recordUntil(t, f, file, "cassandra://10.0.0.1", time.Minute, false)
		live, err := capture.Format.Open(&ingest.Stored{All: bytes.NewReader(file.Bytes())}, ingest.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		to := &told{}
		if err := live.Collect(t.Context(), to); err != nil || len(to.of("event")) != 1 {
			t.Errorf("%q, error %v", to.of("event"), err)
		}
		if len(to.notes) != 1 || !strings.HasPrefix(to.notes[0], "gap: requests traced from 2000-01-0") {
			t.Errorf("notes %q", to.notes)
		}
	})
}

func TestPositionsOfAnotherShapeAreRefused(t *testing.T) {
	for _, text := range []string{"5", "x  ", "5 AAAA ", "5 ! ", "5   "} {
		if p, err := parseTracePosition(text); err == nil {
			t.Errorf("%q gives %v", text, p)
		}
	}
	p := tracePosition{5, map[uint64]bool{hashOf("a"): true, hashOf("b"): true}, map[uint64]bool{}}
	if got, err := parseTracePosition(p.text()); err != nil {
		t.Error(err)
	} else if d := cmp.Diff(got, p, cmp.AllowUnexported(tracePosition{})); d != "" {
		t.Errorf("read (-), written (+):\n%s", d)
	}
}

func TestSlowRequestsOfScyllaAreToldOnceInTwoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2024, 5, 30, 12, 16, 31, 0, time.UTC)))
		text := fixture(t, "scylla-trace/slow.txt")
		f := scylla()
		f.tables["system_traces.node_slow_log"] = func(_ string, q *query) ([]record, error) {
			return slices.DeleteFunc(printedRows(text), func(r record) bool {
				date, cause := ingest.ParseTime([]byte(r["date"]), nil)
				return cause != "" || date < q.args[0].(time.Time).UnixNano()
			}), nil
		}
		file := &tornFile{}
		for range 2 {
			recordUntil(t, f, file, "scylla://172.29.3.6?since=24h", 15*time.Second, false)
		}
		live, err := capture.Format.Open(&ingest.Stored{All: bytes.NewReader(file.Bytes())}, ingest.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		to := &told{}
		if err := live.Collect(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		want := anonymous(exported(t, nil, "scylla-trace", ingest.Scylla, text))
		if d := cmp.Diff(anonymous(to.of("event")), want); d != "" || len(want) == 0 {
			t.Errorf("in two runs (-), exported (+):\n%s", d)
		}
	})
}
