package formats

import (
	"bytes"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/systable"
)

// ScyllaTopPartitions is the answer of ScyllaDB's REST API to a question for the busiest partitions.
var ScyllaTopPartitions = ingest.Format{
	Name:     "scylla-toppartitions",
	Title:    "ScyllaDB's REST API: storage_service/toppartitions, JSON",
	Coverage: ingest.Selected,
	Carries:  []string{"key", "operation", "count with its error"},
	Doc: `JSON of GET /storage_service/toppartitions (4.5 on) or /column_family/toppartitions/ks:table, one answer or several
(https://opensource.docs.scylladb.com/stable/operating-scylla/rest.html):

    {"read_cardinality": 256, "read": [{"partition": "(shop:inbox) user-77", "count": 51042, "error": 12}]}

A count is at most as much too high as error says. The older call names no table.`,
	Document: true,
	Sniff:    sniffScyllaTop,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &scyllaTop{schema: o.Schema}, nil
	},
}

const causeScyllaTop = "answer of a sampler that is cut off or no JSON"

type scyllaTop struct {
	schema *cql.Schema
	key    []byte
	told   bool
}

// Decode reads the whole document.
func (d *scyllaTop) Decode(rec *ingest.Record, to ingest.Sink) {
	d.told = false
	runs, place := 0, places{rec: rec}
	for i := 0; ; {
		brace := bytes.IndexByte(rec.Data[i:], '{')
		if brace < 0 {
			break
		}
		runs++
		m := ingest.ReadJSON(rec.Data, i+brace)
		for {
			name, kind, list, ok := m.Next()
			if !ok {
				break
			}
			if op := samplerOps[string(name)]; op != ingest.OpUnknown && kind == ingest.JSONArray {
				d.list(&place, list, ingest.Event{Op: op, Role: ingest.RoleSampler + strconv.Itoa(runs)}, to)
			}
		}
		next, ended := m.Ended()
		if !ended {
			complain(to, causeScyllaTop, firstLine(rec.Data[i+brace:]), place.at(i+brace))
			return
		}
		i = next
	}
	if !d.told {
		to.Skip("nothing recorded")
	}
}

var samplerOps = map[string]ingest.Op{"read": ingest.OpRead, "write": ingest.OpWrite}

// list reads the entries of one list into events like e.
func (d *scyllaTop) list(place *places, list []byte, like ingest.Event, to ingest.Sink) {
	for i := 0; ; {
		brace := bytes.IndexByte(list[i:], '{')
		if brace < 0 {
			return
		}
		e := like
		e.Coverage, e.Store, e.At = ingest.Selected, ingest.Scylla, place.of(list[i+brace:])
		m := ingest.ReadJSON(list, i+brace)
		for {
			name, _, value, ok := m.Next()
			if !ok {
				break
			}
			switch string(name) {
			case "partition":
				d.partition(unquotedText(value), &e)
			case "count":
				e.Requests, _ = systable.Count(value)
			case "error":
				e.Error, _ = systable.Count(value)
			}
		}
		next, ended := m.Ended()
		if !ended {
			return
		}
		i = next
		if e.Error = min(e.Error, e.Requests); e.Requests > 0 && e.KeyKnown {
			d.told = true
			to.Event(&e)
		}
	}
}

func (d *scyllaTop) partition(text []byte, e *ingest.Event) {
	if m := scyllaPrefix().FindSubmatch(text); m != nil {
		e.Table = bytes.Join(m[1:], []byte{'.'})
		text = text[len(m[0]):]
	}
	d.key = systable.PrintedKey(d.key, text, e.Table, d.schema)
	e.Key, e.KeyKnown = d.key, true
}

var scyllaTopList = pattern(`"(?:read|write)"\s*:\s*\[\s*\{\s*"partition"\s*:`)

func sniffScyllaTop(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	yes := bytes.Contains(head, []byte(`"read_cardinality"`)) || bytes.Contains(head, []byte(`"write_cardinality"`)) || scyllaTopList().Match(head)
	return certainOr(yes, "lists of a sampler as JSON", "no member read_cardinality or write_cardinality")
}
