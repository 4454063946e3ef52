package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyheat/keyheat/internal/incidents"
)

// Each incident is made, keys are proposed for it, and the traffic is put under the best of them and under today's
// by code that knows nothing of keyheat: the finding must be there today and gone then, at the fan-out that was
// promised.
func TestTheBestKeyRemovesTheFinding(t *testing.T) {
	for _, in := range incidents.All() {
		t.Run(in.Name, func(t *testing.T) {
			all := in.Requests(seed)
			d := simulated(t, append(filesOf(t, &in, all), "--auto")...)
			random := rand.New(rand.NewPCG(seed, 1))
			if !in.Stands(incidents.Count(all, "key", random)) {
				t.Error("the test's own count does not show the incident")
			}
			if d.Best == nil {
				t.Fatalf("no key is proposed that removes %s: %+v", in.Rule, d.Candidates)
			}
			i := slices.IndexFunc(d.Candidates, func(k simulatedKey) bool { return k.Key == *d.Best })
			best := &d.Candidates[i]
			if !slices.Contains(best.Removes, in.Rule) {
				t.Errorf("%s removes %v, not %s", best.Key, best.Removes, in.Rule)
			}
			c := incidents.Count(all, best.Key, random)
			if in.Stands(c) {
				t.Errorf("under %s the incident is still there: share %v, %v in five minutes, %d partitions, %d seconds over, %v bytes in time",
					best.Key, c.TopShare(), c.BusiestRun(5), c.Partitions(), c.SecondsOver(), c.Projected())
			}
			if c.Reads() > 0 {
				best.within(t, "read_fanout.mean", best.Fanout.Mean, c.MeanFanout())
			}
			best.within(t, "top_share", best.TopShare, c.TopShare())
		})
	}
}

// What no key mends must not be said to go.
func TestNoKeyMendsWhatKeysDoNotMend(t *testing.T) {
	const dense = "tombstone-dense-read"
	for _, in := range incidents.Unmendable() {
		t.Run(in.Name, func(t *testing.T) {
			d := simulated(t, append(filesOf(t, &in, in.Requests(1)), "--auto")...)
			if d.Best != nil {
				t.Errorf("%s is said to remove something", *d.Best)
			}
			for _, k := range d.Candidates {
				if slices.Contains(k.Removes, dense) || !slices.Contains(k.Keeps, dense) {
					t.Errorf("%s: removes %v, keeps %v", k.Key, k.Removes, k.Keeps)
				}
			}
			if len(d.Candidates) < 2 {
				t.Error("no key was tried")
			}
		})
	}
}

// filesOf writes the traffic of an incident and gives the arguments that name it and the table.
func filesOf(t *testing.T, in *incidents.Incident, all []incidents.Request) []string {
	t.Helper()
	args := []string{filepath.Join(t.TempDir(), "events")}
	var text bytes.Buffer
	if err := incidents.Write(&text, all, in.CSV); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(args[0], text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if in.Beside != "" {
		args = append(args, filepath.Join(filepath.Dir(args[0]), "table.json"))
		if err := os.WriteFile(args[1], []byte(in.Beside), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	table := in.Table
	if table == "" {
		table = "orders"
	}
	return append(args, "--table", table)
}
