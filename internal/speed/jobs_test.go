//go:build unix && !race

package speed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
	"github.com/keyheat/keyheat/sketch"
)

// A job is a part of the hot path. What prepare does is not measured; what it gives is, and handles so many
// units: events, lines or parts.
type job struct {
	name        string
	units       int
	allocations int // at most, whatever the number of events: what a run begins with
	prepare     func(tb testing.TB) (run func())
}

var jobs = []job{
	{"decode NDJSON", events, 10, func(tb testing.TB) func() { return decode(tb, &formats.KeyEventsNDJSON, data().ndjson) }},
	{"decode NDJSON of other shapes", events, 10, func(tb testing.TB) func() { return decode(tb, &formats.KeyEventsNDJSON, data().shapes) }},
	{"decode CSV", events, 10, func(tb testing.TB) func() { return decode(tb, &formats.KeyEventsCSV, data().csv) }},
	{"decode NDJSON in runs", events, 10, func(tb testing.TB) func() { return decodeRun(tb, &formats.KeyEventsNDJSON, data().ndjson) }},
	{"decode NDJSON of other shapes in runs", events, 10, func(tb testing.TB) func() { return decodeRun(tb, &formats.KeyEventsNDJSON, data().shapes) }},
	{"decode CSV in runs", events, 10, func(tb testing.TB) func() { return decodeRun(tb, &formats.KeyEventsCSV, data().csv) }},
	{"scan a Cassandra log", logLines, 1000, scanLog}, // its 300 warnings hold keys and statements
	{"update heavy hitters", 4 * events, 0, updateTable},
	{"build a Profile of keys", events, 100, func(tb testing.TB) func() { return build(true) }},
	{"build a whole Profile", events, 10_000, func(tb testing.TB) func() { return build(false) }}, // 256 patterns of each table, and more
	{"count in the second pass", events, 0, countAgain},
	{"seal and merge parts", parts, 100_000, sealAndMerge}, // the Profile
}

// decode reads the records again and again with one decoder.
func decode(tb testing.TB, f *ingest.Format, recs []ingest.Record) func() {
	d := decoderOf(f)
	return func() {
		var sink counted
		for i := range recs {
			d.Decode(&recs[i], &sink)
		}
		if sink.events != len(recs) {
			tb.Errorf("%s: %d of %d records are events", f.Name, sink.events, len(recs))
		}
	}
}

// decodeRun reads the records as the lines of one buffer, in runs but where the minute changes.
func decodeRun(tb testing.TB, f *ingest.Format, recs []ingest.Record) func() {
	var lines []byte
	for _, r := range recs {
		lines = append(append(lines, r.Data...), '\n')
	}
	text := append(lines, make([]byte, 64)...)[:len(lines)] // see ingest.Record
	d := decoderOf(f)
	return func() {
		var sink counted
		single := 0
		for at, line := 0, 0; at < len(text); line++ {
			size, n := d.(ingest.Runner).Run(text[at:], ingest.Position{Byte: uint64(at), Line: uint64(line)}, &sink)
			at, line = at+size, line+n
			if at < len(text) {
				d.Decode(&recs[line], &sink)
				at += len(recs[line].Data) + 1
				single++
			}
		}
		if sink.events != len(recs) || single > 100 {
			tb.Errorf("%s: %d of %d records are events, %d of them not in runs", f.Name, sink.events, len(recs), single)
		}
	}
}

// A readLog handler counts what a log holds.
type readLog struct{ counted }

func (r *readLog) Begin(ingest.Chunk) ingest.Sink { return r }
func (r *readLog) End(_ ingest.Chunk, _ ingest.Sink, st ingest.ChunkStats) {
	r.records += int(st.Records)
}
func (*readLog) EndInput(*ingest.Input, int) {}
func (*readLog) EndFile(int, int)            {}

// scanLog reads a log from the page cache on one worker.
func scanLog(tb testing.TB) func() {
	file := filepath.Join(tb.TempDir(), "system.log")
	if err := os.WriteFile(file, logText(), 0o600); err != nil {
		tb.Fatal(err)
	}
	o := ingest.Options{Formats: []*ingest.Format{&formats.CassandraLog}, Files: disk{}, Workers: 1, Chunk: detect.DefaultChunk}
	return func() {
		var h readLog
		if _, err := ingest.Read(tb.Context(), []ingest.Source{{Name: file, Path: file, Named: true}}, o, &h); err != nil {
			tb.Fatal(err)
		}
		if h.records != logLines || h.events == 0 {
			tb.Errorf("%d of %d records with %d events", h.records, logLines, h.events)
		}
	}
}

// updateTable counts three weights in a table of 1 MiB, the hash of the key included.
func updateTable(testing.TB) func() {
	kept := keys()
	t := sketch.NewTable(1 << 20)
	return func() {
		for i := range 4 * events {
			key := kept[i%events][:]
			t.Add(0, sketch.Hash(key), key, &sketch.Vector{1, uint64(key[8]), uint64(i & 1)}, 1+uint32(i>>12), uint64(i))
		}
	}
}

// build feeds one Builder the events, after others so that its tables are full.
func build(keysOnly bool) func() {
	s := detect.DefaultSettings()
	s.KeysOnly, s.NoPanes = keysOnly, keysOnly
	b := detect.NewBuilder(s)
	kept := decoded()
	return func() {
		b.Reset()
		for i := range kept {
			b.Event(&kept[i])
		}
	}
}

// traffic is the input that events without a file belong to.
var traffic = &ingest.Input{Name: "traffic", Format: &ingest.Format{Name: "traffic", Coverage: ingest.Traffic}}

// open begins a chunk for each of n equal parts of the events.
func open(c *detect.Collector, n int) []ingest.Sink {
	kept := decoded()
	sinks := make([]ingest.Sink, n)
	for i := range sinks {
		sinks[i] = c.Begin(ingest.Chunk{Input: traffic, Index: i})
		for j := range kept[i*len(kept)/n : (i+1)*len(kept)/n] {
			sinks[i].Event(&kept[i*len(kept)/n+j])
		}
	}
	return sinks
}

// end ends the chunks and gives the Profile.
func end(c *detect.Collector, sinks []ingest.Sink) *detect.Profile {
	for i, s := range sinks {
		c.End(ingest.Chunk{Input: traffic, Index: i}, s, ingest.ChunkStats{Records: uint64(events / len(sinks))})
	}
	c.EndInput(traffic, len(sinks))
	c.EndFile(0, 1)
	return c.Profile()
}

// countAgain counts the keys that the first pass nominates.
func countAgain(tb testing.TB) func() {
	c := detect.NewCollector(detect.DefaultSettings())
	p := end(c, open(c, 1))
	n := detect.Nominate(p)
	if len(n.Keys) == 0 {
		tb.Fatal("no key is nominated")
	}
	sink := detect.NewCounter(p, n).Begin(ingest.Chunk{Input: traffic})
	kept := decoded()
	return func() {
		for i := range kept {
			sink.Event(&kept[i])
		}
	}
}

// parts is how many chunks sealAndMerge ends.
const parts = 4

// sealAndMerge makes the parts of chunks that have ended, and their Profile.
func sealAndMerge(tb testing.TB) func() {
	c := detect.NewCollector(detect.DefaultSettings())
	sinks := open(c, parts)
	return func() {
		if sinks == nil { // a collector gives its Profile once
			c = detect.NewCollector(detect.DefaultSettings())
			sinks = open(c, parts)
		}
		if p := end(c, sinks); len(p.Targets) != 8 {
			tb.Errorf("%d tables", len(p.Targets))
		}
		sinks = nil
	}
}
