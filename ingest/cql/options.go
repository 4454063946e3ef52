package cql

import "bytes"

// options reads WITH … behind the columns of a table, up to its semicolon; where that is missing, up
// to the next statement.
func (d *describer) options(t *Table, i int) int {
	for {
		i = d.blank(i)
		if at(d.b, i) == ';' {
			return i + 1
		}
		next := word(d.b, i, "WITH")
		if next < 0 {
			next = word(d.b, i, "AND")
		}
		if next < 0 {
			return i
		}
		i = d.option(t, d.blank(next))
	}
}

// option reads one option.
func (d *describer) option(t *Table, i int) int {
	if k := words(d.b, i, "CLUSTERING", "ORDER", "BY"); k >= 0 {
		return d.order(t, d.blank(k))
	}
	if k := words(d.b, i, "COMPACT", "STORAGE"); k >= 0 {
		return k
	}
	start := i
	for i < len(d.b) && (isName(d.b[i]) || d.b[i] == ':') { // compression_parameters:chunk_length_kb of old versions
		i++
	}
	name := d.b[start:i]
	if i = d.blank(i); at(d.b, i) != '=' || len(name) == 0 {
		return i
	}
	i = d.blank(i + 1)
	end := d.optionEnd(i)
	t.option(name, d.b[i:end])
	return end
}

// optionEnd is the end of the value at i: a map, a text, or a word.
func (d *describer) optionEnd(i int) int {
	switch at(d.b, i) {
	case '{', '[', '(':
		end, _ := balanced(d.b, i)
		return end
	case '\'', '"':
		end, _ := quoted(d.b, i)
		return end
	}
	for i < len(d.b) && !isBlank(d.b[i]) && d.b[i] != ';' && d.b[i] != '\\' {
		i++
	}
	return i
}

func (t *Table) option(name, value []byte) {
	switch string(name) {
	case "default_time_to_live":
		t.DefaultTTL, t.DefaultTTLKnown = seconds(value)
	case "gc_grace_seconds":
		t.GCGrace, t.GCGraceKnown = seconds(value)
	case "compaction_strategy_class":
		t.Compaction = className(bare(value))
	case "compaction":
		items, ok := literalItems(bytes.ReplaceAll(value, []byte(`\n`), nil))
		if len(value) == 0 || !ok {
			return
		}
		for _, item := range items {
			if key, class, ok := cutPair(item); ok && string(key) == "class" {
				t.Compaction = className(class)
			}
		}
	}
}

func seconds(b []byte) (uint64, bool) {
	n, ok := integer(bare(b), 8)
	return uint64(max(n, 0)), ok && n >= 0
}

func className(b []byte) string { return string(b[bytes.LastIndexByte(b, '.')+1:]) }

// order reads the names and directions of CLUSTERING ORDER BY (…).
func (d *describer) order(t *Table, i int) int {
	if at(d.b, i) != '(' {
		return i
	}
	for i++; i < len(d.b) && d.b[i] != ')'; i++ {
		i = d.blank(i)
		name, n := nameAt(d.b, i)
		if name == nil {
			return i
		}
		column := d.p.name(name)
		i = d.blank(n)
		desc := word(d.b, i, "DESC") >= 0
		for i < len(d.b) && d.b[i] != ',' && d.b[i] != ')' {
			i++
		}
		for k := range t.Clustering {
			if t.Clustering[k].Name == column {
				t.Clustering[k].Desc = desc
			}
		}
		if at(d.b, i) == ')' {
			break
		}
	}
	return min(i+1, len(d.b))
}
