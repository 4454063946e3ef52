package rules

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A cause is what reads of tombstones tell of how those came to be.
type cause struct {
	key       []byte
	hasKey    bool
	scan      bool
	shape     string // "" where there is none
	reads     uint64
	tombs     uint64
	rows      uint64
	rowsKnown bool
}

// explain tells in the finding the cause of tombstones, and what it is known from: the first that fits of what
// was measured in the partition, of the schema and of the shape of the reads; unknown where none tells it apart.
func (c *cause) explain(f *detect.Finding, v *detect.View, t *detect.TargetView) {
	switch {
	case c.scan:
		f.Mechanism, f.MechanismConfidence = "scan", "shape"
	case c.measured(f, t) || c.bySchema(f, v, t):
	case !c.queue(v.Limits):
		f.Mechanism = "unknown"
	default:
		f.Mechanism, f.MechanismConfidence = "queue", "shape"
		if clustering := v.FactOf(t.Target, ingest.FactClustering); clustering != nil && clustering.Value != "" {
			f.MechanismConfidence, f.MechanismAt = "schema", []ingest.Position{clustering.At}
		}
	}
}

// measured tells the mechanism from the kinds of tombstones that another input found in the partition.
func (c *cause) measured(f *detect.Finding, t *detect.TargetView) bool {
	s := tombstonesOf(t, c.key, c.hasKey, func(s *detect.StateStats) bool { return s.Kinds != ingest.TombstoneKinds{} })
	if s == nil {
		return false
	}
	name := c.ofKinds(&s.Kinds, s.Max)
	if name != "" {
		f.Mechanism, f.MechanismConfidence, f.MechanismAt = name, "measured", s.Positions[:min(len(s.Positions), 1)]
	}
	return name != ""
}

// ofKinds names the mechanism that leaves these kinds of tombstones, so many in all; empty for none.
func (c *cause) ofKinds(k *ingest.TombstoneKinds, all uint64) string {
	half := func(n, of uint64) bool { return n > 0 && mul(n, 2) >= of }
	switch {
	case half(k.Expired, k.Rows):
		return "ttl"
	case half(k.Ranges, all):
		return "range-delete"
	case half(k.RowDeletes, k.Rows) && c.shape != "" && !readShape(c.shape).lower:
		return "queue"
	case k.Complex > 0 && k.Complex >= k.Rows:
		return "collection-overwrite"
	case k.Cells > 0:
		return "null-insert"
	}
	return ""
}

// tombstonesOf gives what was measured of a partition's tombstones: the most that any node or SSTable tells,
// of the measurements that are of use.
func tombstonesOf(t *detect.TargetView, key []byte, hasKey bool, use func(s *detect.StateStats) bool) *detect.StateStats {
	best := (*detect.StateStats)(nil)
	for i := range t.States {
		s := &t.States[i]
		if s.Measure != ingest.PartitionTombstones || !hasKey || !s.KeyKnown || s.Key != string(key) || !use(s) {
			continue
		}
		if best == nil || s.Max > best.Max {
			best = s
		}
	}
	return best
}

// wholeRatio is how far, in thousandths, tombstones a live row may be from a whole number, and
// wholeMost the largest number of cells that a row is taken to have: dead cells of each row alike.
const (
	wholeRatio = 20
	wholeMost  = 20
)

// bySchema tells the mechanism from the table's definition.
func (c *cause) bySchema(f *detect.Finding, v *detect.View, t *detect.TargetView) bool {
	say := func(name string, by *detect.FactStats) bool {
		f.Mechanism, f.MechanismConfidence, f.MechanismAt = name, "schema", []ingest.Position{by.At}
		return true
	}
	if ttl := v.FactOf(t.Target, ingest.FactDefaultTTL); ttl != nil && ttl.Value != "" && ttl.Value != "0" {
		return say("ttl", ttl)
	}
	key := v.FactOf(t.Target, ingest.FactPartitionKey)
	if key == nil || !c.rowsKnown || c.rows == 0 {
		return false
	}
	ratio := uint64(detect.Ratio(c.tombs, c.rows))
	n := (ratio + 500) / 1000
	if n == 0 || n > wholeMost || ratio > n*(1000+wholeRatio) || ratio < n*(1000-wholeRatio) {
		return false
	}
	if collections := v.FactOf(t.Target, ingest.FactCollections); collections != nil && collections.Value != "" {
		return say("collection-overwrite", collections)
	}
	return say("null-insert", key)
}

// queue reports whether the reads look like those of a queue: from the head of a partition, a few rows
// at a time, over many more tombstones than rows.
func (c *cause) queue(l *detect.Limits) bool {
	return c.shape != "" && readShape(c.shape).queue() && c.reads >= l.Count(detect.TombstonesReads) &&
		c.rowsKnown && c.tombs >= mul(max(c.rows, 1), l.Count(detect.QueueTombstones))
}
