// Package incidents makes traffic with one thing wrong that another partition key would mend, and counts any
// traffic under any key. It serves tests: it must know nothing of keyheat, so that its counts are a second opinion.
package incidents

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// A Request is one record of traffic. born is when the item was written that it is about, which no
// record tells.
type Request struct {
	at, born                   time.Time
	table, index, key, sk, op  string
	composite                  []string // in place of key
	n, bytes, wcu, rows, tombs uint64
	rcu                        float64
	throttled                  string
	columns                    map[string]string
	noKey                      bool
	store                      string
}

func (r *Request) count() uint64 { return max(r.n, 1) }

func (r *Request) reads() bool { return r.op == "read" || r.op == "scan" }

// fields gives the record as a program would log it.
func (r *Request) fields() map[string]any {
	f := map[string]any{"ts": r.at.Format("2006-01-02T15:04:05.000Z"), "table": r.table, "op": r.op}
	set := func(name string, value any, told bool) {
		if told {
			f[name] = value
		}
	}
	set("pk", r.key, !r.noKey && r.composite == nil)
	set("pk", r.composite, r.composite != nil)
	set("sk", r.sk, r.sk != "")
	set("index", r.index, r.index != "")
	set("requests", r.n, r.n > 0)
	set("bytes", r.bytes, r.bytes > 0)
	set("wcu", r.wcu, r.wcu > 0)
	set("rcu", r.rcu, r.rcu > 0)
	set("rows", r.rows, r.op == "read" && r.store == "cassandra")
	set("tombstones", r.tombs, r.op == "read" && r.store == "cassandra")
	set("throttled", r.throttled, r.throttled != "")
	set("store", r.store, r.store != "")
	for name, value := range r.columns {
		f[name] = value
	}
	return f
}

// Write writes the records as NDJSON, or as a table with the columns of the first.
func Write(w io.Writer, all []Request, asCSV bool) error {
	if !asCSV {
		enc := json.NewEncoder(w)
		for i := range all {
			if err := enc.Encode(all[i].fields()); err != nil {
				return err
			}
		}
		return nil
	}
	names := []string{}
	for name := range all[0].fields() {
		names = append(names, name)
	}
	slices.Sort(names)
	out := csv.NewWriter(w)
	rows := [][]string{names}
	for i := range all {
		f, row := all[i].fields(), []string{}
		for _, name := range names {
			row = append(row, strings.TrimSuffix(fmt.Sprint(f[name]), "<nil>"))
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

// Read reads NDJSON as keyheat generate writes it.
func Read(text []byte) ([]Request, error) {
	all := []Request{}
	for line := range bytes.Lines(text) {
		var f struct {
			TS                time.Time
			Table, PK, SK, Op string
			Bytes, WCU        uint64
			RCU               float64
		}
		if err := json.Unmarshal(line, &f); err != nil {
			return nil, err
		}
		all = append(all, Request{at: f.TS, born: f.TS, table: f.Table, key: f.PK, sk: f.SK, op: f.Op, bytes: f.Bytes, wcu: f.WCU, rcu: f.RCU})
	}
	return all, nil
}

// Table gives the table that the request is of.
func (r *Request) Table() string { return r.table }

// Writes reports whether the request writes.
func (r *Request) Writes() bool { return !r.reads() }
