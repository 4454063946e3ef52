//go:build unix && !race

package speed

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/ingest/formats"
)

var update = flag.Bool("update", false, "measure the recorded ratios anew")

// recorded holds the ratio of each job, as measured when it was last changed on purpose.
const recorded = "testdata/ratios.txt"

// tolerance is how many times its recorded ratio a job may cost: one that costs half as much again must be found,
// and neither a busy machine nor a processor of another make must raise an alarm.
const tolerance = 1.35

// attempts is how often jobs are measured before one is found too dear: noise passes, a slower program stays.
const attempts = 3

func TestNoPartOfTheHotPathGetsHalfAsDearAgain(t *testing.T) {
	r := newReference()
	if *update {
		record(t, r)
	}
	limits := known(t)
	for i := range limits {
		limits[i] *= tolerance
	}
	got := least(t, r, jobs, limits)
	for i, j := range jobs {
		t.Logf("%.2f times the reference loop, at most %.2f allowed: %s", got[i], limits[i], j.name)
		if got[i] > limits[i] {
			t.Errorf("%s: %.2f times the reference loop in the best of %d attempts, want at most %.2f: %.2f times what is recorded in %s",
				j.name, got[i], attempts, limits[i], tolerance*got[i]/limits[i], recorded)
		}
	}
}

// least gives the ratio of each job, the least of several attempts while one is over its limit.
func least(tb testing.TB, r *reference, jobs []job, limits []float64) []float64 {
	tb.Helper()
	best := ratios(tb, r, jobs)
	for n := 1; n < attempts && over(best, limits); n++ {
		for i, x := range ratios(tb, r, jobs) {
			best[i] = min(best[i], x)
		}
	}
	return best
}

func over(got, limits []float64) bool {
	for i := range got {
		if got[i] > limits[i] {
			return true
		}
	}
	return false
}

func TestAPartThatGetsHalfAsDearAgainIsFound(t *testing.T) {
	r := newReference()
	dearer := jobs[0]
	dearer.prepare = func(tb testing.TB) func() {
		run, half := jobs[0].prepare(tb), decode(tb, &formats.KeyEventsNDJSON, data().ndjson[:events/2])
		return func() { run(); half() }
	}
	best := 0.0
	for range attempts { // noise can hide it once
		got := ratios(t, r, []job{jobs[0], dearer})
		if best = max(best, got[1]/got[0]); best > tolerance {
			return
		}
	}
	t.Errorf("with half of the work added %s costs %.2f times what it does, which a tolerance of %.2f does not find", jobs[0].name, best, tolerance)
}

func TestTheHotPathAllocatesNothingForAnEvent(t *testing.T) {
	for i := range jobs {
		j := &jobs[i]
		if n := testing.AllocsPerRun(1, j.prepare(t)); n > float64(j.allocations) {
			t.Errorf("%s: %.0f allocations for %d events or lines, want at most %d", j.name, n, j.units, j.allocations)
		}
	}
}

// record writes the ratio of each job.
func record(t *testing.T, r *reference) {
	ratios(t, r, jobs) // what is made once, and what the processor learns
	var out bytes.Buffer
	for i, x := range ratios(t, r, jobs) {
		fmt.Fprintf(&out, "%.3f\t%s\n", x, jobs[i].name)
	}
	if err := os.WriteFile(recorded, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// known gives the recorded ratio of each job.
func known(t *testing.T) []float64 {
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	all := make([]float64, len(jobs))
	for i, j := range jobs {
		number, name := "", ""
		if i < len(lines) {
			number, name, _ = strings.Cut(lines[i], "\t")
		}
		if all[i], err = strconv.ParseFloat(number, 64); err != nil || name != j.name || len(lines) != len(jobs) {
			t.Fatalf("%s does not hold one ratio for each job in order, %s for one: go test ./internal/speed -update", recorded, j.name)
		}
	}
	return all
}

// BenchmarkParts gives the CPU time of one event, line or part of each job: that of the cheapest run, which is what
// neighbours on the machine disturb least.
func BenchmarkParts(b *testing.B) {
	for _, j := range jobs {
		b.Run(j.name, func(b *testing.B) {
			least := cost(b, &j)
			for b.Loop() {
				least = min(least, cost(b, &j))
			}
			b.ReportMetric(float64(least)/float64(j.units), "cpu-ns/unit")
			b.ReportMetric(0, "ns/op") // with what is not measured
		})
	}
}
