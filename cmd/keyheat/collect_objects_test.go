package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A smallS3 is a bucket that takes and gives small objects.
type smallS3 struct {
	mu      sync.Mutex
	objects map[string][]byte
}

func newSmallS3(t *testing.T) *smallS3 {
	t.Helper()
	s := &smallS3{objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL": server.URL,
	} {
		t.Setenv(name, value)
	}
	return s
}

func (s *smallS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.TrimPrefix(r.URL.Path, "/traffic/")
	data, there := s.objects[key]
	switch {
	case r.URL.Query().Has("list-type"):
		fmt.Fprint(w, "<ListBucketResult>")
		for _, name := range s.names() {
			if strings.HasPrefix(name, r.URL.Query().Get("prefix")) {
				fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", name, len(s.objects[name]))
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
	case r.Method == http.MethodPut:
		s.objects[key], _ = io.ReadAll(r.Body)
	case !there:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		w.Write(data)
	}
}

func (s *smallS3) names() []string { return slices.Sorted(maps.Keys(s.objects)) }

// pages is a source that tells how far it was read, and hands over a hundred records a run.
func pages(after func()) *fakeServer {
	return &fakeServer{play: func(_ context.Context, to ingest.Streams) error {
		sink := to.Open(ingest.LiveInput{Name: "test://stream", Format: liveTraffic})
		positions := sink.(ingest.Positions)
		from := 0
		fmt.Sscan(positions.Position("shard"), &from)
		for i := from; i < from+100; i++ {
			sink.Event(&ingest.Event{Store: ingest.DynamoDB, Table: []byte("orders"), Key: fmt.Appendf(nil, "k%d", i), KeyKnown: true})
		}
		positions.Reached("shard", fmt.Sprint(from+100))
		after()
		return nil
	}}
}

func TestEachRunOfCollectWritesTheNextCaptureOfItsRecording(t *testing.T) {
	s := newSmallS3(t)
	for range 3 {
		if code, _, stderr := runArgs(t, serve(testEnv("collect", "test://host", "--to", "s3://traffic/h1", "--append", "--quiet"), pages(func() {}))); code != exitRan {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	if d := cmp.Diff(s.names(), []string{"h1/00000001.arrow", "h1/00000002.arrow", "h1/00000003.arrow"}); d != "" {
		t.Errorf("objects: got (-), want (+):\n%s", d)
	}
	_, stdout, stderr := runArgs(t, testEnv("keys", "s3://traffic/h1", "--format", "csv", "--limit", "500"))
	if got := strings.Count(stdout, ",1,1,1,"); got != 300 || !strings.Contains(stdout, "k299,") {
		t.Errorf("%d keys of one request, want 300; stderr %q", got, stderr)
	}
}

func TestACollectThatRecordsNothingNewWritesNoObject(t *testing.T) {
	s := newSmallS3(t)
	silent := &fakeServer{play: func(_ context.Context, to ingest.Streams) error { return nil }}
	code, _, stderr := runArgs(t, serve(testEnv("collect", "test://host", "--to", "s3://traffic/h1", "--quiet"), silent))
	if code != exitFailed || !strings.Contains(stderr, "nothing was recorded") || len(s.objects) > 0 {
		t.Errorf("exit %d, stderr %q, objects %q", code, stderr, s.names())
	}
}

func TestAnInterruptedCollectKeepsWhatItRecorded(t *testing.T) {
	s := newSmallS3(t)
	ctx, cancel := context.WithCancel(t.Context())
	if code := run(ctx, serve(testEnv("collect", "test://host", "--to", "s3://traffic/h1"), pages(cancel))); code != exitRan || len(s.objects) != 1 {
		t.Errorf("exit %d, objects %q", code, s.names())
	}
}

func TestTwoCollectorsDoNotWriteOneRecording(t *testing.T) {
	s := newSmallS3(t)
	collect := func(after func()) (int, string) {
		code, _, stderr := runArgs(t, serve(testEnv("collect", "test://host", "--to", "s3://traffic/h1", "--append", "--quiet"), pages(after)))
		return code, stderr
	}
	var second int
	first, said := collect(func() { second, _ = collect(func() {}) })
	want := "write s3://traffic/h1/00000001.arrow: file already exists: another collector writes there; give each a prefix of its own"
	if second != exitRan || first != exitFailed || !strings.Contains(said, want) || len(s.objects) != 1 {
		t.Errorf("exits %d and %d, objects %q, said %s", second, first, s.names(), said)
	}
}
