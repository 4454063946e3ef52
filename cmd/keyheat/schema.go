package main

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/keyheat/keyheat/detect/propose"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/dynamo"
	"github.com/keyheat/keyheat/ingest/formats"
)

// learn reads what the sources tell of tables and of traced requests before anything else is read:
// with the key known, a statement in a log, or a record of a stream, tells its partition key for certain,
// and so do events of a trace whose request stands in another file. Sources that hold neither, or cannot
// be read, are passed over here; the first pass says so.
func (r *reading) learn(ctx context.Context, schemas []string) error {
	l := &schemaLearner{schema: &cql.Schema{}, keys: map[string]string{}, exports: exportLearner{}, indexes: indexLearner{}, statements: map[*cql.Table]string{}}
	heads, columns := map[string]ingest.TraceHead{}, []string{}
	cassandra := formats.CassandraSchema
	cassandra.New = func([]byte, ingest.DecodeOptions) (ingest.Decoder, error) { return l, nil }
	o := r.options
	o.Formats, o.Workers, o.Sums = []*ingest.Format{&cassandra, &formats.AWSDescription, formats.TraceHeads(heads), formats.ColumnHeads(&columns)}, 1, false
	files := r.learnedFrom(schemas)
	if _, err := ingest.Read(ctx, files, o, l); err != nil && ctx.Err() == nil {
		return err
	}
	if len(l.schema.Tables()) > 0 {
		r.options.Decode.Schema, r.statements = l.schema, l.statements
		if err := r.learnHeads(ctx, files, heads); err != nil {
			return err
		}
	}
	r.options.Decode.PartitionKeys, r.options.Decode.Traces, r.options.Decode.Exports = l.keys, heads, l.exports.files()
	r.options.Decode.Indexes = l.indexes.all()
	slices.Sort(columns)
	r.columns = propose.Likeliest(columns)
	return nil
}

// learnHeads reads traced requests once more, where there are any: with the schema known their statements tell more.
func (r *reading) learnHeads(ctx context.Context, files []ingest.Source, heads map[string]ingest.TraceHead) error {
	if len(heads) == 0 {
		return nil
	}
	clear(heads)
	o := r.options
	o.Formats, o.Workers, o.Sums = []*ingest.Format{formats.TraceHeads(heads)}, 1, false
	if _, err := ingest.Read(ctx, files, o, &schemaLearner{}); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// maxLearned is the most sources that are looked at for tables and requests before they are read: with
// more, that look costs more than it tells.
const maxLearned = 1000

// learnedFrom gives the sources that are looked at beforehand: those that are still there after they were
// read, and of many only those of --schema.
func (r *reading) learnedFrom(schemas []string) []ingest.Source {
	var files []ingest.Source
	for _, s := range r.sources {
		if dynamo.IsObject(s.Path) && !slices.Contains(schemas, s.Name) && !learnedObject(&s) {
			continue
		}
		if info, err := r.env.files.Stat(s.Path); s.Stdin || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if len(r.sources) <= maxLearned || slices.Contains(schemas, s.Name) || isManifest(s.Path) {
			s.Named = false
			files = append(files, s)
		}
	}
	if len(r.sources) > maxLearned {
		r.notes = append(r.notes, fmt.Sprintf("of more than %d inputs only those of --schema, and manifests of exports, were looked at beforehand", maxLearned))
	}
	return files
}

// maxLearnedObject is the largest object, in bytes, that is looked at beforehand without being asked for: to open one for its
// beginning is to ask for the whole.
const maxLearnedObject = 256 << 10

// learnedObject reports whether an object is looked at beforehand: a manifest, or what by name and size may describe
// tables.
func learnedObject(s *ingest.Source) bool {
	return isManifest(s.Path) || s.Size <= maxLearnedObject && slices.Contains([]string{".json", ".cql"}, path.Ext(s.Path))
}

// A schemaLearner takes the tables of documents: as a decoder those of Cassandra, as a sink the facts
// that decoders of other formats give. It is used by one worker.
type schemaLearner struct {
	ingest.EventsOnly

	schema  *cql.Schema
	keys    map[string]string // of DynamoDB tables: the attribute that is the partition key
	exports exportLearner
	indexes indexLearner
	folder  string // of the input that is read
	// statements are the CREATE statements of the tables.
	statements map[*cql.Table]string
}

// Decode implements ingest.Decoder.
func (l *schemaLearner) Decode(rec *ingest.Record, to ingest.Sink) {
	s, _ := cql.ParseSchema(rec.Data) // the first pass reports what cannot be read
	l.schema.Add(s)
	for _, t := range s.Tables() {
		l.statements[t] = string(rec.Data[t.Offset : t.Offset+t.Length])
	}
	to.Skip("schema")
}

// Fact implements ingest.Sink.
func (l *schemaLearner) Fact(f *ingest.Fact) {
	l.exports.fact(l.folder, f)
	l.indexes.fact(f)
	whole := f.Store == ingest.DynamoDB && len(f.Table) > 0 && len(f.Index) == 0
	if whole && f.Name == ingest.FactPartitionKey && !bytes.Contains(f.Value, []byte(",")) {
		l.keys[string(f.Table)] = string(f.Value)
	}
}

// Event, Problem and Skip drop what the first pass will tell.
func (*schemaLearner) Event(*ingest.Event)    {}
func (*schemaLearner) Problem(ingest.Problem) {}
func (*schemaLearner) Skip(string)            {}

// Begin, End, EndInput and EndFile implement ingest.Handler.
func (l *schemaLearner) Begin(c ingest.Chunk) ingest.Sink {
	l.folder = filepath.Dir(c.Input.Name)
	return l
}
func (*schemaLearner) End(ingest.Chunk, ingest.Sink, ingest.ChunkStats) {}
func (*schemaLearner) EndInput(*ingest.Input, int)                      {}
func (*schemaLearner) EndFile(int, int)                                 {}
