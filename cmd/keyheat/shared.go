package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/internal/parts"
)

// A sharedReading is what a plan tells of how its inputs are read: the flags, with times resolved, and what
// was not found.
type sharedReading struct {
	Map           map[string]string
	Zone          string
	Since, Until  int64 // Unix nanoseconds, 0: none
	Tables, Nodes []string
	MaxBad        string
	Columns       []string      // that a second pass may count keys by
	Failed        []sharedFault // inputs that were not found
}

// A sharedLearning is what a plan tells of tables and traces: one worker sees too few inputs to find out.
type sharedLearning struct {
	Schema        []*cql.Table
	PartitionKeys map[string]string
	Traces        []sharedTrace
	Exports       ingest.ExportFiles
	Indexes       map[string][]ingest.SecondaryIndex
}

// A sharedTrace is an ingest.TraceHead; its key may be any bytes.
type sharedTrace struct {
	Session           string
	Op                ingest.Op
	Table, Key, Shape []byte
	KeyKnown          bool
}

// A sharedFault is an input that gave nothing.
type sharedFault struct {
	Name []byte
	parts.Fault
}

// shared gives what workers must know.
func (r *reading) shared(f *readFlags) sharedReading {
	s := sharedReading{
		Map: r.options.Decode.Map, Zone: f.zone.text, Since: r.wanted.window.Since, Until: r.wanted.window.Until,
		Tables: r.wanted.tables, Nodes: r.wanted.nodes, MaxBad: f.maxBad.text, Columns: r.columns,
	}
	for i, u := range r.unread {
		s.Failed = append(s.Failed, sharedFault{[]byte(u.Name), parts.Fault{Text: []byte(r.errs[i].Error()), Why: []byte(u.Why)}})
	}
	return s
}

// learntOf gives what reading.learn found out.
func learntOf(d *ingest.DecodeOptions) sharedLearning {
	s := sharedLearning{PartitionKeys: d.PartitionKeys, Exports: d.Exports, Indexes: d.Indexes}
	if d.Schema != nil {
		s.Schema = d.Schema.Tables()
	}
	for _, id := range slices.Sorted(maps.Keys(d.Traces)) {
		t := d.Traces[id]
		s.Traces = append(s.Traces, sharedTrace{id, t.Op, []byte(t.Table), []byte(t.Key), []byte(t.Shape), t.KeyKnown})
	}
	return s
}

// apply sets the options as reading.learn does.
func (s *sharedLearning) apply(d *ingest.DecodeOptions) {
	d.PartitionKeys, d.Traces, d.Exports = s.PartitionKeys, map[string]ingest.TraceHead{}, s.Exports
	d.Indexes = s.Indexes
	for _, t := range s.Traces {
		d.Traces[t.Session] = ingest.TraceHead{Op: t.Op, Table: string(t.Table), Key: string(t.Key), Shape: string(t.Shape), KeyKnown: t.KeyKnown}
	}
	if len(s.Schema) > 0 {
		d.Schema = cql.SchemaOf(s.Schema)
	}
}

// readingOf gives the reading that a plan describes, without its sources.
func readingOf(e *env, h *parts.Head) (*reading, badLimit, error) {
	if own := version(e); h.Tool != own {
		return nil, badLimit{}, fmt.Errorf("the plan is of keyheat %s, this is %s: they may read records differently", h.Tool, own)
	}
	s := sharedReading{}
	if err := json.Unmarshal(h.Reading, &s); err != nil {
		return nil, badLimit{}, err
	}
	zone, err := parseZone(s.Zone)
	if err != nil {
		return nil, badLimit{}, fmt.Errorf("zone %s: %w", s.Zone, err)
	}
	most, err := parseMaxBad(s.MaxBad)
	if err != nil {
		return nil, badLimit{}, err
	}
	r := &reading{env: e, columns: s.Columns, wanted: &wanted{window: ingest.Window{Since: s.Since, Until: s.Until}, tables: s.Tables, nodes: s.Nodes}}
	r.options = ingest.Options{
		Formats: allFormats(), Files: e.files, Chunk: int64(h.Settings.Chunk), Sums: true,
		Decode: ingest.DecodeOptions{Map: s.Map, Location: zone, Changes: true},
	}
	for _, f := range s.Failed {
		r.failAll("", told(string(f.Name), f.Fault))
	}
	return r, most, nil
}

// A toldError is an error of another process.
type toldError struct{ name, text, why string }

func told(name string, f parts.Fault) *toldError {
	return &toldError{name, string(f.Text), string(f.Why)}
}

// Error implements error.
func (e *toldError) Error() string { return e.text }
