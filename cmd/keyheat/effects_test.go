package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyheat/keyheat/internal/incidents"
)

// A proposedDoc is what a program reads of the proposals of a report.
type proposedDoc struct {
	Pane     string
	Findings []struct {
		Rule    string
		Subject struct {
			Index, Key string
			Components []struct{ Value string }
		}
		Span      struct{ Start, End time.Time }
		Proposals []proposed
	}
}

type proposed struct {
	Kind, Basis string
	Shards      *uint64
	Effects     []proposedEffect
}

type proposedEffect struct {
	Measure    string
	After, Low float64
	High       *float64
	How        string
}

func analyzedProposals(t *testing.T, args ...string) proposedDoc {
	t.Helper()
	code, stdout, stderr := runArgs(t, testEnv(slices.Concat([]string{"analyze", "--format", "json"}, args)...))
	if code != exitRan {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	d := proposedDoc{}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// holds compares an effect with what was measured; values are rounded to a thousandth.
func (e *proposedEffect) holds(t *testing.T, measured float64) {
	t.Helper()
	if measured < e.Low-0.001 || e.High != nil && measured > *e.High+0.001 {
		high := "open"
		if e.High != nil {
			high = fmt.Sprint(*e.High)
		}
		t.Errorf("%s: predicted %v (%v to %s, %s), measured %v", e.Measure, e.After, e.Low, high, e.How, measured)
	}
	if e.How == "counted" && (measured < e.After-0.0011 || measured > e.After+0.0011) {
		t.Errorf("%s: counted %v, measured %v", e.Measure, e.After, measured)
	}
}

// The effects that analyze tells of another key are predictions: the traffic of each incident is put under the key by
// code that knows nothing of keyheat, shards drawn by random over and over, and what is then measured must be within
// their bounds. In wide panes not all minutes are counted by the second.
func TestEffectsOfProposalsHold(t *testing.T) {
	for _, flags := range [][]string{nil, {"--pane", "12m"}} {
		simulated := map[string]int{}
		for _, in := range incidents.All() {
			t.Run(strings.Join(append(flags, in.Name), " "), func(t *testing.T) {
				all := in.Requests(seed)
				files := filesOf(t, &in, all)
				effectsHold(t, all, analyzedProposals(t, append(flags, files[:len(files)-2]...)...), simulated)
			})
		}
		t.Logf("%v: effects by how they are known: %v", flags, simulated)
		for _, kind := range []string{"counted", "estimated", "write_units_per_second_mean", "column"} {
			if simulated[kind] == 0 {
				t.Errorf("%v: no effect is of %s", flags, kind)
			}
		}
	}
}

// columnOf gives the column that a key was put under, empty where it was put under none.
func columnOf(basis string) string {
	_, after, _ := strings.Cut(basis, "put under its ")
	name, _, _ := strings.Cut(after, ",")
	return name
}

// effectsHold compares the effects of shards with a recount, and notes which there were.
func effectsHold(t *testing.T, all []incidents.Request, d proposedDoc, simulated map[string]int) {
	t.Helper()
	width, err := time.ParseDuration(d.Pane)
	if err != nil {
		t.Fatal(err)
	}
	seconds := int64(width / time.Second)
	for _, f := range d.Findings {
		for _, p := range f.Proposals {
			column := columnOf(p.Basis)
			if p.Kind != "shard-suffix" && p.Kind != "counter-shards" && column == "" || f.Subject.Key == "" {
				continue
			}
			values := []string{}
			for _, c := range f.Subject.Components {
				values = append(values, c.Value)
			}
			key, under, tries := strings.Join(values, "/"), fmt.Sprintf("key, shard(%d)", *p.Shards), 2
			if strings.Contains(p.Basis, "sort key") && strings.HasPrefix(p.Basis, "simulated") {
				under, tries = fmt.Sprintf("key, shard_by(sk, %d)", *p.Shards), 1
			}
			if column != "" {
				under, tries = "key, "+column, 1
				simulated["column"]++
			}
			for try := range tries {
				random := rand.New(rand.NewPCG(seed, uint64(try)))
				c, own := incidents.Count(all, under, random).Within(key), incidents.Count(incidents.Of(all, key), under, random)
				for _, e := range p.Effects {
					measured, ok := map[string]float64{
						"write_units_per_second": c.Peak(1), "read_units_per_second": c.Peak(2),
						"write_units_per_second_mean": c.PeakOfPanes(1, seconds), "read_units_per_second_mean": c.PeakOfPanes(2, seconds),
						"share": c.ShareIn(f.Span.Start, f.Span.End), "partitions_per_read": own.MeanFanout(),
					}[e.Measure]
					if ok && (e.Measure != "partitions_per_read" || own.Reads() > 0) {
						e.holds(t, measured)
						simulated[e.How]++
						simulated[e.Measure]++
					}
				}
			}
		}
	}
}
