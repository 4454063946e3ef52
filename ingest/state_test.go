package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestABucketBeginsBehindTheOneBefore(t *testing.T) {
	got := map[uint64]uint64{}
	for _, top := range []uint64{0, 1, 2, 7, 8, 10, 12, 103, 2299, 14530764, 464228842, 4139110981, 53424, 4206, 1<<64 - 1} {
		got[top] = BucketFloor(top)
	}
	want := map[uint64]uint64{
		0: 0, 1: 0, 2: 2, 7: 7, 8: 8, 10: 9, 12: 11, 103: 87, 2299: 1917, 14530764: 12108971, 464228842: 386857369,
		4139110981: 3449259152, 53424: 53424, 4206: 4206, 1<<64 - 1: 1<<64 - 1,
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("lower edges (-got +want):\n%s", diff)
	}
}
