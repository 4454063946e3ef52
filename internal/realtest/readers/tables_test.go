package readers

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
)

type disk struct{}

func (disk) Open(name string) (ingest.File, error)      { return os.Open(name) }
func (disk) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (disk) Glob(pattern string) ([]string, error)      { return filepath.Glob(pattern) }
func (disk) SameFile(a, b fs.FileInfo) bool             { return os.SameFile(a, b) }

// An events is a Handler that writes down the events of an input.
type events struct {
	ingest.EventsOnly
	mu   sync.Mutex
	said []string
}

func (h *events) Begin(ingest.Chunk) ingest.Sink                 { return h }
func (*events) End(ingest.Chunk, ingest.Sink, ingest.ChunkStats) {}
func (*events) EndInput(*ingest.Input, int)                      {}
func (*events) EndFile(int, int)                                 {}
func (h *events) Skip(kind string)                               { h.say("skip " + kind) }
func (h *events) Problem(p ingest.Problem)                       { h.say("problem " + p.Cause + " " + p.Text) }

func (h *events) Event(e *ingest.Event) {
	nanos, timed := e.UnixNano()
	bytes, sized := e.Bytes()
	micros, _ := e.Latency()
	write, _ := e.WriteUnits()
	h.say(fmt.Sprintf("%s %q %v %v %d %v %d %d %v %v", e.Table, e.Key, e.Op, e.Failed, nanos, timed, micros, write, bytes, sized))
}

func (h *events) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, text)
}

func eventsIn(t *testing.T, file string, o ingest.DecodeOptions) []string {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	h := &events{}
	o.Location = time.UTC
	src := []ingest.Source{{Name: file, Path: file, Size: info.Size(), Named: true}}
	res, err := ingest.Read(t.Context(), src, ingest.Options{Formats: slices.Concat(formats.Catalogue(), formats.Tables()), Files: disk{}, Decode: o}, h)
	if err != nil || res.Sources[0].Err != nil {
		t.Fatalf("%s: %v, %v", file, err, res.Sources[0].Err)
	}
	for _, in := range res.Sources[0].Inputs {
		if in.Err != nil {
			t.Fatalf("%s: %v", file, in.Err)
		}
	}
	return h.said
}

// writeTables writes the same rows with every writer at hand, in row groups and batches of odd sizes.
const writeTables = `
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as feather, duckdb, json, datetime, decimal
n = 10_007
utc = datetime.timezone.utc
start = datetime.datetime(2026, 6, 4, 10, 0, 0, 123456, tzinfo=utc)
rows = [{'ts': start + datetime.timedelta(milliseconds=i), 'table': 'orders' if i % 3 else 'carts', 'key': f'customer-{i*i % 977}',
         'op': ['read', 'write', None][i % 3], 'bytes': i if i % 5 else None, 'latency_ms': i / 8, 'wcu': decimal.Decimal(i) / 2, 'failed': i % 11 == 0,
         'extra': [i]} for i in range(n)]
with open('rows.ndjson', 'w') as f:
    for r in rows:
        f.write(json.dumps({k: (v.isoformat().replace('+00:00', 'Z') if k == 'ts' else float(v) if k == 'wcu' else v) for k, v in r.items() if v is not None and k != 'extra'}) + '\n')
def table(ts=pa.timestamp('us', 'UTC'), text=pa.string(), number=pa.int64()):
    return pa.Table.from_pylist(rows, schema=pa.schema([('ts', ts), ('table', text), ('key', text), ('op', text), ('bytes', number),
        ('latency_ms', pa.float64()), ('wcu', pa.decimal128(20, 3)), ('failed', pa.bool_()), ('extra', pa.list_(pa.int64()))]))
plain, other = table(), table(pa.timestamp('ns'), pa.large_string(), pa.uint32())
dictionary = plain.set_column(2, 'key', plain['key'].dictionary_encode())
pq.write_table(plain, 'pyarrow.parquet', row_group_size=1003)
pq.write_table(plain, 'v2.parquet', row_group_size=4096, compression='zstd', data_page_version='2.0', data_page_size=2000)
pq.write_table(other, 'other.parquet', compression='gzip', use_dictionary=False, use_deprecated_int96_timestamps=True)
pq.write_table(dictionary, 'dictionary.parquet', compression='brotli')
feather.write_feather(plain, 'feather.arrow', chunksize=997)
feather.write_feather(other, 'plain.arrow', compression='uncompressed')
with pa.ipc.new_stream('stream.arrow', dictionary.schema, options=pa.ipc.IpcWriteOptions(compression='zstd')) as w:
    w.write_table(dictionary, max_chunksize=1001)
duckdb.sql("COPY (SELECT * FROM plain) TO 'duckdb.parquet' (ROW_GROUP_SIZE 2048)")
`

func TestTablesOfEveryWriterTellTheSame(t *testing.T) {
	path := python(t)
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), path, "-c", writeTables)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := eventsIn(t, filepath.Join(dir, "rows.ndjson"), ingest.DecodeOptions{})
	if len(want) != 10_007 || strings.Contains(strings.Join(want, "\n"), "problem") {
		t.Fatalf("%d lines", len(want))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*r*"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".ndjson" {
			continue
		}
		if d := cmp.Diff(eventsIn(t, file, ingest.DecodeOptions{}), want); d != "" {
			t.Errorf("%s (-), rows (+):\n%.3000s", filepath.Base(file), d)
		}
	}
}
