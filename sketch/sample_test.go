package sketch

import (
	"bytes"
	"testing"
)

func TestASampleDoesNotDependOnOrderOrParts(t *testing.T) {
	r := seeded(t, 2)
	events := streams()[0].make(r, 20_000, 20)
	whole := NewSample(100)
	parts := []*Sample{NewSample(100), NewSample(400), NewSample(130)}
	for i := range events {
		whole.Add(events[i].hash, 1, events[i].w[1])
	}
	r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for i := range events {
		parts[i%3].Add(events[i].hash, 1, events[i].w[1])
	}
	parts[2].Merge(parts[1])
	parts[2].Merge(parts[0])
	if !bytes.Equal(parts[2].AppendBinary(nil), whole.AppendBinary(nil)) {
		t.Error("three merged parts differ from the whole")
	}
	if n := whole.Len(); n < 30 || n > 100 {
		t.Errorf("%d keys, want up to 100", n)
	}
}

func TestTheCapOnlyFalls(t *testing.T) {
	s := NewSample(64)
	for i := range 1000 {
		s.Add(Hash(keyNamed(i)), 1, 1)
	}
	s.SetCap(1000)
	if s.Cap() != 64 {
		t.Errorf("cap %d, want 64", s.Cap())
	}
	s.SetCap(8)
	if s.Cap() != 8 || s.Len() > 8 || len(s.table) > 16 {
		t.Errorf("cap %d, %d keys in a table of %d", s.Cap(), s.Len(), len(s.table))
	}
	s.Reset()
	if s.Len() != 0 || s.Theta() != 0 || s.Cap() != 8 {
		t.Errorf("after a reset: %d keys, theta %d, cap %d", s.Len(), s.Theta(), s.Cap())
	}
}

func TestAHashOfZeroIsSampled(t *testing.T) {
	s := NewSample(4)
	s.Add(0, 3, 4)
	s.Each(func(hash, requests, bytes uint64) {
		if hash != 1 || requests != 3 || bytes != 4 {
			t.Errorf("hash %d: %d, %d, want 1: 3, 4", hash, requests, bytes)
		}
	})
	if s.Len() != 1 {
		t.Errorf("%d keys", s.Len())
	}
}
