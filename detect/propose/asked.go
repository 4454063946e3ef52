package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// An asked is how much time the reads of a table ask for, in seconds: half of them no more than typical, all but one in a
// hundred no more than long.
type asked struct{ reads, typical, long uint64 }

func askedOf(v *detect.View, f *detect.Finding) asked {
	t := targetOf(v, f)
	if t == nil || t.Asked == nil || t.Asked.Count() == 0 {
		return asked{}
	}
	_, typical := t.Asked.Quantile(50, 100)
	_, long := t.Asked.Quantile(99, 100)
	return asked{t.Asked.Count(), typical, long}
}

// effects gives the buckets of so many seconds that a typical and a long read ask: one more than the time divides into,
// unless it begins with a bucket.
func (a asked) effects(seconds uint64) []detect.Effect {
	if a.reads == 0 || seconds == 0 {
		return nil
	}
	of := func(measure string, window uint64) detect.Effect {
		least := max(ceilDiv(window, seconds), 1)
		mean := detect.Whole(1) + detect.Milli(mulDiv(window, 1000, seconds))
		return between(measure, "partitions", detect.Whole(1), detect.Whole(least), mean, detect.Whole(least+1))
	}
	return []detect.Effect{of("partitions_per_read", a.typical), of("partitions_per_read_p99", a.long)}
}

func (a asked) basis(bucket string) string {
	if a.reads == 0 {
		return "estimated from the measured growth and its interval; how much time reads ask for is not told: give records with window_seconds, or statements with their values"
	}
	return fmt.Sprintf("estimated from the measured growth and its interval, and from the time that %d reads ask for: half of them %s or less, one in a hundred %s or more", a.reads, lasting(a.typical), lasting(a.long))
}

// bucketHolding gives the shortest unit of an hour or more that is as long as a time; the longest where none is.
func bucketHolding(seconds uint64) string {
	for i := len(buckets) - 1; i >= 0; i-- {
		if b := buckets[i]; b.seconds > 0 && b.seconds >= seconds {
			return b.name
		}
	}
	return buckets[0].name
}

// shorter gives the shorter of two units.
func shorter(a, b string) string {
	if bucketSeconds(b) < bucketSeconds(a) {
		return b
	}
	return a
}
