package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A fakeServer is a running database that plays a script.
type fakeServer struct {
	play      func(ctx context.Context, to ingest.Streams) error
	diagnosis *ingest.Diagnosis
}

func (s *fakeServer) Collect(ctx context.Context, to ingest.Streams) error { return s.play(ctx, to) }

func (s *fakeServer) Diagnose(context.Context) (*ingest.Diagnosis, error) {
	if s.diagnosis == nil {
		return nil, errors.New("10.0.0.1:9042: refused")
	}
	return s.diagnosis, nil
}

// serve makes the server known as test://….
func serve(e *env, s *fakeServer) *env {
	e.schemes = []scheme{{"test", func(u *url.URL, _ ingest.LiveOptions) (ingest.Server, error) {
		if u.Host == "" {
			return nil, errors.New("names no host")
		}
		return s, nil
	}, "KEYHEAT_TEST_PASSWORD"}}
	return e
}

var liveTraffic = &ingest.Format{Name: "fake-traffic", Coverage: ingest.Traffic}

// playHotKey gives traffic of ten minutes, half of it to one key.
func playHotKey(_ context.Context, to ingest.Streams) error {
	sinks := [2]ingest.Sink{}
	for i := range sinks {
		node := fmt.Sprintf("10.0.0.%d", i+1)
		sinks[i] = to.Open(ingest.LiveInput{Name: "test://" + node, Format: liveTraffic, Node: node})
	}
	var e ingest.Event
	for i := range 20_000 {
		e.Reset()
		e.Store, e.Op, e.Table, e.KeyKnown = ingest.Cassandra, ingest.OpRead, []byte("shop.carts"), true
		e.Key = fmt.Appendf(nil, "user-%d", i)
		if i%2 == 0 {
			e.Key = []byte("tenant-42")
		}
		e.SetTime(1780567200e9 + int64(i)*30e6)
		sinks[i/3%2].Event(&e)
	}
	return nil
}

func TestALiveSourceIsAnalysed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "more.ndjson")
	if err := os.WriteFile(file, []byte(`{"ts":"2026-06-04T10:00:00Z","table":"orders","pk":"a"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runArgs(t, serve(testEnv("analyze", "--for", "1m", "test://a", file, "--format", "json"), &fakeServer{play: playHotKey}))
	if code != exitRan || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	for _, want := range []string{
		`"name": "test://10.0.0.1"`, `"name": "` + file + `"`, `"node": "10.0.0.2"`, `"second_pass": false`, `"rule": "hot-partition"`,
		`"key": "tenant-42"`, `"partial": ""`,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
}

func TestAnInterruptIsTheEndOfALiveSourceWithoutFor(t *testing.T) {
	for _, tt := range []struct {
		name    string
		args    []string
		code    int
		partial string
	}{
		{"without --for it is the normal end", nil, exitRan, `"partial": ""`},
		{"before the time of --for it is an interrupt", []string{"--for", "1h"}, exitInterrupted, `"partial": "interrupted: what was read until then is reported"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			e := serve(testEnv(append([]string{"analyze", "test://a", "--format", "json"}, tt.args...)...), &fakeServer{
				play: func(ctx context.Context, to ingest.Streams) error {
					err := playHotKey(ctx, to)
					cancel()
					<-ctx.Done()
					return err
				},
			})
			stdout := &strings.Builder{}
			e.stdout = stdout
			if code := run(ctx, e); code != tt.code || !strings.Contains(stdout.String(), tt.partial) || !strings.Contains(stdout.String(), `"key": "tenant-42"`) {
				t.Errorf("exit %d, want %d, and %s in\n%s", code, tt.code, tt.partial, stdout)
			}
		})
	}
}

func TestALiveSourceEndsAfterTheTimeOfFor(t *testing.T) {
	code, _, stderr := runArgs(t, serve(testEnv("analyze", "--for", "1s", "test://a"), &fakeServer{
		play: func(ctx context.Context, to ingest.Streams) error {
			err := playHotKey(ctx, to)
			<-ctx.Done()
			return err
		},
	}))
	if code != exitRan || stderr != "" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

func TestWhatALiveSourceCannotReadIsToldBesideTheReport(t *testing.T) {
	code, stdout, stderr := runArgs(t, serve(testEnv("analyze", "--for", "1m", "test://a", "--format", "json"), &fakeServer{
		play: func(ctx context.Context, to ingest.Streams) error {
			to.Note("traces of 3 s were lost while 10.0.0.2 was away")
			return errors.Join(playHotKey(ctx, to), errors.New("10.0.0.3: refused"))
		},
	}))
	if code != exitFailed || stderr != "keyheat: 10.0.0.3: refused\n" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	for _, want := range []string{"traces of 3 s were lost while 10.0.0.2 was away", "10.0.0.3: refused", `"key": "tenant-42"`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
}

func TestFaultsOfURLs(t *testing.T) {
	for _, tt := range []struct {
		name string
		args string
		code int
		want string // the first line of stderr
	}{
		{"a password", "analyze test://me:hush-hush@host/ks", exitUsage, "test://me@host/ks: a password in an argument can be seen by everybody on this machine: give it as KEYHEAT_TEST_PASSWORD"},
		{"a password as a setting", "doctor test://host/ks?x=1&Password=hush-hush", exitUsage, "test://host/ks?Password=removed&x=1: a password in an argument can be seen by everybody on this machine: give it as KEYHEAT_TEST_PASSWORD"},
		{"a password in what is no URL", "analyze test://me:hush-hush%zz@host", exitUsage, "test://…: is no URL that can be read"},
		{"a password for another kind", "analyze mysql://me:hush-hush@host", exitUsage, "mysql://me@host: no such kind of URL: want one of test://"},
		{"a password in place of a command", "test://me:hush-hush@host", exitUsage, `unknown command "test://me:…@host"`},
		{"a password where files are wanted", "compare test://me:hush/-hush@host b", exitFailed, "reading test://me:…@host: unexpected EOF"},
		{"a fault that the source finds", "analyze test:///ks", exitUsage, "test:///ks: names no host"},
		{"a command that reads files", "keys test://me@host", exitUsage, "test://me@host: is a live source: analyze, top, collect and doctor read those; collect makes a file of one"},
		{"--for without a URL", "analyze --for 5m x.log", exitUsage, "--for 5m: needs a URL: files are read to their end"},
		{"--load-limit without a URL", "analyze --load-limit 5 x.log", exitUsage, "--load-limit 5: needs a URL"},
		{"a time that is none", "analyze --for 5 test://host", exitUsage, "--for 5: must be a duration of at least 1s, like 5m"},
		{"a limit that is none", "analyze --load-limit 0 test://host", exitUsage, "--load-limit 0: must be a number of requests a second over 0, like 5"},
		{"a time relative to an end that is not known", "analyze --since 2h test://host", exitUsage, "the end of a stream (the standard input, a live source) is not known beforehand: give an absolute time, as 2026-06-04T10:00:00Z"},
		{"doctor of a file", "doctor x.log", exitUsage, "x.log: no such kind of URL: want one of test://"},
		{"doctor of a server that is away", "doctor test://host", exitFailed, "test://host: 10.0.0.1:9042: refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := runArgs(t, serve(testEnv(strings.Fields(tt.args)...), &fakeServer{play: playHotKey}))
			line, _, _ := strings.Cut(stderr, "\n")
			if code != tt.code || stdout != "" || line != "keyheat: "+tt.want {
				t.Errorf("exit %d, stdout %q, stderr\n%swant exit %d and\nkeyheat: %s", code, stdout, stderr, tt.code, tt.want)
			}
			if strings.Contains(stderr, "hush") {
				t.Errorf("the password stands in %q", stderr)
			}
		})
	}
}

func TestDoctorSaysWhatIsHidden(t *testing.T) {
	s := &fakeServer{diagnosis: &ingest.Diagnosis{
		Sees: []string{"schema", "topology", "thresholds", "tombstones per read", "largest partition per table", "local and coordinator latencies"},
		Hidden: []ingest.Hidden{
			{What: "which key is read", Why: "tracing is off on 6 of 6 nodes", Show: "nodetool settraceprobability 0.001", Cost: "about 0.1 % of reads traced; undo with 0"},
			{What: "top partitions", Why: "no full repair since start\x1b[2J", Show: "nodetool repair -full"},
		},
		Lacking: []string{"SELECT on system_traces", "SELECT on system_views"},
		Least:   "GRANT SELECT ON KEYSPACE system TO keyheat;\nGRANT SELECT ON KEYSPACE system_views TO keyheat;\n",
		Notes:   []string{"never run on such a server"},
	}}
	e := serve(testEnv("doctor", "test://host"), s)
	e.width = 72
	code, stdout, stderr := runArgs(t, e)
	want := `can see      schema, topology, thresholds, tombstones per read, largest
             partition per table, local and coordinator latencies
cannot see   which key is read: tracing is off on 6 of 6 nodes
               → nodetool settraceprobability 0.001
               cost: about 0.1 % of reads traced; undo with 0
             top partitions: no full repair since start\x1b[2J
               → nodetool repair -full
permissions  refused: SELECT on system_traces
             refused: SELECT on system_views
least role   that works:
               GRANT SELECT ON KEYSPACE system TO keyheat;
               GRANT SELECT ON KEYSPACE system_views TO keyheat;
note         never run on such a server
`
	if d := cmp.Diff(stdout, want); d != "" || code != exitRan || stderr != "" {
		t.Errorf("exit %d, stderr %q, got (-), want (+):\n%s", code, stderr, d)
	}
}

func TestDoctorTellsMachines(t *testing.T) {
	s := &fakeServer{diagnosis: &ingest.Diagnosis{Hidden: []ingest.Hidden{{What: "a <", Why: "b", Show: "c", Cost: "d"}}, Least: "GRANT"}}
	_, stdout, _ := runArgs(t, serve(testEnv("doctor", "test://me@host", "--format", "json"), s))
	want := `{
  "schema": "keyheat.diagnosis/1",
  "source": "test://me@host",
  "sees": [],
  "hidden": [
    {
      "what": "a <",
      "why": "b",
      "show": "c",
      "cost": "d"
    }
  ],
  "lacking": [],
  "least": "GRANT",
  "notes": []
}
`
	if d := cmp.Diff(stdout, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestANightMayBeOfALiveSource(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "keyheat.yaml")
	text := "version: 1\nstate: state\njobs:\n  now: {inputs: ['test://host/shop'], options: {for: 1m}}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := serve(onDisk(testEnv("nightly", "-c", config)), &fakeServer{play: playHotKey})
	of := processEnv()
	e.state, e.lock = of.state, of.lock
	if code, stdout, stderr := runArgs(t, e); code != exitRan {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	reports, err := filepath.Glob(filepath.Join(dir, "state", "now", "*", "report.json"))
	if err != nil || len(reports) != 1 {
		t.Fatalf("reports %v, error %v", reports, err)
	}
	report, err := os.ReadFile(reports[0])
	if err != nil || !strings.Contains(string(report), `"key": "tenant-42"`) || !strings.Contains(string(report), `"name": "test://10.0.0.1"`) {
		t.Errorf("error %v, report\n%s", err, report)
	}
}
