package formats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

func TestSniffingKeyEvents(t *testing.T) {
	const both = `{"ts":"2026-03-01T10:00:00Z","key":"a","pk":"b"}`
	for _, c := range []struct {
		name, head string
		mapping    map[string]string
		format     ingest.Format
		fit        ingest.Fit
		why        string // a part of the reason
	}{
		{"a key and a time", benchLine, nil, KeyEventsNDJSON, ingest.Certain, "partition key"},
		{"a key alone", `{"key":"k"}`, nil, KeyEventsNDJSON, ingest.Possible, "alone"},
		{"an array", "[\n{\"key\":\"k\",\"op\":\"read\"},\n]", nil, KeyEventsNDJSON, ingest.Certain, ""},
		{"bad values are key events all the same", benchLine + "\n" + strings.Repeat(`{"key":"k","ts":"?"}`+"\n", 50), nil, KeyEventsNDJSON, ingest.Certain, ""},
		{"a document with records inside", "[\n {\"case\": 1, \"must\": [\n" + strings.Repeat("  {\"key\":\"k\",\"table\":\"t\"},\n", 20), nil, KeyEventsNDJSON, ingest.No, ""},
		{"two names for the key", both, nil, KeyEventsNDJSON, ingest.Ambiguous, "say --map pk=key or --map pk=pk"},
		{"two names, one chosen", both, map[string]string{"pk": "key"}, KeyEventsNDJSON, ingest.Certain, ""},
		{"two times", `{"ts":1772359200,"timestamp":1772359200,"pk":"b"}`, nil, KeyEventsNDJSON, ingest.Ambiguous, "--map ts=timestamp"},
		{"names of different records do not clash", `{"ts":1772359200,"pk":"b"}` + "\n" + `{"ts":1772359200,"key":"b"}`, nil, KeyEventsNDJSON, ingest.Certain, ""},
		{"two latencies", `{"latency_us":1,"latency_ms":1,"pk":"b"}`, nil, KeyEventsNDJSON, ingest.Ambiguous, "--map latency_us=latency_us"},
		{"no key, but what may be one", `{"ts":1772359200,"customer id":1,"user_id":1,"request_id":2}`, nil, KeyEventsNDJSON, ingest.Ambiguous, "say --map pk=user_id"},
		{"a name that a shell would split", `{"ts":1772359200,"user id":1,"my user_id":1}`, nil, KeyEventsNDJSON, ingest.Ambiguous, "--map pk='my user_id'"},
		{"no key at all", `{"ts":1772359200,"table":"t"}`, nil, KeyEventsNDJSON, ingest.Possible, "without a partition key"},
		{"nothing", `{"level":"info"}`, nil, KeyEventsNDJSON, ingest.No, ""},
		{"a key of a record that has none", benchLine, map[string]string{"pk": "user.id"}, KeyEventsNDJSON, ingest.Ambiguous, "--map"},
		{"text", "WARN something\n", nil, KeyEventsNDJSON, ingest.No, "not one JSON object a line"},
		{"an unknown field", benchLine, map[string]string{"colour": "x"}, KeyEventsNDJSON, ingest.No, "--map colour=x"},
		{"a table", "ts,pk\n1772359200,k\n", nil, KeyEventsCSV, ingest.Certain, ""},
		{"a table with a byte order mark", "\xEF\xBB\xBFpk,ts\r\nk,1772359200\r\n", nil, KeyEventsCSV, ingest.Certain, ""},
		{"a table with a key alone", "pk,x\nk,1\n", nil, KeyEventsCSV, ingest.Possible, "alone"},
		{"a header alone", "pk,ts\n", nil, KeyEventsCSV, ingest.Possible, "no rows"},
		{"two columns for the key", "ts,pk,key\n1772359200,k,k\n", nil, KeyEventsCSV, ingest.Ambiguous, "--map pk=pk or --map pk=key"},
		{"two columns of one name", "ts,pk,pk\n1772359200,k,k\n", nil, KeyEventsCSV, ingest.No, "the column pk and another one may both be the field pk"},
		{"a column that may be the key", "ts;device_id\n1772359200;k\n", nil, KeyEventsCSV, ingest.Ambiguous, "--map pk=device_id"},
		{"a column that --map names", "ts;device_id\n1772359200;k\n", map[string]string{"PK": "Device_ID"}, KeyEventsCSV, ingest.Certain, ""},
		{"rows of another table", "ts,pk\n1,2,3\n1,2,3\n", nil, KeyEventsCSV, ingest.No, "cells"},
		{"JSON is no table", benchLine, nil, KeyEventsCSV, ingest.No, "no header"},
		{"prose is no table", "the key, he said\nwas lost\n", nil, KeyEventsCSV, ingest.No, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.format.Sniff([]byte(c.head+"\n"), ingest.DecodeOptions{Map: c.mapping})
			if v.Fit != c.fit || !strings.Contains(v.Why, c.why) {
				t.Errorf("got fit %d, %q, want %d, with %q", v.Fit, v.Why, c.fit, c.why)
			}
		})
	}
}

func TestMapsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		mapping map[string]string
		want    string
	}{
		{map[string]string{"colour": "x"}, "--map colour=x: colour is none of the fields that a key event has"},
		{map[string]string{"pk": ""}, "--map pk=: a field's name is empty"},
		{map[string]string{"pk": "a+"}, "--map pk=a+: a field's name is empty"},
		{map[string]string{"key": "a", "pk": "b"}, "--map pk=b: this field is mapped twice"},
		{map[string]string{"pk": "a", "sk": "A"}, "--map sk=A: A is used twice"},
		{map[string]string{"pk": strings.Repeat("a+", 32) + "a"}, "--map pk=" + strings.Repeat("a+", 32) + "a: at most 32 components"},
	} {
		_, err := newPlan(ingest.DecodeOptions{Map: c.mapping})
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text  string
		milli uint64
		ok    bool
	}{
		{"0", 0, true}, {"0.5", 500, true}, {"12", 12000, true}, {"12.345", 12345, true}, {"12.3454", 12345, true},
		{"12.3455", 12346, true}, {"0.30000000000000004", 300, true}, {".5", 500, true}, {"5.", 5000, true},
		{"1e3", 1_000_000, true}, {"1.5E-1", 150, true}, {"1e-9", 0, true}, {"5e-4", 1, true}, {"4e-4", 0, true}, {"1e-999", 0, true},
		{"99999999999999999", 0, false}, {"9999999999999999", 9999999999999999000, true},
		{"0e999", 0, true}, {"1e16", 1e19, true}, {"2e16", 0, false}, {"1e9999", 0, false}, {"1e", 0, false}, {"e1", 0, false}, {"", 0, false},
		{".", 0, false}, {"-1", 0, false}, {"1,5", 0, false}, {"0x10", 0, false}, {"NaN", 0, false}, {"1.2.3", 0, false},
	} {
		got, ok := thousandths([]byte(c.text))
		if ok != c.ok || ok && got != c.milli {
			t.Errorf("%q: got %d %v, want %d %v thousandths", c.text, got, ok, c.milli, c.ok)
		}
	}
	for _, c := range []struct {
		text string
		want uint64
		ok   bool
	}{
		{"0", 0, true}, {"7", 7, true}, {"512", 512, true}, {"12345678", 12345678, true}, {"123456789", 123456789, true},
		{"999999999999999999", 999999999999999999, true}, {"12.0", 12, true}, {"1.2e1", 12, true}, {"12.5", 0, false},
		{"-1", 0, false}, {"1 ", 0, false}, {"1:", 0, false}, {"", 0, false}, {"12345678901234567890", 0, false},
	} {
		for _, text := range [][]byte{padded([]byte(c.text)), []byte(c.text)[:len(c.text):len(c.text)]} {
			if got, ok := whole(text); ok != c.ok || ok && got != c.want {
				t.Errorf("%q: got %d %v, want %d %v", c.text, got, ok, c.want, c.ok)
			}
		}
	}
}

func TestOperations(t *testing.T) {
	for text, want := range map[string]ingest.Op{
		"read": ingest.OpRead, "READ": ingest.OpRead, "GetItem": ingest.OpRead, "query": ingest.OpRead, "Select": ingest.OpRead,
		"BatchGetItem": ingest.OpRead, "TransactGetItems": ingest.OpRead, "scan": ingest.OpScan, "write": ingest.OpWrite,
		"put": ingest.OpWrite, "PutItem": ingest.OpWrite, "INSERT": ingest.OpWrite, "BatchWriteItem": ingest.OpWrite,
		"TransactWriteItems": ingest.OpWrite, "update": ingest.OpUpdate, "UpdateItem": ingest.OpUpdate, "MODIFY": ingest.OpUpdate,
		"delete": ingest.OpDelete, "DeleteItem": ingest.OpDelete, "REMOVE": ingest.OpDelete, "": ingest.OpUnknown,
		"polish": ingest.OpUnknown, "reads": ingest.OpUnknown, "updateitems": ingest.OpUnknown,
	} {
		for _, b := range [][]byte{padded([]byte(text)), []byte(text)[:len(text):len(text)]} {
			if got := opOf(b); got != want {
				t.Errorf("%q: got %v, want %v", text, got, want)
			}
		}
	}
	for _, w := range opWords {
		if got := shortOps[w.word*opFactor>>opShift]; got != w {
			t.Errorf("the slot of word %x holds %x", w.word, got.word)
		}
	}
}

// What the envelope says counts where the record says nothing, and must not stay for the next record.
func TestTheEnvelopeHelpsOut(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).UnixNano()
	ndjson, _ := newNDJSON(nil, ingest.DecodeOptions{})
	csv, _ := newCSV([]byte("table,key"), ingest.DecodeOptions{})
	for _, c := range []struct {
		decoder ingest.Decoder
		data    string
	}{{ndjson, `{"table":"t","key":"k"}`}, {csv, "t,k"}} {
		var sink recorder
		for i := range 12 {
			rec := ingest.Record{Data: padded([]byte(c.data))}
			if i%3 == 1 {
				rec.UnixNano, rec.Node = at, []byte("n")
			}
			c.decoder.Decode(&rec, &sink)
		}
		bare, helped := `event keyknown=true table="t" key="k"`, `event keyknown=true table="t" key="k" node="n" time=2026-03-01T10:00:00Z`
		if diff := cmp.Diff(sink.said[:6], []string{bare, helped, bare, bare, helped, bare}); diff != "" {
			t.Errorf("%s (-got +want):\n%s", c.data, diff)
		}
	}
}

func TestTimesWithoutZoneAreInTheGivenLocation(t *testing.T) {
	d, _ := newNDJSON(nil, ingest.DecodeOptions{Location: time.FixedZone("", 2*3600)})
	got := said(d, []byte(`{"ts":"2026-03-01 12:00:00","key":"k"}`))
	want := []string{`event keyknown=true key="k" time=2026-03-01T10:00:00Z`}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// The traps of sketches that decoders are to keep off have the numbers that sketch/trap_test.go goes on with.
func TestTrap10EscapesOfOneKeyAreOneKey(t *testing.T) {
	d, _ := newNDJSON(nil, ingest.DecodeOptions{})
	for form, want := range map[string]string{
		`ab`: "ab", `a\u0062`: "ab", `\u0061\u0062`: "ab", `a\/b`: "a/b", `a/b`: "a/b",
		`\ud83d\ude00`: "\U0001f600", "\U0001f600": "\U0001f600", "\xff\xfe": "\xff\xfe",
	} {
		got := said(d, []byte(`{"key":"`+form+`"}`))
		if diff := cmp.Diff(got, []string{fmt.Sprintf("event keyknown=true key=%q", ingest.AppendKey(nil, []byte(want)))}); diff != "" {
			t.Errorf("%s (-got +want):\n%s", form, diff)
		}
	}
}

func TestTrap17AClockThatIsWrongOpensNoPanes(t *testing.T) {
	d, _ := newNDJSON(nil, ingest.DecodeOptions{})
	for at, want := range map[string]string{
		"2016-12-31T23:59:60Z": `event keyknown=true key="k" time=2016-12-31T23:59:59Z`, // a leap second
		"0000-01-01T00:00:00Z": "problem cause=\"" + ingest.TimeOutOfRange + "\"",
		"9999-01-01T00:00:00Z": "problem cause=\"" + ingest.TimeOutOfRange + "\"",
	} {
		got := said(d, []byte(`{"ts":"`+at+`","key":"k"}`))
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: got %q, want %q", at, got, want)
		}
	}
}

// The benchmarks are of the ways that they are named for.
func TestTheFastWayIsTaken(t *testing.T) {
	for name, lines := range benchInputs() {
		d, ok := benchDecoder(t, name).(*ndjson)
		if !ok {
			continue
		}
		recs, _ := records(lines)
		var sink countingSink
		slow := 0
		for i := range recs {
			d.begin(recs[i].At)
			if !d.fast(recs[i].Data) {
				slow++
			}
			d.Decode(&recs[i], &sink)
		}
		if shuffled := strings.Contains(name, "shuffled"); (slow > 1) != shuffled || sink.problems > 0 {
			t.Errorf("%s: %d of %d records took the general way, with %d problems", name, slow, len(recs), sink.problems)
		}
	}
}

// A reader puts records side by side, so what stands behind a record may look like its end.
func TestWhatStandsBehindARecordIsNotRead(t *testing.T) {
	const row = "2026-03-01T10:00:00.123Z,orders,read,T0001#U#0123456789abcdef,512"
	for _, c := range []struct {
		name, whole string
		decoder     func() (ingest.Decoder, error)
	}{
		{"ndjson", benchLine, func() (ingest.Decoder, error) { return newNDJSON(nil, ingest.DecodeOptions{}) }},
		{"csv", row, func() (ingest.Decoder, error) { return newCSV([]byte("ts,table,op,key,bytes"), ingest.DecodeOptions{}) }},
	} {
		for cut := range len(c.whole) {
			fresh, _ := c.decoder()
			want := said(fresh, []byte(c.whole)[:cut:cut])
			for _, behind := range []string{c.whole[cut:] + "\n", "0", `"`, ",", "}", "\\", "\x00"} {
				d, _ := c.decoder()
				for range sameOften + 4 {
					said(d, padded([]byte(c.whole)))
				}
				data := []byte(c.whole[:cut] + strings.Repeat(behind, 1+pastRecord/len(behind)))[:cut]
				for range sameOften + 4 {
					if got := said(d, data); !cmp.Equal(got, want) {
						t.Fatalf("%s cut at byte %d, then %.20q (-got +want):\n%s", c.name, cut, behind, cmp.Diff(got, want))
					}
				}
			}
		}
	}
}
