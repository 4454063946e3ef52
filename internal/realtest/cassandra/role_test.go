package cassandra

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// doctor runs keyheat doctor and gives what it prints.
func doctor(t *testing.T, role, url string) string {
	t.Helper()
	return string(keyheatRuns(t, role, "doctor", url))
}

// leastRole gives the statements that doctor prints.
func leastRole(t *testing.T, said string) []string {
	t.Helper()
	_, text, found := strings.Cut(said, "that works:\n")
	if !found {
		t.Fatalf("no least role in:\n%s", said)
	}
	statements := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ";") {
			statements = append(statements, strings.TrimSuffix(line, ";"))
		}
	}
	return statements
}

func TestTheLeastRoleOfTheDoctorSuffices(t *testing.T) {
	n := theNode(t)
	s := connect(t, n.address(), superuser)
	run(t, s, "CREATE ROLE IF NOT EXISTS nobody WITH LOGIN = true AND PASSWORD = 'nobody'", "DROP ROLE IF EXISTS keyheat")
	at := n.address()

	before := doctor(t, "nobody", "cassandra://nobody@"+at)
	for _, want := range []string{"refused: User nobody has no SELECT permission on <table system_views.settings>", "<table system.top_partitions>"} {
		if !strings.Contains(strings.Join(strings.Fields(before), " "), want) {
			t.Errorf("without a grant, no %q in:\n%s", want, before)
		}
	}
	for _, statement := range leastRole(t, before) {
		run(t, s, strings.Replace(statement, "'…'", "'keyheat'", 1))
	}
	after := doctor(t, "keyheat", "cassandra://keyheat@"+at)
	if !strings.Contains(after, "permissions  enough") || strings.Contains(after, "refused") {
		t.Errorf("with the least role:\n%s", after)
	}
	r := analyze(t, "keyheat", "cassandra://keyheat@"+at+"?interval=1s", "--for", "3s")
	for _, note := range r.Notes {
		if strings.Contains(note, "was not read") {
			t.Errorf("with the least role: %s", note)
		}
	}

	// Each grant is needed: without it a table is refused.
	for grant, table := range map[string]string{"KEYSPACE system_views": "system_views.settings", "TABLE system.top_partitions": "system.top_partitions"} {
		run(t, s, "REVOKE SELECT ON "+grant+" FROM keyheat")
		r := analyze(t, "keyheat", "cassandra://keyheat@"+at+"?interval=1s", "--for", "3s")
		if !strings.Contains(strings.Join(r.Notes, "\n"), table+" was not read: User keyheat has no SELECT permission") {
			t.Errorf("without SELECT ON %s no note on %s in %q", grant, table, r.Notes)
		}
		run(t, s, "GRANT SELECT ON "+grant+" TO keyheat")
	}
}

func TestAWrongPasswordIsToldWithoutIt(t *testing.T) {
	n := theNode(t)
	cmd := exec.CommandContext(t.Context(), keyheat(t), "doctor", "cassandra://cassandra@"+n.address())
	cmd.Env = append(os.Environ(), "KEYHEAT_CASSANDRA_PASSWORD=hunter2")
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v, want exit 3", err)
	}
	if !strings.Contains(string(out), "Provided username cassandra and/or password are incorrect") || strings.Contains(string(out), "hunter2") {
		t.Errorf("it says:\n%s", out)
	}
}
