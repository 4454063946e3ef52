package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

func TestReportsTellTheirTableAndIndex(t *testing.T) {
	const report = `{"KeyLabels":["PartitionKey"],"Contributors":[{"Keys":["a"],"ApproximateAggregateValue":3.0,"Datapoints":[]}]}`
	index := func(name string) []ingest.SecondaryIndex { return []ingest.SecondaryIndex{{Name: name}} }
	for _, c := range []struct {
		name, input, head string
		indexes           map[string][]ingest.SecondaryIndex
		want              string
	}{
		{"by the name of the file", "x/DynamoDBContributorInsights-PKC-Orders-1791501766746.json", "", nil, `table="Orders"`},
		{"by the command in front", "-", "$ aws cloudwatch get-insight-rule-report --rule-name DynamoDBContributorInsights-PKC-Orders-1791501766746 \\\n", nil, `table="Orders"`},
		{"by no one of several commands", "-", "# DynamoDBContributorInsights-PKC-A-1791501766746 and DynamoDBContributorInsights-PKC-B-1791501766746\n", nil, ``},
		{"of an index without a description", "DynamoDBContributorInsights-PKC-Orders-by-day-1791501766746.json", "", nil, `table="Orders-by-day"`},
		{
			"of an index of a described table", "DynamoDBContributorInsights-PKC-Orders-by-day-1791501766746.json", "",
			map[string][]ingest.SecondaryIndex{"Orders": index("by-day"), "Music": index("by-day")}, `table="Orders" index="by-day"`,
		},
		{
			"of either of two indexes", "DynamoDBContributorInsights-PKC-Orders-by-day-1791501766746.json", "",
			map[string][]ingest.SecondaryIndex{"Orders": index("by-day"), "Orders-by": index("day")}, `table="Orders-by-day"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := ContributorInsights.New([]byte(c.head+report), ingest.DecodeOptions{Input: c.input, Indexes: c.indexes})
			if err != nil {
				t.Fatal(err)
			}
			var sink recorder
			d.Decode(&ingest.Record{Data: padded([]byte(c.head + report))}, &sink)
			if c.want != "" {
				c.want += " "
			}
			want := []string{`event store=dynamodb keyknown=true coverage=selected role="contributor-insights" ` + c.want + `key="a" line=0 read-milli=3000`}
			if diff := cmp.Diff(sink.said, want); diff != "" {
				t.Errorf("report (-got +want):\n%s", diff)
			}
		})
	}
}
