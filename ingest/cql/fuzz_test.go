package cql

import (
	"bytes"
	"os"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, c := range capturedStatements(f) {
		f.Add([]byte(c.text), c.token, []byte(c.row), false)
	}
	for _, text := range []string{
		"BEGIN BATCH INSERT INTO a.b (k) VALUES ('x''y'); UPDATE a.b SET v = ? WHERE k = :x APPLY BATCH",
		`INSERT INTO a.b JSON '{"k": [1]}'`, "DELETE m['x'] FROM a.b USING TIMESTAMP 1 WHERE k IN (1, 2) IF EXISTS",
		"SELECT a FROM b WHERE k, l = 1, it's AND (c, d) IN ((1, it's), (2, z)) ORDER BY (c DESC) LIMIT 5",
	} {
		f.Add([]byte(text), int64(0), []byte("(1), 2"), true)
	}
	schema, _ := ParseSchema([]byte("CREATE TABLE shop.jobs (queue text, id int, PRIMARY KEY (queue, id)); CREATE TABLE a.b (k int, l text, c int, PRIMARY KEY ((k, l), c));"))
	f.Fuzz(func(t *testing.T, text []byte, token int64, row []byte, client bool) {
		p := Parser{Client: client}
		s, err := p.Parse(text)
		if err != nil {
			return
		}
		for _, table := range []*Table{nil, schema.Table("shop", "jobs"), schema.Table("a", "b")} {
			if parts, known := s.Key(table, nil); known && table != nil && len(parts) != len(table.PartitionKey) {
				t.Fatalf("key of %d parts", len(parts))
			}
			s.Key(table, &token)
			s.KeyOfRow(table, row)
			s.Scan(table)
			s.LowerClusteringBound(table)
			s.Partitions(table)
		}
		shape := s.AppendShape(nil)
		again, err := p.Parse(bytes.Clone(text))
		if err != nil {
			t.Fatalf("second reading: %v", err)
		}
		if second := again.AppendShape(nil); !bytes.Equal(shape, second) {
			t.Fatalf("two shapes of one text:\n%s\n%s", shape, second)
		}
		checkInside(t, again, text)
	})
}

// checkInside holds the values of a statement to be well formed.
func checkInside(t *testing.T, s *Statement, text []byte) {
	t.Helper()
	for _, r := range s.Where {
		for _, v := range r.Values {
			if len(v.Text) > len(text) || v.Marker > s.Markers {
				t.Fatalf("value of %d bytes, marker %d of %d, in a text of %d bytes", len(v.Text), v.Marker, s.Markers, len(text))
			}
		}
	}
}

func FuzzParseSchema(f *testing.F) {
	raw, err := os.ReadFile("testdata/describe-5.0.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw[:2000])
	f.Add([]byte("CREATE MATERIALIZED VIEW a.v AS SELECT * FROM a.b WHERE k IS NOT NULL PRIMARY KEY ((k, l), c) WITH x = {'class': 'a.b'}; CREATE INDEX i ON a.b (keys(m)) USING 'C';"))
	f.Add([]byte("USE x; CREATE TABLE IF NOT EXISTS \"T\" (\"k\" frozen<tuple<int,text>> PRIMARY KEY, v int static) WITH CLUSTERING ORDER BY (c DESC) AND compaction = {'class': 'L'}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, faults := ParseSchema(text)
		for _, table := range s.Tables() {
			if table.Offset < 0 || table.Length <= 0 || table.Offset+table.Length > len(text) || len(table.PartitionKey) == 0 {
				t.Fatalf("table %s at %d+%d of %d bytes", table.Name, table.Offset, table.Length, len(text))
			}
		}
		for _, fault := range faults {
			if fault.Offset < 0 || fault.Offset >= len(text) {
				t.Fatalf("fault at %d of %d bytes", fault.Offset, len(text))
			}
		}
	})
}

func FuzzSplitKeyString(f *testing.F) {
	schema, _ := ParseSchema([]byte("CREATE TABLE a.b (k int, l text, c int, PRIMARY KEY ((k, l), c));"))
	f.Add([]byte(`a\:b:c\!`))
	f.Add([]byte("(a, b), c"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, table := range []*Table{nil, schema.table()} {
			if parts := SplitKeyString(text, table); len(parts) == 0 {
				t.Fatal("no parts")
			}
			SplitLastRow(text, table)
		}
		for _, n := range []int{1, 2, 3} {
			if parts, ok := SplitPartitionKey(text, n); ok && !bytes.Equal(AppendPartitionKey(nil, parts...), text) {
				t.Fatalf("%x does not round-trip", text)
			}
		}
	})
}

func FuzzAppendValue(f *testing.F) {
	for _, seed := range [][2]string{{"int", "5"}, {"decimal", "1E+3"}, {"timestamp", "2024-05-02T10:11:12Z"}, {"frozen<map<text, int>>", "{'a': 1}"}, {"tuple<text,int>", "('a', null)"}, {"inet", "::1"}, {"time", "1:02"}} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, typ string, literal []byte) {
		dst := []byte("before")
		out, err := AppendValue(dst, typ, literal)
		if !bytes.HasPrefix(out, []byte("before")) || err != nil && len(out) != len(dst) {
			t.Fatalf("%q after %v", out, err)
		}
		if parsed, _ := parseType(typ); err != nil || parsed.kind == kindTuple { // a printed tuple has several readings
			return
		}
		if text, err := AppendText(nil, typ, out[len(dst):]); err == nil {
			if again, err := AppendValue(nil, typ, text); err == nil {
				second, _ := AppendText(nil, typ, again)
				if !bytes.Equal(text, second) {
					t.Fatalf("%s %q prints %q, then %q", typ, literal, text, second)
				}
			}
		}
		AppendText(nil, typ, literal)
	})
}
