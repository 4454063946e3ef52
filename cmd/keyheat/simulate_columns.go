package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/detect/propose"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
)

// column finds what a name in a key stands for: key, a column of the table's partition key, a field of
// generic events, or else a further field of theirs, which the replay then asks for.
func (s *simulating) column(name string) (propose.Column, error) {
	if name == "key" {
		return propose.Column{From: propose.FromKey}, nil
	}
	if c, ok := s.schemaColumn(name); ok {
		return c, nil
	}
	use, err := formats.UseOf(name, s.options.Decode)
	switch {
	case err != nil:
		return propose.Column{}, err
	case use.Part >= 0:
		return propose.Column{From: propose.FromPart, Index: use.Part}, nil
	case use.Field == "pk":
		return propose.Column{From: propose.FromKey}, nil
	case use.Field == "sk":
		return propose.Column{From: propose.FromSort}, nil
	case use.Field == "ts":
		return propose.Column{From: propose.FromTime}, nil
	case use.Field != "":
		return propose.Column{}, fmt.Errorf("is read as the field %s of a request, which is no column: --map %s=OTHER frees the name", use.Field, use.Field)
	}
	at := slices.Index(s.options.Decode.Columns, name)
	if at < 0 {
		at = len(s.options.Decode.Columns)
		s.options.Decode.Columns = append(s.options.Decode.Columns, name)
	}
	return propose.Column{From: propose.FromColumn, Index: at}, nil
}

// schemaColumn finds a column of the partition key that a schema tells.
func (s *simulating) schemaColumn(name string) (propose.Column, bool) {
	if s.options.Decode.PartitionKeys[s.table] == name && s.index == "" {
		return propose.Column{From: propose.FromKey}, true
	}
	if s.options.Decode.Schema == nil || s.index != "" {
		return propose.Column{}, false
	}
	for _, t := range s.options.Decode.Schema.Tables() {
		if !names(s.table, []byte(strings.TrimPrefix(t.Keyspace+"."+t.Name, "."))) {
			continue
		}
		for i, c := range t.PartitionKey {
			switch {
			case c.Name != name:
			case len(t.PartitionKey) == 1:
				return propose.Column{From: propose.FromKey}, true
			default:
				return propose.Column{From: propose.FromPart, Index: i}, true
			}
		}
	}
	return propose.Column{}, false
}

// survey reads the inputs as analyze does, and notes which further fields they have.
func (s *simulating) survey(ctx context.Context) (*detect.View, []string, error) {
	names := &columnNames{}
	plain := s.options.Formats
	s.options.Formats = names.noting(plain)
	collector := detect.NewCollector(s.o.read.settings())
	if err := s.read(ctx, collector); err != nil {
		return nil, nil, err
	}
	s.options.Formats = plain
	s.profile = detect.JoinStores(collector.Profile())
	s.judgeBad(s.o.read.maxBad.of)
	view := detect.NewView(s.profile, s.exact(ctx, nil), s.limits, s.o.judge.rate.of)
	return view, names.found(), nil
}

// columnNames are the further fields that beginnings of inputs show. It is used by all workers.
type columnNames struct {
	mu    sync.Mutex
	names []string
}

// noting gives the formats, of which those of key events note the fields of each input.
func (c *columnNames) noting(all []*ingest.Format) []*ingest.Format {
	out := slices.Clone(all)
	for i, f := range out {
		if f.Name != formats.KeyEventsNDJSON.Name && f.Name != formats.KeyEventsCSV.Name {
			continue
		}
		noting := *f
		noting.Alike = false // each input has a beginning of its own
		noting.New = func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
			c.note(formats.ColumnsOf(f, head, o))
			return f.New(head, o)
		}
		out[i] = &noting
	}
	return out
}

func (c *columnNames) note(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range names {
		if !slices.Contains(c.names, n) {
			c.names = append(c.names, n)
		}
	}
}

// found gives the names in order, whatever the order in which inputs were read.
func (c *columnNames) found() []string { return slices.Sorted(slices.Values(c.names)) }
