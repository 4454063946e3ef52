package generate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

func options(change func(o *Options)) Options {
	o := Defaults()
	change(&o)
	return o
}

func written(t *testing.T, o Options) ([]byte, *Truth) {
	t.Helper()
	var out bytes.Buffer
	truth, err := Write(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), truth
}

func TestTheSameOptionsGiveTheSameBytesAndAnotherSeedGivesOthers(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			o := options(func(o *Options) { o.Kind, o.Events, o.Minutes = k.Name, 2000, 180 })
			first, firstTruth := written(t, o)
			again, againTruth := written(t, o)
			if !bytes.Equal(first, again) {
				t.Error("two runs differ")
			}
			if d := cmp.Diff(againTruth, firstTruth); d != "" {
				t.Errorf("two truths differ:\n%s", d)
			}
			o.Seed++
			if other, _ := written(t, o); bytes.Equal(first, other) {
				t.Error("the seed has no effect")
			}
		})
	}
}

// record is the generic form, read back with nothing of this package.
type record struct {
	TS         time.Time `json:"ts"`
	Table      string    `json:"table"`
	PK         string    `json:"pk"`
	Op         string    `json:"op"`
	Tombstones uint64    `json:"tombstones"`
	Node       string    `json:"node"`
}

func parsed(t *testing.T, data []byte, format string) []record {
	t.Helper()
	all := []record{}
	if format == "ndjson" {
		for dec := json.NewDecoder(bytes.NewReader(data)); ; {
			var r record
			if err := dec.Decode(&r); errors.Is(err, io.EOF) {
				return all
			} else if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ",") + "\n"; got != header {
		t.Errorf("header %q", got)
	}
	for _, row := range rows[1:] {
		at, err := time.Parse(time.RFC3339Nano, row[0])
		if err != nil {
			t.Fatal(err)
		}
		tombstones := uint64(0)
		if row[9] != "" {
			if tombstones, err = strconv.ParseUint(row[9], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, record{at, row[1], row[2], row[4], tombstones, row[11]})
	}
	return all
}

func TestTheTruthEqualsARecount(t *testing.T) {
	for _, k := range Kinds() {
		for _, format := range []string{"ndjson", "csv"} {
			t.Run(k.Name+" as "+format, func(t *testing.T) {
				o := options(func(o *Options) {
					o.Kind, o.Format, o.Events, o.Minutes, o.Tables, o.Seed = k.Name, format, 20_000, 240, 3, 7
				})
				data, truth := written(t, o)
				records := parsed(t, data, format)
				if got := uint64(len(records)); got != truth.Facts.Events || got != o.Events {
					t.Errorf("%d records, truth says %d, asked for %d", got, truth.Facts.Events, o.Events)
				}
				if d := cmp.Diff(recount(records), truth.Tables); d != "" {
					t.Errorf("recount (-) and truth (+) differ:\n%s", d)
				}
				checkTimes(t, records, o)
			})
		}
	}
}

func recount(records []record) []TableTruth {
	keys := map[string]map[string]uint64{}
	tables := map[string]*TableTruth{}
	for _, r := range records {
		if tables[r.Table] == nil {
			tables[r.Table], keys[r.Table] = &TableTruth{Table: r.Table}, map[string]uint64{}
		}
		tables[r.Table].Requests++
		keys[r.Table][r.PK]++
		if r.Op == "read" {
			tables[r.Table].Reads++
		}
	}
	all := []TableTruth{}
	for name, table := range tables {
		counts := []KeyCount{}
		for key, n := range keys[name] {
			counts = append(counts, KeyCount{key, n})
		}
		table.Top = largest(counts)
		all = append(all, *table)
	}
	slices.SortFunc(all, func(a, b TableTruth) int { // the planted table stands first in a truth
		return strings.Compare(strings.Replace(a.Table, "table", "~", 1), strings.Replace(b.Table, "table", "~", 1))
	})
	return all
}

func checkTimes(t *testing.T, records []record, o Options) {
	t.Helper()
	if !slices.IsSortedFunc(records, func(a, b record) int { return a.TS.Compare(b.TS) }) {
		t.Error("times run backwards")
	}
	first, last := records[0].TS, records[len(records)-1].TS
	end := o.Start.Add(time.Duration(o.Minutes) * time.Minute)
	if !first.Equal(o.Start) || !last.Before(end) || end.Sub(last) > time.Minute {
		t.Errorf("from %s to %s, asked for %d minutes from %s", first, last, o.Minutes, o.Start)
	}
}

func TestEachKindPlantsWhatItSays(t *testing.T) {
	tests := map[string]struct {
		kind string
		want func(records []record) bool
	}{
		"a hot key has its share": {"hot-key", func(r []record) bool { return near(count(r, pk("user-137")), len(r)*4/10) }},
		"a moving key is the hour": {"moving-key", func(r []record) bool {
			return near(count(r, pk("2026-06-04T09")), len(r)/4*4/10) && near(count(r, pk("2026-06-04T12")), len(r)/8*4/10)
		}},
		"a late burst is unseen until the last tenth": {"late-burst", func(r []record) bool {
			return count(r[:len(r)*9/10], pk("user-late")) == 0 && near(count(r, pk("user-late")), len(r)*6/100)
		}},
		"a queue's reads scan more and more": {"queue", func(r []record) bool {
			dense := slices.DeleteFunc(slices.Clone(r), func(r record) bool { return r.Tombstones == 0 })
			return len(dense) > 200 && count(dense, pk("mail-out")) == len(dense) &&
				dense[0].Tombstones < 300 && dense[len(dense)-1].Tombstones > 1100
		}},
		"a growing partition takes inserts": {"growing-partition", func(r []record) bool {
			return near(count(r, func(r record) bool { return r.PK == "sensor-4242" && r.Op == "write" }), len(r)/20)
		}},
		"ten keys share a skewed load":  {"skewed", func(r []record) bool { return near(count(r, pk("user-3")), len(r)*6/100) }},
		"low cardinality is eight keys": {"low-cardinality", func(r []record) bool { return near(count(r, pk("user-8")), len(r)/8) }},
		"a hot node has three times the others": {"hot-node", func(r []record) bool {
			return near(count(r, func(r record) bool { return r.Node == "10.0.0.1" }), len(r)*3/8)
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			data, _ := written(t, options(func(o *Options) { o.Kind, o.Events, o.Minutes = tc.kind, 20_000, 240 }))
			if !tc.want(parsed(t, data, "ndjson")) {
				t.Error("it does not")
			}
		})
	}
}

func pk(key string) func(record) bool { return func(r record) bool { return r.PK == key } }

func count(records []record, fits func(record) bool) (n int) {
	for _, r := range records {
		if fits(r) {
			n++
		}
	}
	return n
}

// near allows five standard deviations of a Poisson count.
func near(got, want int) bool { return (got-want)*(got-want) <= 25*want }

func TestTheFirstRecordsAreThoseOfTheGoldenFile(t *testing.T) {
	for _, tc := range []struct{ kind, store, format string }{
		{"zipf", "dynamodb", "ndjson"}, {"zipf", "dynamodb", "csv"}, {"queue", "cassandra", "ndjson"}, {"hot-node", "cassandra", "csv"},
	} {
		name := tc.kind + "-" + tc.store + "." + tc.format
		t.Run(name, func(t *testing.T) {
			got, _ := written(t, options(func(o *Options) {
				o.Kind, o.Store, o.Format, o.Events, o.Tables = tc.kind, tc.store, tc.format, 40, 3
			}))
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(got), string(want)); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}

func TestValidateReportsEveryFaultAtOnce(t *testing.T) {
	o := Options{Kind: "warm", Format: "xml", Store: "mysql", Skew: -1, Rate: 1 << 60, Minutes: 1 << 40}
	err := o.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range []string{"kind", "format", "store", "skew", "minutes", "events", "keys", "tables", "nodes", "share", "item-bytes"} {
		if !strings.Contains(err.Error(), "\n"+word+" ") && !strings.HasPrefix(err.Error(), word+" ") {
			t.Errorf("no fault of %s in:\n%v", word, err)
		}
	}
	if !strings.Contains(err.Error(), "share 0: must be between 0.001 and 0.999") {
		t.Errorf("the share is told in other units than it is given in:\n%v", err)
	}
	if _, err := Write(io.Discard, o); err == nil {
		t.Error("written all the same")
	}
	o = Defaults()
	if err := o.Validate(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	o = options(func(o *Options) { o.Kind, o.Store, o.Minutes = "queue", "dynamodb", 1 })
	if err := o.Validate(); err == nil {
		t.Error("a queue without tombstones is accepted")
	}
}

func TestARateTakesThePlaceOfEvents(t *testing.T) {
	_, truth := written(t, options(func(o *Options) { o.Rate, o.Minutes = 3, 2 }))
	if got := truth.Facts.Events; got != 360 {
		t.Errorf("%d events, want 3 a second for two minutes", got)
	}
}

type fullDisk struct{ room int }

var errFull = errors.New("disk full")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAnErrorOfTheWriterEndsTheRun(t *testing.T) {
	for _, room := range []int{0, 100_000} {
		if _, err := Write(&fullDisk{room}, Defaults()); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, format := range []string{"ndjson", "csv"} {
		b.Run(format, func(b *testing.B) {
			o := options(func(o *Options) { o.Format, o.Events = format, 200_000 })
			var size counter
			for b.Loop() {
				size = 0
				if _, err := Write(&size, o); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(size))
		})
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
