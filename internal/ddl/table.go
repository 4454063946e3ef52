package ddl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest/cql"
)

// ErrTable is wrapped by every error of CQL: the table cannot be rewritten, and the text says why.
var ErrTable = errors.New("no table to rewrite")

// A plan is what a new table adds to an old one.
type plan struct {
	old     *cql.Table
	views   []View // of the old table
	options string // of the old table from WITH on, all of them, without the semicolon
	name    string // of the new table
	added   []cql.Column
	change  Change
}

func newPlan(t *cql.Table, statement string, views []View, c Change) (*plan, error) {
	switch {
	case t.Base != "":
		return nil, fmt.Errorf("%w: %s is a materialized view", ErrTable, t.Name)
	case len(t.PartitionKey) == 0 || slices.ContainsFunc(t.Columns, func(c cql.Column) bool { return c.Type == "" }):
		return nil, fmt.Errorf("%w: the columns of %s are not known with their types", ErrTable, t.Name)
	case c.Copies > 0 && slices.ContainsFunc(t.Columns, func(c cql.Column) bool { return c.Type == "counter" }):
		return nil, fmt.Errorf("%w: %s holds counters, of which there are no copies", ErrTable, t.Name)
	case c.Shards == 0 && c.Copies == 0 && c.Bucket == "":
		return nil, fmt.Errorf("%w: the proposal changes no key", ErrTable)
	}
	options, err := optionsOf(statement)
	if err != nil {
		return nil, err
	}
	p := &plan{old: t, views: views, options: options, name: t.Name, change: c}
	if c.Bucket != "" {
		p.name += "_by_" + c.Bucket
		p.add("bucket", "text")
	}
	if c.Shards > 0 {
		p.name += "_by_shard"
		p.add("shard", "int")
	}
	if c.Copies > 0 {
		p.name += "_copies"
		p.add("copy", "int")
	}
	return p, nil
}

// add adds a column of a name that is free.
func (p *plan) add(name, kind string) {
	for slices.ContainsFunc(p.old.Columns, func(c cql.Column) bool { return c.Name == name }) {
		name += "_"
	}
	p.added = append(p.added, cql.Column{Name: name, Type: kind})
}

func (p *plan) table() string { return dotted(p.old.Keyspace, p.name) }
func (p *plan) from() string  { return dotted(p.old.Keyspace, p.old.Name) }

// key is the partition key of the new table.
func (p *plan) key() []cql.Column { return slices.Concat(p.old.PartitionKey, p.added) }

// create writes the statement that makes the new table: all columns and options of the old one, and the new
// columns in the partition key.
func (p *plan) create() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", p.table())
	for _, c := range slices.Concat(p.old.Columns, p.added) {
		static := ""
		if c.Static {
			static = " static"
		}
		fmt.Fprintf(&b, "    %s %s%s,\n", quoted(c.Name), c.Type, static)
	}
	key := "(" + strings.Join(names(p.key()), ", ") + ")"
	if len(p.old.Clustering) > 0 {
		key += ", " + strings.Join(names(p.old.Clustering), ", ")
	}
	fmt.Fprintf(&b, "    PRIMARY KEY (%s)\n)%s;\n", key, p.options)
	for _, x := range p.old.Indexes {
		b.WriteString(p.index(x))
	}
	return b.String()
}

// index writes an index of the old table for the new one, with its options.
func (p *plan) index(x cql.Index) string {
	custom, using := "", ""
	if x.Class != "" {
		custom, using = "CUSTOM ", " USING '"+strings.ReplaceAll(x.Class, "'", "''")+"'"
	}
	if x.Options != "" {
		using += " WITH OPTIONS = " + strings.NewReplacer("\r", "", "\n", " ").Replace(x.Options)
	}
	return fmt.Sprintf("CREATE %sINDEX ON %s (%s)%s;\n", custom, p.table(), indexTarget(x.Target), using)
}

// indexTarget writes the target of an index, a column or keys(column).
func indexTarget(target string) string {
	function, column, ok := strings.Cut(strings.TrimSuffix(target, ")"), "(")
	if !ok {
		return quoted(target)
	}
	return function + "(" + quoted(column) + ")"
}

// tableID is the option that DESCRIBE prints of a table's own identity; another table has another.
var tableID = regexp.MustCompile(`(?i)\s*\bID\s*=\s*[0-9a-f-]{36}\b\s*(AND\b)?`)

// optionsOf gives what stands behind the columns of a CREATE TABLE statement, without the table's identity.
func optionsOf(statement string) (string, error) {
	open := strings.IndexByte(statement, '(')
	end := closing(statement, open)
	if open < 0 || end < 0 {
		return "", fmt.Errorf("%w: its statement has no columns in brackets", ErrTable)
	}
	return optionsBehind(statement[end+1:]), nil
}

// optionsBehind gives the options that stand in text, without the table's identity.
func optionsBehind(text string) string {
	options := strings.TrimRight(strings.TrimSpace(text), "; \r\n\t")
	if at := tableID.FindStringIndex(options); at != nil {
		options = options[:at[0]] + " " + strings.TrimSpace(options[at[1]:])
		options = strings.TrimSuffix(strings.TrimSpace(options), " AND")
	}
	if options == "" || strings.EqualFold(options, "WITH") {
		return ""
	}
	return " " + options
}

// closing gives the place of the bracket that closes the one at open; -1 when there is none.
func closing(text string, open int) int {
	if open < 0 {
		return -1
	}
	depth := 0
	for i := open; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return -1
			}
			i += n + 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
