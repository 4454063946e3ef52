package sketch

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupsAreRenumberedAndMarksMoved(t *testing.T) {
	top := topFrom(0, 0, groupKey{0, "a"}, groupKey{2, "b"}, groupKey{2, "c"}, groupKey{3, "d"})
	before := top.AppendBinary(nil)
	tests := []struct {
		name  string
		ids   []uint32
		shift func(uint64) uint64
		want  []string
	}{
		{"nothing changes", nil, nil, []string{"0 a 1+0 @0*0 #100", "2 b 1+0 @0*0 #101", "2 c 1+0 @0*0 #102", "3 d 1+0 @0*0 #103"}},
		{"marks move", nil, func(mark uint64) uint64 { return mark + 1000 },
			[]string{"0 a 1+0 @0*0 #1100", "2 b 1+0 @0*0 #1101", "2 c 1+0 @0*0 #1102", "3 d 1+0 @0*0 #1103"}},
		{"groups keep their order", []uint32{1, 5, 6, 9}, nil,
			[]string{"1 a 1+0 @0*0 #100", "6 b 1+0 @0*0 #101", "6 c 1+0 @0*0 #102", "9 d 1+0 @0*0 #103"}},
		{"groups change places", []uint32{7, 8, 1, 0}, nil,
			[]string{"0 d 1+0 @0*0 #103", "1 b 1+0 @0*0 #101", "1 c 1+0 @0*0 #102", "7 a 1+0 @0*0 #100"}},
		{"a group is dropped", []uint32{4, 0, Dropped, 1}, nil, []string{"1 d 1+0 @0*0 #103", "4 a 1+0 @0*0 #100"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := top.Renumber(tt.ids, tt.shift)
			if diff := cmp.Diff(tt.want, entriesOf(got)); diff != "" {
				t.Error(diff)
			}
			tripped(t, got)
		})
	}
	if got := top.Renumber([]uint32{0, 1, 6, 7}, nil).Total(6); got != (Vector{2, 20, 0}) {
		t.Errorf("total %v", got)
	}
	if !bytes.Equal(top.AppendBinary(nil), before) {
		t.Error("the original changed")
	}
}

func TestRenumberingRefusesWhatWouldMixGroups(t *testing.T) {
	top := topFrom(0, 0, groupKey{0, "a"}, groupKey{2, "b"})
	for _, ids := range [][]uint32{{1, 2}, {3, 1, 3}, {1, 2, MaxGroups}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("ids %v: no panic", ids)
				}
			}()
			top.Renumber(ids, nil)
		}()
	}
}
