package systable

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// estimates sum the rows of one table in system.size_estimates, or table_estimates of 4.0 and later: each is of a range
// of tokens, and gives the partitions of the node there and how many bytes they have on average.
type estimates struct {
	table             []byte
	at                ingest.Position
	partitions, bytes uint64
}

// estimated takes a row, and tells of the table before when it is of another: rows of a table follow each other.
func (s *Sayer) estimated(r *Row, table []byte, at ingest.Position, to ingest.Sink) (told bool) {
	if kind := r.Of("range_type"); len(kind) > 0 && string(kind) != "primary" {
		return false // the same partitions again
	}
	partitions, ok := Count(r.Of("partitions_count"))
	mean, known := Count(r.Of("mean_partition_size"))
	if !ok || !known || partitions > 1<<31 || mean > 1<<31 {
		return false
	}
	e := &s.estimates
	if !bytes.Equal(e.table, table) {
		told = e.end(to)
		e.table, e.at = bytes.Clone(table), at
	}
	e.partitions += partitions
	e.bytes += partitions * mean
	return told
}

// end tells of the table that rows were summed of; false: of none.
func (e *estimates) end(to ingest.Sink) bool {
	sum := *e
	*e = estimates{}
	if sum.partitions == 0 {
		return false
	}
	p := ingest.Point{Table: sum.table, Stat: "reading", At: sum.at}
	for _, v := range []struct {
		name string
		n    uint64
	}{{ingest.PointPartitions, sum.partitions}, {ingest.PointMeanPartition, sum.bytes / sum.partitions}} {
		p.Name, p.Milli = []byte(v.name), v.n*1000
		to.Point(&p)
	}
	return true
}
