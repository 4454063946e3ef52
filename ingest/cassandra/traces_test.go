package cassandra

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// A traceLog is system_traces: sessions appear and end at times of the test's clock.
type traceLog struct {
	start    time.Time
	sessions []fakeSession
}

type fakeSession struct {
	id       string
	key      string
	at       time.Duration // when it begins, by its coordinator's clock
	appears  time.Duration // when its row can be read
	finishes time.Duration // when the row gets its duration; 0: never
	marked   bool          // one of our own
	table    string        // empty: shop.carts
}

func (l *traceLog) rows(_ string, q *query) ([]record, error) {
	now, rows := time.Since(l.start), []record{}
	for _, s := range l.sessions {
		if s.appears > now {
			continue
		}
		begun := l.start.Add(s.at)
		if ids, ok := wanted(q); ok {
			if !ids[s.id] {
				continue
			}
		} else if since := q.args[0].(time.Time); begun.Before(since) {
			continue
		}
		query := "SELECT * FROM " + cmp.Or(s.table, "shop.carts") + " WHERE user_id = ''" + s.key + "''"
		if s.marked {
			query += mark
		}
		r := record{"session_id": s.id, "started_at": clock(begun), "request": "Execute CQL3 query", "command": "QUERY", "parameters": "{'query': '" + query + "'}"}
		if s.finishes > 0 && s.finishes <= now {
			r["duration"] = "1500"
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func wanted(q *query) (map[string]bool, bool) {
	list, ok := q.args[0].([]string)
	ids := map[string]bool{}
	for _, id := range list {
		ids[id] = true
	}
	return ids, ok
}

// events tells that each session read 3 rows and 7 tombstones, once it has been finished for a second.
func (l *traceLog) events(_ string, q *query) ([]record, error) {
	ids, _ := wanted(q)
	rows := []record{}
	for _, s := range l.sessions {
		if ids[s.id] && s.finishes > 0 && time.Since(l.start) >= s.finishes+time.Second {
			rows = append(rows, record{"session_id": s.id, "event_id": s.id, "activity": "Read 3 live rows and 7 tombstone cells", "source": "10.0.0.1", "source_elapsed": "900", "thread": "ReadStage-1"})
		}
	}
	return rows, nil
}

func sessionID(i int) string { return fmt.Sprintf("%08x-cccc-11ef-8000-000000000000", i) }

func TestEachTracedRequestIsToldOnce(t *testing.T) {
	const second = time.Second
	whole := func(key string) string {
		return fmt.Sprintf("event traffic read shop.carts [%q] tombstones=7 µs=1500 node=10.0.0.1", key)
	}
	tests := map[string]struct {
		session fakeSession
		want    []string
	}{
		"finished before the run":                   {fakeSession{at: -60 * second, appears: -60 * second, finishes: 1}, []string{whole("k")}},
		"older than is asked for":                   {fakeSession{at: -20 * 60 * second, appears: -20 * 60 * second, finishes: 1}, nil},
		"begun between two polls":                   {fakeSession{at: 13 * second, appears: 13 * second, finishes: 14 * second}, []string{whole("k")}},
		"finished after several polls":              {fakeSession{at: 2 * second, appears: 2 * second, finishes: 75 * second}, []string{whole("k")}},
		"its row comes late":                        {fakeSession{at: 20 * second, appears: 41 * second, finishes: 41 * second}, []string{whole("k")}},
		"its coordinator's clock is 20 s behind":    {fakeSession{at: 20 * second, appears: 40 * second, finishes: 41 * second}, []string{whole("k")}},
		"its coordinator's clock is 20 s ahead":     {fakeSession{at: 60 * second, appears: 40 * second, finishes: 41 * second}, []string{whole("k")}},
		"begun just before the end":                 {fakeSession{at: 118 * second, appears: 118 * second, finishes: 119 * second}, []string{whole("k")}},
		"not finished at the end: without latency":  {fakeSession{at: 100 * second, appears: 100 * second}, []string{`event traffic read shop.carts ["k"] node=10.0.0.1`}},
		"one of keyheat's own requests is not told": {fakeSession{at: 50 * second, appears: 50 * second, finishes: 51 * second, marked: true}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(24 * time.Hour) // times before 2000 are none
				tc.session.id, tc.session.key = sessionID(1), "k"
				log := &traceLog{start: time.Now(), sessions: []fakeSession{tc.session}}
				f := newFake()
				f.tables["system_traces.sessions"], f.tables["system_traces.events"] = log.rows, log.events
				to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 2*time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				if d := gocmp.Diff(to.of("event"), append([]string{}, tc.want...)); d != "" {
					t.Errorf("got (-), want (+):\n%s", d)
				}
			})
		})
	}
}

func TestManySessionsAreToldInTheOrderOfTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &traceLog{start: time.Now()}
		want := []string{}
		for i := range 200 {
			at := time.Duration(i) * 500 * time.Millisecond
			log.sessions = append(log.sessions, fakeSession{id: sessionID(1000 - i), key: fmt.Sprint("k", i), at: at, appears: at, finishes: at + time.Second})
			want = append(want, fmt.Sprintf("event traffic read shop.carts [%q] tombstones=7 µs=1500 node=10.0.0.1", fmt.Sprint("k", i)))
		}
		f := newFake()
		f.tables["system_traces.sessions"], f.tables["system_traces.events"] = log.rows, log.events
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1?interval=7s"), 3*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(to.of("event"), want); d != "" {
			t.Errorf("got (-), want (+):\n%s", d)
		}
	})
}

func TestEventsOfWritesAreNotAskedForAndLongReadsComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		rows := []record{}
		for i, q := range []string{"INSERT INTO shop.carts (user_id) VALUES (''w'')", "SELECT * FROM shop.carts WHERE user_id = ''short''", "SELECT * FROM shop.carts WHERE user_id = ''long''"} {
			rows = append(rows, record{"session_id": sessionID(i), "started_at": clock(time.Now()), "request": "Execute CQL3 query", "command": "QUERY", "parameters": "{'query': '" + q + "'}", "duration": fmt.Sprint(100 + 1000*i)})
		}
		f.tables["system_traces.sessions"] = table(rows...)
		asked := [][]string{}
		f.tables["system_traces.events"] = func(_ string, q *query) ([]record, error) {
			ids, _ := q.args[0].([]string)
			asked = append(asked, ids)
			return nil, nil
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 25*time.Second)
		if err != nil || len(to.of("event")) != 3 {
			t.Errorf("%q: %v", to.of("event"), err)
		}
		if d := gocmp.Diff(asked, [][]string{{sessionID(2), sessionID(1)}}); d != "" {
			t.Errorf("asked for (-), want (+):\n%s", d)
		}
	})
}

func TestRequestsWhoseEventsAreNotReadInTimeAreToldWithoutThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &traceLog{start: time.Now()}
		for i := range 2000 {
			log.sessions = append(log.sessions, fakeSession{id: sessionID(i), key: "k", at: time.Second, appears: time.Second, finishes: 2 * time.Second})
		}
		f := newFake()
		f.tables["system_traces.sessions"], f.tables["system_traces.events"] = log.rows, log.events
		s := f.server(t, "cassandra://10.0.0.1")
		s.config.rate = 1000
		to, err := collect(t, s, 12*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		counted := 0
		for _, e := range to.of("event") {
			if strings.Contains(e, "tombstones=7") {
				counted++
			}
		}
		if all := len(to.of("event")); all != 2000 || counted == 0 || counted == all {
			t.Errorf("%d events, %d with counts; want 2000, some with counts", all, counted)
		}
		want := fmt.Sprintf("rows and tombstones of %d traced requests were not read before the end", 2000-counted)
		if notes := strings.Join(to.notes, "\n"); !strings.Contains(notes, want) || !strings.Contains(notes, "the last look at system_traces was cut short") {
			t.Errorf("no note %q in %q", want, to.notes)
		}
	})
}

func TestAServerThatCannotFilterByTimeIsReadWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &traceLog{start: time.Now(), sessions: []fakeSession{{id: sessionID(1), key: "k", at: time.Second, appears: time.Second, finishes: 2 * time.Second}}}
		f := newFake()
		f.tables["system_traces.events"] = log.events
		f.tables["system_traces.sessions"] = func(a string, q *query) ([]record, error) {
			if strings.Contains(q.rest, "ALLOW FILTERING") {
				return nil, &refusal{text: "No secondary indexes on the restricted columns support the provided operators"}
			}
			if q.rest == "" {
				q = &query{args: []any{log.start.Add(-time.Hour)}}
			}
			return log.rows(a, q)
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), time.Minute)
		if err != nil || len(to.of("event")) != 1 {
			t.Errorf("%d events, want 1: %v", len(to.of("event")), err)
		}
	})
}

func TestTracesAreAskedOfAnotherNodeWhenOneIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &traceLog{start: time.Now(), sessions: []fakeSession{{id: sessionID(1), key: "k", at: 40 * time.Second, appears: 40 * time.Second, finishes: 41 * time.Second}}}
		f := newFake()
		f.tables["system.peers_v2"] = table(record{"peer": "10.0.0.2", "native_address": "10.0.0.2", "native_port": "9042", "tokens": "{'100'}", "data_center": "dc1", "rack": "r1"})
		f.tables["system_traces.sessions"], f.tables["system_traces.events"] = log.rows, log.events
		time.AfterFunc(30*time.Second, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.down["10.0.0.1:9042"] = true
		})
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 2*time.Minute)
		if len(to.of("event")) != 1 {
			t.Errorf("%d events, want 1", len(to.of("event")))
		}
		want := "cassandra://10.0.0.1:9042: 10.0.0.1: connecting to 10.0.0.1:9042: connection refused"
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if len(to.notes) != 1 || !strings.HasPrefix(to.notes[0], "10.0.0.1 could not be read for a time: connecti") {
			t.Errorf("notes %q", to.notes)
		}
	})
}

func TestTracesThatMayNotBeReadAreANote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.tables["system_traces.sessions"] = func(string, *query) ([]record, error) {
			return nil, &refusal{lacking: true, text: "User app has no SELECT permission on <table system_traces.sessions>"}
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), time.Minute)
		if err != nil {
			t.Error(err)
		}
		want := []string{"traces were not read: User app has no SELECT permission on <table system_traces.sessions>"}
		if d := gocmp.Diff(to.notes, want); d != "" {
			t.Errorf("notes (-), want (+):\n%s", d)
		}
	})
}

func TestANodeThatIsBackIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.virtual([2]string{"system_views", "rows_per_read"})
		reads := 0
		f.tables["system_views.rows_per_read"] = func(string, *query) ([]record, error) {
			reads++
			return []record{{"keyspace_name": "shop", "table_name": "carts", "count": "4", "max": "9", "p50th": "2", "p99th": "9"}}, nil
		}
		set := func(down bool) func() {
			return func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.down["10.0.0.1:9042"] = down
			}
		}
		time.AfterFunc(25*time.Second, set(true))
		time.AfterFunc(55*time.Second, set(false))
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 2*time.Minute)
		if err != nil {
			t.Errorf("%v, want no error: the node is back", err)
		}
		if reads < 9 || reads > 11 {
			t.Errorf("read %d times, want about 10", reads)
		}
		want := []string{
			"10.0.0.1 could not be read for a time: ",
			"10.0.0.1 was read again; what it kept in memory meanwhile, such as its histograms, is missing",
			"system_traces could not be read for a time: ",
			"system_traces was read again",
		}
		for _, w := range want {
			found := false
			for _, n := range to.notes {
				found = found || strings.HasPrefix(n, w)
			}
			if !found {
				t.Errorf("no note %q in %q", w, to.notes)
			}
		}
	})
}

func TestAClusterThatCannotBeReachedIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.down["10.0.0.1:9042"] = true
		_, err := collect(t, f.server(t, "cassandra://10.0.0.1"), time.Minute)
		want := "cassandra://10.0.0.1:9042: reading system.local: connecting to 10.0.0.1:9042: connection refused"
		if err == nil || err.Error() != want || errors.Unwrap(err) == nil {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}
