package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/keyheat/keyheat/internal/generate"
)

// The proofs of size: docs/long-runs.md. At full size they run for an hour and stand behind
// KEYHEAT_LONG=1; at a thousandth of it they run with all tests, so that they are known to work.

// rssLimit is the default budget of the process, in bytes.
const rssLimit = 256 << 20

// A proof measures the program at so many thousandths of the full size.
type proof func(t *testing.T, keyheat string, thousandths int)

var proofs = map[string]proof{
	"fifty million distinct keys stay inside the budget and bounds hold": proveDistinctKeys,
	"ten gigabytes of stdin take no more memory than one":                proveConstantMemory,
	"a hundred thousand small files take at most thrice one file's time": proveSmallFiles,
	"a hundred thousand CloudTrail objects take at most thrice one":      proveTrailObjects,
	"ten million exported items give exact collections":                  proveExport,
	"thousands of live inputs stay inside the budget":                    proveLiveInputs,
	"a day of 500 tables stays inside the budget and a small one shows":  proveSmallTable,
}

func TestProofsOfSizeAtAThousandth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and reads some 20 MB")
	}
	runProofs(t, 1)
}

func TestLongProofsOfSize(t *testing.T) {
	if os.Getenv("KEYHEAT_LONG") == "" {
		t.Skip("takes an hour and 5 GB of disk: set KEYHEAT_LONG=1, see docs/long-runs.md")
	}
	runProofs(t, 1000)
}

func runProofs(t *testing.T, thousandths int) {
	keyheat := filepath.Join(t.TempDir(), "keyheat")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", keyheat, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, prove := range proofs {
		t.Run(name, func(t *testing.T) { prove(t, keyheat, thousandths) })
	}
}

// A measured is what one run of the program cost and said.
type measured struct {
	rss    uint64 // bytes, at most at any time
	wall   time.Duration
	cpu    time.Duration
	report sizeReport
}

// A sizeReport is what the proofs read of keyheat.report/1.
type sizeReport struct {
	Tables []struct {
		Table        string
		DistinctKeys bounds `json:"distinct_keys"`
		TopKeys      []struct {
			Key      string
			Requests bounds
		} `json:"top_keys"`
		Stored *struct {
			Items, Bytes uint64
			Keys         bounds
			Collections  []struct {
				Key          string
				Items, Bytes bounds
				Files        *bounds
			}
		}
	}
	Findings []readFinding
	Inputs   []struct{ Bytes, Events uint64 }
}

type bounds struct{ Value, Low, High uint64 }

func (b bounds) hold(truth uint64) bool { return b.Low <= truth && truth <= b.High }

// runMeasured runs a command and writes its peak of memory, in bytes, to its fourth file. Linux begins the
// count of a child with its parent's, so the parent must be small: this process, and not one of tests.
func runMeasured() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFailed)
	}
	// Linux counts in KiB.
	_, err = fmt.Fprint(os.NewFile(3, "peak"), uint64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)<<10)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFailed)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

func measure(t *testing.T, stdin io.Reader, keyheat string, args ...string) measured {
	t.Helper()
	m, out := spend(t, stdin, slices.Concat([]string{keyheat, "analyze", "--quiet", "--format", "json"}, args)...)
	if err := json.Unmarshal(out, &m.report); err != nil {
		t.Fatal(err)
	}
	size, events := uint64(0), uint64(0)
	for _, in := range m.report.Inputs {
		size, events = size+in.Bytes, events+in.Events
	}
	t.Logf("%d events, %d MB in %.1f s (%.1f s of CPU): %d MB/s, RSS %d MiB %v",
		events, size/1e6, m.wall.Seconds(), m.cpu.Seconds(), uint64(float64(size)/1e6/m.wall.Seconds()), m.rss>>20, args)
	if m.rss > rssLimit {
		t.Errorf("RSS %d MiB: over the budget of %d", m.rss>>20, rssLimit>>20)
	}
	return m
}

// spend runs a command and gives what it cost, and its output.
func spend(t *testing.T, stdin io.Reader, command ...string) (m measured, stdout []byte) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peak, peakOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer peak.Close()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = slices.Concat([]string{"measured"}, command)
	cmd.Stdin = stdin
	cmd.ExtraFiles = []*os.File{peakOut}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	began := time.Now()
	out, err := cmd.Output()
	m.wall = time.Since(began)
	if err := errors.Join(err, peakOut.Close()); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, errs.Bytes())
	}
	if _, err := fmt.Fscan(peak, &m.rss); err != nil {
		t.Fatal(err)
	}
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // with those of the process it waited for
	return m, out
}

// keyOf gives the bounds of a key's requests; of one that the report does not name, none.
func (r *sizeReport) keyOf(table, key string) (bounds, bool) {
	for _, t := range r.Tables {
		for _, k := range t.TopKeys {
			if t.Table == table && k.Key == key {
				return k.Requests, true
			}
		}
	}
	return bounds{}, false
}

// written writes a file by way of a small buffer.
func written(t *testing.T, name string, write func(w *bufio.Writer)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

const proofStart = 1_780_563_600 // Unix seconds

// proveDistinctKeys: one record each of 50 million keys, and among them ten keys of which the first has
// a record in 200 and each other a half of the one before.
func proveDistinctKeys(t *testing.T, keyheat string, thousandths int) {
	distinct := 50_000 * thousandths
	planted := make([]uint64, 10)
	file := written(t, "distinct.csv", func(w *bufio.Writer) {
		w.WriteString("ts,table,pk\n")
		line := []byte{}
		for i := range distinct {
			line = strconv.AppendInt(line[:0], proofStart+int64(i)*3600/int64(distinct), 10)
			at := len(line)
			line = append(strconv.AppendInt(append(line, ",t,u"...), int64(i), 36), '\n')
			w.Write(line)
			for j := range planted {
				if i%(200<<j) == 0 {
					planted[j]++
					w.Write(append(strconv.AppendInt(append(line[:at], ",t,planted-"...), int64(j), 10), '\n'))
				}
			}
		}
	})
	for _, args := range [][]string{{file}, {"--no-exact", file}} {
		m := measure(t, nil, keyheat, args...)
		if len(m.report.Tables) != 1 {
			t.Fatalf("%d tables", len(m.report.Tables))
		}
		if d, truth := m.report.Tables[0].DistinctKeys, uint64(distinct+len(planted)); !d.hold(truth) {
			t.Errorf("%v: %d distinct keys are not in [%d, %d]", args, truth, d.Low, d.High)
		}
		for j, truth := range planted[:5] {
			b, known := m.report.keyOf("t", fmt.Sprintf("planted-%d", j))
			if !known || !b.hold(truth) {
				t.Errorf("%v: planted-%d has %d requests, known %t: [%d, %d]", args, j, truth, known, b.Low, b.High)
			}
		}
		for _, k := range m.report.Tables[0].TopKeys {
			if k.Key[0] == 'u' && k.Requests.Low > 1 {
				t.Errorf("%v: key %s has one request, not at least %d", args, k.Key, k.Requests.Low)
			}
		}
	}
}

// proveConstantMemory: a gigabyte and ten of NDJSON through a pipe.
func proveConstantMemory(t *testing.T, keyheat string, thousandths int) {
	const bytesOfLine = 136 // of generated NDJSON, about
	rss := [2]uint64{}
	for i, megabytes := range []int{thousandths, 10 * thousandths} {
		o := generate.Defaults()
		o.Kind, o.Keys, o.Skew, o.Tables = "zipf", 10_000_000, 1, 8
		o.Events = uint64(megabytes) * 1_000_000 / bytesOfLine
		read, write := io.Pipe()
		truth := make(chan *generate.Truth, 1)
		go func() {
			made, err := generate.Write(write, o)
			write.CloseWithError(err)
			truth <- made
		}()
		m := measure(t, read, keyheat, "-")
		rss[i] = m.rss
		read.Close()
		made := <-truth
		if made == nil {
			t.Fatal("the records were not all read")
		}
		table := made.Tables[0]
		for _, k := range table.Top[:5] {
			if b, known := m.report.keyOf(table.Table, k.Key); !known || !b.hold(k.Requests) {
				t.Errorf("%s has %d requests, known %t: [%d, %d]", k.Key, k.Requests, known, b.Low, b.High)
			}
		}
	}
	if thousandths == 1000 && rss[1] > rss[0]+rss[0]/5 {
		t.Errorf("RSS %d MiB at 1 GB and %d MiB at 10 GB", rss[0]>>20, rss[1]>>20)
	}
}

// proveSmallFiles: the same records in one file, and in files of 10 KB, a thousand a folder.
func proveSmallFiles(t *testing.T, keyheat string, thousandths int) {
	const perFile = 75 // records of generated NDJSON: about 10 KB
	files := 100 * thousandths
	o := generate.Defaults()
	o.Events = uint64(files * perFile)
	one := written(t, "one.ndjson", func(w *bufio.Writer) {
		if _, err := generate.Write(w, o); err != nil {
			t.Fatal(err)
		}
	})
	many := t.TempDir()
	whole, err := os.Open(one)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	lines := bufio.NewReader(whole)
	for i := range files {
		dir := filepath.Join(many, fmt.Sprintf("%03d", i/1000))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		part := []byte{}
		for range perFile {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				t.Fatal(err)
			}
			part = append(part, line...)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.ndjson", i)), part, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, b := measure(t, nil, keyheat, one), measure(t, nil, keyheat, many)
	if got, want := findingsOf(&b.report), findingsOf(&a.report); !slices.Equal(got, want) {
		t.Errorf("findings of many files %v, of one %v", got, want)
	}
	if thousandths == 1000 && b.wall > 3*a.wall {
		t.Errorf("%d files took %.1f s, one file of the same bytes %.1f s: over three times", files, b.wall.Seconds(), a.wall.Seconds())
	}
}

func findingsOf(r *sizeReport) []string {
	all := []string{}
	for _, f := range r.Findings {
		all = append(all, f.Rule+" "+f.Subject.Table+" "+f.Subject.Key)
	}
	return all
}

// proveSmallTable: a day in which 499 tables take a million requests a minute and one takes 30, of which
// one key takes 12. A row of the large tables stands for a hundred requests.
func proveSmallTable(t *testing.T, keyheat string, thousandths int) {
	minutes := max(1440*thousandths/1000, 10)
	file := written(t, "day.csv", func(w *bufio.Writer) {
		w.WriteString("ts,table,pk,op,requests\n")
		for m := range minutes {
			for i := range 499 * 20 {
				mixed := uint64(m*499*20+i) * 0x9E3779B97F4A7C15 >> 40
				fmt.Fprintf(w, "%d,large-%d,k%d,read,100\n", proofStart+m*60+i*60/(499*20), i%499, mixed%997*mixed%9973)
			}
			for i := range 30 {
				key := "hot"
				if i%5 >= 2 {
					key = "cold-" + strconv.Itoa((m*30+i)%4999)
				}
				fmt.Fprintf(w, "%d,small,%s,read,1\n", proofStart+m*60+i*2, key)
			}
		}
	})
	truth := uint64(12 * minutes)
	for _, args := range [][]string{{file}, {"--no-exact", file}} {
		m := measure(t, nil, keyheat, args...)
		if b, known := m.report.keyOf("small", "hot"); !known || !b.hold(truth) {
			t.Errorf("%v: the small table's key has %d requests, known %t: [%d, %d]", args, truth, known, b.Low, b.High)
		}
		if !slices.Contains(findingsOf(&m.report), "hot-partition small hot") {
			t.Errorf("%v: the small table's key is not found; found: %v", args, findingsOf(&m.report))
		}
	}
}
