package formats

import (
	"bytes"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// CQLShTable is tables of the server itself, as cqlsh prints or exports them.
var CQLShTable = ingest.Format{
	Name:     "cqlsh-table",
	Title:    "system tables and views, printed by cqlsh or exported with COPY TO",
	Coverage: ingest.StateOnly,
	Carries:  []string{"partition, row and cell sizes with key", "tombstones and rows a read", "requests with key", "settings", "schema"},
	Doc: `What cqlsh prints for SELECT of system_views, system, system_schema and ScyllaDB's system.large_* tables, also
under EXPAND ON and as CSV of COPY TO; several tables may follow each other
(https://cassandra.apache.org/doc/latest/cassandra/managing/operating/virtualtables.html,
https://opensource.docs.scylladb.com/stable/troubleshooting/large-partition-table.html):

     keyspace_name | table_name | sstable_name     | partition_size | partition_key | rows
    ---------------+------------+------------------+----------------+---------------+------
              shop |      inbox | md-6-big-Data.db |     1188716932 |  user-77:2024 |  100

Tables are told apart by their columns. Views that have the same columns (tombstones_per_read and
rows_per_read; max_partition_size and disk_usage) are read only where the SELECT stands before them.
Rows of ScyllaDB's tables are of one SSTable, which the server found over its own limit. Rows of
system_views.slow_queries (6.0) are slow reads, as those of the slow log. Rows of audit.audit_log (ScyllaDB,
https://docs.scylladb.com/manual/stable/operating-scylla/security/auditing.html) and dse_audit.audit_log (DSE) are
requests, as those of audit logs; ScyllaDB's show ? in place of bound values.`,
	Sequential: true,
	Sniff:      sniffCQLTable,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		d := &cqlTable{say: systable.Sayer{Schema: o.Schema}}
		d.exported(head)
		return d, nil
	},
}

const (
	skipCQLLine   = "line around a table"
	skipCQLRow    = "row of a table without evidence"
	causeCQLCells = "row with other cells than the table has columns"
)

// A cqlTable finds tables in a print-out and hands their rows on.
type cqlTable struct {
	out  printout
	held []byte // the line before, which a rule makes the header
	row  systable.Row
	at   mark  // of the row
	rule []int // of the print-out: where columns end
	mode cqlMode
	csv  byte // separator; 0: no CSV
	say  systable.Sayer
}

type cqlMode int

const (
	outside cqlMode = iota
	inRows
	inExpanded
)

var (
	cqlRule     = pattern(`^\s*-{2,}(?:\+-{2,})*\s*$`)
	cqlExpanded = pattern(`^@ Row \d+\s*$`)
	cqlRowCount = pattern(`^\s*\(\d+ rows?\)\s*$`)
	cqlSelect   = pattern(`(?i)\bselect\b.*\bfrom\s+"?(\w+)"?\s*\.\s*"?(\w+)"?`)
)

// Decode reads a line.
func (d *cqlTable) Decode(rec *ingest.Record, to ingest.Sink) {
	d.out.turn(rec.At)
	line := unframed(uncoloured(rec.Data))
	if d.csv != 0 {
		d.csvLine(line, rec.At, to)
		return
	}
	switch {
	case cqlExpanded().Match(line):
		d.finish(to)
		d.mode = inExpanded
		d.row.Names, d.row.Values, d.at = nil, nil, d.out.mark(rec.At)
		to.Skip(skipCQLLine)
	case cqlRowCount().Match(line):
		d.finish(to)
		d.mode, d.row.From = outside, ""
		to.Skip(skipCQLLine)
	case d.mode != inExpanded && isCQLHeader(line):
		d.columns(line)
		to.Skip(skipCQLLine)
	case cqlRule().Match(line):
		d.header(line)
		to.Skip(skipCQLLine)
	case d.mode != outside && bytes.IndexByte(line, '|') >= 0:
		d.barred(line, rec.At, to)
	default:
		d.between(line, to)
	}
}

// between reads a line that is part of no table: a statement, a header to be, or text.
func (d *cqlTable) between(line []byte, to ingest.Sink) {
	if m := cqlSelect().FindSubmatch(line); m != nil {
		d.finish(to)
		d.mode = outside
		d.row.From = strings.ToLower(string(m[1]) + "." + string(m[2]))
	} else {
		d.held = append(d.held[:0], line...)
	}
	to.Skip(skipCQLLine)
}

// header makes the line before a rule the header. Under EXPAND rules stand without one.
func (d *cqlTable) header(rule []byte) {
	if d.mode == inExpanded || len(d.held) == 0 {
		return
	}
	d.columns(d.held)
	for i, c := range string(rule) {
		if c == '+' {
			d.rule = append(d.rule, i)
		}
	}
	d.held = d.held[:0]
}

// columns begins a table with this header.
func (d *cqlTable) columns(header []byte) {
	d.mode, d.row.Names, d.rule = inRows, nil, d.rule[:0]
	for _, name := range bytes.Split(header, []byte{'|'}) {
		d.row.Names = append(d.row.Names, strings.ToLower(string(bytes.TrimSpace(name))))
	}
	d.held = append(d.held[:0], header...)
}

// isCQLHeader reports whether a line is the header of a table of the server, also where the rule below
// it got lost.
func isCQLHeader(line []byte) bool {
	return bytes.Count(line, []byte{'|'}) > 1 && bytes.Contains(line, []byte("_name")) && systable.KnownColumns(bytes.Split(line, []byte{'|'}))
}

// unframed takes off the bars around a line of a Markdown table, and makes its rule one of cqlsh.
func unframed(line []byte) []byte {
	text := bytes.TrimSpace(line)
	if len(text) < 3 || text[0] != '|' || text[len(text)-1] != '|' {
		return line
	}
	if line = text[1 : len(text)-1]; len(bytes.Trim(line, " -:|")) == 0 {
		return bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(line, []byte(" "), []byte("-")), []byte(":"), []byte("-")), []byte("|"), []byte("+"))
	}
	return line
}

// barred reads a row, or under EXPAND one cell of it. Another header of the same print-out follows
// without a count of rows when an error ended the one before.
func (d *cqlTable) barred(line []byte, at ingest.Position, to ingest.Sink) {
	if d.mode == inExpanded {
		name, value, _ := bytes.Cut(line, []byte{'|'})
		d.row.Names = append(d.row.Names, strings.ToLower(string(bytes.TrimSpace(name))))
		if d.row.Names[len(d.row.Names)-1] == "table_name" {
			d.at = d.out.mark(at) // the line by which the row is found again
		}
		d.row.Values = append(d.row.Values, bytes.Clone(bytes.TrimSpace(value)))
		to.Skip(skipCQLLine)
		return
	}
	d.held = append(d.held[:0], line...)
	d.row.Values, d.at = d.split(line), d.out.mark(at)
	if len(d.row.Values) != len(d.row.Names) {
		complain(to, causeCQLCells, line, at)
		return
	}
	if !d.say.Say(&d.row, d.out.place(d.at), to) {
		to.Skip(skipCQLRow)
	}
}

// split cuts a row at its bars, or, where values hold bars of their own, at the columns of the rule.
func (d *cqlTable) split(line []byte) (values [][]byte) {
	values = bytes.Split(line, []byte{'|'})
	if len(values) > len(d.row.Names) {
		values = nil
		text, start := []rune(string(line)), 0
		for _, i := range d.rule {
			if i >= len(text) || text[i] != '|' {
				return nil
			}
			values = append(values, []byte(string(text[start:i])))
			start = i + 1
		}
		values = append(values, []byte(string(text[start:])))
	}
	for i := range values {
		values[i] = bytes.TrimSpace(values[i])
	}
	return values
}

// finish tells of the row that was read under EXPAND.
func (d *cqlTable) finish(to ingest.Sink) {
	if d.mode == inExpanded && len(d.row.Names) > 0 {
		d.say.Say(&d.row, d.out.place(d.at), to)
		d.row.Names = nil
	}
	d.say.End(to)
}

// Close tells of the last row.
func (d *cqlTable) Close(to ingest.Sink) { d.finish(to) }

// exported takes the header of a CSV of COPY TO, if the input begins with one.
func (d *cqlTable) exported(head []byte) {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	line = bytes.TrimRight(line, "\r")
	for _, separator := range []byte(",;\t") {
		names := splitCSV(line, separator)
		d.row.Names = systable.AuditRow(names)
		if d.row.Names != nil || len(names) > 1 && systable.KnownColumns(names) {
			d.csv, d.mode = separator, outside
			return
		}
	}
}

func (d *cqlTable) csvLine(line []byte, at ingest.Position, to ingest.Sink) {
	values := splitCSV(line, d.csv)
	if systable.KnownColumns(values) {
		d.row.Names = nil
		for _, v := range values {
			d.row.Names = append(d.row.Names, strings.ToLower(string(v)))
		}
		to.Skip(skipCQLLine)
		return
	}
	if len(values) != len(d.row.Names) {
		complain(to, causeCQLCells, line, at)
		return
	}
	d.row.Values = values
	if !d.say.Say(&d.row, at, to) {
		to.Skip(skipCQLRow)
	}
}

// splitCSV splits a line of CSV in which quotes are doubled, or have a backslash before them as cqlsh
// writes them.
func splitCSV(line []byte, separator byte) (values [][]byte) {
	cell, quoted := []byte{}, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line) && quoted:
			i++
			cell = append(cell, line[i])
		case c == '"' && quoted && i+1 < len(line) && line[i+1] == '"':
			i++
			cell = append(cell, '"')
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			values, cell = append(values, cell), []byte{}
		default:
			cell = append(cell, c)
		}
	}
	return append(values, cell)
}

func sniffCQLTable(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	var held []byte
	found, expanded, csv := false, 0, &cqlTable{}
	csv.exported(head)
	log := sniffLines(head, func(line []byte) bool {
		line = unframed(line)
		switch {
		case isCQLHeader(line):
			found = true
		case cqlRule().Match(line) && expanded == 0:
			found = found || systable.KnownColumns(bytes.Split(held, []byte{'|'}))
		case cqlExpanded().Match(line):
			expanded = 1
		case expanded > 0 && bytes.IndexByte(line, '|') > 0:
			name, _, _ := bytes.Cut(line, []byte{'|'})
			if n := string(bytes.TrimSpace(name)); n == "keyspace_name" || n == "table_name" {
				expanded++
			}
			found = found || expanded > 2
		}
		held = line
		return found
	})
	return certainOr(!log && (found || csv.csv != 0), "tables of the server", "no table with columns such as keyspace_name and table_name")
}
