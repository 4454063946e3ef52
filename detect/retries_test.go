package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestRefusalsInTheRhythmOfWaitingLookLikeRetries(t *testing.T) {
	for _, c := range []struct {
		name  string
		times map[string][]float64 // seconds, by sort key
		want  Repeats
	}{
		{"four attempts, waits doubled", map[string][]float64{"a": {0, 0.05, 0.15, 0.35}}, Repeats{3, 1, 4}},
		{"the same in whole seconds, out of order", map[string][]float64{"a": {3, 0, 0, 1}}, Repeats{3, 1, 4}},
		{"two items", map[string][]float64{"a": {0, 1, 3}, "b": {0, 2, 6, 14}}, Repeats{5, 2, 4}},
		{"an item that is refused again an hour later", map[string][]float64{"a": {0, 1, 3, 3600, 3601, 3603}}, Repeats{4, 2, 3}},
		{"two refusals have no rhythm", map[string][]float64{"a": {0, 1}}, Repeats{}},
		{"equal waits are a schedule", map[string][]float64{"a": {0, 5, 10, 15, 20}}, Repeats{}},
		{"more than an SDK tries", map[string][]float64{"a": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15}}, Repeats{}},
		{"apart", map[string][]float64{"a": {0, 30, 70}}, Repeats{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := waiting{}
			for item, times := range c.times {
				for _, at := range times {
					w.refused(&ingest.Event{Op: ingest.OpWrite, SortKey: []byte(item)}, (testStart*1000+int64(at*1000))*1_000_000)
				}
			}
			if diff := cmp.Diff(w.repeats(), c.want); diff != "" {
				t.Errorf("got -, want +\n%s", diff)
			}
		})
	}
}
