package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/keyheat/keyheat/ingest"
)

// A follower reads the streams of a table one after the other, the oldest first. A table has another one each
// time that its stream is switched on, or it is made again under its name; those that were closed keep their
// records for a day.
type follower struct {
	server    *Server
	calls     *caller
	api       streamsAPI
	table     *table
	note      func(text string)
	sink      ingest.Sink
	positions ingest.Positions
	past      map[string]bool // ARNs that are read, or are not to be
}

// follow reads the table's streams, until the context ends or all of them are closed and read.
func (s *Server) follow(ctx context.Context, c *caller, api streamsAPI, t *table, to ingest.Streams) error {
	f := &follower{server: s, calls: c, api: api, table: t, note: to.Note, past: map[string]bool{}}
	streams, err := f.list(ctx)
	if err != nil {
		to.Note(fmt.Sprintf("whether there are older streams of the table is not known: %v", err))
	}
	if t.stream == "" {
		to.Note("the table has no stream: which keys are written was not seen")
	}
	if len(streams) == 0 {
		return nil
	}
	f.sink = to.Open(ingest.LiveInput{Name: s.input(t.region, "stream"), Format: s.formats[formatStream]})
	f.positions = positionsOf(f.sink)
	if f.positions.Position(partRecording) == "" && s.address.from == (origin{}) {
		for _, arn := range streams {
			f.past[arn] = arn != t.stream // what they hold was written before reading began
		}
	}
	return f.run(ctx, streams)
}

// run reads streams, and those that come while it does.
func (f *follower) run(ctx context.Context, streams []string) error {
	var errs []error
	for ctx.Err() == nil {
		i := slices.IndexFunc(streams, func(arn string) bool { return !f.past[arn] })
		if i < 0 {
			break
		}
		errs = append(errs, f.read(ctx, streams[i]))
		if listed, err := f.list(ctx); err == nil {
			streams = listed
		}
	}
	return errors.Join(errs...)
}

// read reads a stream until the context ends, or it is closed and read.
func (f *follower) read(ctx context.Context, arn string) error {
	f.past[arn] = true
	w := f.walk(arn)
	if w.position(partStream) == positionDone {
		return nil
	}
	err := w.run(ctx)
	switch {
	case err == nil && ctx.Err() == nil:
		w.reached(partStream, positionDone)
	case arn != f.table.stream && code(err) == "ResourceNotFoundException":
		f.note(fmt.Sprintf("gap: the stream of %s is gone: records may be missing", label(arn)))
		return nil
	}
	return err
}

// list gives the ARNs of the table's streams, the oldest first.
func (f *follower) list(ctx context.Context) (streams []string, err error) {
	if f.table.stream != "" {
		streams = append(streams, f.table.stream)
	}
	in := &dynamodbstreams.ListStreamsInput{TableName: &f.server.address.table}
	for {
		out, err := call(ctx, f.calls, actionListStreams, firstAttempts, f.api.ListStreams, in)
		if err != nil {
			return streams, err
		}
		for i := range out.Streams {
			if arn := aws.ToString(out.Streams[i].StreamArn); aws.ToString(out.Streams[i].TableName) == f.server.address.table && !slices.Contains(streams, arn) {
				streams = append(streams, arn)
			}
		}
		last := aws.ToString(out.LastEvaluatedStreamArn)
		if last == "" || last == aws.ToString(in.ExclusiveStartStreamArn) {
			break
		}
		in.ExclusiveStartStreamArn = &last
	}
	slices.SortFunc(streams, func(a, b string) int { return cmp.Compare(label(a), label(b)) })
	return streams, nil
}

// label gives the part of a stream's ARN that tells it from others of its table: when it was made, as
// 2026-11-30T10:00:00.000.
func label(arn string) string { return arn[strings.LastIndexByte(arn, '/')+1:] }

// walk gives what reads a stream.
func (f *follower) walk(arn string) *walk {
	s := f.server
	w := &walk{
		api: f.api, calls: f.calls, stream: arn, label: label(arn), from: s.address.from, keeps: streamKeeps, note: f.note,
		sink: f.sink, positions: f.positions,
	}
	w.listed = func(l *listing) (err error) {
		if w.decoder, err = f.decoder(l.keys); err == nil && arn == f.table.stream {
			err = s.tellShards(f.table, l)
		}
		return err
	}
	return w
}

// decoder gives what reads the records of a stream of a table with these keys; none: it has those of the table. Of
// a table that was made again with others, indexes are not known.
func (f *follower) decoder(keys []streamtypes.KeySchemaElement) (ingest.Decoder, error) {
	name := f.server.address.table
	decode := f.server.options.Decode
	decode.PartitionKeys, decode.Indexes = maps.Clone(decode.PartitionKeys), maps.Clone(decode.Indexes)
	if decode.PartitionKeys == nil {
		decode.PartitionKeys = map[string]string{}
	}
	if decode.Indexes == nil {
		decode.Indexes = map[string][]ingest.SecondaryIndex{}
	}
	own := make([]types.KeySchemaElement, len(keys))
	for i, k := range keys {
		own[i] = types.KeySchemaElement{AttributeName: k.AttributeName, KeyType: types.KeyType(k.KeyType)}
	}
	of, roles := f.table.keys, []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}
	same := !slices.ContainsFunc(roles, func(r types.KeyType) bool { return !slices.Equal(attributesOf(own, r), attributesOf(of, r)) })
	delete(decode.Indexes, name)
	if len(own) == 0 || same {
		decode.Indexes[name] = f.table.entries
	} else {
		of = own
	}
	if partition := attributesOf(of, types.KeyTypeHash); len(partition) > 0 {
		decode.PartitionKeys[name] = partition[0]
	}
	d, err := f.server.formats[formatStream].New(nil, decode)
	if err != nil {
		return nil, fmt.Errorf("reading the stream: %w", err)
	}
	return d, nil
}
