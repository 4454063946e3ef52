package cassandra

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The commands that docs/live-cassandra.md begins with are run, each for some seconds.
func TestTheCommandsOfTheDocRun(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/live-cassandra.md")
	if err != nil {
		t.Fatal(err)
	}
	n := theNode(t)
	connect(t, n.address(), superuser)
	commands := regexp.MustCompile(`(?m)^    keyheat (.*cassandra://.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(commands) != 3 {
		t.Fatalf("%d commands found", len(commands))
	}
	for _, c := range commands {
		line := strings.NewReplacer("keyheat@10.0.3.17:9042", superuser+"@"+n.address(), "--for 5m", "--for 5s").Replace(c[1])
		cmd := exec.CommandContext(t.Context(), keyheat(t), strings.Fields(line)...)
		cmd.Env, cmd.Dir = append(os.Environ(), "KEYHEAT_CASSANDRA_PASSWORD="+superuser), t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("keyheat %s: %v\n%s", line, err, out)
		}
	}
}
