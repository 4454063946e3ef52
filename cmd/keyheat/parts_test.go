package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
	"github.com/keyheat/keyheat/internal/incidents"
)

// sample is what runs on one and on many machines are compared on.
type sample struct {
	dir    string
	inputs []string
	flags  []string
}

// ran is what a command gave.
type ran struct {
	Code           int
	Stdout, Stderr string
}

func runIn(t *testing.T, stdin string, args ...string) ran {
	t.Helper()
	e := testEnv(args...)
	e.stdin, e.create = strings.NewReader(stdin), func(name string) (io.WriteCloser, error) { return os.Create(name) }
	code, stdout, stderr := runArgs(t, e)
	return ran{code, stdout, stderr}
}

// must fails the test unless the command gave what it should.
func (r ran) must(t *testing.T, codes ...int) string {
	t.Helper()
	if !slices.Contains(codes, r.Code) {
		t.Fatalf("exit %d, want one of %v; stderr %s", r.Code, codes, r.Stderr)
	}
	return r.Stdout
}

func gz(data []byte) []byte {
	b := &bytes.Buffer{}
	w := gzip.NewWriter(b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// A packed is an archive that files are added to.
type packed interface {
	add(name string, data []byte) error
	Close() error
}

type tarred struct{ *tar.Writer }

func (p tarred) add(name string, data []byte) error {
	h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg}
	if err := p.WriteHeader(h); err != nil {
		return err
	}
	_, err := p.Write(data)
	return err
}

type zipped struct{ *zip.Writer }

func (p zipped) add(name string, data []byte) error {
	w, err := p.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func tarOf(w io.Writer) packed { return tarred{tar.NewWriter(w)} }
func zipOf(w io.Writer) packed { return zipped{zip.NewWriter(w)} }

// bundle packs some logs of real servers and what is no log, as support bundles are.
func bundle(t *testing.T, rng *rand.Rand, archive func(w io.Writer) packed) []byte {
	t.Helper()
	files, err := filepath.Glob("../../fixtures/formats/cassandra-log/*.log")
	if err != nil || len(files) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	files = append(files[:3+rng.IntN(6)], "../../fixtures/formats/cassandra-log/README.md")
	b := &bytes.Buffer{}
	w := archive(b)
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.add(fmt.Sprintf("nodes/10.0.0.%d/%s", 1+i%3, filepath.Base(name)), data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// proseOf packs files that no format knows, more than one split holds.
func proseOf(t *testing.T) []byte {
	t.Helper()
	b := &bytes.Buffer{}
	w := zip.NewWriter(b)
	for i := range 150 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%03d.txt", i), Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "chapter %d, %s\n", i, strings.Repeat("what no format knows ", 130))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// captured gives a capture of inputs that take turns, of which the last has nothing to tell.
func captured(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	b := &bytes.Buffer{}
	w, err := capture.NewWriter(b, "test://host", func() { t.Error("writing failed") })
	if err != nil {
		t.Fatal(err)
	}
	sinks := make([]ingest.Sink, 2+rng.IntN(40))
	for i := range sinks {
		sinks[i] = w.Open(ingest.LiveInput{Name: fmt.Sprintf("test://host/%d", i), Format: liveTraffic, Node: fmt.Sprintf("10.0.0.%d", i)})
	}
	for n := range 20 + rng.IntN(200) {
		playBurst(sinks[rng.IntN(len(sinks)-1)], n, 1+rng.IntN(30))
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// indexed gives traffic of an index with a hot key and a further field, which a second pass counts it by.
func indexed(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	all := incidents.All()
	in := all[slices.IndexFunc(all, func(in incidents.Incident) bool { return in.Name == "an index on the status, over a partition's limit" })]
	b := &bytes.Buffer{}
	if err := incidents.Write(b, in.Requests(rng.Uint64()), in.CSV); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newSample makes some files of several kinds, whole and broken ones.
func newSample(t *testing.T, rng *rand.Rand) sample {
	t.Helper()
	s := sample{dir: t.TempDir()}
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		s.inputs = append(s.inputs, filepath.Join(s.dir, name))
	}
	traffic := func(format string) []byte {
		kind := []string{"hot-key", "moving-key"}[rng.IntN(2)]
		return []byte(runIn(t, "", "generate", kind, "--format", format, "--events", fmt.Sprint(200+rng.IntN(3000)),
			"--seed", fmt.Sprint(rng.Uint32()), "--tables", fmt.Sprint(1+rng.IntN(4)), "--minutes", fmt.Sprint(120+rng.IntN(300))).must(t, exitRan))
	}
	kinds := []func(){
		func() { put("events.ndjson", traffic("ndjson")) },
		func() { put("more.ndjson", traffic("ndjson")) },
		func() { put("packed.ndjson.gz", gz(traffic("ndjson"))) },
		func() { put("rows.csv", traffic("csv")) },
		func() { put("fields.ndjson", indexed(t, rng)) },
		func() {
			b := &bytes.Buffer{}
			w := tarOf(b)
			if err := errors.Join(w.add("fields.ndjson", indexed(t, rng)), w.add("more.ndjson", traffic("ndjson")), w.Close()); err != nil {
				t.Fatal(err)
			}
			put("fields.tar", b.Bytes())
		},
		func() { put("bundle.tar.gz", gz(bundle(t, rng, tarOf))) },
		func() { put("bundle.tar", bundle(t, rng, tarOf)) },
		func() { put("bundle.zip", bundle(t, rng, zipOf)) },
		func() { whole := bundle(t, rng, tarOf); put("cut.tar", whole[:len(whole)*2/3]) },
		func() { put("prose.zip", proseOf(t)) },
		func() { put("capture.arrow", captured(t, rng)) },
		func() { put("packed.arrow.gz", gz(captured(t, rng))) },
		func() {
			s.inputs = append(s.inputs, "../../fixtures/formats/cassandra-schema", "../../fixtures/formats/cassandra-trace")
		},
		func() { s.inputs = append(s.inputs, "../../fixtures/formats/dynamodb-export") },
		func() { broken := gz(traffic("ndjson")); put("broken.ndjson.gz", broken[:len(broken)*2/3]) },
		func() { put("prose.txt", []byte("what no format knows\n")) },
		func() { s.inputs = append(s.inputs, filepath.Join(s.dir, "missing.ndjson")) },
	}
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for _, add := range kinds[:1+rng.IntN(4)] {
		add()
	}
	s.flags = []string{"--chunk", fmt.Sprint(4096 + rng.IntN(200_000))}
	for _, f := range [][]string{{"--since", "90s"}, {"--table", "orders"}, {"--pane", "4m"}, {"--memory", "64MiB"}, {"--max-bad", "0"}, {"--timezone", "Europe/Lisbon"}} {
		if rng.IntN(6) == 0 {
			s.flags = append(s.flags, f...)
		}
	}
	return s
}

// sketched gives the lines of the parts of a plan as processes of an engine would: splits in any order,
// dealt out to some of them, some tried twice; lines in any order.
func sketched(t *testing.T, rng *rand.Rand, plan string, more ...string) []string {
	t.Helper()
	lines := slices.Collect(strings.Lines(plan))
	head, splits := lines[0], lines[1:]
	for range rng.IntN(3) {
		splits = append(splits, splits[rng.IntN(len(splits))])
	}
	rng.Shuffle(len(splits), func(i, j int) { splits[i], splits[j] = splits[j], splits[i] })
	var out []string
	for len(splits) > 0 {
		n := 1 + rng.IntN(len(splits))
		args := append([]string{"sketch", "--plan", "-", "--workers", fmt.Sprint(1 + rng.IntN(3))}, more...)
		stdout := runIn(t, head+strings.Join(splits[:n], ""), args...).must(t, exitRan, exitFailed)
		out, splits = append(out, slices.Collect(strings.Lines(stdout))...), splits[n:]
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// partArgs leaves lines where merge finds them, and gives its arguments and stdin.
func partArgs(t *testing.T, rng *rand.Rand, lines []string) (args []string, stdin string) {
	t.Helper()
	if rng.IntN(3) == 0 {
		return []string{"-"}, strings.Join(lines, "")
	}
	dir := t.TempDir()
	files := map[string]string{"_SUCCESS": "", ".part-0.crc": "crc"}
	for _, l := range lines {
		files[fmt.Sprintf("part-%d", rng.IntN(4))] += l
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []string{dir}, ""
}

// A plan shared out in any way gives the bytes of one run, in both passes, and fails in the same way.
func TestMergedPartsGiveTheReportOfOneRun(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 15
	}
	if os.Getenv("KEYHEAT_LONG") != "" {
		rounds = 1000
	}
	splits, counted, divided := 0, 0, 0
	for round := range rounds {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 0))
		s := newSample(t, rng)
		fail := func(format string, args ...any) {
			t.Fatalf("round %d, seed %d, %v %v: %s", round, seed, s.flags, s.inputs, fmt.Sprintf(format, args...))
		}
		analyze := func(more ...string) ran {
			return runIn(t, "", slices.Concat([]string{"analyze", "--format", "json"}, more, s.flags, s.inputs)...)
		}
		plan := runIn(t, "", slices.Concat([]string{"plan"}, s.flags, s.inputs)...)
		want := analyze("--no-exact")
		if plan.Stdout == "" {
			if want.Code != plan.Code || want.Stdout != "" {
				fail("there is no plan, and a report: %s", plan.Stderr)
			}
			continue
		}
		splits += strings.Count(plan.Stdout, "\n") - 1
		parts := sketched(t, rng, plan.Stdout)
		args, stdin := partArgs(t, rng, parts)
		if d := cmp.Diff(runIn(t, stdin, slices.Concat([]string{"merge", "--format", "json"}, args)...), want); d != "" {
			fail("the first pass merged (-), of one run (+):\n%s", d)
		}
		if want.Stdout == "" {
			continue
		}
		keys := filepath.Join(s.dir, "keys.txt")
		runIn(t, stdin, slices.Concat([]string{"merge", "--nominate", "--to", keys}, args)...).must(t, exitRan, exitFailed, exitBadRecords)
		parts = append(parts, sketched(t, rng, plan.Stdout, "--count-keys", keys)...)
		args, stdin = partArgs(t, rng, parts)
		want = analyze()
		if d := cmp.Diff(runIn(t, stdin, slices.Concat([]string{"merge", "--format", "json"}, args)...), want); d != "" {
			fail("both passes merged (-), of one run (+):\n%s", d)
		}
		if strings.Contains(want.Stdout, `"how": "counted"`) {
			counted++
		}
		if strings.Contains(want.Stdout, "put under its customer_id") {
			divided++
		}
	}
	t.Logf("%d rounds, %d splits, %d with exact counts, %d by a further field", rounds, splits, counted, divided)
	if rounds >= 100 && (splits < 3*rounds || counted < rounds/20 || divided == 0) { // a few are as chance has it
		t.Error("there was too little to share out")
	}
}
