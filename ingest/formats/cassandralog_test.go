package formats

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/cql"
)

const shopSchema = `
CREATE TABLE shop.jobs (queue text PRIMARY KEY, state text);
CREATE TABLE shop.orders (region text, day date, id int, tags set<text>, PRIMARY KEY ((region, day), id));
`

// saidOf gives what a log's records say.
func saidOf(t *testing.T, f *ingest.Format, log string, o ingest.DecodeOptions) (said []string) {
	t.Helper()
	d, err := f.New(headOf([]byte(log)), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range frame(f, []byte(log)) {
		var sink recorder
		d.Decode(&rec, &sink)
		said = append(said, sink.said...)
	}
	return said
}

func TestASchemaTellsWhatALogLeavesOpen(t *testing.T) {
	const head = "WARN  [ReadStage-1] 2024-03-04 05:06:07,890 F.java:1 - "
	for _, c := range []struct{ name, message, want string }{
		{
			"two key columns, though the token is of another key",
			"Read 0 live rows and 5001 tombstone cells for query SELECT * FROM shop.orders WHERE region = 'eu' AND day = '2024-03-04' AND id > 3 LIMIT 10 ALLOW FILTERING; token 1 (see tombstone_warn_threshold)",
			`op=read keyknown=true warned=true table="shop.orders" key="\xff\x02\x02eu\n2024-03-04"`,
		},
		{
			"a slow read of two key columns, which has no token",
			"1 operations were slow in the last 5001 msecs:\n<SELECT * FROM shop.orders WHERE region = 'eu' AND day = '2024-03-04' LIMIT 10 ALLOW FILTERING>, time 5 msec - slow timeout 4 msec",
			`op=read keyknown=true slow=true table="shop.orders" key="\xff\x02\x02eu\n2024-03-04"`,
		},
		{
			"a read by a column that is no key",
			"1 operations were slow in the last 5001 msecs:\n<SELECT * FROM shop.jobs WHERE state = 'done' ALLOW FILTERING>, time 5 msec - slow timeout 4 msec",
			`op=scan slow=true table="shop.jobs"`,
		},
		{
			"a composite key that is printed as one text",
			`Writing large partition shop/orders:eu:2024-03-04 (111.836MiB) to sstable /data/nb-1-big-Data.db`,
			`table="shop.orders" key="\xff\x02\x02eu\n2024-03-04" keyknown=true`,
		},
		{
			"a key of one column that looks like two",
			`Writing large partition shop/jobs:a:b (111.836MiB) to sstable /data/nb-1-big-Data.db`,
			`table="shop.jobs" key="a:b" keyknown=true`,
		},
		{
			"the row of a collection",
			"Guardrail items_per_collection violated: Detected collection tags in row ('eu', '2024-03-04', 7) in table shop.orders with 12000 items, this exceeds the warning threshold of 10000.",
			`table="shop.orders" key="\xff\x02\x02eu\n2024-03-04" keyknown=true part="tags in row ('eu', '2024-03-04', 7)"`,
		},
		{
			"a table without keyspace",
			"Guardrail partition_keys_in_select violated: Query with partition keys in IN clause on table jobs, with number of partition keys 30 exceeds warning threshold of 20.",
			`op=read partitions=30 table="shop.jobs"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, _ := cql.ParseSchema([]byte(shopSchema))
			said := saidOf(t, &CassandraLog, head+c.message, ingest.DecodeOptions{Schema: schema})
			if len(said) != 1 || !strings.Contains(said[0], c.want) {
				t.Errorf("got %q, want one with %s", said, c.want)
			}
		})
	}
}

func TestTimesWithoutAZoneAreInTheRunsZone(t *testing.T) {
	const text = "Unlogged batch covering 30 partitions detected against table [shop.jobs]. You should use"
	zone := time.FixedZone("", 2*3600)
	for _, c := range []struct{ head, want string }{
		{"WARN  [X-1] 2024-03-04 05:06:07,890 F.java:1 - ", "2024-03-04T03:06:07.89Z"},
		{"WARN  [X-1] 2024-03-04T05:06:07,890 F.java:1 - ", "2024-03-04T05:06:07.89Z"},
		{"WARN  [X-1] 2024-03-04 05:06:07,890 +0500 F.java:1 - ", "2024-03-04T00:06:07.89Z"},
		{"WARN  05:06:07,890 ", ""},
		{"04 Mar 2024 05:06:07,890 [WARN]  (X-1) org.apache.cassandra.cql3.BatchStatement: ", "2024-03-04T03:06:07.89Z"},
	} {
		said := saidOf(t, &CassandraLog, c.head+text, ingest.DecodeOptions{Location: zone})
		if len(said) != 1 {
			t.Fatalf("%s: got %q, want one event", c.head, said)
		}
		_, got, _ := strings.Cut(said[0], "time=")
		if diff := cmp.Diff(got, c.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", c.head, diff)
		}
	}
}

func TestAnExceptionCountsOnlyWhereNothingElseTellsOfTheRead(t *testing.T) {
	const exception = "ERROR [ReadStage:35020] 2014-11-13 21:07:43,677 CassandraDaemon.java (line 199) Exception in thread Thread[ReadStage:35020,5,main]\n" +
		"java.lang.RuntimeException: org.apache.cassandra.db.filter.TombstoneOverwhelmingException\n"
	const own = "ERROR [ReadStage:35020] 2014-11-13 21:07:43,676 SliceQueryFilter.java (line 200) Scanned over 100000 tombstones in shop.jobs; query aborted (see tombstone_fail_threshold)\n"
	long := strings.Repeat("INFO  [main] 2014-11-13 21:07:43,676 Memtable.java (line 1) Completed flushing\n", shortBytes/70)
	for _, c := range []struct {
		name, log string
		want      int
	}{
		{"a fragment", exception, 1},
		{"beside the line of the read", own + exception, 1},
		{"a whole log", long + exception, 0},
	} {
		got := 0
		for _, line := range saidOf(t, &CassandraLog, c.log, ingest.DecodeOptions{}) {
			if strings.Contains(line, "aborted=true") {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: got %d aborted reads, want %d", c.name, got, c.want)
		}
	}
}

func TestMessagesThatPeopleWrapAreRead(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{
			"WARN  [ReadStage-2] 2019-02-17 07:25:02,559 ReadCommand.java:569 - Read 6 live\nrows and 14400 tombstone cells for query SELECT * FROM\n shop.jobs WHERE queue = \nqueue-7 LIMIT 5000 (see tombstone_warn_threshold)\n",
			`keyknown=true warned=true table="shop.jobs" key="queue-7"`,
		},
		{
			"ERROR [ReadStage-4] 2023-01-01 00:00:01,000 StorageProxy.java:2100 - Scanned over \n 100001 tombstones during query 'SELECT * FROM shop.jobs WHERE queue = queue-7\n LIMIT 300' (last scanned row partion key\n was ((queue-7), 1)); query aborted\n",
			`keyknown=true aborted=true table="shop.jobs" key="queue-7"`,
		},
		{
			"WARN  [CompactionExecutor:12] 2019-03-04 02:11:09,004 BigTableWriter.java:171 - Writing large\n  partition shop/orders:cust-42 (317.980MiB)\n  to sstable /data/mc-1-big-Data.db\n",
			`table="shop.orders" key="cust-42"`,
		},
		{
			"WARN  [ReadStage-2] 2019-02-17 07:25:02,559 ReadCommand.java:569 - Read 6 live rows and 14400 tombstone cells for query SELECT * FROM shop.jobs WHERE queue =\nqueue-7 LIMIT 5000 (see\ntombstone_warn_threshold)\n",
			`keyknown=true warned=true table="shop.jobs" key="queue-7"`,
		},
	} {
		said := saidOf(t, &CassandraLog, c.log, ingest.DecodeOptions{})
		if len(said) != 1 || !strings.Contains(said[0], c.want) {
			t.Errorf("got %q, want one with %s", said, c.want)
		}
	}
}

func TestProseIsNoLog(t *testing.T) {
	for _, text := range []string{
		"Cassandra started to complain about \"Compacting large partition orbit/vertexindex:00\".\n",
		"Read 5 live rows and many tombstone cells, said the log.\n",
		"Scanned over 100000 tombstones, the query was aborted.\n",
		"WARN  Writing large partition my_keyspace/my_table:key123 (150.2 MiB) to sstable\n",
		"The guardrail partition_size violated: nothing.\nGuardrails are good.\n",
		"Read 3 live and 2000 tombstone cells [ReadStage-1] | 10.0.0.1 | 1234\n",
		"Unlogged batch covering many partitions\n",
		"TombstoneOverwhelmingException is a hard stop: the read is given up.\n",
		"Queries fail with `org.apache.cassandra.db.filter.TombstoneOverwhelmingException`, or time out.\n",
		"The node throws org.apache.cassandra.db.filter.TombstoneOverwhelmingException and goes on.\n",
		"-- (TombstoneOverwhelmingException: scanned over 100000 tombstones)\n",
		"Expected is READ_TOO_MANY_TOMBSTONES from the replica that was not upgraded.\n",
		"Server aborts: `org.apache.cassandra.db.filter.TombstoneOverwhelmingException: Scanned over 100001 tombstones during query`.\n",
		"WARN  2024-12-03 13:05:02,004 [shard 1:  mt] large_data - Writing large partition ks/tbl: key (1200031 bytes) to me-1-big-Data.db\n",
	} {
		for _, f := range []*ingest.Format{&CassandraLog, &CassandraClient} {
			if v := f.Sniff([]byte(text), ingest.DecodeOptions{}); v.Fit != ingest.No {
				t.Errorf("%s: fit %d (%s) for %q, want none", f.Name, v.Fit, v.Why, text)
			}
		}
	}
}

// A text of 512 characters is cut there, wherever that is: no key may be taken from its end.
func TestTextsThatTheServerCutsNameNoKey(t *testing.T) {
	const head = "WARN  [ReadStage-1] 2024-03-04 05:06:07,890 F.java:1 - Read 0 live rows and 5001 tombstone cells for query "
	for _, c := range []struct {
		name, query string
		known       bool
	}{
		{"cut within the key", "SELECT * FROM shop.jobs WHERE queue = 'abc" + strings.Repeat("x", 600), false},
		{"cut right behind a blank of the key", "SELECT * FROM shop.jobs WHERE queue = a" + strings.Repeat("x", 472) + " b", false},
		{"cut behind the key", "SELECT * FROM shop.jobs WHERE queue = 'abc' AND c > '" + strings.Repeat("x", 600), true},
		{"whole", "SELECT * FROM shop.jobs WHERE queue = 'abc' LIMIT 10", true},
	} {
		query := c.query[:min(len(c.query), 512)]
		for _, tail := range []string{" (see tombstone_warn_threshold)", "; token 85070591730234615865843651857942052864 (see tombstone_warn_threshold)"} {
			said := saidOf(t, &CassandraLog, head+query+tail, ingest.DecodeOptions{})
			if len(said) != 1 || strings.Contains(said[0], "keyknown=true") != c.known {
				t.Errorf("%s: got %q, want one, with a key: %v", c.name, said, c.known)
			}
		}
	}
}

func TestListsOfTheBackgroundSamplerMayBeginInTheirFirstLine(t *testing.T) {
	const (
		head  = "INFO  [OptionalTasks:1] 2026-11-30T08:59:00,764 SamplingManager.java:255 - "
		lists = "Frequency of reads by partition:\n   Table     Partition Count +/-\n   shop.jobs mail-out  72    0  \n"
	)
	below, first := awsSays(t, &CassandraLog, ingest.DecodeOptions{}, head+"\n"+lists), awsSays(t, &CassandraLog, ingest.DecodeOptions{}, head+lists)
	if diff := cmp.Diff(first, below); diff != "" || len(first) < 2 {
		t.Errorf("lists in the first line (-got, +those below it):\n%s", diff)
	}
	if got, want := awsSays(t, &CassandraLog, ingest.DecodeOptions{}, head+"Starting to sample tables"), []string{"skip " + clSkipOther}; !cmp.Equal(got, want) {
		t.Errorf("another line: got %q, want %q", got, want)
	}
}

func TestMessagesWrappedInLinesOfWindows(t *testing.T) {
	const text = "Read 10 live rows and 2000 tombstone cells for query SELECT * FROM ops.q2 WHERE shard = 1\nLIMIT 10; (see tombstone_warn_threshold)"
	want := awsSays(t, &CassandraClient, ingest.DecodeOptions{}, text)
	got := awsSays(t, &CassandraClient, ingest.DecodeOptions{}, strings.ReplaceAll(text, "\n", "\r\n"))
	if diff := cmp.Diff(got, want); diff != "" || !strings.Contains(want[0], `key="1"`) {
		t.Errorf("message (-got, +with other ends of lines):\n%s", diff)
	}
}
