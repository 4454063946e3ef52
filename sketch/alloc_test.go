//go:build !race

package sketch

import "testing"

func TestUpdatesDoNotAllocate(t *testing.T) {
	events := streams()[7].make(seeded(t, 9), 60_000, 20)
	keys := make([][]byte, len(events))
	for i := range events {
		keys[i] = []byte(events[i].key)[:min(len(events[i].key), inlineKey)]
	}
	x, i := NewTable(64<<10), 0
	distinct, sample, histogram := NewDistinct(12), NewSample(256), new(Histogram)
	add := func() {
		e := &events[i%len(events)]
		x.Add(e.group, e.hash, keys[i%len(events)], &e.w, e.second, e.mark)
		distinct.Add(e.hash)
		sample.Add(e.hash, 1, e.w[1])
		histogram.Add(e.w[1], 1)
		i++
	}
	for range events {
		add()
	}
	if got := testing.AllocsPerRun(10*len(events), add); got != 0 {
		t.Errorf("%v allocations an update", got)
	}
}
