package cql

import (
	"bytes"
	"strconv"
)

// AppendShape appends the statement with its literals and bind markers replaced by ?, IN lists by (?),
// blanks folded, keywords in upper case and names as they are printed, quotes included (unquoted names
// of clients in lower case). Selected columns and the number of a LIMIT stay.
func (s *Statement) AppendShape(dst []byte) []byte {
	client := s.parser != nil && s.parser.Client
	start := len(dst)
	switch s.Kind {
	case Select:
		dst = s.appendSelect(dst, client)
	case Batch:
		dst = s.appendBatch(dst, client)
	case Insert, Update, Delete:
		dst = s.appendWrite(dst, client)
	default:
		dst = appendFolded(dst, s.text, client, true)
	}
	return dst[:start+len(bytes.TrimRight(dst[start:], " "))]
}

func (s *Statement) appendSelect(dst []byte, client bool) []byte {
	dst = append(dst, "SELECT "...)
	if s.JSON {
		dst = append(dst, "JSON "...)
	}
	if s.Distinct {
		dst = append(dst, "DISTINCT "...)
	}
	dst = s.appendColumns(dst, client)
	if s.Table != "" {
		dst = s.appendTable(append(dst, " FROM "...))
	}
	dst = s.appendWhere(dst, client)
	dst = appendClause(dst, " GROUP BY ", s.clauses.group, client)
	dst = appendClause(dst, " ORDER BY ", bytes.Trim(s.clauses.order, " ()"), client)
	dst = appendLimit(dst, " PER PARTITION LIMIT ", s.PerPartition, s.HasPerPartition, s.clauses.perMarker)
	dst = appendLimit(dst, " LIMIT ", s.Limit, s.HasLimit, s.clauses.limitMarker)
	if s.AllowFiltering {
		dst = append(dst, " ALLOW FILTERING"...)
	}
	return appendClause(appendClause(dst, " ", s.clauses.extra, client), " ", s.Rest, client)
}

func appendLimit(dst []byte, words string, n uint64, has, marker bool) []byte {
	switch {
	case has:
		return strconv.AppendUint(append(dst, words...), n, 10)
	case marker:
		return append(append(dst, words...), '?')
	}
	return dst
}

func (s *Statement) appendColumns(dst []byte, client bool) []byte {
	for i, c := range s.Columns {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		s.parser.fold = append(s.parser.fold[:0], c...)
		dst = appendFolded(dst, s.parser.fold, client, false)
	}
	return dst
}

func (s *Statement) appendTable(dst []byte) []byte {
	if s.Keyspace != "" {
		dst = append(s.appendName(dst, s.Keyspace), '.')
	}
	return s.appendName(dst, s.Table)
}

// appendName puts quotes around a name that has bytes of its own; servers 3.0–4.0 print none around
// capitals, and so does this.
func (s *Statement) appendName(dst []byte, name string) []byte {
	for i := range len(name) {
		if !isName(name[i]) {
			return append(append(append(dst, '"'), name...), '"')
		}
	}
	return append(dst, name...)
}

func appendClause(dst []byte, words string, b []byte, client bool) []byte {
	if len(bytes.TrimSpace(b)) == 0 {
		return dst
	}
	return appendFolded(append(dst, words...), b, client, true)
}

func (s *Statement) appendWrite(dst []byte, client bool) []byte {
	switch s.Kind {
	case Insert:
		dst = s.appendTable(append(dst, "INSERT INTO "...))
		if s.JSON {
			dst = append(dst, " JSON ?"...)
		} else {
			dst = append(s.appendColumns(append(dst, " ("...), client), ") VALUES ("...)
			for i := range s.Where {
				if i > 0 {
					dst = append(dst, ", "...)
				}
				dst = append(dst, '?')
			}
			dst = append(dst, ')')
		}
		return appendClause(appendClause(dst, " ", s.cond, client), " ", s.using, client)
	case Update:
		dst = s.appendTable(append(dst, "UPDATE "...))
	default:
		dst = append(dst, "DELETE "...)
		if len(s.Columns) > 0 {
			dst = append(s.appendColumns(dst, client), ' ')
		}
		dst = s.appendTable(append(dst, "FROM "...))
	}
	dst = appendClause(dst, " ", s.using, client)
	dst = appendClause(dst, " SET ", s.assign, client)
	return appendClause(s.appendWhere(dst, client), " ", s.cond, client)
}

// appendBatch writes each run of equal statements once.
func (s *Statement) appendBatch(dst []byte, client bool) []byte {
	dst = append(appendFolded(append(dst, "BEGIN "...), s.using, client, true), ' ')
	previous := -1
	for _, inner := range s.Statements {
		start := len(dst)
		dst = append(inner.AppendShape(dst), "; "...)
		if previous >= 0 && bytes.Equal(dst[previous:start], dst[start:]) {
			dst = dst[:start]
		} else {
			previous = start
		}
	}
	return append(dst, "APPLY BATCH"...)
}

func (s *Statement) appendWhere(dst []byte, client bool) []byte {
	for i := range s.Where {
		if i == 0 {
			dst = append(dst, " WHERE "...)
		} else {
			dst = append(dst, " AND "...)
		}
		r := &s.Where[i]
		dst = appendFolded(dst, r.left, client, true)
		dst = append(dst, operatorText[r.Op]...)
		dst = r.appendHoles(dst)
	}
	return dst
}

func (r *Restriction) appendHoles(dst []byte) []byte {
	switch {
	case r.Op == IsNull || r.Op == IsNotNull || r.Op == Matches && len(r.Columns) == 0:
		return dst
	case r.Op == In || r.Op == NotIn:
		return append(dst, "(?)"...)
	case r.Op == Between:
		return append(dst, "? AND ?"...)
	case r.Token || len(r.Columns) < 2:
		return append(dst, '?')
	}
	if !r.List {
		dst = append(dst, '(')
	}
	for i := range r.Columns {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, '?')
	}
	if !r.List {
		dst = append(dst, ')')
	}
	return dst
}

var operatorText = [...]string{
	Equal: " = ", NotEqual: " != ", Less: " < ", LessEqual: " <= ", Greater: " > ", GreaterEqual: " >= ",
	In: " IN ", NotIn: " NOT IN ", Between: " BETWEEN ", Contains: " CONTAINS ", ContainsKey: " CONTAINS KEY ",
	NotContains: " NOT CONTAINS ", NotContainsKey: " NOT CONTAINS KEY ", Like: " LIKE ",
	IsNull: " IS NULL", IsNotNull: " IS NOT NULL", Matches: " : ",
}
