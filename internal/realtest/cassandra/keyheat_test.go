package cassandra

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// A report is what the tests look at of keyheat's JSON.
type report struct {
	Inputs []struct {
		Name, Format           string
		Events, States, Points uint64
	}
	Tables []struct {
		Table    string
		Requests bounds
		TopKeys  []struct {
			Key      string
			Requests bounds
		} `json:"top_keys"`
	}
	Findings    []finding
	NotAssessed []struct{ Rule, Table string } `json:"not_assessed"`
	Notes       []string
}

type bounds struct{ Value, Low, High float64 }

type finding struct {
	Rule, Severity, Confidence, Mechanism string
	MechanismConfidence                   string `json:"mechanism_confidence"`
	Message                               string
	Subject                               struct{ Table, Key, Node string }
	Evidence                              []struct {
		Measure          string
		Value, Low, High float64
		How              string
	}
}

// value gives the value of a finding's evidence, -1 when it has none of that measure.
func (f *finding) value(measure string) float64 {
	for _, e := range f.Evidence {
		if e.Measure == measure {
			return e.Value
		}
	}
	return -1
}

// find gives the finding of a rule about a table.
func (r *report) find(rule, table string) *finding {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == rule && f.Subject.Table == table {
			return f
		}
	}
	return nil
}

var program struct {
	once sync.Once
	path string
	err  error
}

// keyheat gives the program, built once.
func keyheat(t *testing.T) string {
	t.Helper()
	program.once.Do(func() {
		dir, err := os.MkdirTemp("", "keyheat-program-")
		if err != nil {
			program.err = err
			return
		}
		program.path = filepath.Join(dir, "keyheat")
		build := exec.Command("go", "build", "-o", program.path, "./cmd/keyheat")
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			program.err = &exec.Error{Name: string(out), Err: err}
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.path
}

// keyheatRuns runs keyheat as a role whose password is its name, and gives what it prints. A run that
// fails fails the test. One whose time was over before it had read the cluster is made again with more of it.
func keyheatRuns(t *testing.T, role string, args ...string) []byte {
	t.Helper()
	for tries := 3; ; tries-- {
		cmd := exec.CommandContext(t.Context(), keyheat(t), args...)
		cmd.Env = append(os.Environ(), "KEYHEAT_CASSANDRA_PASSWORD="+role)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err == nil {
			return out
		}
		at := slices.Index(args, "--for") + 1
		if tries == 0 || at == 0 || !bytes.Contains(said.Bytes(), []byte("it was not read before the end")) {
			t.Fatalf("keyheat %v: %v\n%s", args, err, said.Bytes())
		}
		span, err := time.ParseDuration(args[at])
		if err != nil {
			t.Fatal(err)
		}
		args = slices.Clone(args)
		args[at] = (4 * span).String()
	}
}

// analyze gives the report of keyheat analyze.
func analyze(t *testing.T, role string, args ...string) *report {
	t.Helper()
	out := keyheatRuns(t, role, append([]string{"analyze", "--format", "json"}, args...)...)
	r := &report{}
	if err := json.Unmarshal(out, r); err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	return r
}
