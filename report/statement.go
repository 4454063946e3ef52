package report

import (
	"slices"

	"github.com/keyheat/keyheat/ingest/cql"
)

// statement says which parts of the key a statement binds, nil when its text does not tell, and how it is
// served, empty likewise.
func (p *patterns) statement(shape string) (parts []string, served string) {
	s, err := p.parser.Parse([]byte(shape))
	if err != nil || s.Kind == cql.Other {
		return nil, ""
	}
	if s.Table == "" && s.Kind != cql.Batch {
		return nil, ""
	}
	if s.Kind == cql.Batch {
		if len(s.Statements) == 0 {
			return nil, ""
		}
		parts, _ = p.bindings(s.Statements[0])
		return parts, "in"
	}
	return p.bindings(s)
}

func (p *patterns) bindings(s *cql.Statement) (parts []string, served string) {
	var t *cql.Table
	if len(p.key) > 0 {
		t = &cql.Table{PartitionKey: p.key, Clustering: p.clustering}
	}
	parts = p.parts(s, t)
	if s.Kind != cql.Select {
		return parts, writeServed(s, t)
	}
	scan, told := s.Scan(t)
	switch {
	case !told:
		return parts, ""
	case !scan:
		return parts, keyServed(s, t)
	}
	if column, ok := indexed(s, t); ok {
		return []string{column}, "index"
	}
	return parts, "scan"
}

// parts names the bound columns of the key; without a schema those of the WHERE clause, and of an INSERT
// none, since its text does not tell them apart.
func (p *patterns) parts(s *cql.Statement, t *cql.Table) []string {
	if t == nil && s.Kind == cql.Insert {
		return nil
	}
	out := []string{}
	for i := range s.Where {
		r := &s.Where[i]
		for _, name := range r.Columns {
			if t == nil || isKey(t, name) {
				out = append(out, bound(name, r))
			}
		}
	}
	if s.Kind == cql.Insert && len(out) == 0 { // INSERT JSON
		return nil
	}
	return out
}

func isKey(t *cql.Table, name string) bool {
	named := func(c cql.Column) bool { return c.Name == name }
	return slices.ContainsFunc(t.PartitionKey, named) || slices.ContainsFunc(t.Clustering, named)
}

var operators = map[cql.Operator]string{cql.Less: " <", cql.LessEqual: " <=", cql.Greater: " >", cql.GreaterEqual: " >=", cql.In: " IN", cql.Between: " BETWEEN"}

func bound(name string, r *cql.Restriction) string {
	if r.Token {
		name = "token(" + name + ")"
	}
	return name + operators[r.Op]
}

// writeServed tells a write of one row from one of several: by a list, or by a range of clustering keys.
func writeServed(s *cql.Statement, t *cql.Table) string {
	if s.Kind == cql.Insert {
		return "partition"
	}
	return keyServed(s, t)
}

// keyServed says how a statement that names its partition is served. Without a schema the first relation
// is of the partition key.
func keyServed(s *cql.Statement, t *cql.Table) string {
	served := "partition"
	for i := range s.Where {
		r := &s.Where[i]
		switch partition := i == 0 || t != nil && slices.ContainsFunc(t.PartitionKey, func(c cql.Column) bool { return slices.Contains(r.Columns, c.Name) }); {
		case r.Op == cql.In && partition:
			return "in"
		case !partition && (r.Op == cql.Less || r.Op == cql.LessEqual || r.Op == cql.Greater || r.Op == cql.GreaterEqual || r.Op == cql.Between):
			served = "range"
		}
	}
	return served
}

// indexed gives the column by whose index a read without a partition key is served: one that is no part of
// the key and bound, in a statement that the store takes without ALLOW FILTERING.
func indexed(s *cql.Statement, t *cql.Table) (column string, ok bool) {
	if t == nil || s.AllowFiltering {
		return "", false
	}
	for i := range s.Where {
		r := &s.Where[i]
		if len(r.Columns) == 1 && !r.Token && !slices.ContainsFunc(t.PartitionKey, func(c cql.Column) bool { return c.Name == r.Columns[0] }) {
			return bound(r.Columns[0], r), true
		}
	}
	return "", false
}
