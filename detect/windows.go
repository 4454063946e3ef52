package detect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// A SamplerWindow is one list that a sampler made of a target: its busiest keys while it ran. Windows may
// overlap, so their counts are not added up.
type SamplerWindow struct {
	Observer  Observer
	Contended bool         // it counts contentions, not requests
	Keys      []SampledKey // largest count first
	At        []ingest.Position
}

// A SampledKey is one line of a list, reads and writes together.
type SampledKey struct {
	Key      []byte // in the form of ingest.AppendKey
	Requests uint64
	Error    uint64 // by which Requests may be too high
	At       []ingest.Position
}

// isSampled reports whether s is of a list of requests; lists of tombstones are reads like others.
func isSampled(p *Profile, s *SelectedStats) bool {
	return strings.HasPrefix(p.Observers[s.Observer].Role, ingest.RoleSampler) && s.Totals[SelectedTombstones] == 0
}

// samplerWindows gives the lists of a target.
func samplerWindows(p *Profile, list []SelectedStats) []SamplerWindow {
	var windows []SamplerWindow
	for i := range list { // sorted by observer
		s := &list[i]
		if !isSampled(p, s) || !s.KeyKnown {
			continue
		}
		o := p.Observers[s.Observer]
		if n := len(windows); n == 0 || windows[n-1].Observer != o {
			windows = append(windows, SamplerWindow{Observer: o, Contended: strings.HasPrefix(o.Role, ingest.RoleContention)})
		}
		windows[len(windows)-1].add(s)
	}
	for i := range windows {
		slices.SortFunc(windows[i].Keys, func(a, b SampledKey) int {
			return cmp.Or(cmp.Compare(b.Requests, a.Requests), slices.Compare(a.Key, b.Key))
		})
	}
	return windows
}

func (w *SamplerWindow) add(s *SelectedStats) {
	for i := range w.Keys {
		k := &w.Keys[i]
		if string(k.Key) == s.Key {
			k.Requests, k.Error = AddSat(k.Requests, s.Totals[SelectedRecords]), AddSat(k.Error, s.Totals[SelectedError])
			k.At = append(k.At, s.Positions[:min(len(s.Positions), maxPositions-len(k.At))]...)
			return
		}
	}
	w.Keys = append(w.Keys, SampledKey{
		Key: []byte(s.Key), Requests: s.Totals[SelectedRecords], Error: s.Totals[SelectedError], At: slices.Clone(s.Positions),
	})
}
