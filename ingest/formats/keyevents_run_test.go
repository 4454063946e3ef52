package formats

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

// A placedRecorder writes down where events stand, too.
type placedRecorder struct{ recorder }

func (r *placedRecorder) Event(e *ingest.Event) {
	r.recorder.Event(e)
	r.said[len(r.said)-1] += fmt.Sprintf(" byte=%d", e.At.Byte)
}

func (r *placedRecorder) Plains(p *ingest.Plains) {
	var e ingest.Event
	for i := range p.Events {
		p.Fill(i, &e)
		r.Event(&e)
	}
}

// readLines gives what the lines of text say: with runs those behind a record are first offered to Run, of which the
// first call sees no more than cut bytes.
func readLines(d ingest.Decoder, text []byte, runs bool, cut int) (said []string, inRuns int) {
	sink := &placedRecorder{}
	text = padded(text)
	for at, line := 0, uint64(1); at < len(text); {
		size := bytes.IndexByte(text[at:], '\n')
		next := at + size + 1
		if size < 0 {
			size, next = len(text)-at, len(text)
		}
		data := text[at : at+size]
		data = bytes.TrimSuffix(data, []byte("\r"))
		if len(data) > 0 {
			d.Decode(&ingest.Record{Data: data, At: ingest.Position{Byte: uint64(at), Line: line}}, sink)
		}
		at, line = next, line+1
		for runs {
			end := max(min(cut, len(text)), at)
			size, n := d.(ingest.Runner).Run(text[at:end], ingest.Position{Byte: uint64(at), Line: line}, sink)
			at, line, inRuns, cut = at+size, line+uint64(n), inRuns+n, len(text)
			if n == 0 {
				break
			}
		}
	}
	return sink.said, inRuns
}

const runLines = `{"ts":"2026-03-01T10:00:00.123Z","table":"orders","op":"read","key":"T0001#U#0123456789abcdef","bytes":512}
{"ts":"2026-03-01T10:00:00.124Z","table":"a table with a longer name","op":"delete","key":"k","bytes":7}
{"ts":"2026-03-01T10:00:59.999Z","table":"a table with a longer name!","op":"odd","key":"","bytes":00}
{"ts":"2026-03-01T10:01:00.000Z","table":"orders","op":"read","key":"T0001#U#é123456789abcde","bytes":512}
{"ts":"2026-03-01T10:01:00.000Z","table":"orders","op":"read","key":"T0001","x":"23456789abcdef","bytes":5.0}
{"ts":"2026-03-01T10:01:00.000Z","table":"orders","op":"read","key":"T0","x":"3456789abcdef","bytes":5}
{"ts":"2026-03-01T10:01:00.000Z","table":"orders","op":"read","key":"T0001#\\u#0123456789abcde","bytes":5}
{"ts":"2026-03-01T10:01:00.000Z","table":"","op":"","key":"T0001#\"#0123456789abcdef","bytes":-5}

{"ts":"2026-03-01T10:01:01.000Z","table":"orders","op":"read","key":"T0001#U#0123456789abcdef","bytes":99999999}
{"ts":"2026-03-01T10:01:01.000Z","table":"orders","op":"read","key":"T0001#U#0123456789abcdef","bytes":1}`

// escaped are records with escapes, good and bad, in keys and in what is not used; and with values without quotes.
var escaped = []string{
	`{"note":"","key":"k","on":true,"bytes":1}`,
	`{"note":"say \"hello\" \\","key":"\"\\\/\b\f\n\r\t","on":false,"bytes":1}`,
	`{"note":"\u00e9\\","key":"\u00E9é\ud83d\ude00","on":null,"bytes":1}`,
	`{"note":"\ud83d","key":"\ud83d\ud83d\ude00 \ude00","on":-1,"bytes":1}`,
	`{"note":"\x","key":"\x\u00g0\u","on":truer,"bytes":1}`,
	`{"note":"\x","key":"\x\u00g0\u","on":tru,"bytes":1}`,
	`{"note":"","key":"\u00ff\u0000","on":nul,"bytes":1}`,
	"{\"note\":\"\",\"key\":\"\xff\\n\",\"on\":false,\"bytes\":1}",
	"{\"note\":\"\\\x01\",\"key\":\"\\\x01\\\"\x02\",\"on\":0,\"bytes\":1}",
	`{"note":"","key":"` + strings.Repeat(`\n`, ingest.MaxKey/2) + `","on":1,"bytes":1}`,
	`{"note":"","key":"` + strings.Repeat(`\n`, ingest.MaxKey/2) + `x","on":1,"bytes":1}`,
	`{"note":"","key":"` + strings.Repeat(`\n`, ingest.MaxKey+1) + `","on":1,"bytes":1}`,
	`{"note":"","key":"a\"b","on":1,"bytes":x}`,
	`{"note":"","key":"open\","on":1,"bytes":1}`,
	`{"note":"","key":"k","on":true,"bytes":1}`,
	`{"note":"","key":"\`,
}

// FuzzRuns holds runs, after any record has set the shape they foresee, against a decoder that reads each record
// the general way.
func FuzzRuns(f *testing.F) {
	odd := `{"note":"x","n":-1.5e3,"key":"k","bytes":1}`
	f.Add([]byte(benchLine), []byte(runLines), uint16(1000))
	f.Add([]byte(benchLine), []byte(strings.ReplaceAll(runLines, "\n", "\r\n")), uint16(150))
	f.Add([]byte(odd), []byte(strings.Repeat(odd+"\n", 70)+`{"note":"","n":+1,"key":"k","bytes":1}`+"\n"+odd), uint16(9999))
	f.Add([]byte(`{"a_name_of_more_than_16_bytes":1,"key":"k","bytes":1}`), []byte(`{"key":"k","bytes":1,"a_name_of_more_than_16_bytes":1}`+"\n"+
		`{"key":"k","a_name_of_more_than_16_bytes":1,"bytes":1}`+"\n"+`{"key":"k","bytes":1,"bytes":1}`+"\n"+`{"bytes":2, "a_name_of_more_than_16_bytes": 1 , "key": "k"}`), uint16(9999))
	f.Add([]byte(benchLine), shuffled(40), uint16(9999))
	f.Add([]byte(escaped[0]), []byte(strings.Join(escaped, "\n")), uint16(9999))
	f.Add([]byte(escaped[1]), []byte(strings.Repeat(escaped[1]+"\n"+escaped[2]+"\n", 70)), uint16(999))
	f.Add([]byte(`{"bytes":null,"size":5,"pk":"k"}`), []byte(`{"bytes":1,"size":5,"pk":"k"}`+"\n"), uint16(99))
	f.Fuzz(func(t *testing.T, before, text []byte, cut uint16) {
		runs, _ := newNDJSON(nil, ingest.DecodeOptions{})
		for range 2 + sameOften {
			said(runs, padded(before))
		}
		general, _ := newNDJSON(nil, ingest.DecodeOptions{})
		got, _ := readLines(runs, text, true, int(cut))
		want, _ := readLines(general, text, false, 0)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("after %q, %q (-runs +general):\n%s", before, text, diff)
		}
	})
}

// FuzzCSVRuns is FuzzRuns for rows of a table, behind one of some headers.
func FuzzCSVRuns(f *testing.F) {
	headers := []string{"ts,table,op,key,bytes", "op;key;note", "key\ttable", "bytes,table,key,op,ts", "table,note,key"}
	rows := "2026-03-01T10:00:00.123Z,orders,read,T0001#U#0123456789abcdef,512\n2026-03-01T10:00:00.124Z,a longer name of a table,odd,k,7\n" +
		"2026-03-01T10:00:01.124Z, orders,,\"k\",7\n2026-03-01 10:00:01,124,orders,read,k\n2026-03-01T10:00:59.124Z,orders,read,é,07\n"
	f.Add(uint8(0), []byte("2026-03-01T10:00:00.123Z,orders,read,T0001#U#0123456789abcdef,512"), []byte(rows), uint16(100))
	f.Add(uint8(0), []byte(`"2026-03-01 10:00:00,123",orders,read,k,512`), []byte("2026-03-01 10:00:00,123,orders,read,k\r\n"), uint16(100))
	f.Add(uint8(1), []byte("read;k;"), []byte("op;key;note\nr;k;x\nread;k1;\nread;k2;y y\n"), uint16(100))
	f.Add(uint8(2), []byte("k\tt"), []byte("k\tt\r\nk2\tt\r\nk\ttable of more\r\n\r\n"), uint16(100))
	f.Add(uint8(3), []byte("1,t,k,r,2026-03-01T10:00:00"), []byte("1,t,k,r,2026-03-01T10:00:01\n22,t2,k,w,2026-03-01T10:00:02\n"), uint16(100))
	f.Add(uint8(4), []byte("t,,k"), []byte("t,,k\ntable,note,key\nt,,k\n"), uint16(100))
	f.Fuzz(func(t *testing.T, which uint8, before, text []byte, cut uint16) {
		header := []byte(headers[int(which)%len(headers)])
		runs, _ := newCSV(header, ingest.DecodeOptions{})
		for range 2 + sameOften {
			said(runs, padded(before))
		}
		single, _ := newCSV(header, ingest.DecodeOptions{})
		got, _ := readLines(runs, text, true, int(cut))
		want, _ := readLines(single, text, false, 0)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("after %q, %q (-runs +single):\n%s", before, text, diff)
		}
	})
}

// shuffled gives records whose members are in another order in each.
func shuffled(n int) []byte {
	rng := rand.New(rand.NewPCG(7, 7))
	var text []byte
	for i := range n {
		members := []string{`"ts":"2026-03-01T10:00:00.123Z"`, fmt.Sprintf(`"table":"t%d"`, i%5), `"op":"read"`, fmt.Sprintf(`"key":"T%d#U"`, i), fmt.Sprintf(`"bytes":%d`, i)}
		rng.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
		text = append(text, "{"+strings.Join(members, []string{",", ", "}[i%2])+"}\n"...)
	}
	return text
}

func TestRecordsOfManyShapesAreReadInRuns(t *testing.T) {
	for name, text := range map[string][]byte{
		"members in any order": shuffled(200),
		"escapes":              []byte(strings.Repeat(strings.Join(escaped[:4], "\n")+"\n", 50)),
	} {
		t.Run(name, func(t *testing.T) {
			runs, _ := newNDJSON(nil, ingest.DecodeOptions{})
			got, n := readLines(runs, text, true, 3000)
			general, _ := newNDJSON(nil, ingest.DecodeOptions{})
			want, _ := readLines(general, text, false, 0)
			if diff := cmp.Diff(got, want); diff != "" || n < 190 {
				t.Errorf("%d of 200 records in runs (-runs +general):\n%.2000s", n, diff)
			}
		})
	}
}

func TestOnlyBareTextIsBare(t *testing.T) {
	for c := range 256 {
		for at := range 11 {
			text := bytes.Repeat([]byte{'a'}, 11)
			text[at] = byte(c)
			want := c >= ' ' && c < 0x80 && c != '"' && c != '\\'
			if got := bare(padded(text), 0, len(text), backslashes); got != want {
				t.Errorf("%q: got %t", text, got)
			}
		}
	}
}

func TestUsualRecordsAreReadInRuns(t *testing.T) {
	d, _ := newNDJSON(nil, ingest.DecodeOptions{})
	text := strings.Repeat(benchLine+"\n", 200)
	if _, n := readLines(d, []byte(text), true, 3000); n < 190 {
		t.Errorf("%d of 200 records are read in runs, want nearly all", n)
	}
	table, _ := newCSV([]byte("ts,op,key,bytes,note,table"), ingest.DecodeOptions{})
	text = strings.Repeat("2026-03-01T10:00:00.123Z,read,T0001#U#0123456789abcdef,512,any note,orders\n", 200)
	if _, n := readLines(table, []byte(text), true, 3000); n < 190 {
		t.Errorf("%d of 200 rows are read in runs, want nearly all", n)
	}
}

func TestMoreTablesThanAreRememberedAreReadInRuns(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, `{"table":"a table of number %d","key":"%d"}`+"\n", i%7000, i)
	}
	runs, _ := newNDJSON(nil, ingest.DecodeOptions{})
	got, n := readLines(runs, []byte(text.String()), true, 0)
	general, _ := newNDJSON(nil, ingest.DecodeOptions{})
	want, _ := readLines(general, []byte(text.String()), false, 0)
	if diff := cmp.Diff(got, want); diff != "" || n < 19_000 {
		t.Errorf("%d of 20000 records in runs (-runs +general):\n%.2000s", n, diff)
	}
}
