package cassandra

import (
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/google/go-cmp/cmp"
)

func TestValuesArePrintedAsCqlshDoes(t *testing.T) {
	text, bigint := gocql.NewNativeType(4, gocql.TypeVarchar, ""), gocql.NewNativeType(4, gocql.TypeBigInt, "")
	collection := func(kind gocql.Type, key, elem gocql.TypeInfo) gocql.TypeInfo {
		return gocql.CollectionType{NativeType: gocql.NewNativeType(4, kind, ""), Key: key, Elem: elem}
	}
	pair := gocql.TupleTypeInfo{NativeType: gocql.NewNativeType(4, gocql.TypeTuple, ""), Elems: []gocql.TypeInfo{text, bigint}}
	tests := map[string]struct {
		info  gocql.TypeInfo
		value any
		want  string
	}{
		"text as it is":          {text, "it's", "it's"},
		"number":                 {bigint, int64(-7), "-7"},
		"time in UTC":            {gocql.NewNativeType(4, gocql.TypeTimestamp, ""), time.UnixMilli(1_780_000_000_123), "2026-05-28T20:26:40.123Z"},
		"blob":                   {gocql.NewNativeType(4, gocql.TypeBlob, ""), []byte{0xca, 0xfe}, "0xcafe"},
		"map of texts":           {collection(gocql.TypeMap, text, text), map[string]string{"query": "WHERE k = 'x'"}, "{'query': 'WHERE k = ''x'''}"},
		"set":                    {collection(gocql.TypeSet, nil, text), []string{"shop.jobs"}, "{'shop.jobs'}"},
		"list":                   {collection(gocql.TypeList, nil, bigint), []int64{1, 2}, "[1, 2]"},
		"list of tuples":         {collection(gocql.TypeList, nil, pair), [][]any{{"a", int64(12)}, {"b", int64(3)}}, "[('a', 12), ('b', 3)]"},
		"empty map":              {collection(gocql.TypeMap, text, text), map[string]string{}, "{}"},
		"empty text is no null":  {text, "", ""},
		"type that is not known": {gocql.NewNativeType(4, gocql.TypeCustom, "x.Y"), []byte{1}, "0x01"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := gocql.Marshal(tc.info, tc.value)
			if tc.info.Type() == gocql.TypeCustom {
				data, err = tc.value.([]byte), nil
			}
			if err != nil {
				t.Fatal(err)
			}
			var c cell
			if err := gocql.Unmarshal(tc.info, data, &c); err != nil || c == nil {
				t.Fatalf("%v, %v", c, err)
			}
			if d := cmp.Diff(string(c), tc.want); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
	var null cell
	if err := gocql.Unmarshal(text, nil, &null); err != nil || null != nil {
		t.Errorf("null is %q, %v", null, err)
	}
}

func TestValuesThatEndEarlyArePrintedWithoutFault(t *testing.T) {
	text := gocql.NewNativeType(4, gocql.TypeVarchar, "")
	info := gocql.CollectionType{NativeType: gocql.NewNativeType(4, gocql.TypeMap, ""), Key: text, Elem: text}
	whole, err := gocql.Marshal(info, map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		var c cell
		if err := c.UnmarshalCQL(info, whole[:n]); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
