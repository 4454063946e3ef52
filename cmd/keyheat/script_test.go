package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"keyheat": main, "measured": runMeasured})
}

// TestScripts runs whole command lines as people type them, in processes of their own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "same": same, "gzip": gzipFile},
	})
}

// exits runs keyheat and checks its exit code, which testscript's own exec does not tell:
// exits CODE ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	err := ts.Exec("keyheat", args[1:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit %s, want %s", got, args[0])
	}
}

// gzipFile compresses a file, and leaves so many bytes away at its end: gzip FILE TO [BYTES].
func gzipFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: gzip FILE TO [BYTES]")
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, ts.ReadFile(args[0]))
	ts.Check(errors.Join(err, w.Close()))
	cut := 0
	if len(args) > 2 {
		cut, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), packed.Bytes()[:packed.Len()-cut], 0o644))
}

// findingIDs are the rule and subject of the findings of a JSON report, the part that does not depend
// on how the input was cut.
var findingIDs = regexp.MustCompile(`"(?:id|rule|severity|confidence)": "[^"]*"`)

// same checks that two JSON reports have the same findings: same A B.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same REPORT REPORT")
	}
	a, b := findings(ts, args[0]), findings(ts, args[1])
	if a == "" {
		ts.Fatalf("%s has no findings: nothing is compared", args[0])
	}
	if (a == b) == neg {
		ts.Fatalf("findings of %s:\n%sfindings of %s:\n%s", args[0], a, args[1], b)
	}
}

func findings(ts *testscript.TestScript, file string) string {
	_, report, _ := strings.Cut(ts.ReadFile(file), `"findings":`)
	report, _, _ = strings.Cut(report, `"not_assessed":`)
	list := &strings.Builder{}
	for _, m := range findingIDs.FindAllString(report, -1) {
		fmt.Fprintln(list, m)
	}
	return list.String()
}
