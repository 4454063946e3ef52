package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

func TestASummaryThatTellsOfOtherItemsIsNoted(t *testing.T) {
	folder := exportCopied(t)
	summary := filepath.Join(folder, "manifest-summary.json")
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(summary, bytes.Replace(text, []byte(`"itemCount": 80`), []byte(`"itemCount": 81`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tells of 81 items, and its list of data files tells 80", "tells of 81 items, and the data files that were read hold 80"} {
		code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", folder))
		if code != exitRan || !strings.Contains(stdout, want) {
			t.Errorf("exit %d: %s: not said: %s", code, stderr, want)
		}
		if err := os.RemoveAll(filepath.Join(folder, "manifest-files.json")); err != nil {
			t.Fatal(err)
		}
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

// A data file that was replaced is found however its export is read: in an archive, or by workers of a plan.
func TestADamagedDataFileIsFoundInArchivesAndByWorkersOfAPlan(t *testing.T) {
	for _, damage := range []bool{false, true} {
		folder := exportCopied(t)
		if damage {
			other, err := os.ReadFile(filepath.Join(folder, "data", "dd8vt5.json.gz"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "data", "aa7qk2.json.gz"), other, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for name, run := range map[string]func() (code int, stdout, stderr string){
			"tar": func() (int, string, string) {
				return runArgs(t, testEnv("analyze", "--format", "json", exportTar(t, folder)))
			},
			"zip": func() (int, string, string) {
				return runArgs(t, testEnv("analyze", "--format", "json", exportZip(t, folder)))
			},
			"plan":      func() (int, string, string) { return planned(t, folder) },
			"tar, plan": func() (int, string, string) { return planned(t, exportTar(t, folder)) },
		} {
			code, stdout, stderr := run()
			said := strings.Contains(stderr, "aa7qk2.json.gz: its MD5 is not the one in the manifest") &&
				strings.Contains(stdout, `"partial": "data files of exports that are not as their manifest says: 1"`)
			if said != damage || (code == exitFailed) != damage {
				t.Errorf("%s, damaged %t: exit %d: %s", name, damage, code, stderr)
			}
		}
	}
}

// exportTar puts a folder into a tar archive.
func exportTar(t *testing.T, folder string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "export.tar")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(f)
	if err := errors.Join(w.AddFS(os.DirFS(folder)), w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// exportZip puts a folder into a zip archive.
func exportZip(t *testing.T, folder string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "export.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	if err := errors.Join(w.AddFS(os.DirFS(folder)), w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// planned is analyze by plan, sketch and merge.
func planned(t *testing.T, input string) (code int, stdout, stderr string) {
	t.Helper()
	plan, parts := filepath.Join(t.TempDir(), "plan"), filepath.Join(t.TempDir(), "parts")
	code, stdout, stderr = runArgs(t, testEnv("plan", input))
	if code != exitRan {
		t.Fatalf("plan: exit %d: %s", code, stderr)
	}
	if err := os.WriteFile(plan, []byte(stdout), 0o644); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ = runArgs(t, testEnv("sketch", "--plan", plan)) // what it fails with comes again
	if err := os.WriteFile(parts, []byte(stdout), 0o644); err != nil {
		t.Fatal(err)
	}
	return runArgs(t, testEnv("merge", "--format", "json", parts))
}

func TestTypesOfEntityInAnExportAreTold(t *testing.T) {
	file, text := filepath.Join(t.TempDir(), "items.json"), ""
	for i := range 40 {
		kind, size := "Order", 900
		if i%4 == 0 {
			kind, size = "Profile", 100
		}
		text += fmt.Sprintf(`{"Item":{"pk":{"S":"u%d"},"sk":{"S":"%d"},"__typename":{"S":"%s"},"body":{"S":"%s"}}}`+"\n", i%8, i, kind, strings.Repeat("x", size))
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for mask, want := range map[bool]string{false: "2 types of entity, as keys or an attribute name them: Order 95.5 % of the bytes (30 items); Profile 4.4 % of the bytes (10 items)", true: "types of entity begin keys"} {
		code, stdout, stderr := runArgs(t, testEnv("analyze", "--format", "json", fmt.Sprintf("--mask-keys=%t", mask), file))
		if code != exitRan || !strings.Contains(stdout, want) || strings.Contains(stdout, "Profile") == mask {
			t.Errorf("masked %t: exit %d: %s: want %q", mask, code, stderr, want)
		}
	}
}
