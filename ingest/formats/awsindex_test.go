package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// ordersIndexes are the indexes of a table whose key is pk and sk.
func ordersIndexes() map[string][]ingest.SecondaryIndex {
	base := []string{"pk", "sk"}
	return map[string][]ingest.SecondaryIndex{"Orders": {
		{Name: "byDay", Partition: []string{"pk"}, Sort: []string{"day"}, Base: base, Local: true},
		{Name: "byPlace", Partition: []string{"town", "street"}, Sort: []string{"day"}, Base: base, Include: []string{"qty"}},
		{Name: "byStatus", Partition: []string{"status"}, Base: base, All: true},
	}}
}

// brief gives what a format says of events, a line each: op, index, key, sort key, bytes, write units and growth.
func brief(t *testing.T, f *ingest.Format, o ingest.DecodeOptions, text string) []string {
	t.Helper()
	d, err := f.New([]byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	s := &briefSink{}
	d.Decode(&ingest.Record{Data: []byte(text), At: ingest.Position{Line: 1}}, s)
	return s.said
}

type briefSink struct {
	ingest.EventsOnly
	said []string
}

func (s *briefSink) Event(e *ingest.Event) {
	key := []string{}
	for _, p := range ingest.ParseKey(e.Key).Parts {
		key = append(key, string(p))
	}
	sort := []string{}
	for _, p := range ingest.ParseKey(e.SortKey).Parts {
		sort = append(sort, string(p))
	}
	bytes, _ := e.Bytes()
	line := fmt.Sprintf("%s %s [%s] [%s] %d bytes", e.Op, e.Index, strings.Join(key, " "), strings.Join(sort, " "), bytes)
	if milli, ok := e.WriteUnits(); ok {
		line += fmt.Sprintf(" %d milli", milli)
	}
	if n, ok := e.Growth(); ok {
		line += fmt.Sprintf(" %+d", n)
	}
	s.said = append(s.said, line)
}
func (s *briefSink) Problem(p ingest.Problem) { s.said = append(s.said, p.Cause) }
func (s *briefSink) Skip(kind string)         { s.said = append(s.said, kind) }

// The sizes are counted by hand after
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.StorageConsiderations:
// names and values of the base key, the index key and what is projected, each once.
func TestAStoredItemHasAnEntryInTheIndexesWhoseKeyItHolds(t *testing.T) {
	o := ingest.DecodeOptions{Indexes: ordersIndexes(), PartitionKeys: map[string]string{"Orders": "pk"}}
	for _, tt := range []struct {
		name, item string
		want       []string
	}{
		{"with all attributes", `{"pk":{"S":"T#1"},"sk":{"S":"O#1"},"day":{"S":"0611"},"town":{"S":"Ulm"},"street":{"S":"A"},"status":{"S":"open"},"qty":{"N":"3"},"note":{"S":"0123456789"}}`,
			[]string{
				"unknown  [T#1] [O#1] 60 bytes",
				"unknown byDay [T#1] [0611] 17 bytes",     // pk 5, sk 5, day 7
				"unknown byPlace [Ulm A] [0611] 36 bytes", // and town 7, street 7, qty 5
				"unknown byStatus [open] [] 60 bytes",     // the whole item
			}},
		{"sparse: without a part of their keys", `{"pk":{"S":"T#1"},"sk":{"S":"O#1"},"town":{"S":"Ulm"},"street":{"S":"A"},"status":{"NULL":true}}`,
			[]string{"unknown  [T#1] [O#1] 31 bytes"}},
	} {
		got := brief(t, &DynamoExport, o, `{"Item":`+tt.item+`}`)
		if d := cmp.Diff(got, tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}

// The number of writes is that of
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes.
func TestAChangeWritesInTheIndexesWhoseEntriesChange(t *testing.T) {
	o := ingest.DecodeOptions{Indexes: ordersIndexes(), PartitionKeys: map[string]string{"Orders": "pk"}}
	image := func(rest string) string { return `{"pk":{"S":"T#1"},"sk":{"S":"O#1"}` + rest + `}` }
	place := `,"day":{"S":"0611"},"town":{"S":"Ulm"},"street":{"S":"A"}`
	for _, tt := range []struct {
		name, op, old, new string
		want               []string
	}{
		{"an entry appears: one write", "INSERT", "", image(`,"status":{"S":"open"}`),
			[]string{"write  [T#1] [O#1] 20 bytes 1000 milli +20", "write byStatus [open] [] 20 bytes 1000 milli +20"}},
		{"an entry goes: one write", "REMOVE", image(`,"status":{"S":"open"}`), "",
			[]string{"delete  [T#1] [O#1] 20 bytes 1000 milli -20", "delete byStatus [open] [] 20 bytes 1000 milli -20"}},
		{"its key changes: two writes, of two keys", "MODIFY", image(`,"status":{"S":"open"}`), image(`,"status":{"S":"done!"}`),
			[]string{"update  [T#1] [O#1] 21 bytes 1000 milli +1",
				"delete byStatus [open] [] 20 bytes 1000 milli -20", "update byStatus [done!] [] 21 bytes 1000 milli +21"}},
		{"what is projected changes: one write", "MODIFY", image(place + `,"qty":{"N":"3"}`), image(place + `,"qty":{"N":"30000"}`),
			[]string{"update  [T#1] [O#1] 36 bytes 1000 milli +0", "update byPlace [Ulm A] [0611] 36 bytes 1000 milli +0"}},
		{"nothing of it changes: none", "MODIFY", image(place + `,"note":{"S":"a"}`), image(place + `,"note":{"S":"bc"}`),
			[]string{"update  [T#1] [O#1] 37 bytes 1000 milli +1"}},
		{"local indexes are paid with the item and grow with it", "INSERT", "", image(`,"day":{"S":"0611"}`),
			[]string{"write  [T#1] [O#1] 17 bytes 2000 milli +34"}},
		{"large entries cost by the size", "INSERT", "", image(`,"status":{"S":"open"},"note":{"S":"` + strings.Repeat("x", 2048) + `"}`),
			[]string{"write  [T#1] [O#1] 2072 bytes 3000 milli +2072", "write byStatus [open] [] 2072 bytes 3000 milli +2072"}},
	} {
		body := `"Keys":{"pk":{"S":"T#1"},"sk":{"S":"O#1"}}`
		if tt.new != "" {
			body += `,"NewImage":` + tt.new
		}
		if tt.old != "" {
			body += `,"OldImage":` + tt.old
		}
		got := brief(t, &DynamoStream, o, `{"eventName":"`+tt.op+`","dynamodb":{`+body+`},"eventSource":"aws:dynamodb","eventSourceARN":"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders/stream/x"}`)
		if d := cmp.Diff(got, tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}

func TestADeletionByTTLMakesItsKeySmallerAndIsNoLoad(t *testing.T) {
	o := ingest.DecodeOptions{PartitionKeys: map[string]string{"Orders": "pk"}}
	got := brief(t, &DynamoStream, o, `{"eventName":"REMOVE","userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"},"dynamodb":{"Keys":{"pk":{"S":"T#1"},"sk":{"S":"O#1"}},"OldImage":{"pk":{"S":"T#1"},"sk":{"S":"O#1"}}},"eventSource":"aws:dynamodb","eventSourceARN":"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders/stream/x"}`)
	want := []string{"delete  [] [] 0 bytes", "delete  [T#1] [O#1] 0 bytes -10"}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestAnIncrementalExportTellsByHowMuchItemsGrew(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		both       bool
		want       string
	}{
		{"a changed item", `"Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"}},"NewImage":{"pk":{"S":"a"},"n":{"S":"1234"}}`, false, "update  [a] [] 8 bytes +5"},
		{"a new item, by its manifest", `"Keys":{"pk":{"S":"a"}},"NewImage":{"pk":{"S":"a"}}`, true, "write  [a] [] 3 bytes +3"},
		{"an item that may be new or changed", `"Keys":{"pk":{"S":"a"}},"NewImage":{"pk":{"S":"a"}}`, false, "unknown  [a] [] 3 bytes"},
		{"a deleted item", `"Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"}}`, false, "delete  [a] [] 0 bytes -3"},
		{"a deleted item of unknown size", `"Keys":{"pk":{"S":"a"}}`, false, "deleted item"},
	} {
		files := ingest.ExportFiles{}
		files.Add(ingest.ExportFile{Key: "AWSDynamoDB/data/x.json.gz", Both: tt.both})
		o := ingest.DecodeOptions{Exports: files, Input: "x.json.gz"}
		got := brief(t, &DynamoExport, o, `{"Metadata":{"WriteTimestampMicros":{"N":"1793606400000000"}},`+tt.line+`}`)
		if d := cmp.Diff(got, []string{tt.want}); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}
