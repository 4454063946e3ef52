package rules

import (
	_ "embed" // for the rule's text
	"fmt"
	"strconv"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/purge-blocked.md
var purgeBlockedDoc string

// PurgeBlocked finds tables whose compaction does not drop tombstones that it could drop.
var PurgeBlocked = detect.Rule{
	ID:    "purge-blocked",
	Title: "Tombstones past gc grace stay",
	Needs: "droppable tombstones of a table or its SSTables, and gc_grace_seconds",
	Doc:   purgeBlockedDoc,
	Judge: judgePurgeBlocked,
}

func judgePurgeBlocked(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	for _, t := range withPoints(v) {
		grace, known := graceOf(v, t)
		b, any := blockedOf(v, t, grace)
		switch {
		case any && !known && !isSystem(t.Target):
			missing = append(missing, detect.NotAssessed{
				Target: t.Target, Missing: []string{"gc_grace_seconds"}, GetIt: "give the schema beside it: cqlsh -e 'DESCRIBE SCHEMA' > schema.cql; keyheat analyze --schema schema.cql INPUT",
			})
		case known && b.proof.Measure != "":
			found = append(found, b.finding(v, t, grace))
		}
	}
	return found, missing
}

// graceOf gives a table's gc grace in seconds.
func graceOf(v *detect.View, t *detect.TargetView) (seconds uint64, known bool) {
	value, ok := v.Fact(t.Target, ingest.FactGCGrace)
	if !ok {
		return 0, false
	}
	seconds, err := strconv.ParseUint(value, 10, 64)
	return seconds, err == nil
}

// A blocked table is one of which tombstones past gc grace are known; without proof there are none.
type blocked struct {
	proof detect.Evidence
	more  []detect.Evidence
	at    []ingest.Position
	said  string
}

// blockedOf looks for proof in the droppable ratios of a table, and of its SSTables; any is true where
// a ratio is high enough.
func blockedOf(v *detect.View, t *detect.TargetView, grace uint64) (b blocked, any bool) {
	for i := range v.Points {
		p := &v.Points[i]
		if !pointOf(p, t.Target) {
			continue
		}
		found, ok := blocked{}, false
		switch p.Name {
		case ingest.PointDroppable:
			any = any || largestValue(p).Milli >= uint64(v.Limits.Of(detect.PurgeRatio).Value)
			found, ok = droppableTwice(v, p, grace)
		case ingest.PointSSTableDroppable:
			any = any || largestValue(p).Milli >= uint64(v.Limits.Of(detect.PurgeRatioOnce).Value)
			found, ok = droppableOnce(v, p, grace)
		}
		if ok && found.proof.Value > b.proof.Value {
			b = found
		}
	}
	return b, any
}

// droppableTwice proves it by the ratio of a table at two times.
func droppableTwice(v *detect.View, p *detect.PointStats, grace uint64) (blocked, bool) {
	limit := v.Limits.Of(detect.PurgeRatio)
	high := func(n detect.PointValue) bool {
		return n.Unix != 0 && n.Milli >= uint64(limit.Value) && n.Milli <= 1000
	}
	first := uint32(0)
	for _, n := range p.Values {
		switch {
		case !high(n):
			first = 0
		case first == 0:
			first = n.Unix
		case uint64(n.Unix-first) > grace:
			e := measure{detect.Milli(n.Milli), detect.Milli(n.Milli), detect.Milli(n.Milli)}.against("droppable_ratio", "share", limit.Value, limit.Source)
			return blocked{
				proof: e, more: []detect.Evidence{exactly(uint64(n.Unix-first)).evidence("seconds_apart", "seconds")},
				at: []ingest.Position{p.First}, said: "at two times more than gc grace apart",
			}, true
		}
	}
	return blocked{}, false
}

// droppableOnce proves it by one large SSTable whose oldest tombstone is long past gc grace.
func droppableOnce(v *detect.View, p *detect.PointStats, grace uint64) (blocked, bool) {
	limit := v.Limits.Of(detect.PurgeRatioOnce)
	for _, n := range p.Values {
		bytes, known := sstableBytes(v, p, n)
		old := uint64(n.Seconds) > grace+v.Limits.Count(detect.PurgeSlack)
		if !known || !old || n.Milli < uint64(limit.Value) || n.Milli > 1000 || bytes < v.Limits.Count(detect.PurgeBytes) {
			continue
		}
		e := measure{detect.Milli(n.Milli), detect.Milli(n.Milli), detect.Milli(n.Milli)}.against("droppable_ratio", "share", limit.Value, limit.Source)
		return blocked{
			proof: e,
			more: []detect.Evidence{
				exactly(bytes).evidence("sstable_bytes", "bytes"),
				exactly(uint64(n.Seconds)).evidence("oldest_tombstone_age", "seconds"),
			},
			at: []ingest.Position{p.First}, said: "in one SSTable of " + sized(bytes) + " whose oldest tombstone is past gc grace by more than a day",
		}, true
	}
	return blocked{}, false
}

// sstableBytes gives the size of the SSTable that a ratio is of.
func sstableBytes(v *detect.View, p *detect.PointStats, n detect.PointValue) (bytes uint64, known bool) {
	for i := range v.Points {
		q := &v.Points[i]
		if q.Target != p.Target || q.Node != p.Node || q.Name != ingest.PointSSTableBytes {
			continue
		}
		for _, m := range q.Values {
			if m.Unix == n.Unix && m.Seconds == n.Seconds {
				return m.Milli / 1000, true
			}
		}
	}
	return 0, false
}

func (b *blocked) finding(v *detect.View, t *detect.TargetView, grace uint64) detect.Finding {
	f := detect.Finding{
		Severity: detect.Low, Subject: detect.Subject{Target: t.Target}, Cost: b.proof.Value,
		Evidence: append([]detect.Evidence{b.proof}, b.more...),
		Message:  fmt.Sprintf("%s of what is stored are tombstones that could be dropped, %s", percent(b.proof.Value), b.said),
	}
	f.Evidence = append(f.Evidence, exactly(grace).evidence("gc_grace", "seconds"))
	for i := range f.Evidence {
		f.Evidence[i].How = detect.Stored
	}
	if len(denseOf(v, t)) > 0 {
		f.Severity = detect.Medium
		f.Message += "; reads of the table meet them"
	}
	return settle(f, b.at)
}
