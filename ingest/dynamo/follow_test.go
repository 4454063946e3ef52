package dynamo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// recordsOf gives the events of all records of streams that are not gone, sorted.
func recordsOf(streams ...*simulator) (events []string) {
	for _, sim := range streams {
		for _, sh := range sim.shards {
			for _, r := range sh.records {
				if !sh.gone {
					events = append(events, fmt.Sprintf("Orders  %d", r.number))
				}
			}
		}
	}
	slices.Sort(events)
	return events
}

// counted gives the events of a book, sorted.
func (b *book) counted() []string {
	slices.Sort(b.events)
	return b.events
}

func TestOlderStreamsOfATableAreReadAsFarAsTheyAreWanted(t *testing.T) {
	const older, oldest = "2026-11-29T20:00:00.000", "2026-11-29T10:00:00.000"
	now, before, first := grownStream(1), grownStream(2), grownStream(3)
	for _, tt := range []struct {
		from string
		want []string
	}{
		{"trim-horizon", recordsOf(now, before, first)},
		{"2020-01-01T00:00:00Z", recordsOf(now, before, first)},
		{"latest", nil},
	} {
		t.Run(tt.from, func(t *testing.T) {
			f := newFakeAWS(t, now)
			f.older[older], f.older[oldest] = before, first
			var b book
			if err := f.open(t, "&from="+tt.from).Collect(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(b.counted(), tt.want); d != "" || len(recordsOf(before)) < 100 {
				t.Errorf("events: got (-), want (+):\n%s", d)
			}
			if d := cmp.Diff(strings.Count(strings.Join(b.inputs, "\n"), "/stream?"), 1); d != "" {
				t.Errorf("inputs %q", b.inputs)
			}
		})
	}
}

// A stream that was switched off and on again is another one: what both hold counts once.
func TestARecordingGoesOnWithTheNextStreamOfItsTable(t *testing.T) {
	for _, from := range []string{"trim-horizon", "latest"} {
		k := &keeper{positions: map[string]string{}}
		first := plainStream(3)
		first.trouble = 0 // which would be gaps, by chance
		f := newFakeAWS(t, first)
		if from == "trim-horizon" {
			first.write()
		}
		first.close()
		collect := func() {
			t.Helper()
			if err := f.open(t, "&from="+from).Collect(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
		collect()
		second := plainStream(4)
		second.trouble = 0
		for range 200 {
			second.write()
		}
		second.close()
		f.older["2026-11-30T00:00:00.001"] = second // behind what was the latest one
		f.tables["DescribeTable"] = strings.Replace(plainTable, testLabel, "2026-11-30T00:00:00.001", 1)
		collect()
		collect()
		want := recordsOf(second)
		if from == "trim-horizon" {
			want = recordsOf(first, second)
		}
		if d := cmp.Diff(k.counted(), want); d != "" {
			t.Errorf("from %s: events: got (-), want (+):\n%s", from, d)
		}
		if i := slices.IndexFunc(k.notes, func(n string) bool { return strings.HasPrefix(n, "gap") }); i >= 0 {
			t.Errorf("from %s: %s", from, k.notes[i])
		}
	}
}

func TestOlderStreamsThatMayNotBeListedAreANote(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	f.deny[actionListStreams] = true
	var b book
	if err := f.open(t, "&from=trim-horizon").Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.counted(), recordsOf(f.stream)); d != "" {
		t.Errorf("events: got (-), want (+):\n%s", d)
	}
	if !slices.ContainsFunc(b.notes, func(n string) bool {
		return strings.HasPrefix(n, "whether there are older streams of the table is not known: ")
	}) {
		t.Errorf("notes %q", b.notes)
	}
}

// A table that was made again under its name may have another key; its indexes are those of now.
func TestAStreamIsReadWithTheKeyOfItsTable(t *testing.T) {
	s := newFakeAWS(t, grownStream(1)).open(t, "")
	key := func(name string, role types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: role}
	}
	f := &follower{server: s, table: tableOf(&types.TableDescription{
		KeySchema: []types.KeySchemaElement{key("pk", types.KeyTypeHash)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndexDescription{{
			IndexName: aws.String("byStatus"), KeySchema: []types.KeySchemaElement{key("status", types.KeyTypeHash)}, Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}, {
			IndexName: aws.String("byRegion"), KeySchema: []types.KeySchemaElement{key("country", types.KeyTypeHash), key("city", types.KeyTypeHash), key("date", types.KeyTypeRange)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"total"}},
		}},
		LocalSecondaryIndexes: []types.LocalSecondaryIndexDescription{{
			IndexName: aws.String("byDate"), KeySchema: []types.KeySchemaElement{key("pk", types.KeyTypeHash), key("date", types.KeyTypeRange)}, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}, "eu-west-1")}
	base := []string{"pk"}
	if d := cmp.Diff(f.table.entries, []ingest.SecondaryIndex{
		{Name: "byStatus", Partition: []string{"status"}, Base: base},
		{Name: "byRegion", Partition: []string{"country", "city"}, Sort: []string{"date"}, Base: base, Include: []string{"total"}},
		{Name: "byDate", Partition: base, Sort: []string{"date"}, Base: base, Local: true, All: true},
	}); d != "" {
		t.Errorf("indexes: got (-), want (+):\n%s", d)
	}
	change := `{"eventSourceARN":"` + testStream + `","eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"k"},"other":{"S":"o"}},"NewImage":{"pk":{"S":"k"},"other":{"S":"o"},"status":{"S":"open"},"country":{"S":"PT"},"city":{"S":"Faro"},"date":{"S":"1"}},"SequenceNumber":"1","StreamViewType":"NEW_AND_OLD_IMAGES"}}`
	for _, tt := range []struct {
		name string
		keys string
		want []string
	}{
		{"not told", "", []string{"Orders  k", "Orders byRegion " + string(ingest.AppendKey(nil, []byte("PT"), []byte("Faro"))), "Orders byStatus open"}},
		{"the same", "pk", []string{"Orders  k", "Orders byRegion " + string(ingest.AppendKey(nil, []byte("PT"), []byte("Faro"))), "Orders byStatus open"}},
		{"another", "other", []string{"Orders  o"}},
	} {
		var keys []streamtypes.KeySchemaElement
		if tt.keys != "" {
			keys = []streamtypes.KeySchemaElement{{AttributeName: &tt.keys, KeyType: streamtypes.KeyTypeHash}}
		}
		d, err := f.decoder(keys)
		if err != nil {
			t.Fatal(err)
		}
		var b book
		d.Decode(&ingest.Record{Data: append([]byte(change), make([]byte, slack)...)[:len(change)]}, &b)
		if diff := cmp.Diff(b.counted(), tt.want); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", tt.name, diff)
		}
	}
}
