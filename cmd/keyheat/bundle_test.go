package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const bundleFolder = "../../fixtures/scenarios/tombstone-dense-read-bundle/Shop-diagnostics-2026-06-04_09_40_11"

// A bundleReport is what a report of a bundle says, without the names of its files.
type bundleReport struct {
	Inputs []struct {
		Name, Node string
	} `json:"inputs"`
	Notes    []string
	Findings []bundleFinding
}

type bundleFinding struct {
	Rule, Severity, Confidence, Mechanism, Message string
	MechanismConfidence                            string `json:"mechanism_confidence"`
	Subject                                        struct{ Table, Key string }
	Evidence                                       []struct {
		Measure    string
		Value, Low float64
		High       *float64
		Positions  []bundlePosition
	}
	MechanismPositions []bundlePosition `json:"mechanism_positions"`
}

type bundlePosition struct{ Input int }

func analyzedBundle(t *testing.T, inputs ...string) *bundleReport {
	t.Helper()
	code, stdout, stderr := runArgs(t, testEnv(append([]string{"analyze", "--quiet", "--format", "json"}, inputs...)...))
	if code != exitRan {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r := &bundleReport{}
	if err := json.Unmarshal([]byte(stdout), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// nodes gives the nodes that inputs are of.
func (r *bundleReport) nodes() map[string]int {
	n := map[string]int{}
	for _, in := range r.Inputs {
		n[in.Node]++
	}
	return n
}

// files gives the last part of the names of inputs that stand at these positions.
func (r *bundleReport) files(at []bundlePosition) string {
	var names []string
	for _, p := range at {
		names = append(names, path.Base(r.Inputs[p.Input].Name))
	}
	return strings.Join(names, " ")
}

// tarred packs files whose names rename gives, "" for none.
func tarredFolder(t *testing.T, dir string, rename func(name string) string) []byte {
	t.Helper()
	b := &bytes.Buffer{}
	z := gzip.NewWriter(b)
	w := tar.NewWriter(z)
	eachFile(t, dir, func(name string, data []byte) {
		if name = rename(name); name == "" {
			return
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zippedFolder(t *testing.T, dir string) []byte {
	t.Helper()
	b := &bytes.Buffer{}
	z := zip.NewWriter(b)
	eachFile(t, dir, func(name string, data []byte) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	})
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func eachFile(t *testing.T, dir string, take func(name string, data []byte)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			take(name, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func packedAt(t *testing.T, name string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// ofNode gives the name of a file as ds-collector lays it out, of one node.
func ofNode(node string) func(string) string {
	return func(name string) string {
		rest, ok := strings.CutPrefix(name, "nodes/"+node+"/")
		if !ok {
			return ""
		}
		rest = strings.Replace(rest, "logs/cassandra/", "logs/", 1)
		rest = strings.Replace(rest, "conf/cassandra/", "conf/", 1)
		return node + "_artifacts_2026_06_04_0940_1780565400/" + strings.Replace(rest, "driver/schema", "schema.cql", 1)
	}
}

// plain gives the name of a file in the tarball of one node.
func plain(node string) func(string) string {
	return func(name string) string {
		rest, ok := strings.CutPrefix(name, "nodes/"+node+"/")
		if !ok {
			return ""
		}
		return node + "/" + rest
	}
}

func TestABundleSaysTheSameHoweverItIsPacked(t *testing.T) {
	perNode := func(rename func(string) func(string) string) func(t *testing.T, to string) string {
		return func(t *testing.T, to string) string {
			for _, node := range []string{"10.0.0.11", "10.0.0.12", "10.0.0.13"} {
				packedAt(t, filepath.Join(to, "diag-"+node+".tar.gz"), tarredFolder(t, bundleFolder, rename(node)))
			}
			return to
		}
	}
	want := analyzedBundle(t, bundleFolder)
	if len(want.Findings) != 2 || len(want.Notes) != 2 {
		t.Fatalf("%d findings and %d notes of the folder, want 2 and 2", len(want.Findings), len(want.Notes))
	}
	for name, pack := range map[string]func(t *testing.T, to string) string{
		"a tarball of the cluster": func(t *testing.T, to string) string {
			return packedAt(t, filepath.Join(to, "shop.tar.gz"), tarredFolder(t, bundleFolder, func(name string) string { return "Shop/" + name }))
		},
		"a zip archive": func(t *testing.T, to string) string {
			return packedAt(t, filepath.Join(to, "shop.zip"), zippedFolder(t, bundleFolder))
		},
		"a tarball of each node":    perNode(plain),
		"the files of ds-collector": perNode(ofNode),
	} {
		t.Run(name, func(t *testing.T) {
			got := analyzedBundle(t, pack(t, t.TempDir()))
			if diff := cmp.Diff(got.nodes(), want.nodes()); diff != "" {
				t.Errorf("inputs by node, got -, want +\n%s", diff)
			}
			if diff := cmp.Diff(got.Notes, want.Notes); diff != "" {
				t.Errorf("notes, got -, want +\n%s", diff)
			}
			if diff := cmp.Diff(got.Findings, want.Findings, cmp.Comparer(func(a, b []bundlePosition) bool { return len(a) == len(b) })); diff != "" {
				t.Errorf("findings, got -, want +\n%s", diff)
			}
		})
	}
}

// The warning alone has the key and no cause for sure, the schema alone has neither, and the statistics alone
// have no key: together they have all, and the report says which input shows what.
func TestAJoinTellsWhatNoInputTellsAlone(t *testing.T) {
	node := bundleFolder + "/nodes/10.0.0.11/"
	log, schema, statistics := node+"logs/cassandra/system.log", node+"driver/schema", node+"nodetool/cfstats"
	type told struct {
		Key, Mechanism, From, Cause, Largest, OfTable string
	}
	tell := func(inputs ...string) *told {
		r := analyzedBundle(t, inputs...)
		for _, f := range r.Findings {
			if f.Rule != "tombstone-dense-read" {
				continue
			}
			x := &told{Key: f.Subject.Key, Mechanism: f.Mechanism, From: f.MechanismConfidence, Cause: r.files(f.MechanismPositions)}
			for _, e := range f.Evidence {
				switch e.Measure {
				case "largest_read_tombstones":
					x.Largest = r.files(e.Positions[:min(len(e.Positions), 1)])
				case "table_tombstones_per_read":
					x.OfTable = r.files(e.Positions)
				}
			}
			return x
		}
		return nil
	}
	for _, c := range []struct {
		name   string
		inputs []string
		want   *told
	}{
		{"the log", []string{log}, &told{Key: "mail-out", Mechanism: "queue", From: "shape", Largest: "system.log"}},
		{"the schema", []string{schema}, nil},
		{"the statistics", []string{statistics}, &told{Mechanism: "unknown", Largest: "cfstats"}},
		{"all three", []string{log, schema, statistics}, &told{Key: "mail-out", Mechanism: "queue", From: "schema", Cause: "schema", Largest: "system.log", OfTable: "cfstats"}},
	} {
		if diff := cmp.Diff(tell(c.inputs...), c.want); diff != "" {
			t.Errorf("%s: got -, want +\n%s", c.name, diff)
		}
	}
}
