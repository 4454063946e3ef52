package detect

import (
	"math/rand/v2"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

// Names of all lengths, with and without bytes behind them that can be read, are told apart as a map tells them.
func TestTargetsAreFoundByTheirNames(t *testing.T) {
	const seed = 9
	random := rand.New(rand.NewPCG(seed, 2))
	x, ids := newTargetIndex(0), map[Target]uint32{}
	for range 200_000 {
		table := make([]byte, random.IntN(20), 40)
		for i := range table {
			table[i] = "ab\x00"[random.IntN(3)]
		}
		for i := range table[len(table):cap(table)] {
			table[:cap(table)][len(table)+i] = byte(random.Uint32())
		}
		if random.IntN(2) == 0 {
			table = table[:len(table):len(table)]
		}
		e := &ingest.Event{Table: table, Store: ingest.Store(random.IntN(4)), Witness: ingest.Witness(random.IntN(int(ingest.Witnesses)))}
		if random.IntN(4) == 0 {
			e.Index = []byte("by_day")
		}
		id, ok := x.find(e)
		want, seen := ids[targetOf(e)]
		if !seen {
			want = uint32(len(ids))
			ids[targetOf(e)] = want
		}
		if !ok || id != want {
			t.Fatalf("seed %d: %+v has the number %d, want %d", seed, targetOf(e), id, want)
		}
	}
}
