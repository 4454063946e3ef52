package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exportCopied copies an export of four data files, of 20 items each.
func exportCopied(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../fixtures/scenarios/blind-spot-quiet-export-whole/export")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestADataFileWithAnotherMD5ThanItsManifestSaysFailsTheRun(t *testing.T) {
	folder := exportCopied(t)
	data := func(name string) string { return filepath.Join(folder, "data", name+".json.gz") }
	if code, _, stderr := runArgs(t, testEnv("analyze", "--format", "json", folder)); code != exitRan {
		t.Fatalf("as it was exported: exit %d: %s", code, stderr)
	}
	other, err := os.ReadFile(data("dd8vt5"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(data("aa7qk2"), other, 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", folder))
	if code != exitFailed || !strings.Contains(stderr, "aa7qk2.json.gz: its MD5 is not the one in the manifest") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, `"partial": "data files of exports that are not as their manifest says: 1"`) {
		t.Error("the report does not say that it is partial")
	}
	if strings.Contains(stderr, "dd8vt5") {
		t.Errorf("a file that is as it was exported fails: %s", stderr)
	}
}

func TestManifestsOfAnExportContradictNothing(t *testing.T) {
	code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", exportCopied(t)))
	r := struct{ Notes []string }{}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("exit %d: %s: %v", code, stderr, err)
	}
	if len(r.Notes) > 0 {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestItemsOfAnExportAreOfTheTableThatItsManifestNames(t *testing.T) {
	code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", exportCopied(t)))
	r := sizeReport{}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("exit %d: %s: %v", code, stderr, err)
	}
	if len(r.Tables) != 1 || r.Tables[0].Table != "Orders" {
		t.Errorf("tables %+v, want Orders", r.Tables)
	}
}
