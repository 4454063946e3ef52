package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keyheat/keyheat/internal/nightly"
)

// blocks gives the fenced blocks of docs/nightly.md in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

func TestTheConfigurationInTheDocumentationIsWell(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keyheat.yaml")
	writeFile(t, file, blocks(t, "yaml")[0])
	e := testEnv("nightly", "check", "-c", file)
	vars := map[string]string{"KEYHEAT_MASK_SECRET": "x", "ONCALL_URL": "slack://hook:T00000000-B00000000-XXXXXXXXXXXXXXXXXXXXXXXX@webhook", "SHOP_URL": "smtp://u:p@127.0.0.1:25/?from=a@example.org&to=b@example.org"}
	e.readFile, e.getenv = os.ReadFile, func(name string) string { return vars[name] }
	code, stdout, stderr := runArgs(t, e)
	if code != exitRan || !strings.HasSuffix(stdout, "is well: jobs 4, places to notify 2\n") {
		t.Errorf("exit %d, stdout %s, stderr %s", code, stdout, stderr)
	}
}

// The command line of each unit is one that keyheat takes: it fails on the missing configuration alone.
func TestTheCommandsOfTheUnitsAreWell(t *testing.T) {
	lines := regexp.MustCompile(`keyheat nightly --config \S+( --quiet)?|args: \[nightly, [^]]*\]`).FindAllString(strings.Join(append(append(blocks(t, "yaml"), blocks(t, "ini")...), blocks(t, "crontab")...), "\n"), -1)
	if len(lines) != 4 {
		t.Fatalf("%d commands in %q, want those of systemd, cron, Kubernetes and Actions", len(lines), lines)
	}
	for _, line := range lines {
		words := strings.Fields(strings.NewReplacer("args: [", "keyheat ", "]", "", ",", "").Replace(line))
		if code, _, stderr := runArgs(t, testEnv(words[1:]...)); code != exitFailed || !strings.Contains(stderr, "reading the configuration") {
			t.Errorf("%s: exit %d: %s", line, code, stderr)
		}
	}
}

func TestTheSystemdUnitsAreWell(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	const missing = "needs systemd-analyze: apt-get install systemd"
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(missing)
	case err != nil:
		t.Skip(missing)
	}
	dir := t.TempDir()
	units := blocks(t, "ini")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	service, timer := filepath.Join(dir, "keyheat.service"), filepath.Join(dir, "keyheat.timer")
	writeFile(t, service, strings.ReplaceAll(units[0], "/usr/local/bin/keyheat", program))
	writeFile(t, timer, units[1])
	if out, err := exec.CommandContext(t.Context(), tool, "verify", "--man=no", service, timer).CombinedOutput(); err != nil || strings.Contains(string(out), dir) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTheSchemaOfTheConfigurationIsWell(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(nightly.Schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://json-schema.org/config", doc); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile("https://json-schema.org/config"); err != nil {
		t.Error(err)
	}
}
