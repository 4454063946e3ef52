package aws

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// A writer writes to a table and knows how often it wrote to each key.
type writer struct {
	client *dynamodb.Client
	table  string
	truth  map[string]uint64
	total  uint64
	random *rand.Rand
}

// newWriter makes a table with a stream and an index.
func newWriter(t *testing.T, address, table string) *writer {
	t.Helper()
	w := &writer{client: dynamodb.NewFromConfig(settings(t, address)), table: table, truth: map[string]uint64{}, random: rand.New(rand.NewPCG(5, 5))}
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	key := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	_, err := w.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute("customer"), attribute("order"), attribute("status")},
		KeySchema:            []types.KeySchemaElement{key("customer", types.KeyTypeHash), key("order", types.KeyTypeRange)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("byStatus"), KeySchema: []types.KeySchemaElement{key("status", types.KeyTypeHash)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// key draws one of 150 keys: HOT in four of ten cases.
func (w *writer) key() string {
	if w.random.Float64() < 0.4 {
		return "HOT"
	}
	return fmt.Sprintf("C%d", int(150*w.random.Float64()*w.random.Float64()))
}

func (w *writer) count(key string) {
	w.truth[key]++
	w.total++
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// put puts n new items, in batches.
func (w *writer) put(t *testing.T, n int) {
	t.Helper()
	for n > 0 {
		batch := []types.WriteRequest{}
		for range min(n, 25) {
			key := w.key()
			w.count(key)
			batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
				"customer": text(key), "order": text(fmt.Sprintf("%06d", w.total)), "status": text("new"), "text": text(strings.Repeat("x", w.random.IntN(3000))),
			}}})
		}
		n -= len(batch)
		out, err := w.client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{w.table: batch}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			t.Fatalf("batch: %v, %d unprocessed", err, len(out.UnprocessedItems))
		}
	}
}

// change updates items and deletes others, each once, of those that the key HOT and C0 have, and gives how many of both
// there were.
func (w *writer) change(t *testing.T, updates, deletes int) (updated, deleted uint64) {
	t.Helper()
	for _, key := range []string{"HOT", "C0"} {
		page, err := w.client.Query(t.Context(), &dynamodb.QueryInput{
			TableName: &w.table, KeyConditionExpression: aws.String("customer = :k"), ExpressionAttributeValues: map[string]types.AttributeValue{":k": text(key)},
			ProjectionExpression: aws.String("customer, #o"), ExpressionAttributeNames: map[string]string{"#o": "order"},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, item := range page.Items[:min(len(page.Items), updates+deletes)] {
			if w.count(key); i < updates {
				updated++
				_, err = w.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
					TableName: &w.table, Key: item, UpdateExpression: aws.String("SET #s = :v"),
					ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: map[string]types.AttributeValue{":v": text("paid")},
				})
			} else {
				deleted++
				_, err = w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &w.table, Key: item})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return updated, deleted
}

// close switches the stream off, which ends a run that has read it.
func (w *writer) close(t *testing.T) {
	t.Helper()
	_, err := w.client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: &w.table, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// address gives the URL of the writer's table.
func (w *writer) address(server, settings string) string {
	return "dynamodb://" + w.table + "?region=" + region + "&endpoint=" + url.QueryEscape(server) + settings
}

// check holds a report against what was written.
func (w *writer) check(t *testing.T, r *report) {
	t.Helper()
	if len(r.Tables) == 0 || r.Tables[0].Table != w.table {
		t.Fatalf("tables: %+v", r.Tables)
	}
	got := map[string]uint64{}
	for _, k := range r.Tables[0].TopKeys {
		if k.Requests.Low != k.Requests.High {
			t.Errorf("key %s: %+v", k.Key, k.Requests)
		}
		got[k.Key] = k.Requests.Value
	}
	if d := cmp.Diff(got, w.truth); d != "" {
		t.Errorf("writes by key: got (-), written (+):\n%s", d)
	}
	share := float64(w.truth["HOT"]) / float64(w.total)
	for _, f := range r.Findings {
		if f.Rule != "hot-partition" || f.Subject.Table != w.table || f.Subject.Key != "HOT" {
			continue
		}
		for _, e := range f.Evidence {
			if e.Measure == "share" {
				if math.Abs(e.Value-share) > 0.001 {
					t.Errorf("the share of the hot key is told as %v, written was %v", e.Value, share)
				}
				return
			}
		}
	}
	t.Errorf("no finding names the hot key: %+v", r.Findings)
}

func TestWritesAreCountedByKeyExactly(t *testing.T) {
	for _, tt := range []struct {
		server *standIn
		// said is what the server cannot do: moto has not the protocol in which the SDK asks CloudWatch.
		said string
	}{
		{ministack, ""},
		{moto, "keyheat: dynamodb://Exact: metrics of a minute: cloudwatch:GetMetricData: "},
	} {
		t.Run(tt.server.name, func(t *testing.T) {
			w := newWriter(t, tt.server.at(t), "Exact")
			w.put(t, 5000)
			w.change(t, 300, 200)
			until := []string{"--for", "15s"} // moto fails to describe a stream that is switched off
			if tt.server == ministack {
				w.close(t)
				until = nil
			}
			r, said := analyze(t, w.address(tt.server.url, "&from=trim-horizon"), until...)
			if !strings.HasPrefix(said, tt.said) || tt.said == "" && said != "" {
				t.Errorf("said on stderr: %q", said)
			}
			w.check(t, r)
		})
	}
}

func TestWritesFromTheEndOnAreCounted(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Latest")
	w.put(t, 100)
	w.truth, w.total = map[string]uint64{}, 0
	var written sync.WaitGroup
	write := sync.OnceFunc(func() { written.Go(func() { w.put(t, 300) }) })
	upstream, err := url.Parse(ministack.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.ModifyResponse = func(r *http.Response) error {
		if strings.HasSuffix(r.Request.Header.Get("X-Amz-Target"), ".GetShardIterator") {
			write() // the program knows the end of the shard
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	defer server.Close()
	r, said := analyze(t, w.address(server.URL, ""), "--for", "15s")
	written.Wait()
	if said != "" {
		t.Errorf("said on stderr: %q", said)
	}
	w.check(t, r)
}

// Each of these is made good without a record missing or counted twice. The last one is told as a gap, since
// the server says that it trimmed records.
const faults = `[
	{"service":"dynamodbstreams","operation":"DescribeStream","times":2,"error":{"code":"ThrottlingException"}},
	{"service":"dynamodbstreams","operation":"GetShardIterator","times":1,"error":{"code":"InternalServerError"}},
	{"service":"dynamodbstreams","operation":"GetRecords","times":1,"error":{"code":"ExpiredIteratorException"}},
	{"service":"dynamodbstreams","operation":"GetRecords","times":3,"error":{"code":"LimitExceededException"}},
	{"service":"dynamodbstreams","operation":"GetRecords","times":1,"error":{"code":"TrimmedDataAccessException"}},
	{"service":"cloudwatch","operation":"GetMetricData","times":1,"error":{"code":"Throttling"}}]`

func TestFaultsOfTheServiceCostNoRecord(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Faults")
	w.put(t, 3000)
	w.close(t)
	r, said := analyze(t, w.address(failing(t, ministack.url, faults), "&from=trim-horizon"))
	if said != "" {
		t.Errorf("said on stderr: %q", said)
	}
	w.check(t, r)
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"gap: shard shardId-", "AWS refused 6 requests of keyheat for their rate; they were made again"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
}

func TestARecordingIsGoneOnWithWhereItWasKilled(t *testing.T) {
	w := newWriter(t, ministack.at(t), "Killed")
	if err := build(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "capture.arrow")
	collect := []string{"collect", w.address(ministack.url, "&from=trim-horizon"), "--to", file, "--append", "--quiet"}
	for range 3 {
		w.put(t, 1200)
		before := sizeOf(file)
		cmd := exec.Command(program, collect...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.put(t, 1200)
		for end := time.Now().Add(startup); sizeOf(file) < before+10_000; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing is recorded")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	w.close(t)
	if _, stderr, code := keyheat(t, collect...); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r, _ := analyze(t, file)
	w.check(t, r)
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}
