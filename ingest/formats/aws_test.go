package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

func awsFormats() []*ingest.Format {
	return []*ingest.Format{
		&DynamoStream, &DynamoExport, &DynamoScan, &CloudTrail, &CloudTrailTable, &CloudWatch, &ContributorInsights, &AWSDescription, &ThrottleText,
	}
}

// awsSays gives what a format makes of one record.
func awsSays(t *testing.T, f *ingest.Format, o ingest.DecodeOptions, text string) []string {
	t.Helper()
	d, err := f.New([]byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	d.Decode(&ingest.Record{Data: padded([]byte(text)), At: ingest.Position{Line: 1}}, &sink)
	return sink.said
}

func TestThePartitionKeyOfAStreamCanBeTold(t *testing.T) {
	const record = `{"eventName":"INSERT","eventSourceARN":"arn:aws:dynamodb:x:1:table/Music/stream/y",
		"dynamodb":{"Keys":{"SongTitle":{"S":"Call"},"Artist":{"S":"No One"}}}}`
	for _, c := range []struct {
		name    string
		options ingest.DecodeOptions
		want    string
	}{
		{"nothing tells", ingest.DecodeOptions{}, `event store=dynamodb op=write witness=the stream table="Music" line=1 write-milli=1000`},
		{
			"the user tells", ingest.DecodeOptions{Map: map[string]string{"pk": "Artist"}},
			`event store=dynamodb op=write keyknown=true witness=the stream table="Music" key="No One" sortkey="Call" line=2 write-milli=1000`,
		},
		{
			"a description tells", ingest.DecodeOptions{PartitionKeys: map[string]string{"Music": "SongTitle", "Orders": "pk"}},
			`event store=dynamodb op=write keyknown=true witness=the stream table="Music" key="Call" sortkey="No One" line=2 write-milli=1000`,
		},
		{
			"another table is described", ingest.DecodeOptions{PartitionKeys: map[string]string{"Orders": "Artist"}},
			`event store=dynamodb op=write witness=the stream table="Music" line=1 write-milli=1000`,
		},
	} {
		if diff := cmp.Diff(awsSays(t, &DynamoStream, c.options, record), []string{c.want}); diff != "" {
			t.Errorf("%s (-got +want):\n%s", c.name, diff)
		}
	}
}

func TestTheKeyOfAnExportCanBeTold(t *testing.T) {
	const line = `{"Item":{"id":{"S":"a"},"at":{"N":"5"}}}`
	for _, c := range []struct {
		name    string
		options ingest.DecodeOptions
		want    string
	}{
		{"nothing tells", ingest.DecodeOptions{}, `event store=dynamodb coverage=state line=1 bytes=7`},
		{
			"the user tells both", ingest.DecodeOptions{Map: map[string]string{"pk": "id", "sk": "at"}},
			`event store=dynamodb keyknown=true coverage=state key="a" sortkey="5" line=1 bytes=7`,
		},
		{
			"the one description that there is tells", ingest.DecodeOptions{PartitionKeys: map[string]string{"Orders": "id"}},
			`event store=dynamodb keyknown=true coverage=state table="Orders" key="a" line=1 bytes=7`,
		},
		{
			"one of two descriptions may", ingest.DecodeOptions{PartitionKeys: map[string]string{"Orders": "id", "Music": "at"}},
			`event store=dynamodb coverage=state line=1 bytes=7`,
		},
	} {
		if diff := cmp.Diff(awsSays(t, &DynamoExport, c.options, line), []string{c.want}); diff != "" {
			t.Errorf("%s (-got +want):\n%s", c.name, diff)
		}
	}
}

func TestItemsNearTheLargestAreToldOneByOne(t *testing.T) {
	const key = `{"Item":{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"S":"`
	const rest = 2 + 1 + 2 + 1 + 1
	for _, c := range []struct {
		size int
		want []string
	}{
		{327679, []string{`event store=dynamodb keyknown=true coverage=state key="a" sortkey="b" line=1 bytes=327679`}},
		{327680, []string{
			`event store=dynamodb keyknown=true coverage=state key="a" sortkey="b" line=1 bytes=327680`,
			`state store=dynamodb key="a" keyknown=true part="b" source="export" measure=item_bytes value=327680 limit=409600 line=1`,
		}},
	} {
		line := key + strings.Repeat("y", c.size-rest) + `"}}}`
		if diff := cmp.Diff(awsSays(t, &DynamoExport, ingest.DecodeOptions{}, line), c.want); diff != "" {
			t.Errorf("%d bytes (-got +want):\n%s", c.size, diff)
		}
	}
}

func TestIonIsRefusedWithTheFormatToExportIn(t *testing.T) {
	v := DynamoExport.Sniff([]byte("$ion_1_0 {Item:{Id:103.}}\n"), ingest.DecodeOptions{})
	if v.Fit != ingest.Ambiguous || !strings.Contains(v.Why, "DYNAMODB_JSON") {
		t.Errorf("got %v, want an ambiguous verdict that names DYNAMODB_JSON", v)
	}
}

func TestTablesOfAthenaAreToldByTheirHeader(t *testing.T) {
	for text, want := range map[string]ingest.Fit{
		"\"eventversion\",\"eventtime\",\"eventsource\",\"eventname\",\"requestparameters\"\n\"1.09\",\"2026\",\"dynamodb.amazonaws.com\",\"PutItem\",\"{}\"\n": ingest.Certain,
		"eventTime,eventName,requestParameters\r\n":                     ingest.Certain,
		"eventname,pk,ts\nwrite,a,1\n":                                  ingest.No,
		"{\"eventName\":\"x\",\"eventSource\":1}\n":                     ingest.No,
		"10:00:01 got {\"eventName\":\"x\",\"eventSource\":1}\n":        ingest.No,
		"The columns eventname, eventtime and requestparameters hold\n": ingest.No,
	} {
		if v := CloudTrailTable.Sniff([]byte(text), ingest.DecodeOptions{}); v.Fit != want {
			t.Errorf("%q: %+v", text, v)
		}
	}
}

func TestRowsOfAthenaSayWhatTheirEventsSay(t *testing.T) {
	for _, c := range []struct{ name, header, row, want string }{
		{
			"a row without a source", "eventtime,eventname,requestparameters", `2026-11-02T10:00:01Z,PutItem,"{""tableName"":""T"",""key"":{""pk"":""a""}}"`,
			`event store=dynamodb op=write keyknown=true witness=CloudTrail (changes) table="T" key="a" time=2026-11-02T10:00:01Z`,
		},
		{"a row of another service", "eventtime,eventname,eventsource,requestparameters", `2026-11-02T10:00:01Z,GetObject,s3.amazonaws.com,""`, "skip event of another service"},
		{"a row that is cut", "eventtime,eventname,requestparameters", `2026-11-02T10:00:01Z,PutItem`, `problem cause="row with other cells than the table has columns" text="2026-11-02T10:00:01Z,PutItem"`},
		{"a row with text behind a quote", "eventtime,eventname,requestparameters", `"a"b,PutItem,x`, `problem cause="row with other cells than the table has columns" text="\"a\"b,PutItem,x"`},
		{"the header", "eventtime,eventname,requestparameters", "eventtime,eventname,requestparameters", "skip header of a table"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := CloudTrailTable.New([]byte(c.header+"\n"), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var sink recorder
			d.Decode(&ingest.Record{Data: padded([]byte(c.row))}, &sink)
			if diff := cmp.Diff(sink.said, []string{c.want}); diff != "" {
				t.Errorf("row (-got +want):\n%s", diff)
			}
		})
	}
}

func TestWriteUnitsAreThoseOfTheLargerImage(t *testing.T) {
	item := func(size int) string { return `{"a":{"S":"` + strings.Repeat("x", size-1) + `"}}` }
	for _, c := range []struct {
		name, images string
		want         string
	}{
		{"a whole unit", `"NewImage":` + item(1024), "bytes=1024 write-milli=1000"},
		{"a byte more", `"NewImage":` + item(1025), "bytes=1025 write-milli=2000"},
		{"the old one is larger", `"NewImage":` + item(10) + `,"OldImage":` + item(4097), "bytes=10 write-milli=5000"},
		{"only the old one is there", `"OldImage":` + item(2000), "bytes=2000 write-milli=2000"},
		{"none is there", `"SizeBytes":7000`, "line=1 write-milli=1000"},
	} {
		said := awsSays(t, &DynamoStream, ingest.DecodeOptions{}, `{"eventName":"MODIFY","dynamodb":{"Keys":{"a":{"S":"k"}},`+c.images+`}}`)
		if len(said) != 1 || !strings.HasSuffix(said[0], c.want) {
			t.Errorf("%s: got %q, want one event that ends in %q", c.name, said, c.want)
		}
	}
}

// A growthSink keeps the growth of the last event.
type growthSink struct {
	countingSink
	growth int64
	known  bool
}

func (s *growthSink) Event(e *ingest.Event) { s.growth, s.known = e.Growth() }

func TestImagesTellByHowMuchAnItemGrows(t *testing.T) {
	const small, large = `{"a":{"S":"x"}}`, `{"a":{"S":"xyz"}}`
	for _, c := range []struct {
		name, event, images string
		growth              int64
		known               bool
	}{
		{"a new item", "INSERT", `"NewImage":` + large, 4, true},
		{"a larger item", "MODIFY", `"NewImage":` + large + `,"OldImage":` + small, 2, true},
		{"a smaller item", "MODIFY", `"NewImage":` + small + `,"OldImage":` + large, -2, true},
		{"a deleted item", "REMOVE", `"OldImage":` + large, -4, true},
		{"what it was before is not told", "MODIFY", `"NewImage":` + large, 0, false},
		{"what was deleted is not told", "REMOVE", `"SizeBytes":3`, 0, false},
	} {
		d, err := DynamoStream.New(nil, ingest.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var sink growthSink
		text := `{"eventName":"` + c.event + `","dynamodb":{"Keys":{"a":{"S":"k"}},` + c.images + `}}`
		d.Decode(&ingest.Record{Data: padded([]byte(text))}, &sink)
		if sink.growth != c.growth || sink.known != c.known {
			t.Errorf("%s: got %d, known: %v; want %d, %v", c.name, sink.growth, sink.known, c.growth, c.known)
		}
	}
}

func FuzzAWS(f *testing.F) {
	for _, format := range awsFormats() {
		files, err := filepath.Glob(filepath.Join("../../fixtures/formats", format.Name, "*.*"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		certain := 0
		for _, format := range awsFormats() {
			if format.Sniff(headOf(data), ingest.DecodeOptions{}).Fit == ingest.Certain {
				certain++
			}
			d, err := format.New(headOf(data), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sink := placeSink{end: uint64(len(data))}
			if d.Decode(&ingest.Record{Data: padded(data)}, &sink); sink.calls == 0 || sink.outside > 0 {
				t.Errorf("%s: got %d calls of which %d lie outside the record, want some inside", format.Name, sink.calls, sink.outside)
			}
		}
		if certain > 1 {
			t.Errorf("got %d formats that are certain, want one at most", certain)
		}
	})
}

// A placeSink counts what it is handed, and what of it has no place in a record that ends at end.
type placeSink struct {
	end            uint64
	calls, outside int
}

func (s *placeSink) at(p ingest.Position) {
	s.calls++
	if p.Byte > s.end {
		s.outside++
	}
}

func (s *placeSink) Event(e *ingest.Event)    { s.at(e.At) }
func (s *placeSink) Problem(p ingest.Problem) { s.at(p.At) }
func (s *placeSink) Skip(string)              { s.calls++ }
func (s *placeSink) State(x *ingest.State)    { s.at(x.At) }
func (s *placeSink) Fact(x *ingest.Fact)      { s.at(x.At) }
func (s *placeSink) Point(x *ingest.Point)    { s.at(x.At) }

func TestDeepNestingEndsInAProblem(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 1<<20) + "{", strings.Repeat(`{"Records":`, 1<<19), strings.Repeat(`{"requestParameters":{"requestItems":[`, 1<<18),
		strings.Repeat(`{"Table":`, 1<<19), `{"ItemCollectionMetrics":` + strings.Repeat("[", 1<<20), `{"Item":` + strings.Repeat(`{"M":`, 1<<19),
		`{"dynamodb":{"NewImage":{"a":` + strings.Repeat(`{"L":[`, 1<<19), `{"MetricDataResults":` + strings.Repeat(`[`, 1<<19),
	} {
		for _, format := range awsFormats() {
			said := awsSays(t, format, ingest.DecodeOptions{}, text)
			if len(said) == 0 || len(said) > 2 {
				t.Errorf("%s: got %d calls for %.20q, want one or two", format.Name, len(said), text)
			}
		}
	}
}
