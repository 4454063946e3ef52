package formats

import (
	"bytes"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// TableStatsJSON is nodetool tablestats as JSON or YAML.
var TableStatsJSON = ingest.Format{
	Name:     "nodetool-tablestats-json",
	Title:    "nodetool tablestats -F json or yaml",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition sizes", "tombstones and live rows a read", "top partitions with key"},
	Doc: `Output of nodetool tablestats -F json and -F yaml, 3.11 on: an object a keyspace with its tables, or a flat one
of tables when it is sorted. Numbers may be strings; a statistic without a value is null or "NaN". What they
mean is said with nodetool-tablestats.`,
	Document: true,
	Sniff:    sniffTableStatsJSON,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &tableStatsJSON{options: o}, nil
	},
}

const causeStatsJSON = "statistics of tables that are cut off or no JSON"

type tableStatsJSON struct {
	options ingest.DecodeOptions
	rec     *ingest.Record
	place   places
	to      ingest.Sink
	told    int
	key     []byte
}

// jsonStatistics are the names that TableStats knows as labels.
var jsonStatistics = map[string][2]string{
	"compacted_partition_mean_bytes":                 {ingest.PointMeanPartition, "average"},
	"number_of_partitions_estimate":                  {ingest.PointPartitions, "reading"},
	"number_of_keys_estimate":                        {ingest.PointPartitions, "reading"},
	"local_read_count":                               {ingest.PointReads, "count"},
	"local_write_count":                              {ingest.PointWrites, "count"},
	"average_live_cells_per_slice_last_five_minutes": {ingest.PointRowsPerRead, "average"},
	"maximum_live_cells_per_slice_last_five_minutes": {ingest.PointRowsPerRead, "maximum"},
	"average_tombstones_per_slice_last_five_minutes": {ingest.PointTombstonesPerRead, "average"},
	"maximum_tombstones_per_slice_last_five_minutes": {ingest.PointTombstonesPerRead, "maximum"},
	"droppable_tombstone_ratio":                      {ingest.PointDroppable, "average"},
	"compacted_partition_maximum_bytes":              {},
	"top_size_partitions":                            {},
	"top_tombstone_partitions":                       {},
	"top_partitions_by_size":                         {},
	"top_partitions_by_tombstone_count":              {},
}

const largestName = "compacted_partition_maximum_bytes"

// Decode reads the whole document.
func (d *tableStatsJSON) Decode(rec *ingest.Record, to ingest.Sink) {
	d.rec, d.place, d.to, d.told = rec, places{rec: rec}, to, 0
	if i := bytes.IndexByte(rec.Data, '{'); i >= 0 && !yamlFirst(rec.Data, i) {
		if !d.keyspaces(i) {
			complain(to, causeStatsJSON, firstLine(rec.Data), rec.At)
			return
		}
	} else {
		d.yaml()
	}
	if d.told == 0 {
		to.Skip("no table")
	}
}

// yamlFirst reports whether a line of YAML stands before the first brace.
func yamlFirst(data []byte, brace int) bool {
	for line := range bytes.Lines(data[:brace]) {
		if _, _, ok := yamlPair(bytes.TrimSpace(line)); ok {
			return true
		}
	}
	return false
}

// keyspaces reads the outermost object.
func (d *tableStatsJSON) keyspaces(i int) bool {
	m := ingest.ReadJSON(d.rec.Data, i)
	for {
		name, kind, text, ok := m.Next()
		if !ok {
			break
		}
		if kind != ingest.JSONObject {
			continue
		}
		if tables := jsonMember(text, "tables"); tables != nil {
			d.tables(unquotedText(name), tables)
		} else {
			d.table(nil, name, text)
		}
	}
	_, ended := m.Ended()
	return ended
}

func (d *tableStatsJSON) tables(keyspace, text []byte) {
	m := ingest.ReadJSON(text, 0)
	for {
		name, kind, inner, ok := m.Next()
		if !ok {
			return
		}
		if kind == ingest.JSONObject {
			d.table(keyspace, name, inner)
		}
	}
}

// table reads the statistics of one table.
func (d *tableStatsJSON) table(keyspace, name, text []byte) {
	b := statsBlock{d: d, at: d.place.of(name)}
	b.table, b.index = splitName(keyspace, unquotedText(name))
	m := ingest.ReadJSON(text, 0)
	for {
		name, kind, value, ok := m.Next()
		if !ok {
			return
		}
		if kind != ingest.JSONObject {
			b.number(string(name), value)
			continue
		}
		if measure, ok := topListOf(string(name)); ok {
			top := ingest.ReadJSON(value, 0)
			for key, kind, size, ok := top.Next(); ok && kind != ingest.JSONNull; key, kind, size, ok = top.Next() {
				b.top(measure, unquotedText(key), size)
			}
		}
	}
}

func topListOf(name string) (ingest.Measure, bool) {
	switch name {
	case "top_size_partitions", "top_partitions_by_size":
		return ingest.PartitionBytes, true
	case "top_tombstone_partitions", "top_partitions_by_tombstone_count":
		return ingest.PartitionTombstones, true
	}
	return 0, false
}

// A statsBlock is one table's statistics.
type statsBlock struct {
	d            *tableStatsJSON
	table, index []byte
	at           ingest.Position
}

func (b *statsBlock) number(name string, value []byte) {
	s, known := jsonStatistics[name]
	if !known {
		return
	}
	b.d.told++
	if name == largestName {
		if n, ok := systable.Bytes(value); ok && n > 0 {
			b.d.to.State(&ingest.State{
				Table: b.table, Index: b.index, Source: ingest.SourceTableStats, Measure: ingest.PartitionBytes, Value: n, At: b.at,
			})
			return
		}
	}
	if s[0] == "" || !systable.Tell(b.d.to, ingest.Point{Table: b.table, Index: b.index, At: b.at}, s[0], s[1], value) {
		b.d.to.Skip(skipNotANumber)
	}
}

// top tells of an entry of the lists of the last full repair.
func (b *statsBlock) top(m ingest.Measure, key, value []byte) {
	n, ok := systable.Bytes(value)
	if !ok {
		complain(b.d.to, causeBadTop, key, b.at)
		return
	}
	b.d.told++
	b.d.key = systable.PrintedKey(b.d.key, key, b.table, b.d.options.Schema)
	b.d.to.State(&ingest.State{
		Table: b.table, Index: b.index, Key: b.d.key, KeyKnown: true, Source: ingest.SourceTopPartitions, Measure: m, Value: n, At: b.at,
	})
}

// yaml reads the block form: indentation tells keyspaces, tables and what is said of them.
func (d *tableStatsJSON) yaml() {
	var names [5]string
	b := statsBlock{d: d}
	offset := 0
	long := "" // a key over 128 characters, which stands in a line of its own: "? key", and ": value" below
	for line := range bytes.Lines(d.rec.Data) {
		at := offset
		offset += len(line)
		level := indentOf(line) / 2
		line = bytes.TrimSpace(line)
		if key, ok := bytes.CutPrefix(line, []byte("? ")); ok {
			long = yamlScalar(key)
			continue
		}
		name, value, ok := yamlMember(line)
		if after, below := bytes.CutPrefix(line, []byte(": ")); below && long != "" {
			name, value, ok = long, yamlScalar(after), true
		}
		if long = ""; !ok || level >= len(names) {
			continue
		}
		names[level] = name
		list, isList := topListOf(names[level-min(level, 1)])
		switch _, known := jsonStatistics[name]; {
		case b.table == nil && (isList || known):
			continue
		case isList && level > 1 && value != "":
			b.top(list, []byte(name), []byte(value))
		case known && level > 0:
			b.number(name, []byte(value))
		case level == 2 && names[1] == "tables" && value == "":
			b = statsBlock{d: d, at: d.place.at(at)}
			b.table, b.index = splitName([]byte(names[0]), []byte(name))
		case level == 0 && value == "":
			b = statsBlock{d: d, at: d.place.at(at)}
			b.table, b.index = splitName(nil, []byte(name))
		}
	}
}

// yamlMember reads "name: value", each of them perhaps in quotes; the name may hold colons.
func yamlMember(text []byte) (name, value string, ok bool) {
	if len(text) > 0 && (text[0] == '\'' || text[0] == '"') {
		quoted, rest, ok := yamlQuoted(text)
		if value, found := bytes.CutPrefix(rest, []byte(":")); ok && found {
			return string(quoted), yamlScalar(value), true
		}
		return "", "", false
	}
	if i := bytes.LastIndex(text, []byte(": ")); i > 0 {
		return string(text[:i]), yamlScalar(text[i+2:]), true
	}
	name, ok = strings.CutSuffix(string(text), ":")
	return name, "", ok && name != ""
}

// yamlQuoted gives what a quoted scalar stands for: within single quotes a quote is doubled, within double quotes
// escapes are those of JSON, as far as keys need them.
func yamlQuoted(text []byte) (plain, rest []byte, ok bool) {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && text[0] == '"':
			i++
		case c != text[0]:
		case c == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case c == '"':
			return ingest.AppendUnquoted(nil, text[1:i]), text[i+1:], true
		default:
			return bytes.ReplaceAll(text[1:i], []byte("''"), []byte("'")), text[i+1:], true
		}
	}
	return nil, nil, false
}

func yamlScalar(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && (text[0] == '\'' || text[0] == '"') {
		if plain, _, ok := yamlQuoted(text); ok {
			return string(plain)
		}
	}
	return string(text)
}

func sniffTableStatsJSON(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	yes := bytes.Contains(head, []byte(`"`+largestName+`"`)) && bytes.IndexByte(head, '{') >= 0 ||
		bytes.Contains(head, []byte("\n      "+largestName+": ")) || bytes.Contains(head, []byte("\n  "+largestName+": "))
	return certainOr(yes, "statistics of tables as JSON or YAML", "no member "+largestName)
}
