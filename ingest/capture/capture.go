// Package capture stores what a live source gives, and gives it again: the same records in the same order,
// so that a capture analysed later is what the live run was. A capture is an Arrow IPC stream of one wide
// table; docs/capture.md says what its columns mean. The package knows no source, no clock and no file.
package capture

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// Version is the version of the schema. Columns may be added without a new one: a reader passes over those
// that it does not know, and takes absent ones for null.
const Version = "1"

// Names of the stream's metadata.
const (
	metaVersion = "keyheat.capture"
	metaSource  = "keyheat.source" // what was captured, as shown: a URL

	// Of a capture that is one of a recording: where it was put, and its number there, from 1.
	metaRecording = "keyheat.recording"
	metaPart      = "keyheat.part"
)

// Format is the format of captures. What it reads has the formats of the source's inputs.
var Format = ingest.Format{
	Name:    "keyheat-capture",
	Title:   "traffic recorded by keyheat collect",
	Carries: []string{"all that its source tells"},
	Doc: `An Arrow IPC stream of one table with a row for each event, state, fact, point and problem, as keyheat collect writes it
from a running database. Each batch is whole: what a killed collector leaves is read up to its last batch, and the
report says that the end is missing. Compressed or not. The coverage is that of the recorded inputs.

docs/capture.md explains each column and how to read one with pyarrow and DuckDB.`,
	Sniff: sniff,
	Open:  open,
}

func sniff(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
	if !columnar.BeginsStream(head) {
		return ingest.Verdict{Why: "is no Arrow stream"}
	}
	r, err := columnar.NewStreamReader(bytes.NewReader(head), nil)
	if err != nil {
		return ingest.Verdict{Why: "is no Arrow stream that can be read: " + err.Error()}
	}
	defer r.Release()
	if _, ok := r.Meta(metaVersion); !ok {
		return ingest.Verdict{Why: "is an Arrow stream of something else"}
	}
	return ingest.Verdict{Fit: ingest.Certain, Why: "is an Arrow stream with the mark of a capture"}
}

func open(s *ingest.Stored, _ ingest.DecodeOptions) (ingest.Live, error) {
	return newReader(s.All, nil)
}

// The kinds of rows.
const (
	kindInput   = "input" // begins an input, before its first record
	kindEvent   = "event"
	kindState   = "state"
	kindFact    = "fact"
	kindPoint   = "point"
	kindProblem = "problem"
	kindSkip    = "skip"
	kindNote    = "note"
	kindFailure = "failure" // a part of the source that could not be read
	// kindPosition says how far a part of an input was read: it counts for all rows of the input before it.
	kindPosition = "position"
)

// The columns, in order. A column means the same for all kinds that have it.
const (
	colKind = iota
	colInput
	colTime
	colStore
	colTable
	colIndex
	colKey
	colKeyKnown
	colSortKey
	colNode
	colShape
	colEntity
	colOp
	colThrottle
	colCoverage
	colConsistency
	colWitness
	colRole
	colFailed
	colWarned
	colAborted
	colTimedOut
	colSlow
	colChanged
	colDerived
	colInventory
	colRequests
	colPartitions
	colError
	colRetries
	colBytes
	colReadMilli
	colWriteMilli
	colRows
	colTombstones
	colMicros
	colGrowth
	colWindow
	colRecord
	colChanges
	colMeasure
	colValue
	colAtLeast
	colSaid
	colLimit
	colPart
	colSource
	colKindRows
	colKindRowDeletes
	colKindRanges
	colKindCells
	colKindComplex
	colKindExpired
	colKindPartition
	colName
	colText
	colStat
	colMilli
	colSeconds
	columns
)

var fields = [columns]columnar.Field{
	colKind:           {Name: "kind", Kind: columnar.Word},
	colInput:          {Name: "input", Kind: columnar.Count},
	colTime:           {Name: "time", Kind: columnar.Moment},
	colStore:          {Name: "store", Kind: columnar.Word},
	colTable:          {Name: "table", Kind: columnar.Name},
	colIndex:          {Name: "index", Kind: columnar.Name},
	colKey:            {Name: "key", Kind: columnar.Name},
	colKeyKnown:       {Name: "key_known", Kind: columnar.Flag},
	colSortKey:        {Name: "sort_key", Kind: columnar.Name},
	colNode:           {Name: "node", Kind: columnar.Name},
	colShape:          {Name: "shape", Kind: columnar.Name},
	colEntity:         {Name: "entity", Kind: columnar.Name},
	colOp:             {Name: "op", Kind: columnar.Word},
	colThrottle:       {Name: "throttle", Kind: columnar.Word},
	colCoverage:       {Name: "coverage", Kind: columnar.Word},
	colConsistency:    {Name: "consistency", Kind: columnar.Word},
	colWitness:        {Name: "witness", Kind: columnar.Word},
	colRole:           {Name: "role", Kind: columnar.Name},
	colFailed:         {Name: "failed", Kind: columnar.Flag},
	colWarned:         {Name: "warned", Kind: columnar.Flag},
	colAborted:        {Name: "aborted", Kind: columnar.Flag},
	colTimedOut:       {Name: "timed_out", Kind: columnar.Flag},
	colSlow:           {Name: "slow", Kind: columnar.Flag},
	colChanged:        {Name: "changed", Kind: columnar.Flag},
	colDerived:        {Name: "derived", Kind: columnar.Flag},
	colInventory:      {Name: "inventory", Kind: columnar.Moment},
	colRequests:       {Name: "requests", Kind: columnar.Count},
	colPartitions:     {Name: "partitions", Kind: columnar.Count},
	colError:          {Name: "error", Kind: columnar.Count},
	colRetries:        {Name: "retries", Kind: columnar.Count},
	colBytes:          {Name: "bytes", Kind: columnar.Count},
	colReadMilli:      {Name: "read_units_milli", Kind: columnar.Count},
	colWriteMilli:     {Name: "write_units_milli", Kind: columnar.Count},
	colRows:           {Name: "rows", Kind: columnar.Count},
	colTombstones:     {Name: "tombstones", Kind: columnar.Count},
	colMicros:         {Name: "latency_micros", Kind: columnar.Count},
	colGrowth:         {Name: "growth_bytes", Kind: columnar.Signed},
	colWindow:         {Name: "window_seconds", Kind: columnar.Count},
	colRecord:         {Name: "record_id", Kind: columnar.Count},
	colChanges:        {Name: "changes", Kind: columnar.Name},
	colMeasure:        {Name: "measure", Kind: columnar.Word},
	colValue:          {Name: "value", Kind: columnar.Count},
	colAtLeast:        {Name: "at_least", Kind: columnar.Flag},
	colSaid:           {Name: "said", Kind: columnar.Flag},
	colLimit:          {Name: "limit", Kind: columnar.Count},
	colPart:           {Name: "part", Kind: columnar.Name},
	colSource:         {Name: "source", Kind: columnar.Name},
	colKindRows:       {Name: "kinds_rows", Kind: columnar.Count},
	colKindRowDeletes: {Name: "kinds_row_deletes", Kind: columnar.Count},
	colKindRanges:     {Name: "kinds_ranges", Kind: columnar.Count},
	colKindCells:      {Name: "kinds_cells", Kind: columnar.Count},
	colKindComplex:    {Name: "kinds_complex", Kind: columnar.Count},
	colKindExpired:    {Name: "kinds_expired", Kind: columnar.Count},
	colKindPartition:  {Name: "kinds_partition", Kind: columnar.Count},
	colName:           {Name: "name", Kind: columnar.Name},
	colText:           {Name: "text", Kind: columnar.Name},
	colStat:           {Name: "stat", Kind: columnar.Name},
	colMilli:          {Name: "milli", Kind: columnar.Count},
	colSeconds:        {Name: "seconds", Kind: columnar.Count},
}

// checkFields gives where each column is in a file, -1 when it is absent.
func checkFields(found []columnar.Field) (at [columns]int, err error) {
	var faults []error
	for c, f := range fields {
		at[c] = -1
		for i := range found {
			switch {
			case found[i].Name != f.Name:
			case found[i].Kind != f.Kind:
				faults = append(faults, fmt.Errorf("column %s is of another type than captures have", f.Name))
			default:
				at[c] = i
			}
		}
	}
	if at[colKind] < 0 || at[colInput] < 0 {
		faults = append(faults, errors.New("no columns kind and input"))
	}
	return at, errors.Join(faults...)
}
