package ddl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest/cql"
)

// A View is a materialized view of a table, with its CREATE statement as DESCRIBE prints it.
type View struct {
	Table     *cql.Table
	Statement string
}

// view writes a view of the old table for the new one. A view holds the whole key of its table, so the new columns
// stand behind its clustering columns: it is read as before. Its conditions and options stay.
func (p *plan) view(v View) (string, error) {
	where, options, err := tailOf(v.Statement)
	if err != nil {
		return "", fmt.Errorf("%w: the materialized view %s: %w", ErrTable, v.Table.Name, err)
	}
	name := v.Table.Name + strings.TrimPrefix(p.name, p.old.Name)
	for _, c := range p.added {
		where += " AND " + quoted(c.Name) + " IS NOT NULL"
	}
	selected := slices.Concat(v.Table.Columns, p.added)
	clustering := slices.Concat(v.Table.Clustering, p.added)
	return fmt.Sprintf("CREATE MATERIALIZED VIEW %s AS\n    SELECT %s\n    FROM %s\n    WHERE %s\n    PRIMARY KEY ((%s), %s)%s;\n",
		dotted(p.old.Keyspace, name), strings.Join(names(selected), ", "), p.table(), where,
		strings.Join(names(v.Table.PartitionKey), ", "), strings.Join(names(clustering), ", "), p.ordered(options)), nil
}

// order is the option that lists clustering columns: all of them.
var order = regexp.MustCompile(`(?i)\bCLUSTERING\s+ORDER\s+BY\s*\([^)]*`)

// ordered adds the new columns to the order of clustering columns, where one is told.
func (p *plan) ordered(options string) string {
	return order.ReplaceAllStringFunc(options, func(told string) string {
		for _, c := range p.added {
			told += ", " + quoted(c.Name) + " ASC"
		}
		return told
	})
}

// key finds where the primary key of a view begins, outside of quotes.
var key = regexp.MustCompile(`(?i)\bPRIMARY\s+KEY\s*\(`)

// tailOf gives the conditions of a view and what stands behind its key.
func tailOf(statement string) (where, options string, err error) {
	bare := unquoted(statement)
	from, at := regexp.MustCompile(`(?i)\bWHERE\b`).FindStringIndex(bare), key.FindStringIndex(bare)
	if from == nil || at == nil || from[1] > at[0] {
		return "", "", fmt.Errorf("its statement has no conditions or no key")
	}
	end := closing(statement, at[1]-1)
	if end < 0 {
		return "", "", fmt.Errorf("its key is not closed")
	}
	return strings.Join(strings.Fields(statement[from[1]:at[0]]), " "), optionsBehind(statement[end+1:]), nil
}

// unquoted gives text of the same length without what stands in quotes.
func unquoted(text string) string {
	out, in := []byte(text), byte(0)
	for i, c := range out {
		switch {
		case in == 0 && (c == '\'' || c == '"'):
			in = c
		case c == in:
			in = 0
		case in != 0:
			out[i] = ' '
		}
	}
	return string(out)
}
