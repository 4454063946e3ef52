package cassandra

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guardrailsOf gives the commands that proposals of files name to set guardrails while the server runs: name, fail and warn.
func guardrailsOf(t *testing.T, files ...string) [][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), keyheat(t), append([]string{"analyze", "--quiet", "--format", "json"}, files...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("keyheat analyze %v: %v", files, err)
	}
	report := struct {
		Findings []struct {
			Proposals []struct {
				Kind  string
				Steps []string
			}
		}
	}{}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{}
	for _, f := range report.Findings {
		for _, p := range f.Proposals {
			if p.Kind != "guardrail" {
				continue
			}
			for _, m := range regexp.MustCompile(`nodetool setguardrailsconfig (\S+) (\S+) ([^\s;]+)`).FindAllStringSubmatch(strings.Join(p.Steps, "\n"), -1) {
				commands = append(commands, m[1:])
			}
		}
	}
	return commands
}

// The server takes the guardrails that are proposed, under their names, and when it tells that they are set, they are proposed no more.
func TestProposedGuardrailsAreTaken(t *testing.T) {
	n := theNode(t)
	rows := func() map[string][2]string { // fail and warn
		set := map[string][2]string{}
		for _, m := range regexp.MustCompile(`(?m)^(\w+_threshold)\s+\[([^,\]]+), ([^\]]+)\]`).FindAllSubmatch(n.nodetool(t, "getguardrailsconfig"), -1) {
			set[string(m[1])] = [2]string{string(m[2]), string(m[3])}
		}
		return set
	}
	guarded, wide := root+"/fixtures/remedies/guarded-cluster/", root+"/fixtures/remedies/wide-partition/"
	files := []string{guarded + "system.log", guarded + "nodetool-version.txt", wide + "events.csv", wide + "sstablepartitions.csv"}
	commands := guardrailsOf(t, files...)
	before := rows()
	for _, c := range commands {
		t.Cleanup(func() { n.restore(t, "setguardrailsconfig", c[0], before[c[0]][0], before[c[0]][1]) })
		n.nodetool(t, append([]string{"setguardrailsconfig"}, c...)...)
	}
	after := rows()
	names := map[string]bool{}
	for _, c := range commands {
		names[c[0]] = true
		if got, want := after[c[0]], [2]string{c[1], c[2]}; got != want {
			t.Errorf("%s: the server fails and warns at %v, want %v", c[0], got, want)
		}
	}
	for _, want := range []string{"partition_size_threshold", "partition_tombstones_threshold", "column_value_size_threshold", "collection_size_threshold", "partition_keys_in_select_threshold", "page_size_threshold"} {
		if !names[want] {
			t.Errorf("%s was not proposed: %v", want, commands)
		}
	}
	set := filepath.Join(t.TempDir(), "getguardrailsconfig.txt")
	if err := os.WriteFile(set, n.nodetool(t, "getguardrailsconfig"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left := guardrailsOf(t, append(files, set)...); len(left) > 0 {
		t.Errorf("proposed although they are set: %v", left)
	}
}
