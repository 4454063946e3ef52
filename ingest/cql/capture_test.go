package cql

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

// captured is one line of testdata/statements.tsv.
type captured struct {
	version   string
	token     int64
	row, text string
	key       string
}

func capturedStatements(t testing.TB) []captured {
	t.Helper()
	raw, err := os.ReadFile("testdata/statements.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var list []captured
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		c := captured{version: f[0]}
		if c.token, err = strconv.ParseInt(f[1], 10, 64); err != nil {
			t.Fatal(err)
		}
		for i, dst := range []*string{&c.row, &c.text, &c.key} {
			if *dst, err = strconv.Unquote(f[2+i]); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		list = append(list, c)
	}
	return list
}

func capturedSchema(t testing.TB) *Schema {
	t.Helper()
	raw, err := os.ReadFile("testdata/describe-5.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, faults := ParseSchema(raw)
	if len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	return s
}

func joined(parts [][]byte) string { return string(bytes.Join(parts, []byte("|"))) }

func TestKeysOfCapturedStatements(t *testing.T) {
	schema := capturedSchema(t)
	var p Parser
	for _, c := range capturedStatements(t) {
		s, err := p.Parse([]byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		table := schema.Table(s.Keyspace, s.Table)
		if table == nil {
			t.Fatalf("%s: table %s.%s is not in the schema", c.text, s.Keyspace, s.Table)
		}
		for _, schemaOf := range []*Table{nil, table} {
			parts, known := s.Key(schemaOf, &c.token)
			if got := joined(parts); known != (c.key != "-") || known && got != c.key {
				t.Errorf("%s, schema %v: %q\n got key %q, %v, want %q", c.version, schemaOf != nil, c.text, got, known, c.key)
			}
			if c.row != "-" {
				parts, known = s.KeyOfRow(schemaOf, []byte(c.row))
				if got := joined(parts); known != (c.key != "-") || known && got != c.key {
					t.Errorf("%s by row %q: %q\n got key %q, %v, want %q", c.version, c.row, c.text, got, known, c.key)
				}
			}
			if scan, known := s.Scan(schemaOf); scan != !s.where && known {
				t.Errorf("%s: %q: got scan %v", c.version, c.text, scan)
			}
		}
		other := c.token + 1
		if parts, known := s.Key(nil, &other); known {
			t.Errorf("%q with a token that is not its own: got key %q", c.text, parts)
		}
	}
}

func TestKey(t *testing.T) {
	schema, faults := ParseSchema([]byte(`CREATE TABLE a.b (k int, l text, c timestamp, v text, PRIMARY KEY ((k, l), c));
CREATE TABLE a.one (k blob PRIMARY KEY, v text); CREATE TABLE a.t (k timestamp, u uuid, PRIMARY KEY ((k, u)));`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, c := range []struct {
		name, text, table string
		client            bool
		token             string // types and values that make it
		row               string
		want              string // "-": unknown
	}{
		{name: "one leading equality is assumed to be the key", text: "SELECT * FROM a.x WHERE id = 7 LIMIT 5", want: "7"},
		{name: "a list of equalities does not tell its key", text: "SELECT * FROM a.x WHERE k = 1 AND l = 'x' ALLOW FILTERING", want: "-"},
		{name: "a token tells the first of equalities", text: "SELECT * FROM a.x WHERE k = 1 AND l = 'x' ALLOW FILTERING", token: "bigint 1", want: "1"},
		{name: "a token tells both equalities", text: "SELECT * FROM a.x WHERE k = 1 AND l = 'x' ALLOW FILTERING", token: "int 1 text x", want: "1|x"},
		{name: "a token refutes an index", text: "SELECT * FROM a.x WHERE v = 1 LIMIT 5", token: "text y", want: "-"},
		{name: "a row refutes an index, from a public log of DSE 5.1", text: "SELECT * FROM a.x WHERE kind = pmoran@examplemail.com LIMIT 300", row: "(7290116045, 004, BRQX), 62", want: "-"},
		{name: "a row splits a comma list", text: "SELECT * FROM a.x WHERE k, l = a, b, c LIMIT 300", row: "(a, b, c), 62", want: "a|b, c"},
		{name: "a token splits a comma list", text: "SELECT * FROM a.x WHERE k, l = a, b, c LIMIT 300", token: "text a,_b text c", want: "a, b|c"},
		{name: "a token finds the end of a value", text: "SELECT * FROM a.x WHERE k = a AND b = c LIMIT 3 AND d = e LIMIT 4", token: "text a_AND_b_=_c_LIMIT_3", want: "a AND b = c LIMIT 3"},
		{name: "a schema names the key", text: "SELECT * FROM a.b WHERE k = 1 AND l = 'x' AND c > '2024-01-01'", table: "b", want: "1|x"},
		{name: "a schema refuses half a key", text: "SELECT * FROM a.b WHERE k = 1", table: "b", want: "-"},
		{name: "a list of one is bound", text: "SELECT * FROM a.b WHERE k IN (1) AND l = 'x'", table: "b", want: "1|x"},
		{name: "a list of two is not", text: "SELECT * FROM a.b WHERE k IN (1, 2) AND l = 'x'", table: "b", want: "-"},
		{name: "an insert needs a schema", client: true, text: "INSERT INTO a.b (l, k, c) VALUES ('x', 1, 2)", want: "-"},
		{name: "an insert with a schema", client: true, text: "INSERT INTO a.b (l, k, c) VALUES ('x', 1, 2)", table: "b", want: "1|x"},
		{name: "a bind marker is no key", client: true, text: "SELECT * FROM a.b WHERE k = ? AND l = 'x'", table: "b", want: "-"},
		{name: "a blob loses its 0x", text: "SELECT * FROM a.one WHERE k = 0xCAFE ALLOW FILTERING", table: "one", want: "cafe"},
		{name: "a blob loses its 0x without a schema", text: "SELECT * FROM a.one WHERE k = 0xcafe ALLOW FILTERING", want: "cafe"},
		{name: "a filter of a client is no key", client: true, text: "SELECT * FROM a.x WHERE v = 1 ALLOW FILTERING", want: "-"},
		{name: "null is no key", text: "SELECT * FROM a.x WHERE v = null ALLOW FILTERING", want: "-"},
		{name: "a token range is no key", text: "SELECT * FROM a.x WHERE v = 1 AND token(k) > 5", want: "-"},
		{name: "a timestamp gets one form", client: true, text: "SELECT * FROM a.t WHERE k = '2024-05-02 12:11:12+0200' AND u = 7B2F3C5E-0000-4000-8000-00000000BEEF", table: "t", want: "2024-05-02T10:11:12.000Z|7b2f3c5e-0000-4000-8000-00000000beef"},
		{name: "a timestamp to the minute is kept", text: "SELECT * FROM a.t WHERE k, u = 2024-05-02 10:11+0000, 7b2f3c5e-0000-4000-8000-00000000beef LIMIT 5", table: "t", token: "int 1", want: "2024-05-02 10:11+0000|7b2f3c5e-0000-4000-8000-00000000beef"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Parser{Client: c.client}
			s, err := p.Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			table := schema.Table("a", c.table)
			var parts [][]byte
			var known bool
			switch {
			case c.token != "":
				token := tokenOf(t, c.token)
				parts, known = s.Key(table, &token)
			case c.row != "":
				parts, known = s.KeyOfRow(table, []byte(c.row))
			default:
				parts, known = s.Key(table, nil)
			}
			if got := joined(parts); known != (c.want != "-") || known && got != c.want {
				t.Errorf("got %q, %v, want %q", got, known, c.want)
			}
		})
	}
}

// tokenOf is the token of a list of types and values, whose blanks are written as underscores.
func tokenOf(t *testing.T, list string) int64 {
	t.Helper()
	f := strings.Fields(list)
	var types []string
	var values [][]byte
	for i := 0; i < len(f); i += 2 {
		types, values = append(types, f[i]), append(values, []byte(strings.ReplaceAll(f[i+1], "_", " ")))
	}
	token, err := TokenOf(types, values)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestScanAndBounds(t *testing.T) {
	schema, _ := ParseSchema([]byte(`CREATE TABLE a.b (k int, c int, v int, PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC);`))
	table := schema.Table("a", "b")
	for _, c := range []struct {
		text               string
		client, schema     bool
		scan, known, lower bool
		partitions         uint64
	}{
		{text: "SELECT * FROM a.b LIMIT 10", scan: true, known: true},
		{text: "SELECT * FROM a.b …"},
		{text: "SELECT * FROM a.b WHERE token(k) > 5", scan: true, known: true},
		{text: "SELECT * FROM a.b WHERE v > 5 ALLOW FILTERING", scan: true, known: true},
		{text: "SELECT * FROM a.b WHERE k = 5 LIMIT 10", known: true, partitions: 1},
		{text: "SELECT * FROM a.b WHERE k = 5 AND c > 3 LIMIT 10", known: true, lower: true, partitions: 1},
		{text: "SELECT * FROM a.b WHERE k = 5 AND c > 3 LIMIT 10", schema: true, known: true, partitions: 1},
		{text: "SELECT * FROM a.b WHERE k = 5 AND c < 3 LIMIT 10", schema: true, known: true, lower: true, partitions: 1},
		{text: "SELECT * FROM a.b WHERE k = 5 AND c < 3 ORDER BY c ASC LIMIT 10", schema: true, known: true, partitions: 1},
		{text: "SELECT * FROM a.b WHERE k = 5 AND v = 3 LIMIT 10 ALLOW FILTERING", schema: true, known: true, partitions: 1},
		{text: "SELECT * FROM a.b WHERE c = 5", schema: true, scan: true, known: true, lower: true},
		{text: "SELECT * FROM a.b WHERE v = 5 ALLOW FILTERING", client: true},
		{text: "SELECT * FROM a.b WHERE v > 5 ALLOW FILTERING", client: true, scan: true, known: true},
		{text: "SELECT * FROM a.b | 10.0.0.1 | 21"},
		{text: "SELECT * FROM a.b WHERE k IN (1, 2, 3)", client: true, known: true, partitions: 3},
		{text: "SELECT * FROM a.b WHERE k IN ?", client: true, schema: true, known: true},
	} {
		p := Parser{Client: c.client}
		s, err := p.Parse([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var given *Table
		if c.schema {
			given = table
		}
		scan, known := s.Scan(given)
		if scan != c.scan || known != c.known {
			t.Errorf("%s, schema %v: got scan %v, known %v", c.text, c.schema, scan, known)
		}
		if got := s.LowerClusteringBound(given); got != c.lower {
			t.Errorf("%s, schema %v: got lower bound %v", c.text, c.schema, got)
		}
		if got := s.Partitions(given); got != c.partitions {
			t.Errorf("%s, schema %v: got %d partitions, want %d", c.text, c.schema, got, c.partitions)
		}
	}
}
