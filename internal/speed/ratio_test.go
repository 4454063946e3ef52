//go:build unix && !race

package speed

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cpuTime gives the CPU time that this process has taken, of all its threads: whatever else the machine
// does, it counts what was run here.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A reference is the fixed loop that parts are compared with. It does what they do: it looks for line ends,
// multiplies and mixes words of text, and counts in a table that, with the text, is larger than the caches of a core. So it gets dearer with
// them on a slower machine, or beside neighbours that take the caches.
type reference struct {
	text  []byte
	table []uint32
	sum   uint64
}

const (
	referenceText  = 1 << 20 // bytes
	referenceTable = 1 << 18 // counters
)

func newReference() *reference {
	r := &reference{text: make([]byte, referenceText+8), table: make([]uint32, referenceTable)}
	x := uint64(1)
	for i := range r.text {
		x = x*6364136223846793005 + 1442695040888963407
		r.text[i] = ' ' + byte(x>>58)
		if i%110 == 109 {
			r.text[i] = '\n'
		}
	}
	return r
}

// run takes about 4 ms.
func (r *reference) run() {
	for range 12 {
		r.once()
	}
}

func (r *reference) once() {
	for at := 0; ; {
		end := bytes.IndexByte(r.text[at:referenceText], '\n')
		if end < 0 {
			return
		}
		hash := uint64(end)
		for i := at; i < at+end; i += 8 {
			hash = (hash ^ binary.LittleEndian.Uint64(r.text[i:])) * 0x9e3779b97f4a7c15
			hash ^= hash >> 29
			if hash&15 == 0 {
				r.sum += hash
			}
		}
		for range 4 {
			hash *= 0xd1342543de82ef95
			r.table[hash>>46]++
		}
		at += end + 1
	}
}

// runs is how often the reference runs for the ratios of some jobs.
const runs = 120

// ratios gives what each job costs in runs of the reference: the least of some rounds by the least of the
// reference, which runs before each job, so that both had the same good moments.
func ratios(tb testing.TB, r *reference, jobs []job) []float64 {
	tb.Helper()
	unit := time.Duration(math.MaxInt64)
	costs := slices.Repeat([]time.Duration{unit}, len(jobs))
	for range runs / len(jobs) {
		for i := range jobs {
			unit = min(unit, r.cost(tb))
			costs[i] = min(costs[i], cost(tb, &jobs[i]))
		}
	}
	all := make([]float64, len(jobs))
	for i, c := range costs {
		all[i] = float64(c) / float64(unit)
	}
	return all
}

// cost gives the CPU time of a job, without that of collections, which fall into some runs and not into others.
func cost(tb testing.TB, j *job) time.Duration {
	tb.Helper()
	run := j.prepare(tb)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	began := cpuTime(tb)
	run()
	return cpuTime(tb) - began
}

// cost gives the CPU time of the reference, once the caches hold what is its own.
func (r *reference) cost(tb testing.TB) time.Duration {
	r.once()
	began := cpuTime(tb)
	r.run()
	return cpuTime(tb) - began
}
