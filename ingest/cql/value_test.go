package cql

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestAppendValue(t *testing.T) {
	for _, c := range []struct{ typ, literal, want, text string }{ // text "": as the literal
		{"text", "a:b", "613a62", ""},
		{"int", "-2", "fffffffe", ""},
		{"int", "2147483648", "-", ""},
		{"bigint", "-9223372036854775808", "8000000000000000", ""},
		{"smallint", "258", "0102", ""},
		{"tinyint", "-128", "80", ""},
		{"tinyint", "128", "-", ""},
		{"varint", "0", "00", ""},
		{"varint", "127", "7f", ""},
		{"varint", "128", "0080", ""},
		{"varint", "-128", "80", ""},
		{"varint", "-129", "ff7f", ""},
		{"varint", "18446744073709551616", "010000000000000000", ""},
		{"decimal", "1.50", "000000020096", ""},
		{"decimal", "1E+3", "fffffffd01", ""},
		{"decimal", "-0.000000015", "00000009f1", "-1.5E-8"},
		{"boolean", "TRUE", "01", "true"},
		{"boolean", "false", "00", ""},
		{"float", "1.0E10", "501502f9", ""},
		{"double", "-0.1", "bfb999999999999a", ""},
		{"double", "NaN", "7ff8000000000000", ""},
		{"double", "Infinity", "7ff0000000000000", ""},
		{"uuid", "7B2F3C5E-0000-4000-8000-00000000BEEF", "7b2f3c5e000040008000" + "00000000beef", "7b2f3c5e-0000-4000-8000-00000000beef"},
		{"timestamp", "'2024-05-02T10:11:12.345Z'", "0000018f38c95f59", "2024-05-02T10:11:12.345Z"},
		{"timestamp", "2024-05-02 06:11:12.345-0400", "0000018f38c95f59", "2024-05-02T10:11:12.345Z"},
		{"timestamp", "1714644672345", "0000018f38c95f59", "2024-05-02T10:11:12.345Z"},
		{"timestamp", "2024-13-02", "-", ""},
		{"date", "2026-11-20", "80005129", ""},
		{"date", "1969-12-31", "7fffffff", ""},
		{"time", "08:12:54.123456789", "00001ae5c31f8915", ""},
		{"inet", "10.0.0.1", "0a000001", ""},
		{"inet", "2001:db8::1", "20010db8000000000000000000000001", "2001:db8:0:0:0:0:0:1"},
		{"blob", "0xCAFE", "cafe", "cafe"},
		{"blob", "cafe", "cafe", ""},
		{"blob", "caf", "-", ""},
		{"frozen<list<int>>", "[1, 2]", "00000002" + "0000000400000001" + "0000000400000002", "-"},
		{"frozen<set<text>>", "{'b', 'a''', 'b'}", "00000002" + "000000026127" + "0000000162", "-"},
		{"frozen<map<text, int>>", "{'k': 7}", "00000001" + "000000016b" + "0000000400000007", "-"},
		{"tuple<text, int, boolean>", "('a:@', null, true)", "00000003613a40" + "ffffffff" + "0000000101", `a\:\@:@:true`},
		{"tuple<text, int, boolean>", `a\:\@:@:true`, "00000003613a40" + "ffffffff" + "0000000101", ""},
		{"org.apache.cassandra.db.marshal.ReversedType(org.apache.cassandra.db.marshal.LongType)", "7", "0000000000000007", ""},
		{"duration", "1d", "-", ""},
		{"addr", "{street: 'x'}", "-", ""},
	} {
		got, err := AppendValue([]byte("x"), c.typ, []byte(c.literal))
		if c.want == "-" {
			if err == nil {
				t.Errorf("%s %s: got %x, want an error", c.typ, c.literal, got[1:])
			}
			continue
		}
		if err != nil || hex.EncodeToString(got[1:]) != c.want {
			t.Errorf("%s %s: got %x, %v, want %s", c.typ, c.literal, got[1:], err, c.want)
			continue
		}
		if c.text == "-" {
			continue
		}
		text, err := AppendText(nil, c.typ, got[1:])
		if want := cmpOr(c.text, c.literal); err != nil || string(text) != want {
			t.Errorf("text of %s %s: got %s, %v, want %s", c.typ, c.literal, text, err, want)
		}
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func TestValuesRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	sizes := map[string]int{"int": 4, "bigint": 8, "smallint": 2, "tinyint": 1, "uuid": 16, "inet": 16, "double": 8, "float": 4, "date": 4, "blob": 9, "varint": 11, "decimal": 12}
	for typ, size := range sizes {
		for range 500 {
			value := make([]byte, size)
			for i := range value {
				value[i] = byte(random.Uint32())
			}
			if typ == "decimal" {
				copy(value, []byte{0, 0, 0, byte(random.Uint32() % 40)})
			}
			if typ == "date" { // years of four digits
				value[0], value[1] = 0x80, 0
			}
			text, err := AppendText(nil, typ, value)
			if err != nil {
				t.Fatalf("%s %x: %v", typ, value, err)
			}
			back, err := AppendValue(nil, typ, text)
			again, _ := AppendText(nil, typ, back)
			if err != nil || !bytes.Equal(back, value) && (typ != "varint" && typ != "decimal" && string(text) != "NaN" || !bytes.Equal(text, again)) {
				t.Fatalf("%s %x prints %s, which is %x, %v", typ, value, text, back, err)
			}
		}
	}
}

func TestPartitionKeyForms(t *testing.T) {
	parts := [][]byte{[]byte("user-77"), []byte("2023-05")}
	key := AppendPartitionKey(nil, parts...)
	if got := hex.EncodeToString(key); got != "0007757365722d3737000007323032332d303500" {
		t.Errorf("got %s", got)
	}
	back, ok := SplitPartitionKey(key, 2)
	if !ok || joined(back) != "user-77|2023-05" {
		t.Errorf("got %s, %v", joined(back), ok)
	}
	if _, ok := SplitPartitionKey(key[:8], 2); ok {
		t.Error("a cut key was taken apart")
	}
	if got, err := TokenOf([]string{"text", "date"}, [][]byte{[]byte("eu-west"), []byte("2026-11-20")}); err != nil || got != Token(mustHex(t, "000765752d776573740000048000512900")) {
		t.Errorf("token of a composite key: got %d, %v", got, err)
	}
}

func mustHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSplitKeyString(t *testing.T) {
	three, _ := ParseSchema([]byte("CREATE TABLE a.b (a text, b text, c text, PRIMARY KEY ((a, b, c)));"))
	one, _ := ParseSchema([]byte("CREATE TABLE a.b (a text PRIMARY KEY);"))
	for _, c := range []struct {
		name, text string
		schema     *Schema
		want       string
	}{
		{"an escape proves components, from a public log of Cassandra 2.1", `10.7.35.209:2016-10-19 20\:00-0400`, nil, "10.7.35.209|2016-10-19 20:00-0400"},
		{"a colon alone does not", "q:dead letters", nil, "q:dead letters"},
		{"a single key has no escapes", `a\:b`, one, `a\:b`},
		{"empty and escaped components", `:a\!:b\:c!`, three, `|a\|b:c!`},
		{"from a capture of Cassandra 5.0", `2026-11-20T10\:11\:12.345Z:true:a\:b\!`, three, `2026-11-20T10:11:12.345Z|true|a:b\`},
		{"a wrong number is returned whole", "a:b", three, "a:b"},
	} {
		if got := joined(SplitKeyString([]byte(c.text), c.schema.table())); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for _, parts := range [][]string{{"a", "b:c", `d\`}, {"!", "", ":"}} {
		list := make([][]byte, len(parts))
		for i := range parts {
			list[i] = []byte(parts[i])
		}
		text := AppendKeyString(nil, list...)
		if got := joined(SplitKeyString(text, three.table())); got != joined(list) {
			t.Errorf("%s: got %q, want %q", strconv.Quote(string(text)), got, joined(list))
		}
	}
}

// table is the only table of a schema, nil without a schema.
func (s *Schema) table() *Table {
	if s == nil {
		return nil
	}
	return s.Tables()[0]
}

func TestSplitLastRow(t *testing.T) {
	two, _ := ParseSchema([]byte("CREATE TABLE a.b (a text, b text, c text, PRIMARY KEY ((a, b), c));"))
	for _, c := range []struct {
		text   string
		schema *Schema
		want   string
		known  bool
	}{
		{"(invalidations), 2019-07-29 01:42-0500, 3e383eef", nil, "invalidations", true},
		{"(7290116045, 004, BRQX), 62", nil, "7290116045|004|BRQX", false},
		{"(a, b), c", two, "a|b", true},
		{"(a, x, b), c", two, "a|x|b", false},
		{"a, b", two, "a|b", true},
		{"(a, b), c), d", two, "a|b", false},
	} {
		parts, known := SplitLastRow([]byte(c.text), c.schema.table())
		if got := joined(parts); got != c.want || known != c.known {
			t.Errorf("%s: got %q, %v, want %q, %v", c.text, got, known, c.want, c.known)
		}
	}
}
