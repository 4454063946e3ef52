package cql

import (
	"bytes"
	"slices"
)

// Scan reports whether the statement is a read without a bound partition key: none restricted, a token
// range, an index or a filter. known is false when the text does not tell. A Key or KeyOfRow that a
// token or row refuted makes an assumed key unknown.
func (s *Statement) Scan(t *Table) (scan, known bool) {
	switch {
	case s.Kind != Select:
		return false, s.Kind != Other
	case s.Table == "" && s.Cut:
		return false, false
	case s.hasTokenRange():
		return true, true
	case t != nil && len(t.PartitionKey) > 0:
		return s.scanBySchema(t)
	case len(s.Where) == 0:
		whole := !s.Cut && !s.where && len(bytes.TrimSpace(s.Rest)) == 0
		return whole, whole
	case len(s.keyCols) > 0:
		return false, true
	}
	first := &s.Where[0]
	equal := false
	for i := range s.Where {
		equal = equal || s.Where[i].Op == Equal || s.Where[i].Op == In
	}
	switch {
	case !equal:
		return !s.Cut, !s.Cut
	case first.List || first.Op == Equal && len(first.Columns) > 1:
		return false, true
	case len(first.Columns) != 1 || first.Element || first.Op != Equal && first.Op != In || s.leading() > 1:
		return false, false
	}
	return false, !s.refused && !s.clientFilters()
}

func (s *Statement) scanBySchema(t *Table) (scan, known bool) {
	for _, c := range t.PartitionKey {
		if !s.restricted(c.Name) {
			return !s.Cut, !s.Cut
		}
	}
	return false, true
}

// restricted reports whether the column is bound to one value or to a list.
func (s *Statement) restricted(column string) bool {
	for i := range s.Where {
		r := &s.Where[i]
		if !r.Token && !r.Element && (r.Op == Equal || r.Op == In) && slices.Contains(r.Columns, column) {
			return true
		}
	}
	return false
}

// Partitions is the number of partitions that the statement names: the product of its IN lists on the
// partition key, 1 when all is bound by equality, 0 when it does not tell, or when the list is a bind
// marker. Without a schema the first relation is taken for the key. Of a batch it is the number of its
// statements, an upper bound.
func (s *Statement) Partitions(t *Table) uint64 {
	if s.Kind == Batch {
		return uint64(len(s.Statements))
	}
	if t == nil || len(t.PartitionKey) == 0 {
		if len(s.Where) == 0 || s.hasTokenRange() {
			return 0
		}
		if first := &s.Where[0]; first.Op == In && !first.Element {
			return first.count()
		}
		if _, ok := s.KeyValues(nil); ok {
			return 1
		}
		return 0
	}
	product := uint64(1)
	counted := -1 // a tuple counts once
	for _, c := range t.PartitionKey {
		found := false
		for i := range s.Where {
			r := &s.Where[i]
			if r.Token || r.Element || r.Op != Equal && r.Op != In || !slices.Contains(r.Columns, c.Name) {
				continue
			}
			if found = true; r.Op == In && i != counted {
				counted, product = i, product*r.count()
			}
			break
		}
		if !found {
			return 0
		}
	}
	return product
}

// count is the number of members of an IN list, at most 65,536.
func (r *Restriction) count() uint64 {
	if len(r.Columns) == 0 || len(r.Values) == 1 && r.Values[0].Kind == Marker && len(r.right) > 0 && r.right[0] != '(' {
		return 0
	}
	return uint64(min(len(r.Values)/len(r.Columns), 1<<16))
}

// LowerClusteringBound reports whether the statement restricts a clustering column so that the read
// does not begin where its order begins: by equality, by a list, or from below (from above when it reads
// downwards). Without a schema every restricted column that is not known to be of the partition key
// counts, and the clustering order is taken for ascending.
func (s *Statement) LowerClusteringBound(t *Table) bool {
	for i := range s.Where {
		r := &s.Where[i]
		if r.Token || r.Element {
			continue
		}
		for _, name := range r.Columns {
			desc, clustering := s.clustering(t, i, name)
			if !clustering {
				continue
			}
			switch r.Op {
			case Equal, In, Between:
				return true
			case Greater, GreaterEqual:
				if !s.descends(desc) {
					return true
				}
			case Less, LessEqual:
				if s.descends(desc) {
					return true
				}
			}
		}
	}
	return false
}

// descends is the direction of the read: that of ORDER BY, or the stored one without.
func (s *Statement) descends(stored bool) bool {
	if s.clauses.order != nil {
		return s.Reversed
	}
	return stored
}

// clustering reports whether the column of relation i is a clustering column, and its stored order.
func (s *Statement) clustering(t *Table, i int, name string) (desc, ok bool) {
	if t != nil {
		for _, c := range t.Clustering {
			if c.Name == name {
				return c.Desc, true
			}
		}
		return false, false
	}
	if len(s.keyCols) > 0 {
		return false, !slices.Contains(s.keyCols, name)
	}
	return false, i > 0
}
