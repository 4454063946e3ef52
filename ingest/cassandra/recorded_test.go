package cassandra

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
	"github.com/keyheat/keyheat/ingest/formats"
)

const fixtures = "../../fixtures/formats/"

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(fixtures + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// csvRows gives the rows of a CSV that cqlsh wrote.
func csvRows(t *testing.T, text []byte, comma rune) []record {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(bytes.ReplaceAll(text, []byte(`\"`), []byte(`""`))))
	r.Comma = comma
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := []record{}
	for _, line := range lines[1:] {
		row := record{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// printedRows gives the rows of a table that cqlsh printed; null is no value.
func printedRows(text []byte) []record {
	var names []string
	rows := []record{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "|")
		switch {
		case len(cells) < 2:
			continue
		case names == nil:
			for _, c := range cells {
				names = append(names, strings.TrimSpace(c))
			}
			continue
		}
		row := record{}
		for i, c := range cells {
			if c = strings.TrimSpace(c); c != "null" {
				row[names[i]] = c
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// exported gives what the formats say of texts, without the node that only a live reader knows.
func exported(t *testing.T, schema *cql.Schema, name string, store ingest.Store, texts ...[]byte) []string {
	t.Helper()
	list := formats.Catalogue()
	f := list[slices.IndexFunc(list, func(f *ingest.Format) bool { return f.Name == name })]
	to := &told{}
	sink := &toldBy{to: to}
	d, err := f.New(texts[0], ingest.DecodeOptions{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	at := ingest.Position{Line: 1}
	for _, text := range texts {
		for line := range strings.Lines(string(text)) {
			d.Decode(&ingest.Record{Data: []byte(strings.TrimRight(line, "\n")), At: at}, sink)
			at.Line, at.Byte = at.Line+1, at.Byte+uint64(len(line))
		}
	}
	if c, ok := d.(ingest.Closer); ok {
		c.Close(sink)
	}
	return to.lines
}

// anonymous takes the node off the lines, and gives them in order; lines of the server's own tables are
// left out.
func anonymous(lines []string) []string {
	all := []string{}
	for _, line := range lines {
		if strings.Contains(line, " system.") || strings.HasPrefix(line, "fact") {
			continue
		}
		line, _, _ = strings.Cut(line, " node=")
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

func TestLiveRowsSayWhatTheirExportSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 30, 9, 5, 0, 0, time.UTC)))
		sessions, events := fixture(t, "cassandra-trace/sessions.csv"), fixture(t, "cassandra-trace/events.csv")
		f := newFake()
		f.tables["system_schema.columns"] = table(record{"keyspace_name": "shop", "table_name": "cart_by_user", "column_name": "user_id", "kind": "partition_key", "position": "0", "type": "text"})
		f.tables["system_traces.sessions"] = table(csvRows(t, sessions, ',')...)
		all := csvRows(t, events, ',')
		f.tables["system_traces.events"] = func(_ string, q *query) ([]record, error) {
			ids, _ := wanted(q)
			return slices.DeleteFunc(slices.Clone(all), func(r record) bool { return !ids[r["session_id"]] }), nil
		}
		to, err := collect(t, f.server(t, "cassandra://10.0.0.1?since=1h"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		schema := cql.SchemaOf([]*cql.Table{{Keyspace: "shop", Name: "cart_by_user", PartitionKey: []cql.Column{{Name: "user_id", Type: "text"}}}})
		known := map[string]bool{}
		for _, r := range csvRows(t, sessions, ',') {
			known[r["session_id"]] = true
		}
		// Events of sessions that are not in the export of sessions are told apart there.
		header, rest, _ := bytes.Cut(events, []byte("\n"))
		own := append(bytes.Clone(header), '\n')
		for line := range bytes.Lines(rest) {
			if id, _, _ := bytes.Cut(line, []byte(",")); known[string(id)] {
				own = append(own, line...)
			}
		}
		want := anonymous(exported(t, schema, "cassandra-trace", ingest.Cassandra, sessions, own))
		if d := cmp.Diff(anonymous(to.of("event")), want); d != "" || len(want) == 0 {
			t.Errorf("%d events, live (-), exported (+):\n%s", len(want), d)
		}
	})
}

// scylla gives a fake of ScyllaDB, as its documentation describes the tables.
func scylla() *fakeCluster {
	f := newFake()
	f.local(record{"release_version": "3.0.8", "broadcast_address": "172.29.3.6", "tokens": "{'0'}", "supported_features": "CDC,LARGE_PARTITIONS"})
	delete(f.tables, "system.peers_v2")
	f.tables["system.peers"] = table()
	names := []record{{"keyspace_name": "shop", "table_name": "jobs"}}
	for _, n := range []string{"system.large_partitions", "system_traces.sessions", "system_traces.events", "system_traces.node_slow_log"} {
		keyspace, name, _ := strings.Cut(n, ".")
		names = append(names, record{"keyspace_name": keyspace, "table_name": name})
	}
	f.tables["system_schema.tables"] = table(names...)
	f.tables["system_traces.node_slow_log"] = table()
	f.tables["system.large_partitions"] = table()
	return f
}

// printOf gives what one statement printed in a session of cqlsh.
func printOf(text []byte, statement string) []byte {
	_, rest, _ := bytes.Cut(text, []byte(statement))
	printed, _, _ := bytes.Cut(rest, []byte("cqlsh>"))
	return bytes.ReplaceAll(printed, []byte("u:42 | EU"), []byte("u:42:EUR")) // no rows are told from a print-out of such keys
}

// scyllaLarge are the tables of a session that prints one after the other; since 2026.2 they are virtual.
const scyllaLarge = "cqlsh-table/layout-scylla-large.txt"

func TestRecordedAnswersOfScylla(t *testing.T) {
	printed := func(_ *testing.T, text []byte) []record { return printedRows(text) }
	tests := map[string]struct {
		format, fixture, table string
		rows                   func(t *testing.T, text []byte) []record
	}{
		"large partitions of 6.0": {"cqlsh-table", scyllaLarge, "system.large_partitions", printed},
		"large rows":              {"cqlsh-table", scyllaLarge, "system.large_rows", printed},
		"large cells":             {"cqlsh-table", scyllaLarge, "system.large_cells", printed},
		"sessions":                {"scylla-trace", "scylla-trace/sessions.csv", "system_traces.sessions", func(t *testing.T, text []byte) []record { return csvRows(t, text, ';') }},
		"slow requests":           {"scylla-trace", "scylla-trace/slow.txt", "system_traces.node_slow_log", func(_ *testing.T, text []byte) []record { return printedRows(text) }},
		"large partitions":        {"cqlsh-table", "cqlsh-table/scylla-large-partitions.txt", "system.large_partitions", func(_ *testing.T, text []byte) []record { return printedRows(text) }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(time.Date(2024, 5, 30, 12, 20, 0, 0, time.UTC)))
				text := fixture(t, tc.fixture)
				if tc.fixture == scyllaLarge {
					text = printOf(text, "SELECT * FROM "+tc.table+";")
				}
				f := scylla()
				if keyspace, name, _ := strings.Cut(tc.table, "."); keyspace == "system" {
					f.virtual([2]string{keyspace, name})
				}
				f.tables[tc.table] = table(slices.DeleteFunc(tc.rows(t, text), func(r record) bool {
					return strings.HasPrefix(r["start_time"], "---") || strings.HasPrefix(r["keyspace_name"], "---")
				})...)
				to, err := collect(t, f.server(t, "scylla://172.29.3.6"), 15*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				want := anonymous(exported(t, nil, tc.format, ingest.Scylla, text))
				if d := cmp.Diff(slices.Compact(anonymous(to.lines)), want); d != "" || len(want) == 0 {
					t.Errorf("live (-), exported (+):\n%s", d)
				}
				if d := cmp.Diff(to.notes, []string{"the live reader of ScyllaDB was tested against recorded answers only, never against a running server"}); d != "" {
					t.Errorf("notes (-), want (+):\n%s", d)
				}
			})
		})
	}
}
