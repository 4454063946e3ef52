package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/keyheat/keyheat/ingest"
)

// A fakeAWS speaks the protocols of DynamoDB and DynamoDB Streams (AWS JSON 1.0) and of CloudWatch (Smithy RPC
// v2 CBOR) on the wire, as ../shared/reference/real-aws.md has them. Its stream is a simulator.
type fakeAWS struct {
	*httptest.Server
	stream   *simulator
	older    map[string]*simulator // other streams of the table, by label
	tables   map[string]string     // answers of DynamoDB, by operation
	insights map[string]string     // answers of DescribeContributorInsights, by index
	series   map[string]float64
	missing  map[string]bool // minutes without datapoints, by metric and minute
	reports  map[string]cbor.Map
	deny     map[string]bool // actions

	mu     sync.Mutex
	seen   map[string]int // requests by action
	asked  []time.Time    // beginnings and ends of GetMetricData
	mostOf int            // most queries of one GetMetricData
}

const plainTable = `{"Table":{"TableName":"Orders","TableStatus":"ACTIVE","TableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders",
	"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"ItemCount":7,"TableSizeBytes":700,
	"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"},
	"WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"},
	"LocalSecondaryIndexes":[{"IndexName":"byDate","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"date","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],
	"OnDemandThroughput":{"MaxReadRequestUnits":50000,"MaxWriteRequestUnits":-1},
	"GlobalSecondaryIndexes":[{"IndexName":"byStatus","KeySchema":[{"AttributeName":"status","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"},"IndexStatus":"ACTIVE",
		"OnDemandThroughput":{"MaxReadRequestUnits":-1,"MaxWriteRequestUnits":700},"WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4001,"Status":"ACTIVE"}}],
	"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"LatestStreamArn":"` + testStream + `"}}`

// provisionedTable is plainTable with capacity that is provisioned.
var provisionedTable = strings.Replace(plainTable, `"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"}`, `"ProvisionedThroughput":{"ReadCapacityUnits":10,"WriteCapacityUnits":20}`, 1)

// scalableTargets are two pages of an answer of Application Auto Scaling.
var scalableTargets = [2]string{
	`{"ScalableTargets":[{"ServiceNamespace":"dynamodb","ResourceId":"table/Orders","ScalableDimension":"dynamodb:table:WriteCapacityUnits","MinCapacity":5,"MaxCapacity":400,"RoleARN":"r","CreationTime":1.7936e9}],"NextToken":"1"}`,
	`{"ScalableTargets":[{"ServiceNamespace":"dynamodb","ResourceId":"table/Orders/index/byStatus","ScalableDimension":"dynamodb:index:ReadCapacityUnits","MinCapacity":1,"MaxCapacity":70,"RoleARN":"r","CreationTime":1.7936e9}]}`,
}

func newFakeAWS(t *testing.T, stream *simulator) *fakeAWS {
	t.Helper()
	f := &fakeAWS{
		stream: stream, older: map[string]*simulator{}, seen: map[string]int{}, series: map[string]float64{}, missing: map[string]bool{}, reports: map[string]cbor.Map{}, deny: map[string]bool{},
		tables: map[string]string{
			"DescribeTable":      plainTable,
			"DescribeTimeToLive": `{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"expires"}}`,
		},
		insights: map[string]string{
			"":         `{"TableName":"Orders","ContributorInsightsStatus":"DISABLED"}`,
			"byStatus": `{"TableName":"Orders","IndexName":"byStatus","ContributorInsightsStatus":"DISABLED"}`,
		},
	}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"} {
		t.Setenv(name, "")
	}
	return f
}

// patience is how long a test may wait for answers, on a loaded machine.
const patience = 3 * time.Minute

// open gives the table Orders of the fake. Waits last a hundredth.
func (f *fakeAWS) open(t *testing.T, query string) *Server {
	t.Helper()
	o := clock()
	o.LoadLimit = 1e6
	end := time.Now().Add(patience)
	o.Wait = func(ctx context.Context, d time.Duration) {
		if time.Now().After(end) {
			panic(fmt.Sprintf("the table is still read after %v", patience))
		}
		select {
		case <-time.After(d / 100):
		case <-ctx.Done():
		}
	}
	u, err := url.Parse("dynamodb://Orders?region=eu-west-1&endpoint=" + url.QueryEscape(f.URL) + query)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(u, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*Server)
}

func (f *fakeAWS) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if op, ok := strings.CutPrefix(r.URL.Path, "/service/GraniteServiceVersion20100801/operation/"); ok {
		f.cloudWatch(w, r, op, body)
		return
	}
	target := r.Header.Get("X-Amz-Target")
	if target == "AnyScaleFrontendService.DescribeScalableTargets" {
		f.scaling(w, body)
		return
	}
	service, op, _ := strings.Cut(target, ".")
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-amz-json-1.0" || !strings.Contains(r.Header.Get("Authorization"), "/eu-west-1/dynamodb/aws4_request") {
		f.fail(w, 400, "SerializationException", "wrong request of "+target)
		return
	}
	if !f.admit("dynamodb:" + op) {
		f.fail(w, 400, "AccessDeniedException", "User is not authorized to perform: dynamodb:"+op)
		return
	}
	var in map[string]any
	if err := json.Unmarshal(body, &in); err != nil {
		f.fail(w, 400, "SerializationException", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	switch {
	case service == "DynamoDBStreams_20120810":
		f.streams(w, r.Context(), op, in)
	case op == "DescribeContributorInsights":
		index, _ := in["IndexName"].(string)
		io.WriteString(w, f.insights[index])
	case service == "DynamoDB_20120810" && in["TableName"] == "Orders" && f.tables[op] != "":
		io.WriteString(w, f.tables[op])
	default:
		f.fail(w, 400, "ResourceNotFoundException", "Requested resource not found")
	}
}

// scaling answers what is asked of Application Auto Scaling, of the table and its index alone.
func (f *fakeAWS) scaling(w http.ResponseWriter, body []byte) {
	var in struct {
		ServiceNamespace, NextToken string
		ResourceIds                 []string
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	switch err := json.Unmarshal(body, &in); {
	case !f.admit(actionDescribeScaling):
		f.fail(w, 400, "AccessDeniedException", "User is not authorized to perform: "+actionDescribeScaling)
	case err != nil || in.ServiceNamespace != "dynamodb" || !slices.Equal(in.ResourceIds, []string{"table/Orders", "table/Orders/index/byStatus"}):
		f.fail(w, 400, "ValidationException", "unlike request")
	case in.NextToken == "":
		io.WriteString(w, scalableTargets[0])
	default:
		io.WriteString(w, scalableTargets[1])
	}
}

// admit counts a request, and reports whether it is allowed.
func (f *fakeAWS) admit(action string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[action]++
	return !f.deny[action]
}

func (f *fakeAWS) actions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.seen))
}

func (f *fakeAWS) fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"__type": "com.amazonaws.dynamodb.v20120810#" + code, "message": message})
}

// streams answers with what the simulator does, written by hand as AWS writes it.
func (f *fakeAWS) streams(w http.ResponseWriter, ctx context.Context, op string, in map[string]any) {
	text := func(name string) *string {
		if s, ok := in[name].(string); ok {
			return &s
		}
		return nil
	}
	var out any
	var err error
	switch op {
	case "ListStreams":
		out = f.listStreams(text)
	case "DescribeStream":
		out, err = f.describeStream(ctx, text, in)
	case "GetShardIterator":
		q := &dynamodbstreams.GetShardIteratorInput{StreamArn: text("StreamArn"), ShardId: text("ShardId"), SequenceNumber: text("SequenceNumber")}
		q.ShardIteratorType = types.ShardIteratorType(*text("ShardIteratorType"))
		if seconds, ok := in["Timestamp"].(float64); ok {
			at := time.UnixMilli(int64(seconds * 1000))
			q.Timestamp = &at
		}
		var a *dynamodbstreams.GetShardIteratorOutput
		if a, err = f.of(*q.StreamArn).GetShardIterator(ctx, q); err == nil {
			out = map[string]any{"ShardIterator": *q.StreamArn + " " + *a.ShardIterator}
		}
	case "GetRecords":
		var a *dynamodbstreams.GetRecordsOutput
		arn, token, _ := strings.Cut(*text("ShardIterator"), " ")
		if a, err = f.of(arn).GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: &token}); err == nil {
			if a.NextShardIterator != nil {
				*a.NextShardIterator = arn + " " + *a.NextShardIterator
			}
			out = recordsOnTheWire(a)
		}
	}
	if err != nil {
		f.failAs(w, err)
		return
	}
	json.NewEncoder(w).Encode(out)
}

// of gives the stream of an ARN.
func (f *fakeAWS) of(arn string) *simulator {
	if s := f.older[label(arn)]; s != nil {
		return s
	}
	return f.stream
}

// listStreams gives a page of one stream.
func (f *fakeAWS) listStreams(text func(string) *string) any {
	labels := append(slices.Sorted(maps.Keys(f.older)), testLabel)
	at := 0
	if from := text("ExclusiveStartStreamArn"); from != nil {
		at = slices.Index(labels, label(*from)) + 1
	}
	if at == len(labels) {
		return map[string]any{"Streams": []any{}}
	}
	arn := strings.TrimSuffix(testStream, testLabel) + labels[at]
	return map[string]any{"Streams": []any{map[string]any{"StreamArn": arn, "TableName": "Orders", "StreamLabel": labels[at]}}, "LastEvaluatedStreamArn": arn}
}

func (f *fakeAWS) describeStream(ctx context.Context, text func(string) *string, in map[string]any) (any, error) {
	q := &dynamodbstreams.DescribeStreamInput{StreamArn: text("StreamArn"), ExclusiveStartShardId: text("ExclusiveStartShardId")}
	if filter, ok := in["ShardFilter"].(map[string]any); ok && filter["Type"] == "CHILD_SHARDS" {
		id := filter["ShardId"].(string)
		q.ShardFilter = &types.ShardFilter{ShardId: &id}
	}
	a, err := f.of(*q.StreamArn).DescribeStream(ctx, q)
	if err != nil {
		return nil, err
	}
	d := map[string]any{"StreamArn": *q.StreamArn, "StreamStatus": a.StreamDescription.StreamStatus, "CreationRequestDateTime": 1793606400.123}
	shards := []any{}
	for _, s := range a.StreamDescription.Shards {
		of := map[string]any{"StartingSequenceNumber": *s.SequenceNumberRange.StartingSequenceNumber}
		if s.SequenceNumberRange.EndingSequenceNumber != nil {
			of["EndingSequenceNumber"] = *s.SequenceNumberRange.EndingSequenceNumber
		}
		shard := map[string]any{"ShardId": *s.ShardId, "SequenceNumberRange": of}
		if s.ParentShardId != nil {
			shard["ParentShardId"] = *s.ParentShardId
		}
		shards = append(shards, shard)
	}
	d["Shards"] = shards
	if a.StreamDescription.LastEvaluatedShardId != nil {
		d["LastEvaluatedShardId"] = *a.StreamDescription.LastEvaluatedShardId
	}
	return map[string]any{"StreamDescription": d}, nil
}

func recordsOnTheWire(a *dynamodbstreams.GetRecordsOutput) any {
	records := []any{}
	for _, r := range a.Records {
		key := map[string]any{"pk": map[string]any{"S": r.Dynamodb.Keys["pk"].(*types.AttributeValueMemberS).Value}}
		records = append(records, map[string]any{
			"awsRegion": "eu-west-1", "eventID": *r.EventID, "eventName": r.EventName, "eventSource": "aws:dynamodb", "eventVersion": "1.1",
			"dynamodb": map[string]any{
				"ApproximateCreationDateTime": r.Dynamodb.ApproximateCreationDateTime.Unix(), "Keys": key, "NewImage": key,
				"SequenceNumber": *r.Dynamodb.SequenceNumber, "SizeBytes": 12, "StreamViewType": "NEW_AND_OLD_IMAGES",
			},
		})
	}
	out := map[string]any{"Records": records}
	if a.NextShardIterator != nil {
		out["NextShardIterator"] = *a.NextShardIterator
	}
	return out
}

func (f *fakeAWS) failAs(w http.ResponseWriter, err error) {
	var api smithy.APIError
	switch {
	case !errors.As(err, &api):
		panic(http.ErrAbortHandler) // the connection is cut
	case api.ErrorFault() == smithy.FaultServer:
		f.fail(w, 500, "InternalServerError", "The request processing has failed")
	default:
		f.fail(w, 400, api.ErrorCode(), "refused by the simulator")
	}
}

// cloudWatch answers in CBOR.
func (f *fakeAWS) cloudWatch(w http.ResponseWriter, r *http.Request, op string, body []byte) {
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	w.Header().Set("Content-Type", "application/cbor")
	fail := func(status int, kind, code string) {
		w.Header().Set("X-Amzn-Query-Error", code+";Sender")
		w.WriteHeader(status)
		w.Write(cbor.Encode(cbor.Map{"__type": cbor.String("com.amazonaws.cloudwatch#" + kind), "message": cbor.String("refused")}))
	}
	v, err := cbor.Decode(body)
	in, ok := v.(cbor.Map)
	switch {
	case err != nil || !ok || r.Header.Get("Smithy-Protocol") != "rpc-v2-cbor":
		fail(400, "SerializationException", "SerializationException")
	case !f.admit("cloudwatch:" + op):
		fail(403, "AccessDeniedException", "AccessDenied")
	case op == "GetMetricData":
		w.Write(cbor.Encode(f.metricData(in)))
	case op == "GetInsightRuleReport":
		report := f.reports[string(in["RuleName"].(cbor.String))]
		switch n, _ := cbor.AsInt64(in["MaxContributorCount"]); {
		case report == nil:
			fail(404, "ResourceNotFoundException", "ResourceNotFound")
		case n > 25:
			fail(400, "InvalidParameterValueException", "InvalidParameterValue")
		default:
			w.Write(cbor.Encode(report))
		}
	default:
		fail(400, "InvalidAction", "InvalidAction")
	}
}

// onPage is how many datapoints of a series are on a page.
const onPage = 2

// metricData gives a page: each series has a datapoint a period, whose value is that of series plus its minute,
// but for those that are missing.
func (f *fakeAWS) metricData(in cbor.Map) cbor.Map {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, _ := cbor.AsTime(in["StartTime"])
	to, _ := cbor.AsTime(in["EndTime"])
	f.asked = append(f.asked, from, to)
	queries := in["MetricDataQueries"].(cbor.List)
	f.mostOf = max(f.mostOf, len(queries))
	skip := 0
	if token, ok := in["NextToken"].(cbor.String); ok {
		skip, _ = strconv.Atoi(string(token))
	}
	out, more := cbor.List{}, false
	for _, q := range queries {
		id := q.(cbor.Map)["Id"]
		name, period := seriesOf(q.(cbor.Map)["MetricStat"].(cbor.Map))
		times, values := cbor.List{}, cbor.List{}
		n, code := 0, "Complete"
		for at := from; at.Before(to); at = at.Add(period) {
			base, ok := f.series[name]
			if !ok || f.missing[name+" "+at.UTC().Format("15:04")] {
				continue
			}
			if n++; n <= skip {
				continue
			}
			if n > skip+onPage {
				code, more = "PartialData", true
				break
			}
			times = append(times, &cbor.Tag{ID: 1, Value: cbor.Float64(at.Unix())})
			values = append(values, cbor.Float64(base+float64(at.Minute())))
		}
		out = append(out, cbor.Map{"Id": id, "Label": id, "Timestamps": times, "Values": values, "StatusCode": cbor.String(code)})
	}
	answer := cbor.Map{"MetricDataResults": out, "Messages": cbor.List{}}
	if more {
		answer["NextToken"] = cbor.String(strconv.Itoa(skip + onPage))
	}
	return answer
}

// seriesOf gives the metric, its statistic and its dimensions but the table, joined by blanks.
func seriesOf(stat cbor.Map) (name string, period time.Duration) {
	m := stat["Metric"].(cbor.Map)
	name = string(m["MetricName"].(cbor.String)) + " " + string(stat["Stat"].(cbor.String))
	for _, d := range m["Dimensions"].(cbor.List) {
		if d := d.(cbor.Map); d["Name"] != cbor.String("TableName") {
			name += " " + string(d["Value"].(cbor.String))
		}
	}
	seconds, _ := cbor.AsInt64(stat["Period"])
	return name, time.Duration(seconds) * time.Second
}

// A book takes all that a Server tells.
type book struct {
	mu     sync.Mutex
	inputs []string
	events []string
	points []string
	facts  []string
	notes  []string
	other  []string
}

func (b *book) add(to *[]string, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*to = append(*to, text)
}

func (b *book) Open(in ingest.LiveInput) ingest.Sink { b.add(&b.inputs, in.Name); return b }
func (b *book) Note(text string)                     { b.add(&b.notes, text) }
func (b *book) Problem(p ingest.Problem)             { b.add(&b.other, p.Cause+": "+p.Text) }
func (b *book) Skip(kind string)                     { b.add(&b.other, "skip: "+kind) }
func (b *book) State(*ingest.State)                  { b.add(&b.other, "state") }

func (b *book) Event(e *ingest.Event) {
	text := string(e.Table) + " " + string(e.Index) + " " + string(e.Key)
	if e.Throttle != ingest.NotThrottled {
		text += " throttled " + strconv.FormatUint(e.Count(), 10)
	}
	b.add(&b.events, text)
}

func (b *book) Fact(f *ingest.Fact) {
	b.add(&b.facts, strings.Join([]string{string(f.Table), string(f.Index), f.Name, string(f.Value)}, " "))
}

func (b *book) Point(p *ingest.Point) {
	b.add(&b.points, strings.Join([]string{
		string(p.Name), p.Stat, string(p.Table), string(p.Index), string(p.Node), strconv.FormatUint(p.Milli, 10),
		time.Unix(0, p.UnixNano).UTC().Format("15:04"), strconv.Itoa(int(p.Seconds)),
	}, " "))
}
