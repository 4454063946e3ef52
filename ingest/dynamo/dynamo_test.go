package dynamo

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
)

// plainStream is a stream that keeps all.
func plainStream(seed uint64) *simulator {
	s := newSimulator(rand.New(rand.NewPCG(seed, 3)), time.Now)
	s.keep, s.hide, s.expire, s.trouble, s.limit = 0, 0, time.Hour, 0.1, 2
	return s
}

// grownStream is a stream with a tree of shards, of which the oldest are trimmed, that was closed.
func grownStream(seed uint64) *simulator {
	s := plainStream(seed)
	for range 60 {
		s.step()
	}
	for _, sh := range s.shards {
		if sh.parent == "" && sh.last != 0 {
			sh.gone = true
		}
	}
	s.close()
	return s
}

func TestATreeOfShardsIsReadOverTheWire(t *testing.T) {
	sim := grownStream(1)
	f := newFakeAWS(t, sim)
	var b book
	if err := f.open(t, "&from=trim-horizon").Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	want, trimmed := []string{}, 0
	for _, sh := range sim.shards {
		if sh.gone {
			trimmed++
			continue
		}
		for _, r := range sh.records {
			want = append(want, fmt.Sprintf("Orders  %d", r.number))
		}
	}
	slices.Sort(want)
	slices.Sort(b.events)
	if d := cmp.Diff(b.events, want); d != "" || trimmed == 0 || len(want) < 300 || len(sim.shards) < 8 {
		t.Errorf("%d shards, %d trimmed; events: got (-), want (+):\n%s", len(sim.shards), trimmed, d)
	}
	if len(b.other) > 0 {
		t.Errorf("also told: %q", b.other)
	}
	if d := cmp.Diff(b.inputs[0], "dynamodb://Orders/table?region=eu-west-1"); d != "" {
		t.Error(d)
	}
}

func TestATableIsDescribed(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	var b book
	if err := f.open(t, "").Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Orders  partition-key pk", "Orders  items 7", "Orders  table-bytes 700", "Orders  billing-mode PAY_PER_REQUEST",
		"Orders  table-class STANDARD_INFREQUENT_ACCESS", "Orders  warm-read-units 12000", "Orders  warm-write-units 4000",
		"Orders  local-index byDate", "Orders  global-index byStatus", "Orders byStatus partition-key status", "Orders byStatus projection KEYS_ONLY",
		"Orders  stream-view NEW_AND_OLD_IMAGES", "Orders  ttl-attribute expires", "Orders  contributor-insights DISABLED",
		"Orders byStatus contributor-insights DISABLED", "Orders  open-stream-shards 0", "Orders  max-on-demand-read-units 50000",
		"Orders byStatus max-on-demand-write-units 700", "Orders byStatus warm-write-units 4001",
	} {
		if !slices.Contains(b.facts, want) {
			t.Errorf("no fact %q in %q", want, b.facts)
		}
	}
}

func TestMetricsAreReadInWholePages(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	f.series = map[string]float64{
		"ConsumedWriteCapacityUnits Sum": 1000, "WriteKeyRangeThroughputThrottleEvents Sum byStatus": 5,
		"ThrottledRequests Sum PutItem": 100, "ProvisionedWriteCapacityUnits Maximum": 40,
	}
	f.missing["ConsumedWriteCapacityUnits Sum 10:02"] = true
	s := f.open(t, "&from=2026-11-30T10:00:30Z")
	s.options.Now = func() time.Time { return time.Date(2026, 11, 30, 10, 8, 20, 0, time.UTC) }
	var b book
	if err := s.Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for m := range 5 { // the last three minutes may still change
		at := fmt.Sprintf("10:%02d", m)
		if m != 2 {
			want = append(want, fmt.Sprintf("ConsumedWriteCapacityUnits sum Orders   %d %s 60", (1000+m)*1000, at))
		}
		want = append(want, fmt.Sprintf("WriteKeyRangeThroughputThrottleEvents sum Orders byStatus  %d %s 60", (5+m)*1000, at),
			fmt.Sprintf("ThrottledRequests sum Orders  PutItem %d %s 60", (100+m)*1000, at))
	}
	want = append(want, "ProvisionedWriteCapacityUnits maximum Orders   40000 10:00 300")
	slices.Sort(want)
	slices.Sort(b.points)
	if d := cmp.Diff(b.points, want); d != "" {
		t.Errorf("points: got (-), want (+):\n%s", d)
	}
	for _, at := range f.asked {
		if at.Second() != 0 {
			t.Errorf("asked for %v, which is within a minute", at)
		}
	}
	if len(b.notes) > 0 && !strings.HasPrefix(b.notes[0], "AWS refused") {
		t.Errorf("notes %q", b.notes)
	}
}

// A keeper is a book that keeps positions.
type keeper struct {
	book
	positions map[string]string
}

func (k *keeper) Open(ingest.LiveInput) ingest.Sink { return k }

func (k *keeper) Position(part string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.positions[part]
}

func (k *keeper) Reached(part, position string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.positions[part] = position
}

func TestMetricsGoOnWhereAnEarlierRunEnded(t *testing.T) {
	f := withInsights(newFakeAWS(t, grownStream(1)))
	f.series["WriteThrottleEvents Sum"] = 0
	k := &keeper{positions: map[string]string{}}
	for _, minute := range []int{8, 8, 12} {
		s := f.open(t, "&from=2026-11-30T10:00:30Z")
		s.options.Now = func() time.Time { return time.Date(2026, 11, 30, 10, minute, 20, 0, time.UTC) }
		c, err := s.clients(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		calls := newCaller(s.options)
		tab, err := s.describe(t.Context(), calls, c.tables, c.scaling, c.region, k)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		close(done)
		if err := s.measure(t.Context(), done, calls, c.metrics, tab, k); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{}
	for m := range 9 {
		want = append(want, fmt.Sprintf("WriteThrottleEvents sum Orders   %d 10:%02d 60", m*1000, m))
	}
	slices.Sort(k.points)
	if d := cmp.Diff(k.points, want); d != "" {
		t.Errorf("points: got (-), want (+):\n%s", d)
	}
	if d := cmp.Diff(k.positions["Contributor Insights"], "2026-11-30T10:05:00Z"); d != "" { // five minutes at a time
		t.Error(d)
	}
}

func TestManyIndexesTakeMoreThanOneCall(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	s := f.open(t, "")
	tab := &table{region: "eu-west-1"}
	for i := range 60 {
		name := fmt.Sprintf("index%d", i)
		tab.indexes = append(tab.indexes, name)
		f.series["WriteThrottleEvents Sum "+name] = 1
	}
	a, err := s.clients(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b book
	r := &metricsReader{server: s, calls: newCaller(s.options), api: a.metrics, table: tab, note: b.Note, sink: &b}
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	if err := r.read(t.Context(), minutely, at, at.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if len(b.points) != 60 || f.mostOf != queriesOfCall || f.seen[actionGetMetricData] != 2 {
		t.Errorf("%d points by %d calls of at most %d queries", len(b.points), f.seen[actionGetMetricData], f.mostOf)
	}
}

// report is an answer of GetInsightRuleReport.
func report(key string, value float64) cbor.Map {
	at := &cbor.Tag{ID: 1, Value: cbor.Float64(1796032800)}
	return cbor.Map{
		"KeyLabels": cbor.List{cbor.String("PartitionKey")}, "AggregationStatistic": cbor.String("Sum"), "AggregateValue": cbor.Float64(value),
		"ApproximateUniqueCount": cbor.Uint(1), "Contributors": cbor.List{cbor.Map{
			"Keys": cbor.List{cbor.String(key)}, "ApproximateAggregateValue": cbor.Float64(value),
			"Datapoints": cbor.List{cbor.Map{"Timestamp": at, "ApproximateValue": cbor.Float64(value)}},
		}},
		"MetricDatapoints": cbor.List{},
	}
}

// withInsights enables Contributor Insights for the table and its index.
func withInsights(f *fakeAWS) *fakeAWS {
	const table, index = "DynamoDBContributorInsights-PKT-Orders-1791501766746", "DynamoDBContributorInsights-PKT-Orders-byStatus-1791501766746"
	f.insights[""] = `{"TableName":"Orders","ContributorInsightsStatus":"ENABLED","ContributorInsightsMode":"ACCESSED_AND_THROTTLED_KEYS","ContributorInsightsRuleList":["` + table + `"]}`
	f.insights["byStatus"] = `{"TableName":"Orders","IndexName":"byStatus","ContributorInsightsStatus":"ENABLED","ContributorInsightsMode":"THROTTLED_KEYS","ContributorInsightsRuleList":["` + index + `"]}`
	f.reports[table], f.reports[index] = report("TENANT#17", 8), report("open", 9)
	return f
}

func TestReportsOfContributorInsightsAreOfTheirTableAndIndex(t *testing.T) {
	sim := grownStream(1)
	f := withInsights(newFakeAWS(t, sim))
	var b book
	if err := f.open(t, "").Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	slices.Sort(b.events)
	if d := cmp.Diff(b.events, []string{"Orders  TENANT#17 throttled 8", "Orders byStatus open throttled 9"}); d != "" {
		t.Errorf("events: got (-), want (+):\n%s", d)
	}
}

func TestThePolicyHoldsWhatRequestsNeedAndNoMore(t *testing.T) {
	for name, run := range map[string]func(*Server) error{
		"to collect":  func(s *Server) error { return s.Collect(t.Context(), &book{}) },
		"to diagnose": func(s *Server) error { _, err := s.Diagnose(t.Context()); return err },
	} {
		t.Run(name, func(t *testing.T) {
			f := withInsights(newFakeAWS(t, grownStream(1)))
			f.tables["DescribeTable"] = provisionedTable
			s := f.open(t, "&from=trim-horizon")
			if err := run(s); err != nil {
				t.Fatal(err)
			}
			var p struct{ Statement []statement }
			if err := json.Unmarshal([]byte(policy("eu-west-1", "Orders")), &p); err != nil {
				t.Fatal(err)
			}
			allowed := []string{}
			for _, st := range p.Statement {
				allowed = append(allowed, st.Action...)
			}
			slices.Sort(allowed)
			if d := cmp.Diff(f.actions(), allowed); d != "" {
				t.Errorf("requests: made (-), allowed (+):\n%s", d)
			}
		})
	}
}

func TestDoctorSaysWhatTheTableHides(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	d, err := f.open(t, "&profile=").Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := "aws dynamodb update-contributor-insights --table-name Orders --index-name byStatus --contributor-insights-action ENABLE --region eu-west-1"
	if len(d.Hidden) != 2 || d.Hidden[1].Show != want || !strings.Contains(d.Hidden[0].Cost, "2 rules") || len(d.Lacking) != 0 {
		t.Errorf("%+v", d)
	}
	f.tables["DescribeTable"] = strings.NewReplacer(`"LatestStreamArn":"`+testStream+`"`, `"DeletionProtectionEnabled":false`).Replace(plainTable)
	if d, err = f.open(t, "").Diagnose(t.Context()); err != nil || d.Hidden[0].What != "which key is written" {
		t.Errorf("error %v, %+v", err, d)
	}
	f.tables["DescribeTable"] = strings.ReplaceAll(plainTable, "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
	if d, err = f.open(t, "").Diagnose(t.Context()); err != nil || d.Hidden[0].What != "item sizes and write units by key" {
		t.Errorf("error %v, %+v", err, d)
	}
}

func TestAutoScalingOfProvisionedCapacityIsTold(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	f.tables["DescribeTable"] = provisionedTable
	var b book
	if err := f.open(t, "").Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Orders  auto-scaling-min-write-units 5", "Orders  auto-scaling-max-write-units 400", "Orders byStatus auto-scaling-min-read-units 1",
		"Orders byStatus auto-scaling-max-read-units 70",
	} {
		if !slices.Contains(b.facts, want) {
			t.Errorf("no fact %q in %q", want, b.facts)
		}
	}
	d, err := f.open(t, "").Diagnose(t.Context())
	if want := "auto scaling of writes of the table from 5 to 400 units, reads of the index byStatus from 1 to 70 units"; err != nil || !slices.Contains(d.Sees, want) {
		t.Errorf("error %v, no %q in %q", err, want, d.Sees)
	}
	f.deny[actionDescribeScaling] = true
	b = book{}
	if err := f.open(t, "").Collect(t.Context(), &b); err != nil || !slices.ContainsFunc(b.notes, func(n string) bool { return strings.HasPrefix(n, "what auto scaling may do is not known: ") }) {
		t.Errorf("error %v, notes %q", err, b.notes)
	}
}

func TestRefusedPermissionsAreNamed(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	for _, action := range []string{actionGetRecords, actionGetMetricData, actionDescribeTimeToLive} {
		f.deny[action] = true
	}
	d, err := f.open(t, "").Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Lacking, []string{actionGetMetricData, actionDescribeTimeToLive, actionGetRecords}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	var b book
	err = f.open(t, "&from=trim-horizon").Collect(t.Context(), &b)
	if err == nil || !strings.Contains(err.Error(), "dynamodb://Orders: reading shard") || !strings.Contains(err.Error(), "not authorized to perform: dynamodb:GetRecords") {
		t.Errorf("error %v", err)
	}
	if !slices.ContainsFunc(b.notes, func(n string) bool {
		return strings.HasPrefix(n, "not read: metrics of a minute: cloudwatch:GetMetricData")
	}) {
		t.Errorf("notes %q", b.notes)
	}
}

func TestFaultsOfAnAddressAreAllTold(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"dynamodb://Or?from=noon&table=x", "table \"Or\": must be 3 to 255 letters, digits, or any of _ . -\n" +
			"from=\"noon\": must be latest, trim-horizon or a time like 2026-11-30T10:00:00Z\ntable: no such setting: there are endpoint, from, profile and region"},
		{"dynamodb://Orders/x?endpoint=localhost", "there must be nothing but a table and its settings\n" +
			"endpoint \"localhost\": must be like https://dynamodb.eu-west-1.amazonaws.com"},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Open(u, ingest.LiveOptions{Formats: formats.Catalogue()}); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got error\n%v\nwant\n%s", tt.url, err, tt.want)
		}
	}
}

func TestWithoutARegionNoRequestIsMade(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	s := f.open(t, "")
	s.address.region = ""
	err := s.Collect(t.Context(), &book{})
	if err == nil || err.Error() != "dynamodb://Orders: no region: add ?region=eu-west-1 or the like, or set AWS_REGION" || len(f.seen) > 0 {
		t.Errorf("error %v, requests %v", err, f.seen)
	}
}

// A profile that assumes a role is the SDK's matter: requests are signed by the role, in the profile's region.
func TestAProfileMayAssumeARole(t *testing.T) {
	f := newFakeAWS(t, grownStream(1))
	settings := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(settings, []byte(`[profile base]
aws_access_key_id = AKIABASE
aws_secret_access_key = base
[profile reader]
role_arn = arn:aws:iam::123456789012:role/reader
source_profile = base
region = eu-west-1
`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", settings)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_ENDPOINT_URL_STS", f.URL)
	var assumed, signed atomic.Int32
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credential := r.Header.Get("Authorization")
		switch {
		case strings.Contains(credential, "Credential=AKIABASE/") && strings.Contains(credential, "/sts/aws4_request"):
			assumed.Add(1)
			io.WriteString(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId>`+
				`<SecretAccessKey>role</SecretAccessKey><SessionToken>token</SessionToken><Expiration>`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+
				`</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`)
		case strings.Contains(credential, "Credential=ASIAROLE/") && strings.Contains(credential, "/eu-west-1/") && r.Header.Get("X-Amz-Security-Token") == "token":
			signed.Add(1)
			f.serve(w, r)
		default:
			t.Errorf("signed otherwise: %s", credential)
			w.WriteHeader(403)
		}
	})
	u, err := url.Parse("dynamodb://Orders?profile=reader&from=trim-horizon&endpoint=" + url.QueryEscape(f.URL))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(u, f.open(t, "").options)
	if err != nil {
		t.Fatal(err)
	}
	var b book
	if err := s.Collect(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.counted(), recordsOf(f.stream)); d != "" || assumed.Load() != 1 || signed.Load() < 5 {
		t.Errorf("%d roles assumed, %d requests signed by it; events: got (-), want (+):\n%s", assumed.Load(), signed.Load(), d)
	}
}
