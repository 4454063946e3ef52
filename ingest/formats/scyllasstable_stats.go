package formats

import (
	"bytes"
	"math"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/systable"
)

// A scyllaStats is what dump-statistics says of an SSTable.
type scyllaStats struct {
	compression       float64
	oldest, lastWrite int64 // seconds
	largest           uint64
	bytes, cells      uint64 // from below; from above, so that a share of them is one from below
	drops             []byte // times at which tombstones may go: {"1714651872":17}
}

// statistics tells of the member "stats": the top of the bucket of the largest partition, and the share of cells whose
// time to be dropped was over at the last write. Times of live cells with a TTL stand among those of tombstones, but
// later.
func (d *scyllaSSTable) statistics(text []byte) {
	s := scyllaStats{compression: 1}
	s.read(text)
	if s.largest > 0 {
		st := d.state(ingest.PartitionBytes)
		st.Source, st.Value = ingest.SourceMetadata, ingest.BucketFloor(s.largest)
		d.tell(st)
	}
	dropped := s.dropped()
	if d.table == nil || s.cells == 0 || s.oldest <= 0 || s.oldest > math.MaxInt32 {
		return
	}
	p := ingest.Point{
		Store: ingest.Scylla, Table: d.table, Index: d.index, Name: []byte(ingest.PointSSTableDroppable), Stat: "reading",
		Milli: dropped * 1000 / s.cells, UnixNano: s.oldest * 1e9, Seconds: uint32(max(s.lastWrite-s.oldest, 0)), At: d.at,
	}
	d.told = true
	d.to.Point(&p)
	p.Name, p.Milli = []byte(ingest.PointSSTableBytes), uint64(float64(s.bytes)*min(s.compression, 1))*1000
	if p.Milli > 0 {
		d.to.Point(&p)
	}
}

func (s *scyllaStats) read(text []byte) {
	m := ingest.ReadJSON(text, 0)
	for {
		name, _, value, ok := m.Next()
		if !ok {
			return
		}
		switch string(name) {
		case "compression_ratio":
			if ratio, err := strconv.ParseFloat(string(value), 64); err == nil && ratio > 0 {
				s.compression = ratio
			}
		case "min_local_deletion_time":
			s.oldest, _ = strconv.ParseInt(string(value), 10, 64)
		case "max_timestamp":
			s.lastWrite = epochSeconds(value)
		case "estimated_partition_size":
			s.bytes, _, s.largest = scyllaHistogram(value)
		case "estimated_cells_count":
			_, s.cells, _ = scyllaHistogram(value)
		case "estimated_tombstone_drop_time":
			s.drops = value
		}
	}
}

// dropped counts what could be dropped at the last write.
func (s *scyllaStats) dropped() (n uint64) {
	m := ingest.ReadJSON(s.drops, 0)
	for {
		at, _, value, ok := m.Next()
		if !ok {
			return min(n, s.cells)
		}
		count, _ := systable.Count(value)
		if sec, err := strconv.ParseInt(string(at), 10, 64); err == nil && sec <= s.lastWrite {
			n += count
		}
	}
}

// scyllaHistogram sums a list of {"offset":…,"value":…} with the lower edges of its buckets and with their tops, and
// gives the largest offset.
func scyllaHistogram(list []byte) (low, high, largest uint64) {
	for {
		brace := bytes.IndexByte(list, '{')
		if brace < 0 {
			return low, high, largest
		}
		m := ingest.ReadJSON(list, brace)
		var offset, count uint64
		for name, _, value, ok := m.Next(); ok; name, _, value, ok = m.Next() {
			if string(name) == "offset" {
				offset, _ = systable.Count(value)
			} else {
				count, _ = systable.Count(value)
			}
		}
		next, ended := m.Ended()
		if !ended {
			return low, high, largest
		}
		if list = list[next:]; count > 0 {
			low, high, largest = low+count*ingest.BucketFloor(offset), high+count*offset, max(largest, offset)
		}
	}
}
