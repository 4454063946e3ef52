package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrintOutsBehindTheNamesOfContainersAreRead(t *testing.T) {
	text, err := os.ReadFile("../../fixtures/formats/nodetool-profileload/cassandra-5.0-all-samplers.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := func(prefix string) []uint64 {
		name := filepath.Join(t.TempDir(), "profileload.txt")
		lines := strings.TrimSuffix(string(text), "\n")
		if err := os.WriteFile(name, []byte(prefix+strings.ReplaceAll(lines, "\n", "\n"+prefix)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in := analyzed(t, name).Inputs[0]
		if in.Format != "nodetool-profileload" {
			t.Errorf("%q: read as %s", prefix, in.Format)
		}
		return []uint64{in.Events, in.Problems, in.Skipped}
	}
	want := counts("")
	for _, prefix := range []string{"cassandra-1  | ", "shop-cassandra-0 cassandra ", "[pod/shop-cassandra-0/cassandra] "} {
		if diff := cmp.Diff(counts(prefix), want); diff != "" || want[0] == 0 {
			t.Errorf("%q: events, problems, skipped: got -, want +\n%s", prefix, diff)
		}
	}
}
