//go:build unix && !race

package speed

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
)

// events is how many records the jobs read: a Zipf of 1.1 over a million keys of 8 tables, in three minutes.
const events = 60_000

// A dataset is the same records in the forms that jobs start from.
type dataset struct {
	ndjson, csv []ingest.Record
	shapes      []ingest.Record // of NDJSON: 15,000 records each with escapes, 20 fields, a new order each, long keys
}

var data = sync.OnceValue(func() *dataset {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 1, 999_999)
	tables := []string{"orders", "customers", "sessions", "carts", "events", "inventory", "payments", "audit_log"}
	ops := []string{"read", "read", "read", "write", "delete"}
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var ndjson, csv, shapes []string
	for i := range events {
		rank := zipf.Uint64()
		ts := at.Add(time.Duration(i) * 3 * time.Minute / events).Format("2006-01-02T15:04:05.000Z")
		table, op := tables[rank%8], ops[random.IntN(len(ops))]
		key, size := fmt.Sprintf("T0%03d#U#%016x", rank%1000, rank*0x9e3779b97f4a7c15), 64+random.IntN(8000)
		ndjson = append(ndjson, fmt.Sprintf(`{"ts":%q,"table":%q,"op":%q,"key":%q,"bytes":%d}`, ts, table, op, key, size))
		shapes = append(shapes, shaped(random, i*4/events, []string{
			fmt.Sprintf(`"ts":%q`, ts), fmt.Sprintf(`"table":%q`, table), fmt.Sprintf(`"op":%q`, op), fmt.Sprintf(`"key":%q`, key), fmt.Sprintf(`"bytes":%d`, size),
		}))
		csv = append(csv, fmt.Sprintf("%s,%s,%s,%s,%d", ts, table, op, key, size))
	}
	return &dataset{ndjson: records(ndjson), csv: records(csv), shapes: records(shapes)}
})

// shaped gives a record in one of the shapes that real logs have beside the plain one.
func shaped(random *rand.Rand, shape int, fields []string) string {
	switch shape {
	case 0:
		fields[3] = strings.Replace(fields[3], "#U#", `\"U\u00e9`, 1)
	case 1:
		fields = append(fields, `"f1":"some text of a log","f2":"b","f3":123,"f4":4.5,"f5":true,"f6":"c","f7":"d","f8":null`,
			`"f9":"e","f10":"f","f11":"g","f12":7,"f13":"h","f14":"i","f15":"j"`)
	case 2:
		random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	default:
		fields[3] = strings.Replace(fields[3], "#U#", strings.Repeat("/Zürich-北京", random.IntN(12)), 1)
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// decoded gives the records as decoded events.
var decoded = sync.OnceValue(func() []ingest.Event {
	all := &keptEvents{}
	d := decoderOf(&formats.KeyEventsNDJSON)
	for i := range data().ndjson {
		d.Decode(&data().ndjson[i], all)
	}
	return all.kept
})

// keys gives the keys of the events, one beside the other.
var keys = sync.OnceValue(func() [][24]byte {
	all := make([][24]byte, events)
	for i := range all {
		copy(all[i][:], decoded()[i].Key)
	}
	return all
})

// records lays lines out as a reader does: in one block with room after it.
func records(lines []string) []ingest.Record {
	const room = 64 // see ingest.Record
	block := append([]byte(strings.Join(lines, "\n")), make([]byte, room)...)
	recs, at := make([]ingest.Record, len(lines)), 0
	for i, l := range lines {
		recs[i].Data = block[at : at+len(l)]
		at += len(l) + 1
	}
	return recs
}

func decoderOf(f *ingest.Format) ingest.Decoder {
	d, err := f.New([]byte("ts,table,op,key,bytes\n"), ingest.DecodeOptions{})
	if err != nil {
		panic(err)
	}
	return d
}

// A counted sink looks at what a Profile would look at.
type counted struct {
	ingest.EventsOnly
	events, keyBytes, problems, records int
}

func (c *counted) Event(e *ingest.Event) { c.events++; c.keyBytes += len(e.Key) }
func (c *counted) Plains(p *ingest.Plains) {
	c.events += len(p.Events)
	for i := range p.Events {
		c.keyBytes += len(p.Key(&p.Events[i]))
	}
}
func (c *counted) Problem(ingest.Problem) { c.problems++ }
func (c *counted) Skip(string)            {}

// A keptEvents sink keeps events, which point into the records.
type keptEvents struct {
	counted
	kept []ingest.Event
}

func (k *keptEvents) Event(e *ingest.Event) { k.kept = append(k.kept, *e) }

// logLines is how many lines, and records, the log has.
const logLines = 60_000

// logText is a Cassandra log of which one line in 200 is a warning of a read.
var logText = sync.OnceValue(func() []byte {
	random := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for i := range logLines {
		at := time.Date(2026, 2, 1, 0, 0, i/10, i%10*1e8, time.UTC).Format("2006-01-02 15:04:05,000")
		switch x := random.IntN(200); {
		case x == 0:
			fmt.Fprintf(&b, "WARN  [ReadStage-%d] %s ReadCommand.java:543 - Read %d live rows and %d tombstone cells for query SELECT * FROM shop.orders WHERE id = cust-%d LIMIT 5000; token %d (see tombstone_warn_threshold)\n",
				x%32, at, random.IntN(5000), 1001+random.IntN(5000), random.IntN(50), int64(random.Uint64()))
		case x < 70:
			fmt.Fprintf(&b, "INFO  [Service Thread] %s GCInspector.java:294 - G1 Young Generation GC in 223ms.  G1 Eden Space: %d -> 0; G1 Old Gen: 1294371840 -> 1294371841; \n", at, random.IntN(1e9))
		case x < 140:
			fmt.Fprintf(&b, "INFO  [CompactionExecutor:%d] %s CompactionTask.java:241 - Compacted (0123abcd-1dd2-11f1-8de9-0242ac120002) 4 sstables to [/var/lib/cassandra/data/shop/orders-5695fd81458522f99d5fe659b4aa4500/nb-614-big,] to level=0.  1.234MiB to 1.111MiB (~90%% of original) in 1,234ms.  Read Throughput = 1.234MiB/s, Write Throughput = 1.111MiB/s, Row Throughput = ~1,234/s.  1,234 total partitions merged to 1,111.  Partition merge counts were {1:1, 2:2, 3:3, }\n", x, at)
		default:
			fmt.Fprintf(&b, "INFO  [ScheduledTasks:1] %s StatusLogger.java:65 - MutationStage                    1         2              %d         0                 0\n", at, x)
		}
	}
	return b.Bytes()
})

// disk is the file system.
type disk struct{}

func (disk) Open(name string) (ingest.File, error)      { return os.Open(name) }
func (disk) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (disk) Glob(pattern string) ([]string, error)      { return filepath.Glob(pattern) }
func (disk) SameFile(a, b fs.FileInfo) bool             { return os.SameFile(a, b) }
