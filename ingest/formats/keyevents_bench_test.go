package formats

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// benchEvent is one event of the benchmark's data, whose records are about 110 bytes long.
type benchEvent struct{ ts, table, op, key, bytes string }

func benchEvents(n int) []benchEvent {
	random := rand.New(rand.NewPCG(1, 2))
	tables := []string{"orders", "customers", "sessions", "carts", "events", "inventory", "payments", "audit_log"}
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	events := make([]benchEvent, n)
	for i := range events {
		op := "read"
		if x := random.IntN(100); x >= 95 {
			op = "delete"
		} else if x >= 70 {
			op = "write"
		}
		events[i] = benchEvent{
			at.Add(time.Duration(i) * 90 * time.Microsecond).Format("2006-01-02T15:04:05.000Z"),
			tables[random.IntN(len(tables))], op,
			fmt.Sprintf("T0%03d#U#%016x", random.IntN(1000), random.Uint64()),
			fmt.Sprint(64<<random.IntN(8) + random.IntN(64)),
		}
	}
	return events
}

func (e benchEvent) fields() []string {
	return []string{`"ts":"` + e.ts + `"`, `"table":"` + e.table + `"`, `"op":"` + e.op + `"`, `"key":"` + e.key + `"`, `"bytes":` + e.bytes}
}

func (e benchEvent) csv() string {
	return strings.Join([]string{e.ts, e.table, e.op, e.key, e.bytes}, ",")
}

// benchInputs are the shapes of input that benchmarks read.
func benchInputs() map[string][]string {
	inputs := map[string][]string{}
	random := rand.New(rand.NewPCG(3, 4))
	const filler = `,"f1":"some text of a log","f2":"b","f3":123,"f4":4.5,"f5":true,"f6":"c","f7":"d","f8":null,"f9":"e","f10":"f","f11":"g","f12":7,"f13":"h","f14":"i","f15":"j"`
	for _, e := range benchEvents(2048) {
		f := e.fields()
		inputs["ndjson"] = append(inputs["ndjson"], "{"+strings.Join(f, ",")+"}")
		spaced := strings.ReplaceAll(strings.Join(f, ", "), `":`, `": `)
		inputs["ndjson-spaces"] = append(inputs["ndjson-spaces"], "{"+spaced+"}")
		inputs["ndjson-20-fields"] = append(inputs["ndjson-20-fields"], "{"+strings.Join(f, ",")+filler+"}")
		escaped := "{" + strings.ReplaceAll(strings.Join(f, ","), "#U#", `\"U\u00e9`) + "}"
		inputs["ndjson-escapes"] = append(inputs["ndjson-escapes"], escaped)
		long := e.key + strings.Repeat("/Zürich-北京", random.IntN(12))
		inputs["ndjson-long-keys"] = append(inputs["ndjson-long-keys"], strings.Replace("{"+strings.Join(f, ",")+"}", e.key, long, 1))
		random.Shuffle(len(f), func(i, j int) { f[i], f[j] = f[j], f[i] })
		inputs["ndjson-shuffled"] = append(inputs["ndjson-shuffled"], "{"+strings.Join(f, ",")+"}")
		inputs["csv"] = append(inputs["csv"], e.csv())
		inputs["csv-quoted"] = append(inputs["csv-quoted"], `"`+strings.ReplaceAll(e.csv(), ",", `","`)+`"`)
	}
	return inputs
}

// records lays lines out as a reader does: in one block with room after it.
func records(lines []string) (recs []ingest.Record, size int) {
	block := append([]byte(strings.Join(lines, "\n")), make([]byte, pastRecord)...)
	for _, l := range lines {
		recs = append(recs, ingest.Record{Data: block[size : size+len(l)]})
		size += len(l) + 1
	}
	return recs, size
}

// countingSink uses what a profile would.
type countingSink struct {
	ingest.EventsOnly
	events, problems, keyBytes int
}

func (s *countingSink) Event(e *ingest.Event)  { s.events++; s.keyBytes += len(e.Key) }
func (s *countingSink) Problem(ingest.Problem) { s.problems++ }
func (s *countingSink) Skip(string)            {}

func benchDecoder(tb testing.TB, name string) ingest.Decoder {
	tb.Helper()
	format := KeyEventsNDJSON
	if strings.HasPrefix(name, "csv") {
		format = KeyEventsCSV
	}
	d, err := format.New([]byte("ts,table,op,key,bytes\n"), ingest.DecodeOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// BenchmarkKeyEvents reports the time of one record.
func BenchmarkKeyEvents(b *testing.B) {
	inputs := benchInputs()
	inputs["ndjson-general"] = inputs["ndjson"]
	for _, name := range []string{"ndjson", "ndjson-general", "ndjson-spaces", "ndjson-escapes", "ndjson-shuffled", "ndjson-20-fields", "ndjson-long-keys", "csv", "csv-quoted"} {
		b.Run(name, func(b *testing.B) {
			recs, size := records(inputs[name])
			if name == "ndjson-general" {
				for i := range recs { // without room after a record there is no fast way
					recs[i].Data = bytes.Clone(recs[i].Data)[:len(recs[i].Data):len(recs[i].Data)]
				}
			}
			d, sink := benchDecoder(b, name), &countingSink{}
			b.SetBytes(int64(size / len(recs)))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				d.Decode(&recs[i], sink)
				if i++; i == len(recs) {
					i = 0
				}
			}
			if sink.problems > 0 {
				b.Errorf("%d problems", sink.problems)
			}
		})
	}
}
