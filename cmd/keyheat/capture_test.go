package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
)

// onDisk lets a command write files.
func onDisk(e *env) *env {
	of := processEnv()
	e.create, e.createNew, e.update, e.remove, e.readFile = of.create, of.createNew, of.update, of.remove, of.readFile
	return e
}

// playIncident gives what a bad day of a cluster would: a hot key among more keys than are held, states, facts,
// metrics, complaints, problems, a node that was away, and so many inputs that their chunks end early.
func playIncident(_ context.Context, to ingest.Streams) error {
	r := rand.New(rand.NewPCG(7, 7))
	sinks := []ingest.Sink{}
	for i := range 60 {
		f := &ingest.Format{Name: "fake-traffic", Coverage: ingest.Traffic}
		if i%20 == 0 {
			f = &ingest.Format{Name: "fake-log", Coverage: ingest.Selected}
		}
		node := fmt.Sprintf("10.0.0.%d", i%6)
		sinks = append(sinks, to.Open(ingest.LiveInput{Name: fmt.Sprintf("test://%s/%d", node, i), Format: f, Node: node}))
	}
	var e ingest.Event
	sink := sinks[0]
	for i := range 140_000 {
		if r.IntN(20) == 0 {
			sink = sinks[r.IntN(len(sinks))]
		}
		e.Reset()
		e.Store, e.Op, e.KeyKnown = ingest.Cassandra, ingest.Op(1+r.IntN(4)), true
		e.Table = fmt.Appendf(nil, "shop.table_%d", r.IntN(3))
		e.Key = fmt.Appendf(nil, "user-%d", r.IntN(200_000))
		if r.IntN(4) == 0 {
			e.Key, e.Op, e.Shape = []byte("tenant-42"), ingest.OpRead, []byte("SELECT * FROM carts WHERE id = ? LIMIT ?")
			e.SetTombstones(uint64(r.IntN(3000)))
			e.SetRows(10)
		}
		e.SortKey = fmt.Appendf(nil, "%d", i)
		e.SetTime(1780567200e9 + int64(i)*20e6)
		e.SetLatency(uint64(r.IntN(5000)))
		e.SetBytes(uint64(r.IntN(100_000)))
		sink.Event(&e)
	}
	for i, to := range sinks {
		to.State(&ingest.State{
			Store: ingest.Cassandra, Table: []byte("shop.table_1"), Key: []byte("tenant-42"), KeyKnown: true, Source: ingest.SourceTopPartitions,
			Measure: ingest.PartitionBytes, Value: uint64(i) << 24, UnixNano: 1780567200e9 + int64(i)*3600e9,
		})
		to.Fact(&ingest.Fact{Store: ingest.Cassandra, Table: []byte("shop.table_1"), Name: ingest.FactGCGrace, Value: []byte("864000")})
		to.Point(&ingest.Point{Store: ingest.Cassandra, Table: []byte("shop.table_1"), Name: []byte(ingest.PointDroppable), Stat: "reading", Milli: 600, UnixNano: 1780567200e9})
		to.Problem(ingest.Problem{Cause: "torn row", Text: fmt.Sprint("row ", i)})
		to.Skip("session of another kind")
	}
	to.Note("10.0.0.9 was away for 3 s: traces of that time may be missing")
	return errors.Join(errors.New("10.0.0.7: refused"), errors.New("10.0.0.8: no rights"))
}

// A tee hands what is opened to both.
type tee struct{ a, b ingest.Streams }

func (t tee) Open(in ingest.LiveInput) ingest.Sink { return teeSink{t.a.Open(in), t.b.Open(in)} }
func (t tee) Note(text string)                     { t.a.Note(text); t.b.Note(text) }

type teeSink struct{ a, b ingest.Sink }

func (t teeSink) Event(e *ingest.Event)    { t.a.Event(e); t.b.Event(e) }
func (t teeSink) State(s *ingest.State)    { t.a.State(s); t.b.State(s) }
func (t teeSink) Fact(f *ingest.Fact)      { t.a.Fact(f); t.b.Fact(f) }
func (t teeSink) Point(p *ingest.Point)    { t.a.Point(p); t.b.Point(p) }
func (t teeSink) Problem(p ingest.Problem) { t.a.Problem(p); t.b.Problem(p) }
func (t teeSink) Skip(kind string)         { t.a.Skip(kind); t.b.Skip(kind) }

func TestACaptureGivesTheReportOfTheLiveRun(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "capture.arrow")
	s := &fakeServer{play: func(ctx context.Context, to ingest.Streams) error {
		file, err := os.Create(name)
		if err != nil {
			return err
		}
		w, err := capture.NewWriter(file, "test://me@host/shop", func() { t.Error("writing failed") })
		if err != nil {
			return err
		}
		parts := playIncident(ctx, tee{to, w})
		return errors.Join(parts, w.Close(parts), file.Close())
	}}
	reports := func(e *env, run string) (all []string) {
		files := []string{filepath.Join(dir, run+".json"), filepath.Join(dir, run+".html")}
		e.args = append(e.args, "--output", "json="+files[0], "--output", "html="+files[1])
		code, stdout, stderr := runArgs(t, onDisk(e))
		if code != exitFailed || len(stdout) < 1000 {
			t.Fatalf("exit %d, %d bytes, stderr %s", code, len(stdout), stderr)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
		return append(all, stdout, stderr)
	}
	live := reports(serve(testEnv("analyze", "test://me@host/shop", "--for", "1m"), s), "live")
	later := reports(testEnv("analyze", name, "--no-exact"), "later")
	for i := range live {
		if d := cmp.Diff(strings.Split(later[i], "\n"), strings.Split(live[i], "\n")); d != "" {
			t.Errorf("of the capture (-), live (+):\n%s", d)
		}
	}
}

func TestWhatCollectRecordsIsAnalysedLater(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "capture.arrow")
	s := &fakeServer{play: playIncident}
	code, stdout, stderr := runArgs(t, serve(onDisk(testEnv("collect", "test://me@host/shop", "--for", "1m", "--to", name)), s))
	if want := "keyheat: recorded 140300 records of 60 inputs\nkeyheat: 10.0.0.7: refused\nkeyheat: 10.0.0.8: no rights\n"; code != exitFailed || stdout != "" || stderr != want {
		t.Errorf("exit %d, stdout %q, stderr\n%swant\n%s", code, stdout, stderr, want)
	}
	_, live, _ := runArgs(t, serve(testEnv("analyze", "test://me@host/shop", "--for", "1m", "--format", "json"), s))
	_, later, _ := runArgs(t, testEnv("analyze", name, "--no-exact", "--format", "json"))
	if d := cmp.Diff(strings.Split(later, "\n"), strings.Split(live, "\n")); d != "" {
		t.Errorf("of the capture (-), live (+):\n%s", d)
	}
	_, exact, _ := runArgs(t, testEnv("analyze", name, "--format", "json"))
	if !strings.Contains(exact, `"second_pass": true`) || !strings.Contains(exact, `"how": "counted"`) {
		t.Error("the second pass counted nothing")
	}
	var piped bytes.Buffer
	e := serve(testEnv("collect", "test://me@host/shop", "--for", "1m", "--to", "-", "--quiet"), s)
	e.stdout = &piped
	if code := run(t.Context(), e); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	again := filepath.Join(dir, "piped.arrow") // its batches end at other records where writing was slow
	if err := os.WriteFile(again, piped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, fromPipe, _ := runArgs(t, testEnv("analyze", again, "--no-exact", "--format", "json"))
	if d := cmp.Diff(strings.Split(fromPipe, "\n"), strings.Split(live, "\n")); d != "" {
		t.Errorf("of the capture on stdout (-), live (+):\n%s", d)
	}
}

func TestCollectOverwritesOnlyWhenAsked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "capture.arrow")
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", exitRan, "recorded 20000 records of 2 inputs"},
		{"", exitUsage, "--to " + name + ": is there already: give --append to go on with it, --overwrite to replace it"},
		{"--append", exitFailed, "--append --to " + name + ": test://10.0.0.1 does not tell how far it was read, so records would be there twice"},
		{"--append --overwrite", exitUsage, "--append: needs a file, and not --overwrite"},
		{"--overwrite", exitRan, "recorded 20000 records of 2 inputs"},
	} {
		args := append([]string{"collect", "test://host", "--for", "1m", "--to", name}, strings.Fields(tt.args)...)
		code, _, stderr := runArgs(t, serve(onDisk(testEnv(args...)), &fakeServer{play: playHotKey}))
		if code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit %d, stderr %q; want %d, %q", args, code, stderr, tt.code, tt.want)
		}
	}
}

func TestFaultsOfCollect(t *testing.T) {
	nothing := &fakeServer{play: func(context.Context, ingest.Streams) error { return nil }}
	refusing := &fakeServer{play: func(context.Context, ingest.Streams) error { return errors.New("10.0.0.1:9042: refused") }}
	for _, tt := range []struct {
		name   string
		server *fakeServer
		args   string
		change func(e *env)
		code   int
		want   string
	}{
		{"no file", nothing, "test://host", nil, exitUsage, "--to FILE: is needed; - is stdout"},
		{"no URL", nothing, "x.log --to -", nil, exitUsage, "x.log: no such kind of URL: want one of test://"},
		{"bytes for a terminal", nothing, "test://host --to -", func(e *env) { e.outTerminal = true }, exitUsage, "--to -: would write bytes to the terminal: give --to FILE, or a pipe"},
		{"nothing", nothing, "test://host --to - --quiet", nil, exitFailed, "nothing was recorded: see keyheat doctor"},
		{"a server that is away", refusing, "test://host --to - --quiet", nil, exitFailed, "10.0.0.1:9042: refused"},
		{"a folder that is not there", nothing, "test://host --to no/such/file", nil, exitFailed, "open no/such/file: no such file or directory"},
		{"a disk that is full", &fakeServer{play: playHotKey}, "test://host --to x --quiet", func(e *env) {
			e.createNew = func(string) (io.WriteCloser, error) { return fullDisk{}, nil }
		}, exitFailed, "writing --to x: no space left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(onDisk(testEnv(append([]string{"collect"}, strings.Fields(tt.args)...)...)), tt.server)
			if tt.change != nil {
				tt.change(e)
			}
			code, _, stderr := runArgs(t, e)
			line, _, _ := strings.Cut(stderr, "\n")
			if code != tt.code || line != "keyheat: "+tt.want {
				t.Errorf("exit %d, stderr %q; want %d, %q", code, line, tt.code, tt.want)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
func (fullDisk) Close() error              { return nil }

func TestACaptureThatBreaksOffIsReadAsFarAsItGoes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "capture.arrow")
	if code, _, stderr := runArgs(t, serve(onDisk(testEnv("collect", "test://host", "--to", name, "--for", "1m")), &fakeServer{play: playHotKey})); code != exitRan {
		t.Fatal(stderr)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, info.Size()-20); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runArgs(t, testEnv("analyze", name, "--format", "json"))
	if code != exitFailed || !strings.Contains(stderr, "reading "+name+": the end is missing") || !strings.Contains(stdout, `"key": "tenant-42"`) ||
		!strings.Contains(stdout, "inputs not read to their end: 1") || !strings.Contains(stdout, `"second_pass": true`) {
		t.Errorf("exit %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}
}

func TestCollectGoesOnWithAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "capture.arrow")
	s := &fakeServer{play: func(_ context.Context, to ingest.Streams) error {
		sink := to.Open(ingest.LiveInput{Name: "stream", Format: liveTraffic})
		positions := sink.(ingest.Positions)
		from, _ := strconv.Atoi(positions.Position("shard"))
		for i := from; i < from+100; i++ {
			e := ingest.Event{Table: []byte("orders"), Key: fmt.Appendf(nil, "k%d", i), KeyKnown: true}
			sink.Event(&e)
		}
		positions.Reached("shard", strconv.Itoa(from+100))
		return nil
	}}
	for range 3 {
		if code, _, stderr := runArgs(t, serve(onDisk(testEnv("collect", "test://host", "--for", "1m", "--append", "--to", name)), s)); code != exitRan {
			t.Fatalf("exit %d, stderr %s", code, stderr)
		}
	}
	_, stdout, stderr := runArgs(t, testEnv("keys", name, "--format", "csv", "--limit", "500"))
	if got := strings.Count(stdout, ",1,1,1,"); got != 300 || !strings.Contains(stdout, "k299,") || stderr != "" {
		t.Errorf("%d keys of one request, want 300; stderr %q", got, stderr)
	}
}

func TestACollectThatRecordsNothingLeavesNoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "capture.arrow")
	s := &fakeServer{play: func(context.Context, ingest.Streams) error { return errors.New("10.0.0.1:9042: refused") }}
	for range 2 {
		code, _, stderr := runArgs(t, serve(onDisk(testEnv("collect", "test://host", "--quiet", "--to", name)), s))
		if code != exitFailed || stderr != "keyheat: 10.0.0.1:9042: refused\n" {
			t.Errorf("exit %d, stderr %q", code, stderr)
		}
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}
