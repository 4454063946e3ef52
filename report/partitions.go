package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// Partitions is an estimate of how many partitions a DynamoDB table or global index has, which the service
// does not tell, with all that it is made from.
type Partitions struct {
	Low     uint64 // at least 1
	High    uint64 // 0: nothing bounds it
	Sources []PartitionSource
}

// A PartitionSource is one thing that tells of the number of partitions.
type PartitionSource struct {
	Name    string // size, provisioned, warm-throughput, on-demand, peak, open-shards, export-files
	Kind    string // at least, about, at most
	Number  uint64
	Because string
}

// newOnDemand is how many partitions take what a new on-demand table can: 4,000 writes a second.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
const newOnDemand = 4

// partitionsOf estimates the partitions of a target; nil where nothing tells of them, or the store is another.
func partitionsOf(v *detect.View, t *detect.TargetView) *Partitions {
	if t.Target.Store != ingest.DynamoDB || t.Target.Table == "" || localIndex(v, t.Target) {
		return nil
	}
	e := &partitionEstimate{view: v, target: t, out: &Partitions{Low: 1}}
	e.bySize()
	e.byCapacity("provisioned", "%d read and %d write units a second are provisioned", ingest.FactReadUnits, ingest.FactWriteUnits)
	e.byCapacity("warm-throughput", "its warm throughput is %d reads and %d writes a second", ingest.FactWarmRead, ingest.FactWarmWrite)
	if mode, _ := v.Fact(t.Target, ingest.FactBilling); mode == "PAY_PER_REQUEST" {
		e.add("on-demand", "about", newOnDemand, "a table made on-demand takes 4,000 writes a second at once")
	}
	e.byPeak()
	if n, ok := e.fact(ingest.FactOpenShards); ok && n > 0 {
		e.add("open-shards", "about", n, "so many shards of its stream are open; those of partitions without writes may be fewer")
	}
	e.byFiles()
	if !e.tells() {
		return nil
	}
	return e.out
}

// tells reports whether any source says more than that there is a partition.
func (e *partitionEstimate) tells() bool {
	return slices.ContainsFunc(e.out.Sources, func(s PartitionSource) bool { return s.Number > 1 || s.Kind == "at most" })
}

// idlePartitions tells the estimates for tables and indexes of which settings and metrics alone are known: they stand in no list.
func idlePartitions(v *detect.View) []string {
	var notes []string
	more, last := 0, detect.Target{}
	for i := range v.Facts {
		of := v.Facts[i].Target
		if of == last || slices.ContainsFunc(v.Targets, func(t *detect.TargetView) bool { return t.Target == of }) {
			continue
		}
		last = of
		switch p := partitionsOf(v, &detect.TargetView{Target: of}); {
		case p == nil:
		case len(notes) == maxDesigns:
			more++
		default:
			notes = append(notes, p.note(of))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("more tables and indexes without traffic of which something tells their partitions: %d", more))
	}
	return notes
}

// note tells an estimate in a sentence.
func (p *Partitions) note(of detect.Target) string {
	name := cut(of.Table)
	if of.Index != "" {
		name = fmt.Sprintf("index %s of %s", cut(of.Index), name)
	}
	said := []string{}
	for _, s := range p.Sources {
		said = append(said, fmt.Sprintf("%s %d by %s", s.Kind, s.Number, strings.ReplaceAll(s.Name, "-", " ")))
	}
	return fmt.Sprintf("partitions of %s, of which no traffic was read, an estimate: %d or more (%s)", name, p.Low, strings.Join(said, ", "))
}

type partitionEstimate struct {
	view   *detect.View
	target *detect.TargetView
	out    *Partitions
}

func (e *partitionEstimate) add(name, kind string, n uint64, because string, args ...any) {
	e.out.Sources = append(e.out.Sources, PartitionSource{name, kind, n, fmt.Sprintf(because, args...)})
	switch kind {
	case "at most":
		e.out.High = n
	case "at least":
		e.out.Low = max(e.out.Low, n)
	}
}

func (e *partitionEstimate) fact(name string) (uint64, bool) {
	text, ok := e.view.Fact(e.target.Target, name)
	n, err := strconv.ParseUint(text, 10, 64)
	return n, ok && err == nil
}

// bySize: a partition holds 10 GiB at most.
func (e *partitionEstimate) bySize() {
	limit := e.view.Limits.Count(detect.DynamoPartitionBytes)
	size, known := e.fact(ingest.FactTableBytes)
	if s := &e.target.Stored; s.Items > 0 {
		size, known = max(size, s.Bytes+detect.StorageOverhead*s.Items), true
	}
	if known {
		e.add("size", "at least", upwards(size, limit), "it holds %d bytes, a partition 10 GiB at most", size)
	}
}

func upwards(n, by uint64) uint64 { return max((n+by-1)/max(by, 1), 1) }

// needed gives the partitions that so many units a second need at their limits.
func (e *partitionEstimate) needed(read, write uint64) uint64 {
	return max(upwards(read, e.view.Limits.Count(detect.PartitionReadUnits)), upwards(write, e.view.Limits.Count(detect.PartitionWriteUnits)))
}

func (e *partitionEstimate) byCapacity(name, because, reads, writes string) {
	read, okR := e.fact(reads)
	write, okW := e.fact(writes)
	if (okR || okW) && read+write > 0 {
		e.add(name, "at least", e.needed(read, write), because, read, write)
	}
}

// byPeak: partitions are split for load and never merged, so what was once served still fits.
func (e *partitionEstimate) byPeak() {
	peaks := map[string]uint64{}
	for i := range e.view.Points {
		p := &e.view.Points[i]
		if p.Target != e.target.Target || p.Stat != "sum" {
			continue
		}
		for _, n := range p.Values {
			if n.Seconds > 0 {
				peaks[p.Name] = max(peaks[p.Name], n.Milli/1000/uint64(n.Seconds))
			}
		}
	}
	read, write := peaks["ConsumedReadCapacityUnits"], peaks["ConsumedWriteCapacityUnits"]
	for i, p := range e.view.Panes {
		if i < len(e.target.Panes) {
			n, width := &e.target.Panes[i].Totals, uint64(max(p.End-p.Start, 1))
			read, write = max(read, n[detect.PaneReadMilli]/1000/width), max(write, n[detect.PaneWriteMilli]/1000/width)
		}
	}
	if read+write > 0 {
		e.add("peak", "at least", e.needed(read, write), "its busiest period that is known took %d read or %d write units a second on average", read, write)
	}
}

// byFiles: a full export writes at least one data file for each partition, also for one without items.
func (e *partitionEstimate) byFiles() {
	if e.target.Target.Index != "" || e.target.Stored.UnixNano == 0 {
		return
	}
	n := uint64(0)
	for i := range e.view.Facts {
		if e.view.Facts[i].Name == ingest.FactExportItems {
			n++
		}
	}
	if n > 0 && len(e.target.Earlier) == 0 && e.onlyExport() {
		e.add("export-files", "at most", n, "its export has so many data files, at least one for each partition")
	}
}

// onlyExport reports whether the manifests that were read are of this table alone.
func (e *partitionEstimate) onlyExport() bool {
	for i := range e.view.Facts {
		if f := &e.view.Facts[i]; f.Name == ingest.FactExportTime && f.Target.Table != e.target.Target.Table {
			return false
		}
	}
	return true
}
