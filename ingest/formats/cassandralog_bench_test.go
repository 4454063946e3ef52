package formats

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

// cassandraLines makes a log of 4.0: of 200 lines one is a warning of a read, of 1,000 one a large
// partition, of 10,000 one the end of a read with its exception. It gives the cells by table and key, too.
func cassandraLines(n int, seed uint64) (log []byte, cells map[string]uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	tables := []string{"shop.orders", "shop.jobs", "crm.contacts", "msg.inbox"}
	keys := []string{"cust-%d", "Region %d (north)", "cust-%d:2026-03", "4d2c%04d-0000-4000-8000-000000000000"}
	cells = map[string]uint64{}
	var b strings.Builder
	for i := range n {
		at := fmt.Sprintf("2026-02-01 %02d:%02d:%02d,%03d", i/3600%24, i/60%60, i%60, r.IntN(1000))
		table, key := tables[r.IntN(len(tables))], fmt.Sprintf(keys[r.IntN(len(keys))], r.IntN(50))
		path := "/var/lib/cassandra/data/" + strings.Replace(table, ".", "/", 1) + "-5695fd81458522f99d5fe659b4aa4500/nb-614-big-Data.db"
		switch x := r.IntN(10_000); {
		case x < 50:
			count := 1001 + r.Uint64N(5000)
			cells[table+" "+key] += count
			fmt.Fprintf(&b, "WARN  [ReadStage-%d] %s ReadCommand.java:543 - Read %d live rows and %d tombstone cells for query SELECT * FROM %s WHERE id = %s LIMIT 5000; token %d (see tombstone_warn_threshold)\n",
				r.IntN(32), at, r.IntN(5000), count, table, key, int64(r.Uint64()))
		case x < 60:
			fmt.Fprintf(&b, "WARN  [CompactionExecutor:%d] %s BigTableWriter.java:265 - Writing large partition %s:%s (%d.%03dMiB) to sstable %s\n",
				r.IntN(900), at, strings.Replace(table, ".", "/", 1), key, 100+r.IntN(900), r.IntN(1000), path)
		case x < 61:
			cells[table+" "+key] += 100001
			fmt.Fprintf(&b, "ERROR [ReadStage-2] %s StorageProxy.java:2134 - Scanned over 100001 tombstones during query 'SELECT * FROM %s WHERE id = %s LIMIT 5000' (last scanned row token was 5 and partion key was (%s)); query aborted\n"+
				"org.apache.cassandra.db.filter.TombstoneOverwhelmingException: null\n\tat org.apache.cassandra.db.ReadCommand.countTombstone(ReadCommand.java:526)\n", at, table, key, key)
		case x < 3000:
			fmt.Fprintf(&b, "INFO  [Service Thread] %s GCInspector.java:294 - G1 Young Generation GC in 223ms.  G1 Eden Space: 94371840 -> 0; G1 Old Gen: 1294371840 -> 1294371841; G1 Survivor Space: 4371840 -> 4371841; \n", at)
		case x < 6000:
			fmt.Fprintf(&b, "INFO  [CompactionExecutor:%d] %s CompactionTask.java:241 - Compacted (0123abcd-1dd2-11f1-8de9-0242ac120002) 4 sstables to [%s,] to level=0.  1.234MiB to 1.111MiB (~90%% of original) in 1,234ms.  Read Throughput = 1.234MiB/s, Write Throughput = 1.111MiB/s, Row Throughput = ~1,234/s.  1,234 total partitions merged to 1,111.  Partition merge counts were {1:1, 2:2, 3:3, }\n", r.IntN(900), at, path)
		case x < 8500:
			fmt.Fprintf(&b, "INFO  [MemtableFlushWriter:%d] %s Flushing.java:145 - Completed flushing %s (1.234MiB) for commitlog position CommitLogPosition(segmentId=1772000000000, position=1234)\n", r.IntN(900), at, path)
		default:
			fmt.Fprintf(&b, "INFO  [ScheduledTasks:1] %s StatusLogger.java:65 - MutationStage                    1         2              3         0                 0\n", at)
		}
	}
	return []byte(b.String()), cells
}

func TestCellsOfALogAddUpToWhatWasWritten(t *testing.T) {
	const seed = 20260301
	log, want := cassandraLines(60_000, seed)
	got := map[string]uint64{}
	eachRecord(t, &CassandraLog, log, &cellSink{cells: got})
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("seed %d: cells by table and key (-got +want):\n%s", seed, diff)
	}
}

// eachRecord decodes the records of data.
func eachRecord(t testing.TB, f *ingest.Format, data []byte, to ingest.Sink) {
	d, err := f.New(headOf(data), ingest.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		end := clRecordEnd(data, f.Begins)
		d.Decode(&ingest.Record{Data: bytes.TrimRight(data[:end], "\n")}, to)
		data = data[end:]
	}
}

// A cellSink adds up the tombstones of warnings by table and key.
type cellSink struct {
	countingSink
	cells map[string]uint64
}

func (s *cellSink) Event(e *ingest.Event) {
	if n, ok := e.Tombstones(); ok && (e.Warned || e.Aborted) {
		s.cells[string(e.Table)+" "+string(e.Key)] += n
	}
}

func TestLinesThatSayNothingAllocateNothing(t *testing.T) {
	log, _ := cassandraLines(2000, 7)
	var quiet [][]byte
	for line := range bytes.Lines(log) {
		if bytes.HasPrefix(line, []byte("INFO")) {
			quiet = append(quiet, padded(bytes.TrimRight(line, "\n")))
		}
	}
	d := newCassandra(nil, ingest.DecodeOptions{}, "")
	var sink countingSink
	var rec ingest.Record
	allocations := testing.AllocsPerRun(5, func() {
		for _, line := range quiet {
			if !cassandraLogBegins(line) {
				t.Fatalf("%q does not begin a record", line)
			}
			rec.Data = line
			d.Decode(&rec, &sink)
		}
	})
	if allocations != 0 || len(quiet) == 0 {
		t.Errorf("got %v allocations for %d lines, want none for some", allocations, len(quiet))
	}
}

func BenchmarkCassandraLog(b *testing.B) {
	log, _ := cassandraLines(20_000, 1)
	d := newCassandra(nil, ingest.DecodeOptions{}, "")
	var sink countingSink
	var rec ingest.Record
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		for rest := log; len(rest) > 0; { // as a reader does: a search for line ends, and one question a line
			end := bytes.IndexByte(rest, '\n') + 1
			for end < len(rest) {
				next := bytes.IndexByte(rest[end:], '\n')
				if cassandraLogBegins(rest[end : end+next]) {
					break
				}
				end += next + 1
			}
			rec.Data = rest[:end-1]
			d.Decode(&rec, &sink)
			rest = rest[end:]
		}
	}
}
