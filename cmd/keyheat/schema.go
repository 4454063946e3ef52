package main

import (
	"context"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/formats"
)

// learnSchema reads what the sources tell of tables, before anything else is read: with the key columns
// known, a statement in a log tells its partition key for certain. Sources that hold no schema, or cannot
// be read, are passed over here; the first pass says so.
func (r *reading) learnSchema(ctx context.Context) (*cql.Schema, error) {
	learnt := &cql.Schema{}
	learning := formats.CassandraSchema
	learning.New = func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return schemaLearner{learnt}, nil }
	o := r.options
	o.Formats, o.Workers, o.Sums = []*ingest.Format{&learning}, 1, false
	if _, err := ingest.Read(ctx, readableTwice(r.sources), o, deaf{}); err != nil {
		return nil, err
	}
	if len(learnt.Tables()) == 0 {
		return nil, nil
	}
	return learnt, nil
}

// readableTwice gives the sources that are still there after they were read.
func readableTwice(sources []ingest.Source) []ingest.Source {
	var files []ingest.Source
	for _, s := range sources {
		if !s.Stdin {
			s.Named = false
			files = append(files, s)
		}
	}
	return files
}

// A schemaLearner adds what each document tells to one schema.
type schemaLearner struct{ to *cql.Schema }

// Decode implements ingest.Decoder.
func (d schemaLearner) Decode(rec *ingest.Record, to ingest.Sink) {
	s, _ := cql.ParseSchema(rec.Data) // the first pass reports what cannot be read
	d.to.Add(s)
	to.Skip("schema")
}

// deaf is a handler and a sink that drop everything.
type deaf struct{ ingest.EventsOnly }

func (deaf) Begin(ingest.Chunk) ingest.Sink                   { return deaf{} }
func (deaf) End(ingest.Chunk, ingest.Sink, ingest.ChunkStats) {}
func (deaf) EndInput(*ingest.Input, int)                      {}
func (deaf) EndFile(int, int)                                 {}
func (deaf) Event(*ingest.Event)                              {}
func (deaf) Problem(ingest.Problem)                           {}
func (deaf) Skip(string)                                      {}
