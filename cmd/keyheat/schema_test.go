package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe with a name, as the shell makes of <(zcat x.gz), can be read once: nothing may look at it before.
func TestANamedPipeIsReadWhole(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "events")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte(hotLines(0, 500)), 0o600) }()
	code, stdout, stderr := runArgs(t, testEnv("keys", "--format", "csv", pipe))
	if err := <-written; err != nil {
		t.Error(err)
	}
	if code != exitRan || !strings.Contains(stdout, "hot") {
		t.Errorf("exit %d, stdout %s, stderr %s", code, stdout, stderr)
	}
}

func TestOfManyInputsOnlySchemasAreLookedAtBeforehand(t *testing.T) {
	dir := t.TempDir()
	for i := range maxLearned + 1 {
		name := filepath.Join(dir, fmt.Sprintf("%04d.ndjson", i))
		if err := os.WriteFile(name, []byte(hotLines(i, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", dir))
	if code != exitRan || !strings.Contains(stdout, "were looked at beforehand") {
		t.Errorf("exit %d, stderr %s", code, stderr)
	}
}
