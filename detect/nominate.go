package detect

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/sketch"
)

// Nominees are the keys that the second pass counts exactly, and the minutes of each that it counts by
// the second. They follow from the Profile alone.
type Nominees struct {
	Targets []Target
	Keys    []Nominee // sorted by target and key
	Sizes   []Nominee // item collections to be measured, likewise
	Width   uint32    // of the Profile's panes, seconds
	Columns []string  // further columns of records, see ByColumns
}

// A Nominee is one key to be counted.
type Nominee struct {
	Target  uint32 // index in Nominees.Targets
	Key     []byte
	Minutes []uint32 // Unix seconds, sorted
	Shards  uint32   // shards that it is counted by, see ExactShards; 0: none
	Columns bool     // it is counted by Nominees.Columns
}

// columnsOf gives the columns that a key is counted by.
func (n *Nominees) columnsOf(key int) []string {
	if !n.Keys[key].Columns {
		return nil
	}
	return n.Columns
}

const (
	maxNominees     = 768 // of a run
	nominatedByRank = 32  // at most, of a target, by each weight; fewer with many targets
	maxMinutes      = 64  // of a key that are counted by the second
	aroundPeak      = 2   // minutes on each side of a peak: a rule looks at 300 seconds
	minute          = 60  // seconds
	nominatedShare  = 10  // percent of a target's requests in a pane that nominate its key there
	nominatedAtOnce = 20  // requests in a pane, below which a share says nothing
)

// Nominate chooses the keys that could be in a finding: the first of each target by the middle and by
// the lower bound of each weight, and the first of a pane where it may have a large share. Each key is
// nominated once. When there are too many, those that are large only in a pane give way first.
func Nominate(p *Profile) *Nominees {
	n := NominateFew(p, maxNominees, maxMinutes)
	shard(p, n.Keys)
	return n
}

// NominateFew is Nominate for at most so many keys, and so many minutes of each, none of them by shard.
func NominateFew(p *Profile, most, minutes int) *Nominees {
	n := nomination{profile: p, seen: map[string]bool{}}
	for id := range p.Targets {
		n.ranked(uint32(id))
		n.grown(uint32(id))
	}
	n.inPanes()
	keys := n.keys[:min(len(n.keys), most, maxNominees)]
	slices.SortFunc(keys, compareNominees)
	out := &Nominees{Keys: keys, Width: p.Width}
	for i := range p.Targets {
		out.Targets = append(out.Targets, p.Targets[i].Target)
	}
	out.Sizes = largestCollections(p)
	for i := range keys {
		keys[i].Minutes = n.minutes(&keys[i], minutes)
	}
	return out
}

// largestCollections chooses the first item collections of each target by bytes.
func largestCollections(p *Profile) []Nominee {
	n := nomination{profile: p, seen: map[string]bool{}}
	for id := range p.Targets {
		for j := range p.Inventories {
			n.first(p.Inventories[j].Sizes, uint32(id), 1, nominatedByRank)
		}
	}
	keys := n.keys[:min(len(n.keys), maxNominees)]
	slices.SortFunc(keys, compareNominees)
	return keys
}

func compareNominees(a, b Nominee) int {
	return cmp.Or(cmp.Compare(a.Target, b.Target), bytes.Compare(a.Key, b.Key))
}

type nomination struct {
	profile *Profile
	seen    map[string]bool
	keys    []Nominee
}

func (n *nomination) add(e *sketch.Entry) {
	name := string(e.Key) + "\x00" + string(binaryGroup(e.Group))
	if !n.seen[name] {
		n.seen[name] = true
		n.keys = append(n.keys, Nominee{Target: e.Group, Key: slices.Clone(e.Key)})
	}
}

func binaryGroup(g uint32) []byte { return []byte{byte(g >> 24), byte(g >> 16), byte(g >> 8), byte(g)} }

// first nominates the first keys of a target by one weight of a summary.
func (n *nomination) first(of *sketch.Top, id uint32, weight, most int) {
	first, end := of.Group(id)
	entries := make([]sketch.Entry, 0, end-first)
	for i := first; i < end; i++ {
		entries = append(entries, of.At(i))
	}
	sortBy(entries, middleOf(weight))
	for i := range entries[:min(most, len(entries))] {
		n.add(&entries[i])
	}
}

// grown nominates the keys of a target that grew most.
func (n *nomination) grown(id uint32) {
	most := min(max(maxNominees/(8*len(n.profile.Targets)), 1), nominatedByRank/4)
	n.first(n.profile.Grown, id, grownWeight, most)
}

// ranked nominates the first keys of a target over the whole run.
func (n *nomination) ranked(id uint32) {
	first, end := n.profile.Run.Group(id)
	entries := make([]sketch.Entry, 0, end-first)
	for i := first; i < end; i++ {
		entries = append(entries, n.profile.Run.At(i))
	}
	most := min(max(maxNominees/(2*sketch.Weights*len(n.profile.Targets)), 2), nominatedByRank)
	for w := range sketch.Weights {
		for _, score := range []func(e *sketch.Entry) uint64{middleOf(w), func(e *sketch.Entry) uint64 { return e.Count[w] }} {
			sortBy(entries, score)
			for i := range entries[:min(most, len(entries))] {
				if score(&entries[i]) > 0 {
					n.add(&entries[i])
				}
			}
		}
	}
}

func middleOf(w int) func(e *sketch.Entry) uint64 {
	return func(e *sketch.Entry) uint64 { return AddSat(e.Count[w], e.Err[w]/2) }
}

// sortBy puts the largest first, ties by key.
func sortBy(entries []sketch.Entry, score func(e *sketch.Entry) uint64) {
	slices.SortFunc(entries, func(a, b sketch.Entry) int {
		return cmp.Or(cmp.Compare(score(&b), score(&a)), bytes.Compare(a.Key, b.Key))
	})
}

// inPanes nominates the key of most requests of each target and pane, the largest first, where it may
// have a share that matters.
func (n *nomination) inPanes() {
	var tops []sketch.Entry
	for i := range n.profile.Panes {
		pane := &n.profile.Panes[i]
		for j := range pane.Targets {
			t := &pane.Targets[j]
			e, ok := topOf(pane.Keys, t.ID)
			high := e.High()
			total := t.Totals[PaneRequests]
			if ok && high[ByRequests] >= nominatedAtOnce && MulSat(high[ByRequests], 100) >= MulSat(total, nominatedShare) {
				tops = append(tops, e)
			}
		}
	}
	sortBy(tops, middleOf(ByRequests))
	for i := range tops {
		n.add(&tops[i])
	}
}

// topOf gives the entry of a group with most requests by its middle, the first by key among equals.
func topOf(t *sketch.Top, group uint32) (top sketch.Entry, ok bool) {
	score := middleOf(ByRequests)
	first, end := t.Group(group)
	for i := first; i < end; i++ {
		if e := t.At(i); !ok || score(&e) > score(&top) {
			top, ok = e, true
		}
	}
	return top, ok
}

// minutes chooses the minutes of a key that are counted by the second: those around its peak in the
// panes where its upper bound is largest.
func (n *nomination) minutes(k *Nominee, most int) []uint32 {
	type peak struct {
		high uint64
		at   uint32
	}
	var peaks []peak
	for i := range n.profile.Panes {
		e, ok := n.profile.Panes[i].Keys.Find(k.Target, k.Key)
		if !ok || e.Interval.N == 0 {
			continue
		}
		high := e.High()
		peaks = append(peaks, peak{max(high[ByRequests], high[ByCost]/1000), e.Interval.At})
	}
	slices.SortStableFunc(peaks, func(a, b peak) int { return cmp.Compare(b.high, a.high) })
	chosen := map[uint32]bool{}
	for _, p := range peaks {
		for m := -aroundPeak; m <= aroundPeak; m++ {
			if len(chosen) < most {
				chosen[uint32(int64(p.at-p.at%minute)+int64(m)*minute)] = true
			}
		}
	}
	return sortedKeys(chosen)
}
