package detect

import (
	"slices"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/sketch"
)

// What SDKs do with a refusal: they wait, mostly twice as long each time, and send the request again. Their defaults
// are 3 or 10 further attempts, with waits of at most 20 seconds.
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
const (
	mostAttempts = 11          // at one request; more in a row are no retries of one
	longestWait  = 21 * second // between two attempts; times may be whole seconds
	maxWaiting   = 4096        // items of one key in a chunk whose refusals are looked at
)

// A Repeats is what the second pass sees of refusals that look like retries: of the same operation on the same item, one
// after the other in the rhythm of waiting. No record says that they are, so they are counted as they came.
type Repeats struct {
	Refused  uint64 // refusals that repeat one before
	Requests uint64 // how many they repeat
	Longest  uint64 // most attempts at one of those
}

func (r *Repeats) join(o Repeats) {
	r.Refused, r.Requests, r.Longest = r.Refused+o.Refused, r.Requests+o.Requests, max(r.Longest, o.Longest)
}

// waiting are the times of the refusals of a key's items in one chunk, by operation and sort key, Unix nanoseconds.
type waiting map[uint64][]int64

// refused notes a refusal; those of items beyond maxWaiting are not looked at.
func (w waiting) refused(e *ingest.Event, nanos int64) {
	item := sketch.Combine(sketch.Hash(e.SortKey), uint64(e.Op)+1)
	times, ok := w[item]
	if (ok || len(w) < maxWaiting) && len(times) <= 8*mostAttempts {
		w[item] = append(times, nanos)
	}
}

// repeats looks for runs of refusals, which records need not tell in order.
func (w waiting) repeats() (r Repeats) {
	for _, times := range w {
		if len(times) > 8*mostAttempts {
			continue // so many are of an item that is always asked for
		}
		slices.Sort(times)
		for from, to := 0, 1; to <= len(times); to++ {
			if to < len(times) && times[to]-times[to-1] <= longestWait {
				continue
			}
			if n := to - from; backsOff(times[from:to]) {
				r.join(Repeats{uint64(n - 1), 1, uint64(n)})
			}
			from = to
		}
	}
	return r
}

// backsOff reports whether times are as those of attempts at one request: three or more, with waits that get longer.
// Random parts of waits make some shorter than the one before, so the later half is held against the earlier one.
func backsOff(times []int64) bool {
	n := len(times)
	if n < 3 || n > mostAttempts {
		return false
	}
	half := times[(n-1)/2]
	return times[n-1]-half > half-times[0]
}
