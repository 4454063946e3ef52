package watch

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// start is on the border of a slot of 5 seconds.
var start = time.Unix(1_780_000_000, 0)

// feed hands events to a Watch, each after so many seconds.
type feed struct{ w *Watch }

func (f feed) event(after int64, table, key string, set func(e *ingest.Event)) {
	e := &ingest.Event{Op: ingest.OpWrite, Table: []byte(table), Key: []byte(key), KeyKnown: key != ""}
	e.SetTime(start.Unix()*int64(time.Second) + after*int64(time.Second))
	if set != nil {
		set(e)
	}
	f.w.event(e, ingest.Traffic)
}

var orders = detect.Target{Table: "orders"}

func byRequests(a, b *Row) int {
	return int(int64(b.Requests().Middle()) - int64(a.Requests().Middle()))
}

func TestRatesAreOfTheLastTenthOfTheWindow(t *testing.T) {
	w := New(10 * time.Minute)
	for second := range int64(600) {
		for range second/100 + 1 {
			feed{w}.event(second, "orders", "a", nil)
		}
	}
	b := w.Look(Query{Target: &orders, Order: byRequests})
	if got, want := b.Rate, 60*time.Second; got != want {
		t.Errorf("rates over %v, want %v", got, want)
	}
	if got, want := b.Rows[0].PerSecond[Writes], (detect.Range{Low: 6000, High: 6000}); got != want {
		t.Errorf("%v writes a second, want %v thousandths", got, want)
	}
	if got, want := b.Rows[0].Series[Writes], b.Total.Series[Writes]; !cmp.Equal(got, want) || got[0] != 5 || got[Slots-1] != 30 {
		t.Errorf("the course of the key is %v, that of its table %v", got, want)
	}
}

func TestTheFirstSecondsAreNoFullMinute(t *testing.T) {
	w := New(10 * time.Minute)
	for range 100 {
		feed{w}.event(7, "orders", "a", nil)
		feed{w}.event(8, "orders", "a", nil)
	}
	if got, want := w.Look(Query{}).Rows[0].PerSecond[Writes].Low, uint64(100_000); got != want {
		t.Errorf("%d thousandths a second, want %d", got, want)
	}
}

func TestTimeGoesOnOnceThingsHappen(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *Watch, f feed)
		now  int64 // seconds after start
		live bool
	}{
		{"a log that ended days ago shows its end", func(w *Watch, f feed) {
			w.Tick(start.Add(48 * time.Hour))
			f.event(100, "t", "k", nil)
			w.CaughtUp()
			w.Tick(start.Add(49 * time.Hour))
		}, 100, false},
		{"what is appended to it moves the time, which then goes on", func(w *Watch, f feed) {
			w.Tick(start.Add(48 * time.Hour))
			f.event(100, "t", "k", nil)
			w.CaughtUp()
			f.event(110, "t", "k", nil)
			w.Tick(start.Add(48*time.Hour + 30*time.Second))
		}, 140, true},
		{"a log that was just written to goes on at once", func(w *Watch, f feed) {
			w.Tick(start.Add(120 * time.Second))
			f.event(100, "t", "k", nil)
			w.CaughtUp()
			w.Tick(start.Add(150 * time.Second))
		}, 130, true},
		{"it stands still when nothing more can come", func(w *Watch, f feed) {
			w.Tick(start.Add(120 * time.Second))
			f.event(100, "t", "k", nil)
			w.CaughtUp()
			w.Ended()
			w.Tick(start.Add(500 * time.Second))
		}, 100, false},
		{"one record far in the future is not believed", func(w *Watch, f feed) {
			w.Tick(start)
			f.event(1, "t", "k", nil)
			f.event(1e9, "t", "k", nil)
			f.event(2, "t", "k", nil)
		}, 2, false},
		{"two of them are", func(w *Watch, f feed) {
			w.Tick(start)
			f.event(1, "t", "k", nil)
			f.event(86400, "t", "k", nil)
			f.event(86401, "t", "k", nil)
		}, 86401, false},
		{"a pause up to now is believed at once", func(w *Watch, f feed) {
			w.Tick(start.Add(time.Hour))
			f.event(1, "t", "k", nil)
			f.event(3600, "t", "k", nil)
		}, 3600, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := New(10 * time.Minute)
			tt.do(w, feed{w})
			b := w.Look(Query{})
			if got := b.Now.Unix() - start.Unix(); got != tt.now || b.Live != tt.live {
				t.Errorf("now is %d s after the start, live %v; want %d, %v", got, b.Live, tt.now, tt.live)
			}
		})
	}
}

func TestRecordsWithoutTimeCountWhenTheyComeAsTheyHappen(t *testing.T) {
	w := New(10 * time.Minute)
	timeless := func() {
		w.event(&ingest.Event{Op: ingest.OpRead, Table: []byte("orders"), Key: []byte("a"), KeyKnown: true}, ingest.Traffic)
	}
	w.Tick(start)
	timeless()
	if b := w.Look(Query{}); len(b.Rows) > 0 {
		t.Errorf("what was there before is shown as of now: %v", b.Rows)
	}
	w.CaughtUp()
	timeless()
	if b := w.Look(Query{}); len(b.Rows) != 1 || b.Rows[0].PerSecond[Reads].Low != 1000 {
		t.Errorf("got %v, want one read", b.Rows)
	}
}

func TestKeysOfAnyTimeInTheWindowAreListed(t *testing.T) {
	w := New(10 * time.Minute)
	for second := range int64(599) {
		feed{w}.event(second, "orders", fmt.Sprint("k", second/100), nil)
	}
	got := []string{}
	for _, r := range w.Look(Query{Target: &orders, Order: func(a, b *Row) int { return int(b.Seen) - int(a.Seen) }}).Rows {
		got = append(got, fmt.Sprint(string(r.Key), " ", r.Seen, " ", r.PerSecond[Writes].Low > 0))
	}
	if d := cmp.Diff(got, []string{"k0 100 false", "k1 100 false", "k2 100 false", "k3 100 false", "k4 100 false", "k5 99 true"}); d != "" {
		t.Error(d)
	}
}

func TestComplaintsAreNoRequests(t *testing.T) {
	w := New(10 * time.Minute)
	e := &ingest.Event{Op: ingest.OpRead, Table: []byte("orders"), Key: []byte("a"), KeyKnown: true}
	e.SetTime(start.UnixNano())
	e.SetTombstones(5000)
	w.event(e, ingest.Selected)
	got := w.Look(Query{Target: &orders}).Rows[0].PerSecond
	want := [Measures]detect.Range{Tombstones: {Low: 5_000_000, High: 5_000_000}, Reported: {Low: 1000, High: 1000}}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
}

func TestATableThatIsNamedWithoutItsStoreIsTheOneThatIsKnown(t *testing.T) {
	w := New(10 * time.Minute)
	feed{w}.event(1, "orders", "a", nil)
	feed{w}.event(1, "orders", "a", func(e *ingest.Event) { e.Store = ingest.DynamoDB })
	feed{w}.event(1, "orders", "a", func(e *ingest.Event) { e.Store = ingest.Cassandra })
	feed{w}.event(1, "orders", "a", nil)
	got := map[string]uint64{}
	for _, r := range w.Look(Query{}).Rows {
		got[r.Target.Store.String()] = r.PerSecond[Writes].Low
	}
	if d := cmp.Diff(got, map[string]uint64{"dynamodb": 3000, "cassandra": 1000}); d != "" {
		t.Error(d)
	}
}

func TestTablesBeyondTheCapAreCountedTogether(t *testing.T) {
	w := New(10 * time.Minute)
	for i := range MaxTables + 40 {
		feed{w}.event(1, fmt.Sprint("t", i), "a", nil)
	}
	b := w.Look(Query{Order: byRequests})
	if r := b.Rows[0]; r.Target != detect.OtherTarget || r.PerSecond[Writes].Low != 40_000 {
		t.Errorf("the first row is %v with %v, want 40 of the other tables", r.Target, r.PerSecond[Writes])
	}
	if keys := w.Look(Query{Target: &detect.OtherTarget}).Rows; len(keys) > 0 {
		t.Errorf("other tables have keys: %v", keys)
	}
}

// TestBoundsHold feeds more keys than are kept and compares with a count of them all.
func TestBoundsHold(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	w, truth := New(10*time.Minute), map[string]uint64{}
	zipf := rand.NewZipf(rng, 1.2, 1, 20_000)
	for second := range int64(600) {
		for range 200 {
			key := fmt.Sprint("k", zipf.Uint64())
			feed{w}.event(second, "orders", key, func(e *ingest.Event) { e.SetTombstones(rng.Uint64N(50)) })
			if second >= 540 {
				truth[key]++
			}
		}
	}
	b := w.Look(Query{Target: &orders, Order: byRequests})
	if len(b.Rows) < 100 {
		t.Fatalf("%d keys are known", len(b.Rows))
	}
	for _, r := range b.Rows {
		n := detect.Ratio(truth[string(r.Key)], 60)
		if got := r.PerSecond[Writes]; uint64(n) < got.Low || uint64(n) > got.High+1 {
			t.Errorf("%s: %d thousandths a second are not within %v", r.Key, n, got)
		}
	}
	if got := string(b.Rows[0].Key); got != "k0" || !b.Rows[0].PerSecond[Writes].Exact() {
		t.Errorf("the first key is %s with %v", got, b.Rows[0].PerSecond[Writes])
	}
	one := w.Look(Query{Target: &orders, Key: []byte("k0")})
	one.Rows[0].Seen = b.Rows[0].Seen // which is asked of lists alone
	if d := cmp.Diff(one.Rows, b.Rows[:1]); d != "" {
		t.Errorf("the key by itself, and among others:\n%s", d)
	}
	if rare := w.Look(Query{Target: &orders, Key: []byte("never seen")}).Rows; len(rare) != 1 || rare[0].PerSecond[Writes].Low != 0 {
		t.Errorf("a key that was never seen: %v", rare)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	w := New(10 * time.Minute)
	key := make([]byte, 40)
	for i := range 2_000_000 {
		copy(key, fmt.Sprintf("%040d", i))
		e := &ingest.Event{Op: ingest.Op(i % int(ingest.Ops)), Table: []byte("orders"), Key: key, KeyKnown: true}
		e.SetTime(start.UnixNano() + int64(i)*int64(time.Second)/2000)
		e.SetBytes(100)
		e.SetWriteUnits(1000)
		w.event(e, ingest.Traffic)
	}
	held := 0
	for i := range w.slots {
		for _, keys := range w.slots[i].keys {
			if keys != nil {
				held += keys.Bytes()
			}
		}
	}
	if most := Slots * families * keyBudget * 3 / 2; held > most {
		t.Errorf("%d bytes are held, want at most %d", held, most)
	}
}

func TestLimitSaysHowManyMore(t *testing.T) {
	w := New(10 * time.Minute)
	for i := range 9 {
		for range i + 1 {
			feed{w}.event(1, "orders", fmt.Sprint("k", i), nil)
		}
	}
	b := w.Look(Query{Target: &orders, Order: byRequests, Limit: 2, Keep: func(r *Row) bool { return string(r.Key) != "k8" }})
	if got := fmt.Sprint(string(b.Rows[0].Key), string(b.Rows[1].Key), b.More); got != "k7k66" {
		t.Errorf("got %s", got)
	}
}

func BenchmarkEvent(b *testing.B) {
	w := New(10 * time.Minute)
	e := &ingest.Event{Op: ingest.OpWrite, Table: []byte("orders"), KeyKnown: true}
	e.SetBytes(100)
	b.ReportAllocs()
	for i := range b.N {
		e.Key = fmt.Appendf(e.Key[:0], "k%d", i%1000)
		e.SetTime(start.UnixNano() + int64(i)*1000)
		w.event(e, ingest.Traffic)
	}
}

// BenchmarkLook is what a screen costs each second.
func BenchmarkLook(b *testing.B) {
	w := New(10 * time.Minute)
	for second := range int64(600) {
		for i := range 2000 {
			feed{w}.event(second, "orders", fmt.Sprint("k", i), func(e *ingest.Event) { e.SetBytes(7) })
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		w.Tick(time.Now())
		w.Look(Query{Target: &orders, Order: byRequests, Limit: 40})
	}
}
