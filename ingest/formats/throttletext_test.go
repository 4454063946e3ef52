package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

func TestRecordsOfApplicationLogsBeginWithAHead(t *testing.T) {
	for _, c := range []struct {
		line string
		want bool
	}{
		{"2026-11-02 10:00:01 ERROR x", true},
		{"    2026-11-02 10:00:01 ERROR x", true},
		{"\tERROR x", true},
		{"> 2026-11-02 10:00:01 x", true},
		{"app_1  | 2026-11-02 10:00:01 x", true},
		{"/var/log/app.log:17:2026-11-02 10:00:01 x", true},
		{"app-0 app WARN [worker] x", true},
		{"Nov  2 10:00:01 app1 app[12]: x", true},
		{"put failed: ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table was exceeded.", true},
		{"2026-11-02 10:00:03 System.AggregateException: One or more errors occurred.", true},

		{"", false},
		{"x", false},
		{"\tat com.a.B.c(B.java:1)", false},
		{"app_1  | \tat com.a.B.c(B.java:1)", false},
		{"2026-11-02T10:00:01.345Z stdout F \tat com.a.B.c(B.java:1)", false},
		{"2026-11-02T10:00:01.345Z app Caused by: com.a.BException: x", false},
		{"app_1  | com.a.BException: x", false},
		{"com.a.BException: x", false},
		{"Nov  2 10:00:01 app1 app[12]:   code = x", false},
		{"  time: 2026-11-02T10:00:07.392Z,", false},
		{`  "time": "2026-11-02T10:00:07.392Z",`, false},
		{"Traceback (most recent call last):", false},
		{"  File \"app.py\", line 1", false},
	} {
		if got := beginsLogRecord([]byte(c.line)); got != c.want {
			t.Errorf("%q: got %v, want %v", c.line, got, c.want)
		}
	}
}

func TestErrorsOfApplicationLogs(t *testing.T) {
	const at = "2026-11-02 10:00:01,000 ERROR "
	for _, c := range []struct {
		name, line string
		want       []string
		fit        ingest.Fit
	}{
		{
			"a limit of ScyllaDB for each partition", at + "app - Per-partition rate limit reached for write in table shop.carts, rejected by replicas",
			[]string{`event store=scylla op=write throttle=key-range coverage=selected role="client" requests=1 table="shop.carts" line=1 time=2026-11-02T10:00:01Z`}, ingest.Certain,
		},
		{
			"that limit as Alternator tells it", at + `{"__type":"com.amazonaws.dynamodb.v20120810#RequestLimitExceeded","message":"Per-partition rate limit reached for read in table alternator_T.T, rejected by coordinator"}`,
			[]string{`event store=scylla op=read throttle=key-range coverage=selected role="client" requests=1 table="alternator_T.T" line=1 time=2026-11-02T10:00:01Z`}, ingest.Certain,
		},
		{
			"a transaction of which a part was refused", at + "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons [None, ThrottlingError]",
			[]string{`event store=dynamodb throttle=unknown coverage=selected role="client" requests=1 line=1 time=2026-11-02T10:00:01Z`}, ingest.Certain,
		},
		{
			"a transaction whose condition failed", at + "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]",
			[]string{"skip line without a throttling error"}, ingest.Possible,
		},
		{
			"a full item collection", at + "put tableName=Orders: ItemCollectionSizeLimitExceededException: Collection size exceeded.",
			[]string{`state store=dynamodb table="Orders" source="refused write" value=10737418240 said=true limit=10737418240 unixnano=1793613601000000000 line=1`}, ingest.Possible,
		},
		{"a failed condition", at + "ConditionalCheckFailedException: The conditional request failed", []string{"skip line without a throttling error"}, ingest.Possible},
		{"another service", at + "PutLogEvents ThrottlingException: Rate exceeded", []string{"skip line without a throttling error"}, ingest.No},
		{"a page on limits", "A ConditionalCheckFailedException is thrown when a condition fails.", []string{"skip line without a throttling error"}, ingest.No},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := ThrottleText.Sniff([]byte(c.line), ingest.DecodeOptions{}); v.Fit != c.fit {
				t.Errorf("got fit %d (%s), want %d", v.Fit, v.Why, c.fit)
			}
			if diff := cmp.Diff(awsSays(t, &ThrottleText, ingest.DecodeOptions{}, c.line), c.want); diff != "" {
				t.Errorf("record (-got +want):\n%s", diff)
			}
		})
	}
}
