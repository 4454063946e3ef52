package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

func TestSizesWithAndWithoutUnits(t *testing.T) {
	got := map[string]string{}
	for _, text := range []string{
		"14530764", "0", "0B", "0 bytes", "16.922MiB", "16.92 MiB", "3,2 GB", "61.2 kB", "1 TiB", " 12 bytes ", "NaN", "-1", "", "MiB",
		"12 apples", "1.2.3 MiB", "99999999999999999999", "1e3",
	} {
		n, ok := systable.Bytes([]byte(text))
		got[text] = fmt.Sprint(n, ok)
	}
	want := map[string]string{
		"14530764": "14530764 true", "0": "0 true", "0B": "0 true", "0 bytes": "0 true", "16.922MiB": "17744003 true",
		"16.92 MiB": "17741906 true", "3,2 GB": "3435973837 true", "61.2 kB": "62669 true", "1 TiB": "1099511627776 true",
		" 12 bytes ": "12 true", "NaN": "0 false", "-1": "0 false", "": "0 false", "MiB": "0 false", "12 apples": "0 false",
		"1.2.3 MiB": "0 false", "99999999999999999999": "0 false", "1e3": "0 false",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("bytes (-got +want):\n%s", diff)
	}
}

func TestThePathOfAnSSTableTellsItsTable(t *testing.T) {
	const id = "97ec2e40ec9b11f184405958fce208e7"
	for path, want := range map[string]string{
		"/var/lib/cassandra/data/shop/jobs-" + id + "/nb-2-big":                     "shop.jobs",
		"/data/shop/jobs-" + id + "/.by_state/nb-2-big-Data.db":                     "shop.jobs by_state",
		"/data/shop/jobs-" + id + "/snapshots/daily/nb-2-big-Data.db":               "shop.jobs",
		"/data/shop/jobs-" + id + "/backups/nb-2-big-Data.db":                       "shop.jobs",
		"/data/shop/jobs-" + id + "/snapshots/daily/.by_state/nb-3gx_1-big-Data.db": "shop.jobs by_state",
		"/123/mc-1047674-big":      "",
		"/data/shop/jobs/mc-1-big": "",
		"":                         "",
	} {
		table, index := pathTable([]byte(path))
		if got := strings.TrimSpace(string(table) + " " + string(index)); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// toolFormats are those of print-outs.
func toolFormats() []*ingest.Format {
	return []*ingest.Format{
		&TableStats, &TableStatsJSON, &TableHistograms, &TopPartitions, &ProfileLoad, &ScyllaTopPartitions, &SSTablePartitions,
		&SSTableMetadata, &SSTableDump, &ScyllaSSTable, &ScyllaCompaction, &CQLShTable, &CassandraSchema, &CassandraSettings, &NodetoolOther,
	}
}

func TestOtherTextsAreNoPrintouts(t *testing.T) {
	for _, text := range []string{
		"Writing large partitions is bad: see Table: 3 and the keyspace: shop.\nCompacted partition maximum bytes is a statistic.\n",
		"INFO  [SamplingManager:1] 2026-05-02T10:11:12,345 SamplingManager.java:255 - \nFrequency of reads by partition:\n   Table Partition Count +/-\n",
		"WARN  [main] 2026-05-02T10:11:12,345 X.java:1 - Keyspace: a\nTable: b\nCompacted partition maximum bytes: 3\n",
		"id,name\n1,a\n", `{"a":1}`, "name: x\nvalue: y\n", " id | name\n----+------\n  1 |    a\n\n(1 rows)\n",
		"We use CREATE TABLE orders with a partition key.\n", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n",
	} {
		for _, f := range toolFormats() {
			if v := f.Sniff([]byte(text), ingest.DecodeOptions{}); v.Fit != ingest.No {
				t.Errorf("%s: fit %d (%s) of %q, want none", f.Name, v.Fit, v.Why, text)
			}
		}
	}
}

func TestTablesOfServersThatSayNothingAreNotRefused(t *testing.T) {
	for _, header := range []string{
		" address | port | client_options | connection_stage | driver_name | request_count | username",
		" thread_id | queued_micros | running_micros | task",
		" name | capacity_bytes | entry_count | hit_ratio",
		" name | max | p50th | p999th | p99th",
		" group | item | value",
	} {
		text := header + "\n-----+-----\n a | b\n\n(1 rows)\n"
		if v := CQLShTable.Sniff([]byte(text), ingest.DecodeOptions{}); v.Fit != ingest.Certain {
			t.Errorf("%s: fit %d (%s)", header, v.Fit, v.Why)
		}
	}
}

func TestSettingsOfScyllaDBsTable(t *testing.T) {
	d, err := CQLShTable.New(nil, ingest.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	for _, line := range []string{
		" name                     | source | type         | value", "--------------------------+--------+--------------+-------",
		" tombstone_warn_threshold |   yaml | unsigned int |  5000",
	} {
		d.Decode(&ingest.Record{Data: padded([]byte(line))}, &sink)
	}
	want := `fact name="tombstone-warn-threshold" value="5000"`
	if last := sink.said[len(sink.said)-1]; !strings.HasPrefix(last, want) {
		t.Errorf("got %s, want %s", last, want)
	}
}

func TestAPlaceOfAnEarlierChunkHasNoLine(t *testing.T) {
	d := newTableStats(nil, ingest.DecodeOptions{})
	var sink recorder
	for i, line := range []string{"Keyspace: shop", "Table: orders", "Compacted partition maximum bytes: 186563160"} {
		at := ingest.Position{Byte: uint64(100 * i), Line: uint64(1 + i%2)} // the third line begins a chunk
		d.Decode(&ingest.Record{Data: []byte(line), At: at}, &sink)
	}
	want := `state table="shop.orders" source="tablestats" value=186563160 line=0`
	if got := sink.said[len(sink.said)-1]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSumsOfPartitionsAreBounded(t *testing.T) {
	d := newPartitions()
	var sink countingSink
	line := func(i, sstable int) []byte {
		return fmt.Appendf(nil, `"%d",%08x,true,0,10,1,0,0,0,0,0,0,0,0,/d/nb-%d-big-Data.db,shop,jobs,,,,2,big,nb`, i, i, sstable)
	}
	for i := range maxSummed + 10 {
		d.Decode(&ingest.Record{Data: line(i, 1)}, &sink)
	}
	if got := len(d.sums); got > maxSummed {
		t.Errorf("got %d sums held, want at most %d", got, maxSummed)
	}
	for i := range 3 * maxSummedTables {
		d.Decode(&ingest.Record{Data: line(7, i)}, &sink)
	}
	for id, s := range d.sums {
		if len(s.sstables) > maxSummedTables {
			t.Errorf("%q: got %d SSTables held, want at most %d", id, len(s.sstables), maxSummedTables)
		}
	}
}

func TestADumpIsReadInTheMemoryOfALine(t *testing.T) {
	d := &dump{}
	var sink recorder
	row := []byte(`{"type":"row","clustering":[1],"deletion_info":{"marked_deleted":"x","local_delete_time":"y"},"cells":[]},`)
	d.Decode(&ingest.Record{Data: []byte(`[{"partition":{"key":["k"],"position":0},"rows":[`)}, &sink)
	for range 100_000 {
		d.Decode(&ingest.Record{Data: row}, discard{})
	}
	sink = recorder{}
	d.Decode(&ingest.Record{Data: []byte(`{"type":"range_tombstone_bound"}]}]`)}, &sink)
	want := []string{
		`state store=cassandra key="k" keyknown=true source="sstabledump" measure=partition_rows value=100000 atleast=true`,
		`state store=cassandra key="k" keyknown=true source="sstabledump" measure=partition_tombstones value=100001 atleast=true kinds={100000 100000 1 0 0 0 0}`,
	}
	if diff := cmp.Diff(sink.said, want); diff != "" {
		t.Errorf("records (-got +want):\n%s", diff)
	}
}

// discard takes records and says nothing of them.
type discard struct{ ingest.EventsOnly }

func (discard) Event(*ingest.Event)    {}
func (discard) Problem(ingest.Problem) {}
func (discard) Skip(string)            {}

// Whatever an input holds, each record yields something, and nothing that is handed over is malformed.
func FuzzToolOutput(f *testing.F) {
	for _, format := range toolFormats() {
		f.Add([]byte(format.Doc))
	}
	f.Add([]byte("\"a\nb\",61,true,0,1,1,0,0,0,0,0,0,0,0,/d,s,t,,,,2,b,n\n"))
	f.Add([]byte("[{\"partition\":{\"key\":[\"a\",\"position\":9}}]]]}\n@ Row 1\n a | b\n---+---\n"))
	f.Add([]byte("shop:\n  tables:\n    a:\n      compacted_partition_maximum_bytes: 3\n      top_size_partitions:\n        'x: 'y: 3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range toolFormats() {
			format.Sniff(headOf(data), ingest.DecodeOptions{})
			d, err := format.New(headOf(data), ingest.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range frame(format, data) {
				if len(bytes.TrimRight(rec.Data, "\r\n")) == 0 {
					continue
				}
				var sink recorder
				d.Decode(&rec, &sink)
				if len(sink.said) == 0 {
					t.Errorf("%s: nothing is said of %q", format.Name, rec.Data)
				}
			}
			if c, ok := d.(ingest.Closer); ok {
				c.Close(&recorder{})
			}
		}
	})
}
