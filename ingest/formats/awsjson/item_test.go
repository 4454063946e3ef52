package awsjson

import (
	"strings"
	"testing"
)

func TestNumbersHaveTheSizesThatDynamoDBCounts(t *testing.T) {
	for text, want := range map[string]uint64{
		"3": 2, "101": 3, "2060": 3, "1720046486": 6, "63.06": 3, "1000": 2, "-5": 3, "0": 1, "-0.0": 1, "0.5": 2,
		"100": 2, "10": 2, "0.001": 2, "1e2": 2, "1E-3": 2, "12345678901234567890123456789012345678": 20, "-3.5": 4, "": 1,
		"-1234567890123456789012345678901234567.8": 21,
	} {
		if got := NumberSize([]byte(text)); got != want {
			t.Errorf("%q: got %d bytes, want %d", text, got, want)
		}
	}
}

// The sizes are those that recorded stream records give as SizeBytes, less that of their other parts.
func TestItemsHaveTheSizesThatStreamRecordsGive(t *testing.T) {
	for _, c := range []struct {
		name, item string
		want       uint64
	}{
		{"two keys", `{"sk":{"S":"b"},"pk":{"S":"a"}}`, 6},
		{"a text more", `{"data":{"S":"test"},"sk":{"S":"b"},"pk":{"S":"a"}}`, 14},
		{"numbers", `{"customer":{"S":"Bob Lee"},"order_id":{"N":"3"},"status":{"N":"4"}}`, 33},
		{
			"every type as a member, and binary", `{"val":{"B":null,"S":"data","SS":null},"asdf1":{"B":"AAEqQQ==","NULL":null},
			"asdf2":{"S":null,"BS":["AAEqQQ==","QSoBAA=="]},"key":{"N":null,"S":"binary"}}`, 7 + 9 + 13 + 9,
		},
		{"true, false and null", `{"a":{"BOOL":true},"b":{"BOOL":false},"c":{"NULL":true}}`, 6},
		{"a map and a list", `{"m":{"M":{"k":{"S":"xy"}}},"l":{"L":[{"N":"1"},{"S":""}]}}`, 1 + 3 + 1 + 2 + 1 + 1 + 3 + 2 + 1 + 0 + 1},
		{"escapes", `{"a":{"S":"\"\\\u00e9\ud83d\ude00\n"}}`, 1 + 1 + 1 + 2 + 4 + 1},
		{"half a surrogate, and one after another sign", `{"a":{"S":"\ud83d"},"b":{"S":"\ud000\ud83d\ude00"}}`, 1 + 3 + 1 + 3 + 4},
		{"an empty item", `{}`, 0},
	} {
		r := Read([]byte(c.item), 0)
		if got := r.Item(nil); got != c.want || r.Broken() {
			t.Errorf("%s: got %d bytes (broken: %v), want %d", c.name, got, r.Broken(), c.want)
		}
	}
}

func TestItemsGiveTheAttributesThatAreWanted(t *testing.T) {
	want := []Attribute{{Name: []byte("pk")}, {Name: []byte("sk")}, {Name: []byte("none")}}
	r := Read([]byte(`{"a":{"S":"x"},"sk":{"N":"7"},"pk":{"B":"AQI="}}`), 0)
	r.Item(want)
	if got := string(want[0].Append(nil)); got != "\x01\x02" {
		t.Errorf("got %q, want the bytes of the binary key", got)
	}
	if got := string(want[1].Append(nil)); got != "7" || want[1].Kind != 'N' {
		t.Errorf("got %q of kind %c, want the number as printed", got, want[1].Kind)
	}
	if want[2].Kind != 0 {
		t.Errorf("got an attribute that is not there: %v", want[2])
	}
}

func TestBrokenItemsEndTheReading(t *testing.T) {
	for _, text := range []string{
		`{"a":{"S":"x"}`, `{"a":`, `{"a"`, `{`, `{"a":{"L":[{"S":"x"}`, `{"a":{"M":{"b":}}}`, `{"a":{"S":"x"} "b":1}`, `{"a":{"SS":["x"`,
		strings.Repeat(`{"a":{"M":`, 300), `{"a":{"L":` + strings.Repeat(`[{"L":`, 300),
	} {
		r := Read([]byte(text), 0)
		if r.Item(nil); !r.Broken() {
			t.Errorf("%.40q: read as a whole item", text)
		}
	}
}
