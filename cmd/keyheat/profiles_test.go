package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shared makes a folder with what hosts sent: a Profile each, of the nodes that it read.
func shared(t *testing.T, hosts map[string][]int) string {
	t.Helper()
	dir := t.TempDir()
	for name, nodes := range hosts {
		if code, _, stderr := runArgs(t, serve(onDisk(testEnv("sketch", "test://host", "--for", "1m", "--quiet", "--to", filepath.Join(dir, name))), host(nodes...))); code != exitRan {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	return dir
}

// copied copies a file.
func copied(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(data))
}

func TestANightReadsProfilesBesideFiles(t *testing.T) {
	const silent = "note: of 3 nodes that the topology names, nothing was read of 1: 10.0.0.3"
	const twice = "note: recorded twice from 2026-06-04T10:00:00Z to 2026-06-04T10:01:00Z, and counted twice: test://10.0.0.1; leave one recording out"
	for _, tt := range []struct {
		name   string
		hosts  map[string][]int
		more   func(dir string) // changes the folder
		job    string
		code   int
		want   []string // lines of the output, DIR for the folder
		report []string // parts of the JSON report
	}{
		{"each node by one host", map[string][]int{"h1.khp": {1}, "h2.khp": {2, 3}}, nil, "inputs: [DIR]", exitRan, nil,
			[]string{`"name": "test://10.0.0.3"`, "keys have bounds, not exact counts: Profiles hold no records that could be read again", `"second_pass": false`}},
		{"a host that sent nothing", map[string][]int{"h1.khp": {1}, "h2.khp": {2}}, nil, `inputs: ["DIR/*.khp"]`, exitRan, []string{silent}, []string{silent[6:]}},
		{"two hosts that read one node", map[string][]int{"h1.khp": {1}, "h2.khp": {1, 2}}, nil, "inputs: [DIR/h1.khp, DIR/h2.khp]", exitRan, []string{twice, silent}, []string{twice[6:]}},
		{"one Profile under two names", map[string][]int{"h1": {1, 2, 3}}, func(dir string) { copied(t, dir+"/h1", dir+"/h2") }, "inputs: [DIR/h1, DIR/h2]", exitRan,
			[]string{"note: DIR/h2 is the same Profile as DIR/h1: it counts once"}, []string{`"value": 6000,`}},
		{"beside a log", map[string][]int{"h1": {1, 2, 3}}, func(dir string) {
			writeFile(t, dir+"/x.ndjson", strings.Repeat(`{"ts":"2026-06-04T10:00:00Z","table":"orders","pk":"a"}`+"\n", 10))
		}, "inputs: [DIR]", exitRan, nil, []string{`"table": "orders"`, `"table": "shop.carts"`, `"format": "key-events-ndjson"`}},
		{"beside what nobody knows", map[string][]int{"h1": {1, 2, 3}}, func(dir string) { writeFile(t, dir+"/x", "\x00\x01") }, "inputs: [DIR/x, DIR/h1]", exitFailed, nil, []string{`"table": "shop.carts"`, "/x"}},
		{"one that is damaged", map[string][]int{"h1": {1, 2, 3}}, func(dir string) { writeFile(t, dir+"/h2", "keyheatP and no more") }, "inputs: [DIR/h1, DIR/h2]", exitFailed, nil,
			[]string{`"table": "shop.carts"`, "Profiles that were left out: 1"}},
		{"of another day than the window", map[string][]int{"h1": {1, 2, 3}}, func(dir string) {
			writeFile(t, dir+"/x.ndjson", `{"ts":"2026-06-03T10:00:00Z","table":"orders","pk":"a"}`+"\n")
		}, "inputs: [DIR/x.ndjson, DIR/h1]\n    window: day", exitFailed, nil, []string{"a Profile cannot be cut: give --since and --until to keyheat sketch"}},
		{"for one table only", map[string][]int{"h1": {1, 2, 3}}, nil, "inputs: [DIR/h1]\n    options: {table: shop.carts}", exitFailed,
			[]string{"keyheat nightly · shared · 2026-06-03 · no report: merging DIR/h1: a Profile cannot be cut to the tables and nodes that are wanted: give those to keyheat sketch"}, nil},
		{"with other settings than a log", map[string][]int{"h1": {1, 2, 3}}, func(dir string) {
			writeFile(t, dir+"/x.ndjson", `{"ts":"2026-06-04T10:00:00Z","table":"orders","pk":"a"}`+"\n")
		}, "inputs: [DIR/x.ndjson, DIR/h1]\n    options: {pane: 2m}", exitFailed, nil, []string{`"table": "orders"`, "Profiles that were left out: 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := shared(t, tt.hosts)
			if tt.more != nil {
				tt.more(dir)
			}
			configDir := t.TempDir()
			config := filepath.Join(configDir, "keyheat.yaml")
			writeFile(t, config, "version: 1\nstate: state\njobs:\n  shared:\n    "+strings.ReplaceAll(tt.job, "DIR", dir)+"\n")
			sent := []string{}
			e := onDisk(nightlyEnv(2, config, &sent))
			code, stdout, stderr := runArgs(t, e)
			if code != tt.code {
				t.Errorf("exit %d, want %d; stderr %s", code, tt.code, stderr)
			}
			got := []string(nil)
			for line := range strings.Lines(strings.ReplaceAll(stdout, dir, "DIR")) {
				if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "note: ") || strings.Contains(line, "no report") {
					got = append(got, line)
				}
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("notes: got (-), want (+):\n%s", d)
			}
			if tt.report == nil {
				return
			}
			report, err := os.ReadFile(filepath.Join(configDir, "state/shared/2026-06-03.1/report.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.report {
				if !strings.Contains(string(report), want) {
					t.Errorf("no %s in\n%s", want, report)
				}
			}
		})
	}
}

func TestMergeReadsFoldersAndPatternsOfProfiles(t *testing.T) {
	dir := shared(t, map[string][]int{"h1.khp": {1}, "h2.khp": {2, 3}})
	merged := func(args ...string) string {
		code, stdout, stderr := runArgs(t, onDisk(testEnv(append([]string{"merge", "--format", "json"}, args...)...)))
		if code != exitRan || stderr != "" {
			t.Errorf("%v: exit %d: %s", args, code, stderr)
		}
		return stdout
	}
	want := merged(dir+"/h1.khp", dir+"/h2.khp")
	for _, args := range [][]string{{dir}, {dir + "/*.khp"}, {dir + "/h1.khp", dir + "/h2*"}} {
		if d := cmp.Diff(merged(args...), want); d != "" {
			t.Errorf("%v (-), the files by name (+):\n%s", args, d)
		}
	}
	copied(t, dir+"/h1.khp", dir+"/copy.khp")
	if got, note := merged(dir), fmt.Sprintf("%s/h1.khp is the same Profile as %[1]s/copy.khp: it counts once", dir); !strings.Contains(got, note) || !strings.Contains(got, `"value": 6000,`) {
		t.Errorf("no note %q in\n%s", note, got)
	}
}
