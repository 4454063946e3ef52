package propose

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestKeysAreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{
		"key", "tenant_id, shard(8)", "bucket(day, ts), tenant_id", "pk, shard_by(sk, 16)", "user.id, bucket(week, at), shard(1024)", "a b, c",
	} {
		k, err := ParseCandidate(text)
		if err != nil || k.String() != text {
			t.Errorf("%s: got %v, %v", text, k, err)
		}
	}
	k, err := ParseCandidate("  key ,shard( 8 ),bucket( day,ts )")
	if err != nil || k.String() != "key, shard(8), bucket(day, ts)" {
		t.Errorf("got %v, %v", k, err)
	}
}

func TestKeysThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "a part is empty",
		"a,,b":                          "a part is empty",
		"shard(0)":                      "must be a number from 2 to 1024",
		"shard(x)":                      "must be a number from 2 to 1024",
		"shard(8, 9)":                   "must be a column, shard(8)",
		"shard_by(8)":                   "must be a column, shard(8)",
		"shard_by(, 8)":                 "must be a column, shard(8)",
		"bucket(second, ts)":            "must be hour, day, week or month",
		"bucket(day)":                   "must be a column, shard(8)",
		"a(":                            "a parenthesis is not closed",
		"a)":                            "a parenthesis is closed that was not opened",
		"shard(64), shard(64)":          "at most 1024 shards",
		strings.Repeat("a, ", 16) + "a": "at most 16 parts",
	} {
		if k, err := ParseCandidate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want %s", text, k, err, want)
		}
	}
}

// resolved reads a key whose columns are named for where they come from.
func resolved(t *testing.T, text string) *CandidateKey {
	t.Helper()
	k, err := ParseCandidate(text)
	if err != nil {
		t.Fatal(err)
	}
	err = k.Resolve(func(name string) (Column, error) {
		c, ok := map[string]Column{
			"key": {From: FromKey}, "first": {From: FromPart}, "second": {From: FromPart, Index: 1}, "sk": {From: FromSort}, "ts": {From: FromTime},
			"tenant": {From: FromColumn}, "at": {From: FromColumn, Index: 1},
		}[name]
		if !ok {
			return c, errors.New("is no column")
		}
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// placed gives the partitions that an event is put in, or why it is in none.
func placed(k *CandidateKey, e *ingest.Event) []string {
	p := placement{key: k}
	if why, name := p.place(e); why != "" {
		return []string{skipped{why, name}.String()}
	}
	out := []string{}
	for i := range p.all {
		parts := []string{}
		for _, part := range ingest.ParseKey(p.appendKey(nil, i)).Parts {
			parts = append(parts, string(part))
		}
		out = append(out, strings.Join(parts, "|"))
	}
	if p.loose {
		out = append(out, "loose")
	}
	return out
}

func TestRequestsArePutInTheirPartitions(t *testing.T) {
	at := time.Date(2026, 1, 1, 23, 30, 0, 0, time.UTC).UnixNano() // a Thursday of week 1
	event := func(op ingest.Op, change ...func(*ingest.Event)) *ingest.Event {
		e := &ingest.Event{Op: op, KeyKnown: true, Key: []byte("k"), SortKey: []byte("s"), Columns: [][]byte{[]byte("t1"), []byte("2026-03-31T10:00:00Z")}}
		e.SetTime(at)
		for _, c := range change {
			c(e)
		}
		return e
	}
	bare := func(e *ingest.Event) { e.SortKey, e.Columns = nil, make([][]byte, 2) }
	composite := func(e *ingest.Event) { e.Key = ingest.AppendKey(nil, []byte("eu"), []byte("7")) }
	unknown := func(e *ingest.Event) { e.Key, e.KeyKnown = nil, false }
	for _, c := range []struct {
		key  string
		e    *ingest.Event
		want []string
	}{
		{"key", event(ingest.OpWrite), []string{"k"}},
		{"tenant, key", event(ingest.OpRead), []string{"t1|k"}},
		{"second, first", event(ingest.OpWrite, composite), []string{"7|eu"}},
		{"second", event(ingest.OpWrite), []string{"without second"}},
		{"tenant", event(ingest.OpWrite, bare), []string{"without tenant"}},
		{"tenant", event(ingest.OpRead, bare), []string{"read without tenant, which would ask every partition"}},
		{"tenant", event(ingest.OpScan, unknown), []string{"t1"}},
		{"key", event(ingest.OpScan, unknown), []string{whyScan}},
		{"key", event(ingest.OpWrite, unknown), []string{whyKey}},
		{"key", event(ingest.OpWrite, unknown, func(e *ingest.Event) { e.Partitions = 20 }), []string{whySeveral}},
		{"key, shard(3)", event(ingest.OpRead), []string{"k|0", "k|1", "k|2"}},
		{"key, shard(2), shard(2)", event(ingest.OpRead), []string{"k|0|0", "k|1|0", "k|0|1", "k|1|1"}},
		{"key, shard(3)", event(ingest.OpWrite), []string{fmt.Sprintf("k|%d", mix(0)%3)}},
		{"key, shard(2)", event(ingest.OpWrite, func(e *ingest.Event) { e.Requests = 10 }), []string{"k|0", "k|1"}},
		{"key, shard_by(sk, 8)", event(ingest.OpRead), []string{"k|3"}}, // CRC-32 of s is 1b0ecf0b
		{"key, shard_by(sk, 2)", event(ingest.OpRead, bare), []string{"k|0", "k|1"}},
		{"key, shard_by(sk, 2)", event(ingest.OpWrite, bare), []string{"without sk"}},
		{"bucket(hour, ts)", event(ingest.OpWrite), []string{"2026-01-01T23"}},
		{"bucket(day, ts)", event(ingest.OpWrite), []string{"2026-01-01"}},
		{"bucket(week, ts)", event(ingest.OpWrite), []string{"2026-W01"}},
		{"bucket(month, ts)", event(ingest.OpWrite), []string{"2026-01"}},
		{"bucket(day, ts)", event(ingest.OpRead), []string{"2026-01-01", "loose"}},
		{"bucket(day, ts)", event(ingest.OpDelete), []string{"2026-01-01", "loose"}},
		{"bucket(month, at)", event(ingest.OpRead), []string{"2026-03"}},
		{"bucket(month, at)", event(ingest.OpRead, bare), []string{"2026-01", "loose"}},
		{"bucket(month, at)", event(ingest.OpWrite, bare), []string{"without at"}},
		{"bucket(day, tenant)", event(ingest.OpWrite), []string{"its tenant is no time"}},
		{"bucket(day, ts)", &ingest.Event{Op: ingest.OpWrite}, []string{whyTime}},
	} {
		if diff := cmp.Diff(placed(resolved(t, c.key), c.e), c.want); diff != "" {
			t.Errorf("%s of %s (-got +want):\n%s", c.key, c.e.Op, diff)
		}
	}
}

func TestWhatAReadOfSeveralPartitionsCosts(t *testing.T) {
	point := &ingest.Event{Op: ingest.OpRead, SortKey: []byte("s")}
	query := &ingest.Event{Op: ingest.OpRead}
	strong := &ingest.Event{Op: ingest.OpRead, Consistency: ingest.Strong}
	many := &ingest.Event{Op: ingest.OpRead, Requests: 10}
	for _, c := range []struct {
		name       string
		e          *ingest.Event
		units, all uint64
		want       readCost
	}{
		{"one partition costs what it cost", query, 6000, 1, readCost{hit: 6000, low: 6000, high: 6000}},
		{"an item is found in one, the others cost the least", point, 2000, 4, readCost{hit: 2000, each: 500, low: 3500, high: 3500}},
		{"a query is divided and rounded up", query, 6000, 4, readCost{hit: 1500, each: 1500, low: 6000, high: 7500}},
		{"a small query costs the least everywhere", query, 500, 8, readCost{hit: 500, each: 500, low: 4000, high: 4000}},
		{"a strongly consistent one costs twice that", strong, 1000, 8, readCost{hit: 1000, each: 1000, low: 8000, high: 8000}},
		{"ten small queries cost it ten times", many, 5000, 2, readCost{hit: 5000, each: 5000, low: 10_000, high: 10_000}},
	} {
		if got := costOfRead(c.e, c.units, c.all); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestSharesAddUp(t *testing.T) {
	for _, amount := range []uint64{0, 1, 7, 8, 9, 1 << 40} {
		for _, n := range []uint64{1, 2, 8, 1000} {
			sum := uint64(0)
			for i := range n {
				sum += share(amount, n, i)
			}
			if sum != amount {
				t.Errorf("%d in %d parts: they add up to %d", amount, n, sum)
			}
		}
	}
}

// FuzzParseCandidate holds a key that is read against what it writes itself as.
func FuzzParseCandidate(f *testing.F) {
	for _, seed := range []string{"key", "a, shard(8)", "bucket(day, ts), shard_by(sk, 16)", "a(b", ")", "shard(", "a,,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseCandidate(text)
		if err != nil {
			return
		}
		again, err := ParseCandidate(k.String())
		if err != nil || again.String() != k.String() {
			t.Errorf("%q is read as %q, and that as %v, %v", text, k, again, err)
		}
	})
}

// Amounts come from outside: sums saturate, and nothing overflows into a small number.
func TestHugeAmountsSaturate(t *testing.T) {
	const huge = 1<<64 - 1
	y, p := newTally(), &placement{key: resolved(t, "key, shard(64)")}
	for range 3 {
		e := &ingest.Event{Op: ingest.OpRead, KeyKnown: true, Key: []byte("k"), Requests: huge / 1000}
		e.SetRows(huge)
		e.SetTombstones(huge)
		if why, _ := p.place(e); why != "" {
			t.Fatal(why)
		}
		y.request(e, p)
	}
	for _, of := range []tallied{rows, rowsHigh, tombs} {
		if y.sums[of] != huge {
			t.Errorf("sum %d: got %d, want it saturated", of, y.sums[of])
		}
	}
}
