package aws

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
	"github.com/keyheat/keyheat/ingest/formats"
)

// A series is what a table or index consumed, by minute.
type series map[time.Time]float64

// putSeries gives CloudWatch a series, with a minute left out.
func putSeries(t *testing.T, client *cloudwatch.Client, table, index, metric string, begin time.Time) series {
	t.Helper()
	dimensions := []cwtypes.Dimension{{Name: aws.String("TableName"), Value: &table}}
	if index != "" {
		dimensions = append(dimensions, cwtypes.Dimension{Name: aws.String("GlobalSecondaryIndexName"), Value: &index})
	}
	data, put := []cwtypes.MetricDatum{}, series{}
	for m := range 40 {
		if m == 7 {
			continue
		}
		at := begin.Add(time.Duration(m) * time.Minute)
		put[at] = float64(1000*len(index) + m*m)
		data = append(data, cwtypes.MetricDatum{MetricName: &metric, Dimensions: dimensions, Timestamp: &at, Value: aws.Float64(put[at])})
	}
	if _, err := client.PutMetricData(t.Context(), &cloudwatch.PutMetricDataInput{Namespace: aws.String("AWS/DynamoDB"), MetricData: data}); err != nil {
		t.Fatal(err)
	}
	return put
}

// pointBook takes points, by metric and index.
type pointBook struct {
	ingest.EventsOnly
	got map[string]series
}

func (b *pointBook) Open(ingest.LiveInput) ingest.Sink { return b }
func (b *pointBook) Note(string)                       {}
func (b *pointBook) Event(*ingest.Event)               {}
func (b *pointBook) Problem(ingest.Problem)            {}
func (b *pointBook) Skip(string)                       {}

func (b *pointBook) Point(p *ingest.Point) {
	name := string(p.Name) + " " + string(p.Index)
	if p.Stat != "sum" || p.Seconds != 60 {
		name += fmt.Sprintf(" %s of %d s", p.Stat, p.Seconds)
	}
	if b.got[name] == nil {
		b.got[name] = series{}
	}
	b.got[name][time.Unix(0, p.UnixNano).UTC()] += float64(p.Milli) / 1000
}

func TestCapacityIsWhatCloudWatchWasGiven(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Capacity")
	w.close(t)
	client := cloudwatch.NewFromConfig(settings(t, ministack.url))
	begin := time.Now().UTC().Add(-time.Hour).Truncate(time.Minute)
	want := map[string]series{}
	for _, index := range []string{"", "byStatus"} {
		for _, metric := range []string{"ConsumedWriteCapacityUnits", "WriteKeyRangeThroughputThrottleEvents"} {
			want[metric+" "+index] = putSeries(t, client, w.table, index, metric, begin)
		}
	}
	u, err := url.Parse(w.address(ministack.url, ""))
	if err != nil {
		t.Fatal(err)
	}
	wait := func(ctx context.Context, d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	server, err := dynamo.Open(u, ingest.LiveOptions{Now: time.Now, Wait: wait, Formats: formats.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	b := &pointBook{got: map[string]series{}}
	if err := server.Collect(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.got, want); d != "" {
		t.Errorf("series: got (-), put (+):\n%s", d)
	}
}

func TestDoctorNamesTheCommandThatShowsMore(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Doctor")
	hidden := func() []string {
		stdout, stderr, code := keyheat(t, "doctor", w.address(ministack.url, ""))
		if code != 0 || stderr != "" || !strings.Contains(stdout, "writes by key from the stream (NEW_AND_OLD_IMAGES, 1 shards, 1 of") {
			t.Errorf("exit %d, stderr %q:\n%s", code, stderr, stdout)
		}
		var lines []string
		for line := range strings.SplitSeq(stdout, "\n") {
			if _, command, ok := strings.Cut(line, "→ "); ok {
				lines = append(lines, command)
			}
		}
		return lines
	}
	const command = "aws dynamodb update-contributor-insights --table-name Doctor --contributor-insights-action ENABLE --region eu-west-1"
	if got := hidden(); !slices.Contains(got, command) || len(got) != 2 {
		t.Fatalf("commands: %q", got)
	}
	if _, err := w.client.UpdateContributorInsights(t.Context(), &dynamodb.UpdateContributorInsightsInput{
		TableName: &w.table, ContributorInsightsAction: types.ContributorInsightsActionEnable,
	}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second) {
		got := hidden()
		if len(got) == 1 && !slices.Contains(got, command) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after that command there are still: %q", got)
		}
	}
}
