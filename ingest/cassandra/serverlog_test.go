package cassandra

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A fakeLog is system_logs as the server has it: the newest line first, those of one millisecond numbered from the
// newest on (db/virtual/LogMessagesTable.java).
type fakeLog struct {
	start time.Time
	lines []fakeLine // in the order of their times
}

type fakeLine struct {
	at              time.Duration
	logger, message string
}

func (l *fakeLog) rows(_ string, q *query) (rows []record, err error) {
	now := time.Now()
	order := map[int64]int{}
	for _, line := range slices.Backward(l.lines) {
		at := l.start.Add(line.at)
		if at.After(now) || at.Before(q.args[0].(time.Time)) || len(q.args) > 1 && !at.Before(q.args[1].(time.Time)) {
			continue
		}
		n := order[at.UnixMilli()]
		order[at.UnixMilli()]++
		rows = append(rows, record{"timestamp": clock(at), "order_in_millisecond": strconv.Itoa(n), "level": "WARN", "logger": "org.apache.cassandra." + line.logger, "message": line.message})
	}
	return rows, nil
}

// scanned is a warning of a read, whose number of tombstones tells it from others.
func scanned(key string, tombstones int) (logger, message string) {
	return "db.ReadCommand", fmt.Sprintf("Read 3 live rows and %d tombstone cells for query SELECT * FROM shop.carts WHERE user_id = '%s' LIMIT 5000; token 1 (see tombstone_warn_threshold)", tombstones, key)
}

func TestEachLineOfTheLogIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(24 * time.Hour) // times before 2000 are none
		log := &fakeLog{start: time.Now()}
		add := func(at time.Duration, logger, message string) {
			log.lines = append(log.lines, fakeLine{at, logger, message})
		}
		warn := func(at time.Duration, n int) { logger, message := scanned("k", n); add(at, logger, message) }
		warn(-20*time.Minute, 1999) // before since
		warn(-time.Minute, 2000)
		for i := range 60 { // some of one millisecond, and of the very look
			warn(time.Duration(i/3)*5*time.Second, 3000+i)
		}
		add(30*time.Second, "io.sstable.format.big.BigTableWriter", "Writing large partition shop/carts:big (150.000MiB) to sstable /data/nb-1-big-Data.db")
		add(31*time.Second, "service.StorageService", "No host ID found")
		add(32*time.Second, "db.ReadCommand", "Read 3 live rows and 7777 tombstone cells for query SELECT * FROM system.local WHERE key = 'local'; token 1 (see tombstone_warn_threshold)")
		warn(119*time.Second+500*time.Millisecond, 4000)
		slices.SortStableFunc(log.lines, func(a, b fakeLine) int { return int(a.at - b.at) })
		f := newFake()
		f.virtual([2]string{"system_views", "system_logs"})
		f.tables[systemLogs] = log.rows
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), 2*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{`event - read shop.carts ["k"] tombstones=2000`}
		for i := range 60 {
			want = append(want, fmt.Sprintf(`event - read shop.carts ["k"] tombstones=%d`, 3000+i))
		}
		want = append(want, `event - read shop.carts ["k"] tombstones=4000`)
		got := to.of("event")
		slices.Sort(got)
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("requests (-), want (+):\n%s", d)
		}
		if d := cmp.Diff(to.of("state"), []string{`state shop.carts partition_bytes ["big"] 157286400 node=10.0.0.1`}); d != "" {
			t.Errorf("states (-), want (+):\n%s", d)
		}
		if len(to.notes) > 0 || to.skips[skipOwn] != 1 {
			t.Errorf("notes %q, skips %v", to.notes, to.skips)
		}
	})
}

func TestALookAtTheLogThatBreaksOffIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(24 * time.Hour)
		log := &fakeLog{start: time.Now()}
		for i := range 9 {
			logger, message := scanned("k", 3000+i)
			log.lines = append(log.lines, fakeLine{time.Duration(i) * time.Second, logger, message})
		}
		f := newFake()
		f.virtual([2]string{"system_views", "system_logs"})
		pages := 0
		f.tables[systemLogs] = func(address string, q *query) ([]record, error) {
			if pages++; pages == 3 { // two pages of a look were given by then
				return nil, errors.New("connection closed")
			}
			return log.rows(address, q)
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(to.of("event")); got != 9 || !strings.Contains(strings.Join(to.notes, "\n"), "10.0.0.1 was read again") {
			t.Errorf("%d lines, want 9; notes %q", got, to.notes)
		}
	})
}
