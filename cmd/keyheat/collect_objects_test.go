package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A smallS3 is a bucket that takes and gives objects, whole or in parts.
type smallS3 struct {
	mu      sync.Mutex
	objects map[string][]byte
	parts   map[string]map[int][]byte // of uploads, by key
}

func newSmallS3(t *testing.T) *smallS3 {
	t.Helper()
	s := &smallS3{objects: map[string][]byte{}, parts: map[string]map[int][]byte{}}
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
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	status, answer := s.answer(r, strings.TrimPrefix(r.URL.Path, "/traffic/"), body)
	if r.Method == http.MethodPut {
		w.Header().Set("ETag", `"e"`)
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
	w.WriteHeader(status)
	w.Write(answer)
}

// answer gives what the bucket says.
func (s *smallS3) answer(r *http.Request, key string, body []byte) (status int, answer []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, there := s.objects[key]
	q := r.URL.Query()
	taken := there && r.Header.Get("If-None-Match") == "*"
	switch {
	case q.Has("list-type"):
		return http.StatusOK, s.list(q.Get("prefix"))
	case r.Method == http.MethodPost && q.Has("uploads"):
		s.parts[key] = map[int][]byte{}
		return http.StatusOK, []byte("<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
	case r.Method == http.MethodPut && q.Has("partNumber"):
		number, _ := strconv.Atoi(q.Get("partNumber"))
		s.parts[key][number] = body
	case (r.Method == http.MethodPost || r.Method == http.MethodPut) && taken:
		return http.StatusPreconditionFailed, nil
	case r.Method == http.MethodPost:
		for _, number := range slices.Sorted(maps.Keys(s.parts[key])) {
			s.objects[key] = append(s.objects[key], s.parts[key][number]...)
		}
		return http.StatusOK, []byte(`<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>`)
	case r.Method == http.MethodPut:
		s.objects[key] = body
	case !there:
		return http.StatusNotFound, nil
	default:
		return http.StatusOK, data
	}
	return http.StatusOK, nil
}

func (s *smallS3) list(prefix string) []byte {
	b := []byte("<ListBucketResult>")
	for _, name := range s.names() {
		if strings.HasPrefix(name, prefix) {
			b = fmt.Appendf(b, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", name, len(s.objects[name]))
		}
	}
	return append(b, "</ListBucketResult>"...)
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

func TestACaptureThatIsLargeEnoughEndsBeforeItsTime(t *testing.T) {
	s := newSmallS3(t)
	e := testEnv()
	e.addObjects(t.Context())
	r, err := openObjects(e, &collectOptions{to: "s3://traffic/h1"}, "test://host", func() { t.Error("writing failed") })
	if err != nil {
		t.Fatal(err)
	}
	sink := r.to.Open(ingest.LiveInput{Name: "test://host/stream", Format: liveTraffic})
	const flushes, between, bytes = 11, 8000, 1000 // under the dozen of a minute; 88 MB that no compression makes less
	random := rand.NewChaCha8([32]byte{7})
	key := make([]byte, bytes)
	for range flushes {
		for range between {
			random.Read(key)
			sink.Event(&ingest.Event{Store: ingest.DynamoDB, Table: []byte("orders"), Key: key, KeyKnown: true})
		}
		r.flush()
	}
	if err := r.close(nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.names(), []string{"h1/00000001.arrow", "h1/00000002.arrow"}); d != "" {
		t.Fatalf("objects: got (-), want (+):\n%s", d)
	}
	if size := len(s.objects["h1/00000001.arrow"]); size < objectBytes || size > objectBytes+2*between*bytes {
		t.Errorf("the first has %d bytes, want %d and what comes between two looks at most", size, objectBytes)
	}
	var report struct{ Inputs []struct{ Events int } }
	_, stdout, stderr := runArgs(t, testEnv("analyze", "s3://traffic/h1", "--format", "json"))
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err, stderr)
	}
	events := 0
	for _, in := range report.Inputs {
		events += in.Events
	}
	if len(report.Inputs) != 2 || events != flushes*between {
		t.Errorf("%d events in %d inputs, want %d in 2", events, len(report.Inputs), flushes*between)
	}
}
