package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/keyheat/keyheat/ingest"
)

// Diagnose asks what Collect asks, once and without reading records, and says what the answers leave open.
func (s *Server) Diagnose(ctx context.Context) (*ingest.Diagnosis, error) {
	a, err := s.clients(ctx)
	if err != nil {
		return nil, err
	}
	c := newCaller(s.options)
	d := &ingest.Diagnosis{Least: policy(a.region, s.address.table)}
	to := unheard{d}
	t, err := s.describe(ctx, c, a.tables, a.scaling, a.region, to)
	if err != nil && !denied(err) {
		return nil, err
	}
	if err == nil {
		d.Sees = append(d.Sees, "schema, size and settings of the table", "consumed capacity and throttles by reason, a minute each")
		if t.scaling != "" {
			d.Sees = append(d.Sees, "auto scaling of "+t.scaling)
		}
		s.diagnoseStream(ctx, c, a.streams, t, d)
		s.diagnoseInsights(t, d)
		now := s.options.Now().Truncate(time.Minute)
		r := &metricsReader{server: s, calls: c, api: a.metrics, table: t, note: to.Note, sink: to.Open(ingest.LiveInput{}), keys: to.Open(ingest.LiveInput{})}
		err = errors.Join(r.read(ctx, slowly, now.Add(-2*slowly*time.Second), now), r.readInsights(ctx, now.Add(-2*time.Minute), now))
		if err != nil && !denied(err) {
			d.Notes = append(d.Notes, fmt.Sprintf("metrics could not be read: %v", err))
		}
	}
	_, refused := c.actions()
	d.Lacking = refused
	return d, ctx.Err()
}

// unheard takes what is found and keeps the notes.
type unheard struct{ d *ingest.Diagnosis }

func (unheard) Open(ingest.LiveInput) ingest.Sink { return deaf{} }
func (u unheard) Note(text string)                { u.d.Notes = append(u.d.Notes, text) }

type deaf struct{ ingest.EventsOnly }

func (deaf) Event(*ingest.Event)    {}
func (deaf) Problem(ingest.Problem) {}
func (deaf) Skip(string)            {}

// command gives a call of the AWS command line for the table.
func (s *Server) command(t *table, words string) string {
	line := "aws dynamodb " + strings.Replace(words, "TABLE", "--table-name "+s.address.table, 1) + " --region " + t.region
	if s.address.profile != "" {
		line += " --profile " + s.address.profile
	}
	return line
}

// diagnoseStream says what the stream shows, asking for an iterator and a page as Collect does.
func (s *Server) diagnoseStream(ctx context.Context, c *caller, api streamsAPI, t *table, d *ingest.Diagnosis) {
	const enable = "update-table TABLE --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES"
	cost := "a read request of the stream each time that keyheat looks for records, a few a second and shard; at most two readers of a stream at once; undo with StreamEnabled=false"
	if t.stream == "" {
		d.Hidden = append(d.Hidden, ingest.Hidden{What: "which key is written", Why: "the table has no stream", Show: s.command(t, enable), Cost: cost})
		return
	}
	f := &follower{server: s, calls: c, api: api, table: t}
	streams, err := f.list(ctx)
	if more := len(streams) - 1; err == nil && more > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("the table has %d older streams, which were closed within a day: they are read from trim-horizon, from a time, and by a recording that is gone on with", more))
	}
	l, err := listShards(ctx, c, api, t.stream, "", firstAttempts)
	if err == nil {
		err = s.tryStream(ctx, c, api, t, &l)
	}
	if err != nil {
		if !denied(err) {
			d.Notes = append(d.Notes, fmt.Sprintf("the stream could not be read: %v", err))
		}
		return
	}
	d.Sees = append(d.Sees, fmt.Sprintf("writes by key from the stream (%s, %d shards, %d of them open)", t.view, len(l.shards), l.open()))
	d.Notes = append(d.Notes, "a stream shows writes that changed an item, and no reads, refused writes or writes that changed nothing",
		"at most two readers may read a stream at once, of a global table one: if there are two already, keyheat slows them down")
	if t.view == "KEYS_ONLY" {
		d.Hidden = append(d.Hidden, ingest.Hidden{
			What: "item sizes and write units by key", Why: "the stream holds keys only, which cannot be changed but by a new stream",
			Show: s.command(t, "update-table TABLE --stream-specification StreamEnabled=false") + "\n" + s.command(t, enable), Cost: cost,
		})
	}
}

// tryStream asks for a page of a shard, since each request has a permission of its own.
func (s *Server) tryStream(ctx context.Context, c *caller, api streamsAPI, t *table, l *listing) error {
	if len(l.shards) == 0 {
		return nil
	}
	w := &walk{api: api, calls: c, stream: t.stream, pages: make(chan struct{}, 1), note: func(string) {}}
	r := &reader{walk: w, id: *l.shards[len(l.shards)-1].ShardId, kind: streamtypes.ShardIteratorTypeLatest}
	if _, err := r.place(ctx); err != nil {
		return err
	}
	_, err := call(ctx, c, actionGetRecords, firstAttempts, api.GetRecords, &dynamodbstreams.GetRecordsInput{ShardIterator: &r.iterator})
	return err
}

func (s *Server) diagnoseInsights(t *table, d *ingest.Diagnosis) {
	for i := range t.insights {
		in := &t.insights[i]
		name, command := "the table", "update-contributor-insights TABLE"
		if in.index != "" {
			name, command = "the index "+in.index, command+" --index-name "+in.index
		}
		why := "Contributor Insights is " + strings.ToLower(string(in.status)) + " for " + name
		switch {
		case in.on() && in.mode == types.ContributorInsightsModeThrottledKeys:
			d.Sees = append(d.Sees, "the 25 most throttled keys of "+name+" (Contributor Insights)")
			why = "Contributor Insights counts throttled keys only for " + name
		case in.on():
			d.Sees = append(d.Sees, "the 25 most accessed and most throttled keys of "+name+" (Contributor Insights)")
			continue
		}
		d.Hidden = append(d.Hidden, ingest.Hidden{
			What: "which keys of " + name + " are read most, and which are throttled", Why: why,
			Show: s.command(t, command+" --contributor-insights-action ENABLE"), Cost: insightsCost(t.sorted[i]),
		})
	}
}

// insightsCost gives what Contributor Insights is charged for; the amounts depend on region and time
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html).
func insightsCost(sorted bool) string {
	rules, count := 2, "once"
	if sorted {
		rules, count = 4, "twice, since there is a sort key"
	}
	return fmt.Sprintf("charged a month for each of %d rules, and for each million events: each item that is read or written counts %s; "+
		"--contributor-insights-mode THROTTLED_KEYS counts throttled requests only; undo with DISABLE, which drops what was counted", rules, count)
}

// A statement is one of a policy of IAM.
type statement struct {
	Effect    string
	Action    []string
	Resource  []string
	Condition map[string]map[string]string `json:",omitempty"`
}

// policy gives the least policy that suffices, for any account.
func policy(region, table string) string {
	of := func(service, resource string) string {
		return "arn:" + partition(region) + ":" + service + ":" + region + ":*:" + resource
	}
	return policyText([]statement{
		{Effect: "Allow", Action: []string{actionDescribeTable, actionDescribeTimeToLive}, Resource: []string{of("dynamodb", "table/"+table)}},
		{Effect: "Allow", Action: []string{actionDescribeInsights}, Resource: []string{of("dynamodb", "table/"+table), of("dynamodb", "table/"+table+"/index/*")}},
		{Effect: "Allow", Action: []string{actionDescribeStream, actionGetShardIterator, actionGetRecords}, Resource: []string{of("dynamodb", "table/"+table+"/stream/*")}},
		{Effect: "Allow", Action: []string{actionGetInsightRuleReport}, Resource: []string{of("cloudwatch", "insight-rule/DynamoDBContributorInsights-*")}},
		{Effect: "Allow", Action: []string{actionDescribeScaling, actionListStreams, actionGetMetricData}, Resource: []string{"*"}}, // they know no resources
	})
}

func policyText(statements []statement) string {
	text, err := json.MarshalIndent(struct {
		Version   string
		Statement []statement
	}{"2012-10-17", statements}, "", "  ")
	if err != nil {
		panic(err) // plain strings
	}
	return string(text)
}

// partition gives the part of AWS that a region is in.
func partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}
