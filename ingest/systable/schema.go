package systable

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

// SchemaFacts tells what is known of a table, from DESCRIBE or system_schema, and reports whether that is anything.
func SchemaFacts(t *cql.Table, at ingest.Position, to ingest.Sink) (told bool) {
	name := t.Name
	if t.Keyspace != "" {
		name = t.Keyspace + "." + t.Name
	}
	say := func(fact, value string) {
		if value != "" {
			to.Fact(&ingest.Fact{Table: []byte(name), Name: fact, Value: []byte(value), At: at})
			told = true
		}
	}
	say(ingest.FactPartitionKey, columnNames(t.PartitionKey))
	say(ingest.FactClustering, columnNames(t.Clustering))
	collections := slices.DeleteFunc(slices.Clone(t.Columns), func(c cql.Column) bool { return !c.Collection() })
	say(ingest.FactCollections, columnNames(collections))
	if t.DefaultTTLKnown {
		say(ingest.FactDefaultTTL, strconv.FormatUint(t.DefaultTTL, 10))
	}
	if t.GCGraceKnown {
		say(ingest.FactGCGrace, strconv.FormatUint(t.GCGrace, 10))
	}
	say(ingest.FactCompaction, t.Compaction)
	replicas := make([]string, len(t.Replicas))
	for i, n := range t.Replicas {
		replicas[i] = strconv.Itoa(n)
	}
	say(ingest.FactReplicas, strings.Join(replicas, ","))
	return told
}

func columnNames(columns []cql.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		if c.Desc {
			names[i] += " desc"
		}
	}
	return strings.Join(names, ",")
}

// Columns gathers the rows of system_schema.columns of one table. The zero value holds none.
type Columns struct {
	table   cql.Table
	columns []schemaColumn
}

// maxSchemaColumns is more than the columns of any table.
const maxSchemaColumns = 1 << 14

type schemaColumn struct {
	cql.Column
	kind     string
	position int
}

// Take adds a row. When it is of another table than those before it, it gives that one, else nil.
func (s *Columns) Take(r *Row) (whole *cql.Table) {
	keyspace, name := string(r.Of("keyspace_name")), string(r.Of("table_name"))
	if keyspace != s.table.Keyspace || name != s.table.Name {
		whole = s.Flush()
		s.table = cql.Table{Keyspace: keyspace, Name: name}
	}
	if len(s.columns) >= maxSchemaColumns {
		return whole
	}
	position, _ := strconv.Atoi(string(r.Of("position")))
	s.columns = append(s.columns, schemaColumn{
		Column: cql.Column{
			Name: string(r.Of("column_name")), Type: strings.ReplaceAll(string(r.Of("type")), " ", ""),
			Desc: string(r.Of("clustering_order")) == "desc",
		},
		kind: string(r.Of("kind")), position: position,
	})
	return whole
}

// Flush gives the table that is gathered; nil: there is none.
func (s *Columns) Flush() *cql.Table {
	t := s.table
	slices.SortStableFunc(s.columns, func(a, b schemaColumn) int { return cmp.Compare(a.position, b.position) })
	for _, c := range s.columns {
		switch c.kind {
		case "partition_key":
			t.PartitionKey = append(t.PartitionKey, c.Column)
		case "clustering":
			t.Clustering = append(t.Clustering, c.Column)
		default:
			t.Columns = append(t.Columns, c.Column)
		}
	}
	known := len(s.columns) > 0
	*s = Columns{}
	if !known {
		return nil
	}
	return &t
}

var compactionClass = regexp.MustCompile(`'class': '(?:[\w.]*\.)?(\w+)'`)

// tableOptions reads a row of system_schema.tables.
func tableOptions(r *Row, table []byte, at ingest.Position, to ingest.Sink) (told bool) {
	for _, o := range [][2]string{{"gc_grace_seconds", ingest.FactGCGrace}, {"default_time_to_live", ingest.FactDefaultTTL}} {
		if n, ok := Count(r.Of(o[0])); ok {
			to.Fact(&ingest.Fact{Table: table, Name: o[1], Value: strconv.AppendUint(nil, n, 10), At: at})
			told = true
		}
	}
	if m := compactionClass.FindSubmatch(r.Of("compaction")); m != nil {
		to.Fact(&ingest.Fact{Table: table, Name: ingest.FactCompaction, Value: m[1], At: at})
		told = true
	}
	return told
}

// nodeFacts reads a row of system.local or system.peers.
func nodeFacts(r *Row, at ingest.Position, to ingest.Sink) (told bool) {
	node := r.Of("peer")
	if node == nil {
		node = r.Of("broadcast_address")
	}
	for _, c := range [][2]string{
		{"release_version", ingest.FactVersion}, {"data_center", ingest.FactDatacenter}, {"rack", ingest.FactRack}, {"partitioner", ingest.FactPartitioner},
	} {
		value := r.Of(c[0])
		if c[0] == "partitioner" {
			value = value[bytes.LastIndexByte(value, '.')+1:]
		}
		if len(value) > 0 {
			to.Fact(&ingest.Fact{Node: node, Name: c[1], Value: value, At: at})
			told = true
		}
	}
	return told
}
