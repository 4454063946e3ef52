package propose

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// measured gives the evidence of a measure.
func measured(f *detect.Finding, measure string) (detect.Evidence, bool) {
	i := slices.IndexFunc(f.Evidence, func(e detect.Evidence) bool { return e.Measure == measure })
	if i < 0 {
		return detect.Evidence{}, false
	}
	return f.Evidence[i], true
}

// worthIt reports whether a finding may have a proposal other than confirm: its effect is certain, and
// more than relative heat.
func worthIt(f *detect.Finding) bool {
	return f.Confidence == detect.Sure && f.Severity >= detect.Medium
}

// keyOf gives the key that a finding is about, nil when it names none or the view holds it no more.
func keyOf(v *detect.View, f *detect.Finding) *detect.KeyView {
	t := targetOf(v, f)
	if t == nil || !f.Subject.HasKey {
		return nil
	}
	i := slices.IndexFunc(t.Keys, func(k *detect.KeyView) bool { return string(k.Key) == string(f.Subject.Key) })
	if i < 0 {
		return nil
	}
	return t.Keys[i]
}

func targetOf(v *detect.View, f *detect.Finding) *detect.TargetView {
	i := slices.IndexFunc(v.Targets, func(t *detect.TargetView) bool { return t.Target == f.Subject.Target })
	if i < 0 {
		return nil
	}
	return v.Targets[i]
}

// ceilDiv gives a/b rounded up; 0 when b is 0.
func ceilDiv(a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	return a/b + min(a%b, 1)
}

// powerOfTwo gives the least power of two that is at least n, and at least 2.
func powerOfTwo(n uint64) uint64 {
	if n > 1<<62 {
		return 1 << 63
	}
	return 1 << bits.Len64(max(n, 2)-1)
}

// isCQL reports whether a store may speak CQL; one that is not known may.
func isCQL(s ingest.Store) bool { return s != ingest.DynamoDB }

// amount writes an amount, one under ten with a tenth.
func amount(m detect.Milli) string {
	if m < 10_000 {
		return fmt.Sprintf("%d.%d", m/1000, m%1000/100)
	}
	return fmt.Sprint(uint64(m / 1000))
}

// deadCells gives what a finding measures dead cells by: a live row, else as scanned gives.
func deadCells(f *detect.Finding) (detect.Evidence, bool) {
	if e, ok := measured(f, "tombstones_per_live_row"); ok {
		return e, true
	}
	return scanned(f)
}

// scanned gives the tombstones of a read, else of the partition.
func scanned(f *detect.Finding) (detect.Evidence, bool) {
	for _, name := range []string{"tombstones_per_read", "largest_read_tombstones", "partition_tombstones"} {
		if e, ok := measured(f, name); ok {
			return e, true
		}
	}
	return detect.Evidence{}, false
}

// countedIn says what tombstones were counted in.
func countedIn(e detect.Evidence) string {
	if e.Measure == "partition_tombstones" {
		return "tombstones in the partition"
	}
	return "tombstones a read"
}

// atLeast writes an amount that may have no upper bound.
func atLeast(e detect.Evidence) string {
	if e.Open {
		return "at least " + amount(e.Low)
	}
	return amount(e.Value)
}

// known reports whether a mechanism is known better than from the shape of statements: steps that change a
// table need that.
func known(f *detect.Finding) bool {
	return f.MechanismConfidence == "schema" || f.MechanismConfidence == "measured"
}

// isCassandra reports whether the store is Apache Cassandra, for tools that ScyllaDB does not have.
func isCassandra(f *detect.Finding) bool { return f.Subject.Target.Store == ingest.Cassandra }
