package sketch

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// topFrom seals a table of single updates "key" to groups.
func topFrom(second uint32, interval uint32, updates ...groupKey) *Top {
	x := NewTable(64 << 10)
	for i, u := range updates {
		x.Add(u.group, Combine(Hash([]byte(u.key)), uint64(u.group)), []byte(u.key), &Vector{1, 10, 0}, second, uint64(100+i))
	}
	return x.Seal(Quota{}, interval)
}

func entriesOf(t *Top) (all []string) {
	for i := range t.Len() {
		e := t.At(i)
		all = append(all, fmt.Sprintf("%d %s %d+%d @%d*%d #%d", e.Group, e.Key, e.Count[0], e.Err[0], e.Second.At, e.Second.N, e.Mark))
	}
	return all
}

func TestMergingTopsAddsWhatEachKnows(t *testing.T) {
	a := topFrom(7, 60, groupKey{1, "a"}, groupKey{1, "b"}, groupKey{1, "b"}, groupKey{4, "z"})
	b := topFrom(7, 60, groupKey{1, "b"}, groupKey{1, "c"}, groupKey{1, "c"}, groupKey{2, "a"}, groupKey{1, "b"})
	cut := Quota{PerGroup: [Weights]int{1}}
	tests := []struct {
		name string
		got  *Top
		want []string
	}{
		{"exact sides add no error, and equal seconds add up", MergeTops(a, b, Quota{}),
			[]string{"1 a 1+0 @7*1 #100", "1 b 4+0 @7*4 #101", "1 c 2+0 @7*2 #101", "2 a 1+0 @7*1 #103", "4 z 1+0 @7*1 #103"}},
		{"a side that lost keys adds its off to the keys it does not hold", MergeTops(a, b.Trim(cut), Quota{}),
			[]string{"1 a 1+2 @7*1 #100", "1 b 4+0 @7*4 #101", "2 a 1+0 @7*1 #103", "4 z 1+0 @7*1 #103"}},
		{"what the quota drops is in off", MergeTops(a, b, cut), []string{"1 b 4+0 @7*4 #101", "2 a 1+0 @7*1 #103", "4 z 1+0 @7*1 #103"}},
		{"nothing added to something", MergeTops(new(Top), a, Quota{}), entriesOf(a)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, entriesOf(tt.got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := MergeTops(a, b, cut).Off(1); got != (Vector{2, 20, 0}) {
		t.Errorf("off %v, want that of c", got)
	}
}

func TestPeaksMerge(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want Peak
	}{
		{"the same span adds", Peak{60, 3}, Peak{60, 4}, Peak{60, 7}},
		{"the larger stays", Peak{60, 3}, Peak{120, 4}, Peak{120, 4}},
		{"of equals the earlier stays", Peak{120, 4}, Peak{60, 4}, Peak{60, 4}},
		{"an unknown one adds nothing", Peak{}, Peak{60, 4}, Peak{60, 4}},
		{"two unknown ones stay unknown", Peak{}, Peak{}, Peak{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.merge(tt.b); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if got := tt.b.merge(tt.a); got != tt.want {
				t.Errorf("the other way round: got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestATopIsSearchedByGroupAndKey(t *testing.T) {
	top := topFrom(0, 0, groupKey{3, "b"}, groupKey{3, "a"}, groupKey{0, "a"}, groupKey{7, ""})
	if got := top.Groups(); got != 8 {
		t.Errorf("%d groups, want 8", got)
	}
	for _, tt := range []struct {
		group      uint32
		first, end int
	}{{0, 0, 1}, {1, 1, 1}, {3, 1, 3}, {7, 3, 4}, {9, 4, 4}} {
		if first, end := top.Group(tt.group); first != tt.first || end != tt.end {
			t.Errorf("group %d: [%d, %d), want [%d, %d)", tt.group, first, end, tt.first, tt.end)
		}
	}
	for _, k := range []groupKey{{3, "a"}, {3, "b"}, {0, "a"}, {7, ""}} {
		if e, found := top.Find(k.group, []byte(k.key)); !found || e.Group != k.group || string(e.Key) != k.key {
			t.Errorf("%v: found %v, %v", k, found, e)
		}
	}
	for _, k := range []groupKey{{3, "c"}, {3, ""}, {1, "a"}, {0, "b"}, {9, "a"}} {
		if e, found := top.Find(k.group, []byte(k.key)); found {
			t.Errorf("%v: found %v", k, e)
		}
	}
}

// The quota of each weight keeps its own first entries; one joint score would lose some.
func TestTheQuotaKeepsTheFirstByEachWeight(t *testing.T) {
	r := seeded(t, 4)
	x := NewTable(1 << 20)
	var all []event
	for i := range 400 {
		e := eventOf(r.IntN(6), i, Vector{r.Uint64N(50), r.Uint64N(50), r.Uint64N(9) * uint64(r.IntN(2))})
		e.addTo(x)
		all = append(all, e)
	}
	q := Quota{Top: [Weights]int{30, 20, 10}, PerGroup: [Weights]int{5, 3, 2}}
	top := x.Seal(q, 0)
	want := map[groupKey]bool{}
	for w := range Weights {
		for g := range 7 {
			n, values := q.PerGroup[w], make([]uint64, len(all))
			if g == 6 {
				n = q.Top[w]
			}
			for i, e := range all {
				if g == 6 || e.group == uint32(g) {
					values[i] = e.w[w]
				}
			}
			order := largestFirst(values)
			for _, i := range order {
				if values[i] > values[order[n]] {
					want[groupKey{all[i].group, all[i].key}] = true
				}
			}
		}
	}
	for k := range want {
		if _, found := top.Find(k.group, []byte(k.key)); !found {
			t.Errorf("%v is missing", k)
		}
	}
	if most := 60 + 6*10; top.Len() > most {
		t.Errorf("%d entries, the quota allows %d", top.Len(), most)
	}
}

func TestMergingDoesNotDependOnWhoIsFirstButForMarks(t *testing.T) {
	r := seeded(t, 5)
	q := Quota{Top: [Weights]int{40, 10, 10}}
	noMarks := func(uint64) uint64 { return 0 }
	for _, s := range streams() {
		events := s.make(r, 6000, 20)
		a := replay(events[:3000], 0).Seal(q, 60).Renumber(nil, noMarks)
		b := replay(events[3000:], 0).Seal(q, 120).Renumber(nil, noMarks)
		if !bytes.Equal(MergeTops(a, b, q).AppendBinary(nil), MergeTops(b, a, q).AppendBinary(nil)) {
			t.Errorf("%s: a+b differs from b+a", s.name)
		}
	}
}
