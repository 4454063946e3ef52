package cql

import (
	"bytes"
	"slices"
	"strings"
)

// Causes of faults.
const (
	causeTable   = "CREATE statement without a readable table name"
	causeColumns = "CREATE statement whose columns end too early"
	causeKey     = "CREATE statement without a readable PRIMARY KEY"
	causeIndex   = "CREATE INDEX that names no readable table and column"
)

// ParseSchema reads DESCRIBE output of Cassandra 1.2 to 6.0, DSE and ScyllaDB, and whatever a shell
// printed around it. Tables that stand in a comment, as cqlsh prints those that CQL cannot create, count.
func ParseSchema(text []byte) (*Schema, []Fault) {
	d := describer{b: text, p: &Parser{Client: true, client: true}, schema: &Schema{}}
	for i := 0; i < len(text); {
		n := bytes.IndexAny(text[i:], "cCuU")
		if n < 0 {
			break
		}
		i += n
		if isName(at(text, i-1)) && !(text[i-1] == 'n' && at(text, i-2) == '\\') {
			i++
			continue
		}
		i = d.statement(i)
	}
	d.resolve()
	return d.schema, d.faults
}

type describer struct {
	b        []byte
	p        *Parser
	schema   *Schema
	faults   []Fault
	keyspace string           // of USE
	replicas map[string][]int // by keyspace
	views    []*Table
	indexes  []pendingIndex
}

type pendingIndex struct {
	keyspace, name string
	index          Index
}

// statement reads the statement at i, if one stands there; the index is where to look on.
func (d *describer) statement(i int) int {
	if n := word(d.b, i, "USE"); n >= 0 {
		if name, end := nameAt(d.b, d.blank(n)); name != nil && at(d.b, end) == ';' {
			d.keyspace = d.p.name(name)
			return end
		}
		return n
	}
	n := word(d.b, i, "CREATE")
	if n < 0 {
		return i + 1
	}
	n = d.blank(n)
	for _, w := range []string{"TABLE", "COLUMNFAMILY"} {
		if k := word(d.b, n, w); k >= 0 {
			return d.table(i, k)
		}
	}
	if k := words(d.b, n, "MATERIALIZED", "VIEW"); k >= 0 {
		return d.view(i, k)
	}
	if k := word(d.b, n, "KEYSPACE"); k >= 0 {
		return d.replication(k)
	}
	if k := word(d.b, n, "CUSTOM"); k >= 0 {
		n = d.blank(k)
	}
	if k := word(d.b, n, "INDEX"); k >= 0 {
		return d.index(i, k)
	}
	return n
}

// blank skips blanks, comments and the written-out line ends of a table of statements.
func (d *describer) blank(i int) int {
	for {
		i = skipBlank(d.b, i)
		if at(d.b, i) != '\\' || at(d.b, i+1) != 'n' {
			return i
		}
		i += 2
	}
}

func (d *describer) fault(offset, i int, cause string) int {
	d.faults = append(d.faults, Fault{Offset: offset, Cause: cause})
	return max(i, offset+len("CREATE"))
}

// named reads [IF NOT EXISTS] [keyspace.]name.
func (d *describer) named(i int) (keyspace, name string, end int) {
	i = d.blank(i)
	if k := words(d.b, i, "IF", "NOT", "EXISTS"); k >= 0 {
		i = d.blank(k)
	}
	var s Statement
	end = d.p.table(&s, d.b, i)
	if s.Keyspace == "" {
		s.Keyspace = d.keyspace
	}
	return s.Keyspace, s.Table, end
}

func (d *describer) table(offset, i int) int {
	t := &Table{Offset: offset}
	if t.Keyspace, t.Name, i = d.named(i); t.Name == "" {
		return d.fault(offset, i, causeTable)
	}
	if i = d.blank(i); at(d.b, i) != '(' {
		return i // CREATE TABLE in prose, or CREATE TABLE … LIKE
	}
	var partition, clustering []string
	i++
	for {
		i = d.blank(i)
		switch {
		case i >= len(d.b):
			return d.fault(offset, i, causeColumns)
		case d.b[i] == ')':
			return d.finish(t, i+1, partition, clustering)
		case d.b[i] == ',':
			i++
			continue
		}
		if k := words(d.b, i, "PRIMARY", "KEY"); k >= 0 && at(d.b, d.blank(k)) == '(' {
			partition, clustering, i = d.primary(d.blank(k))
			continue
		}
		name, n := nameAt(d.b, i)
		if name == nil || words(d.b, i, "CREATE", "TABLE") >= 0 {
			return d.fault(offset, i, causeColumns)
		}
		column := Column{Name: d.p.name(name)}
		var key bool
		if i, key = d.columnType(&column, n); key {
			partition = []string{column.Name}
		}
		t.Columns = append(t.Columns, column)
	}
}

// columnType reads the type of a column and what follows it; key says that PRIMARY KEY does.
func (d *describer) columnType(c *Column, i int) (end int, key bool) {
	var typ strings.Builder
	for depth, plain := 0, true; i < len(d.b); {
		if i = d.blank(i); i >= len(d.b) || depth == 0 && (d.b[i] == ',' || d.b[i] == ')') {
			break
		}
		switch ch := d.b[i]; {
		case ch == ';' || (ch|0x20 == 'c') && words(d.b, i, "CREATE", "TABLE") >= 0:
			return i, key // the statement is cut
		case ch == '<' && plain || ch == '(':
			depth++
		case ch == '>' && plain || ch == ')':
			depth--
		case ch == '\'' || ch == '"':
			n, _ := quoted(d.b, i)
			if plain {
				typ.Write(d.b[i:n])
			}
			i = n
			continue
		case isName(ch) && depth == 0 && typ.Len() > 0:
			plain = false
			if word(d.b, i, "STATIC") >= 0 {
				c.Static = true
			}
			key = key || words(d.b, i, "PRIMARY", "KEY") >= 0
			_, i = nameAt(d.b, i)
			continue
		case isName(ch):
			name, n := nameAt(d.b, i)
			typ.Write(name)
			i = n
			continue
		}
		if plain {
			typ.WriteByte(d.b[i])
		}
		i++
	}
	c.Type = typ.String()
	return i, key
}

// primary reads `((k1, k2), c1)` from its bracket on.
func (d *describer) primary(i int) (partition, clustering []string, end int) {
	i = d.blank(i + 1)
	if at(d.b, i) == '(' {
		partition, i = d.nameList(i + 1)
	} else if name, n := nameAt(d.b, i); name != nil {
		partition, i = []string{d.p.name(name)}, n
	}
	if i = d.blank(i); at(d.b, i) == ',' {
		i++
	}
	clustering, i = d.nameList(i)
	return partition, clustering, i
}

// nameList reads names up to a closing bracket; the index is behind it.
func (d *describer) nameList(i int) (names []string, end int) {
	for {
		i = d.blank(i)
		name, n := nameAt(d.b, i)
		if name == nil {
			break
		}
		names = append(names, d.p.name(name))
		if i = d.blank(n); at(d.b, i) != ',' {
			break
		}
		i++
	}
	if at(d.b, i) == ')' {
		i++
	}
	return names, i
}

// finish sets the keys, reads the options behind the columns and stores the table.
func (d *describer) finish(t *Table, i int, partition, clustering []string) int {
	if len(partition) == 0 {
		return d.fault(t.Offset, i, causeKey)
	}
	for _, name := range partition {
		c, _ := t.column(name)
		t.PartitionKey = append(t.PartitionKey, c)
	}
	for _, name := range clustering {
		c, _ := t.column(name)
		t.Clustering = append(t.Clustering, c)
	}
	i = d.options(t, i)
	t.Length = i - t.Offset
	d.schema.put(t)
	return i
}

func (d *describer) view(offset, i int) int {
	t := &Table{Offset: offset}
	if t.Keyspace, t.Name, i = d.named(i); t.Name == "" {
		return d.fault(offset, i, causeTable)
	}
	i = d.blank(i)
	k := words(d.b, i, "AS", "SELECT")
	if k < 0 {
		return i
	}
	var selected []string
	k, found := d.p.list(&selected, d.b, k, "FROM")
	if !found {
		return d.fault(offset, k, causeKey)
	}
	_, t.Base, i = d.named(k)
	for _, name := range selected {
		t.Columns = append(t.Columns, Column{Name: d.p.name([]byte(strings.ReplaceAll(name, `\n`, "")))})
	}
	for i < len(d.b) && d.b[i] != ';' {
		if k := words(d.b, i, "PRIMARY", "KEY"); k >= 0 && !isName(at(d.b, i-1)) {
			partition, clustering, end := d.primary(d.blank(k))
			if i = d.finish(t, end, partition, clustering); len(partition) > 0 {
				d.views = append(d.views, t)
			}
			return i
		}
		if d.b[i] == '\'' || d.b[i] == '"' {
			i, _ = quoted(d.b, i)
			continue
		}
		i++
	}
	return d.fault(offset, i, causeKey)
}

func (d *describer) index(offset, i int) int {
	var x pendingIndex
	i = d.blank(i)
	if k := words(d.b, i, "IF", "NOT", "EXISTS"); k >= 0 {
		i = d.blank(k)
	}
	if word(d.b, i, "ON") < 0 {
		name, n := nameAt(d.b, i)
		if name == nil {
			return d.fault(offset, i, causeIndex)
		}
		x.index.Name, i = d.p.name(name), d.blank(n)
	}
	if i = word(d.b, i, "ON"); i < 0 {
		return offset + len("CREATE") // prose
	}
	x.keyspace, x.name, i = d.named(i)
	i = d.blank(i)
	if x.name == "" || at(d.b, i) != '(' {
		return d.fault(offset, i, causeIndex)
	}
	end, _ := balanced(d.b, i)
	x.index.Target = target(d.b[i+1 : max(end-1, i+1)])
	if k := word(d.b, d.blank(end), "USING"); k >= 0 && at(d.b, d.blank(k)) == '\'' {
		k = d.blank(k)
		end, _ = quoted(d.b, k)
		x.index.Class = string(bytes.Trim(d.b[k:end], "'"))
	}
	if k := words(d.b, d.blank(end), "WITH", "OPTIONS"); k >= 0 {
		if k = d.blank(k); at(d.b, k) == '=' {
			k = d.blank(k + 1)
		}
		if n, ok := balanced(d.b, k); ok && at(d.b, k) == '{' {
			x.index.Options, end = string(d.b[k:n]), n
		}
	}
	d.indexes = append(d.indexes, x)
	return end
}

// target is an index target without blanks and quotes.
func target(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, string(b))
}

// replication reads the rest of CREATE KEYSPACE name WITH replication = {…}: how many replicas a row has.
func (d *describer) replication(i int) int {
	i = d.blank(i)
	if k := words(d.b, i, "IF", "NOT", "EXISTS"); k >= 0 {
		i = d.blank(k)
	}
	name, i := nameAt(d.b, i)
	open := d.blank(i)
	for _, w := range []string{"WITH", "replication", "="} {
		if open = d.blank(open); !bytes.HasPrefix(bytes.ToLower(d.b[open:]), bytes.ToLower([]byte(w))) {
			return max(i, open)
		}
		open += len(w)
	}
	open = d.blank(open)
	end, whole := balanced(d.b, open)
	if name == nil || !whole || at(d.b, open) != '{' {
		return max(i, open)
	}
	items, _ := literalItems(bytes.ReplaceAll(d.b[open:end], []byte(`\n`), nil))
	var all []int
	for _, item := range items {
		key, value, _ := cutPair(item)
		if n, ok := integer(bare(value), 4); ok && n > 0 && string(key) != "class" {
			all = append(all, int(n))
		}
	}
	slices.Sort(all)
	if d.replicas == nil {
		d.replicas = map[string][]int{}
	}
	d.replicas[d.p.name(name)] = slices.Compact(all)
	return end
}

// resolve gives views the types of their tables, and tables their indexes and the replicas of their keyspace.
func (d *describer) resolve() {
	for _, t := range d.schema.tables {
		t.Replicas = d.replicas[t.Keyspace]
	}
	for _, v := range d.views {
		base := d.schema.Table(v.Keyspace, v.Base)
		if base == nil {
			continue
		}
		if len(v.Columns) == 1 && v.Columns[0].Name == "*" {
			v.Columns = append([]Column(nil), base.Columns...)
		}
		for _, list := range [][]Column{v.Columns, v.PartitionKey, v.Clustering} {
			for i := range list {
				c, _ := base.column(list[i].Name)
				list[i].Type, list[i].Static = c.Type, c.Static
			}
		}
	}
	for _, x := range d.indexes {
		if t := d.schema.Table(x.keyspace, x.name); t != nil {
			t.Indexes = append(t.Indexes, x.index)
		}
	}
}
