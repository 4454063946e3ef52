package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/detect/propose"
)

// A wantedProposal is one proposal that an input must lead to, with its numbers as worked out by hand in the
// folder's README.
type wantedProposal struct {
	Input   string   // relative to the folder; "": all of its data
	Args    []string // a file of the folder stays as it is named there
	Rule    string
	Kind    string
	Shards  *uint64
	Bucket  string
	Effects map[string][2]float64
	Bounds  map[string][2]float64 // of an effect's later value, where they were worked out
}

type readProposals struct {
	Findings []struct {
		Rule      string
		Proposals []struct {
			Kind    string
			Shards  *uint64
			Bucket  string
			Effects []struct {
				Measure       string
				Before, After float64
				Low           float64
				High          *float64
			}
			Steps, Risks, Costs []string
			Verify              string
		}
	}
}

// notRemedyData are the files of a folder that are no input.
var notRemedyData = []string{"README.md", "want.json", "limits.json"}

func proposalsOf(t *testing.T, folder string, w *wantedProposal) *readProposals {
	t.Helper()
	inputs := []string{filepath.Join(folder, w.Input)}
	if w.Input == "" {
		inputs = nil
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !slices.Contains(notRemedyData, f.Name()) {
				inputs = append(inputs, filepath.Join(folder, f.Name()))
			}
		}
	}
	args := []string{"analyze", "--quiet", "--format", "json"}
	for _, a := range w.Args {
		if slices.Contains(notRemedyData, a) {
			a = filepath.Join(folder, a)
		}
		args = append(args, a)
	}
	e := testEnv(append(args, inputs...)...)
	e.readFile = os.ReadFile
	code, stdout, stderr := runArgs(t, e)
	if code != exitRan {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r := &readProposals{}
	if err := json.Unmarshal([]byte(stdout), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers of each proposal are those of the README beside its input.
func TestRemediesHaveTheNumbersWorkedOutByHand(t *testing.T) {
	folders, err := filepath.Glob("../../fixtures/remedies/*/want.json")
	if err != nil || len(folders) == 0 {
		t.Fatal("no scenarios of remedies", err)
	}
	proven := map[string]bool{}
	for _, file := range folders {
		folder := filepath.Dir(file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wanted := []wantedProposal{}
		if err := strict(data, &wanted); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		reports := map[string]*readProposals{}
		for _, w := range wanted {
			proven[w.Kind] = true
			t.Run(filepath.Base(folder)+"/"+w.Kind+"/"+w.Rule, func(t *testing.T) {
				id := w.Input + strings.Join(w.Args, " ")
				if reports[id] == nil {
					reports[id] = proposalsOf(t, folder, &w)
				}
				nearest := ""
				for _, f := range reports[id].Findings {
					for _, p := range f.Proposals {
						if f.Rule != w.Rule || p.Kind != w.Kind {
							continue
						}
						got, bounds := map[string][2]float64{}, map[string][2]float64{}
						for _, e := range p.Effects {
							got[e.Measure] = [2]float64{e.Before, e.After}
							if _, ok := w.Bounds[e.Measure]; ok && e.High != nil {
								bounds[e.Measure] = [2]float64{e.Low, *e.High}
							}
						}
						nearest = cmp.Diff(got, w.Effects) + cmp.Diff(bounds, w.Bounds, cmpopts.EquateEmpty()) + cmp.Diff(p.Shards, w.Shards) + cmp.Diff(p.Bucket, w.Bucket)
						if nearest == "" {
							if len(p.Steps) == 0 || len(p.Risks) == 0 || len(p.Costs) == 0 || p.Verify == "" {
								t.Errorf("it has no steps, risks, costs or way to verify: %+v", p)
							}
							if !strings.Contains(strings.Join(p.Steps, " "), "undo") {
								t.Errorf("it does not say how to undo it: %q", p.Steps)
							}
							return
						}
					}
				}
				t.Errorf("no such proposal; the last of its kind (-got +want):\n%s", nearest)
			})
		}
	}
	for _, r := range propose.Catalogue() {
		if r.Kind != "confirm" && !proven[r.Kind] {
			t.Errorf("%s: no scenario in fixtures/remedies proves its numbers", r.Kind)
		}
	}
}
