package dynamo

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

// A fakeS3 is one bucket, of which pages have two names. Answers are cut as cut says.
type fakeS3 struct {
	mu         sync.Mutex
	objects    map[string]string
	version    map[string]int
	cut        func() int // bytes after which an answer is cut; -1: it is not
	asked      []string
	needed     map[string]bool // actions of IAM with their resources
	lengthless bool            // answers do not tell how long objects are
	region     string          // that requests must be signed for; empty: any

	parts map[string]string          // of objects that are not complete, by key and number
	marks map[string]string          // metadata of the writer, by key
	lost  func(r *http.Request) bool // the answer to a request that writes is lost on its way
}

func newFakeS3(t *testing.T, objects map[string]string) (*fakeS3, *Objects) {
	t.Helper()
	f := &fakeS3{
		objects: objects, version: map[string]int{}, cut: func() int { return -1 }, parts: map[string]string{}, marks: map[string]string{},
		needed: map[string]bool{}, lost: func(*http.Request) bool { return false },
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL": server.URL,
	} {
		t.Setenv(name, value)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience) // ends requests that are not answered
	t.Cleanup(cancel)
	return f, NewObjects(ctx)
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	f.asked = append(f.asked, r.Method+" "+key)
	f.needed[neededFor(r, bucket, key)] = true
	switch {
	case f.region != "" && !strings.Contains(r.Header.Get("Authorization"), "/"+f.region+"/s3/"):
		w.Header().Set("X-Amz-Bucket-Region", f.region)
		w.WriteHeader(301)
		io.WriteString(w, `<Error><Code>PermanentRedirect</Code></Error>`)
	case bucket != "logs":
		w.WriteHeader(404)
		io.WriteString(w, `<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>`)
	case key == "" && r.Method == http.MethodHead:
	case key == "":
		f.list(w, r)
	case r.Method == http.MethodPut || r.Method == http.MethodPost || r.Method == http.MethodDelete:
		f.write(w, r, key)
	default:
		body, whole := f.object(w, r, key)
		f.mu.Unlock() // who reads a body slowly, or not on, holds nobody up
		defer f.mu.Lock()
		io.WriteString(w, body)
		if !whole {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}
}

func (f *fakeS3) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	names := map[string]bool{}
	for key := range f.objects {
		if !strings.HasPrefix(key, q.Get("prefix")) {
			continue
		}
		rest := strings.TrimPrefix(key, q.Get("prefix"))
		if d := q.Get("delimiter"); d != "" && strings.Contains(rest, d) {
			rest = rest[:strings.Index(rest, d)+1]
		}
		names[q.Get("prefix")+rest] = true
	}
	all := []string{}
	for name := range names {
		if name > q.Get("continuation-token") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	fmt.Fprint(w, `<ListBucketResult>`)
	if len(all) > 2 {
		all = all[:2]
		fmt.Fprintf(w, `<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>`, all[1])
	}
	for _, name := range all {
		if text, ok := f.objects[name]; ok && !(strings.HasSuffix(name, "/") && q.Get("delimiter") != "" && name != q.Get("prefix")) {
			fmt.Fprintf(w, `<Contents><Key>%s</Key><Size>%d</Size><LastModified>2026-11-30T10:00:00.000Z</LastModified><ETag>"v0"</ETag></Contents>`, name, len(text))
		} else {
			fmt.Fprintf(w, `<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>`, name)
		}
	}
	fmt.Fprint(w, `</ListBucketResult>`)
}

// object begins the answer, and gives its body and whether that is all of it.
func (f *fakeS3) object(w http.ResponseWriter, r *http.Request, key string) (body string, whole bool) {
	text, ok := f.objects[key]
	tag := fmt.Sprintf(`"v%d"`, f.version[key])
	from := 0
	if span, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		from, _ = strconv.Atoi(strings.TrimSuffix(span, "-"))
	}
	switch {
	case !ok:
		w.WriteHeader(404)
		return `<Error><Code>NoSuchKey</Code></Error>`, true
	case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != tag:
		w.WriteHeader(412)
		return `<Error><Code>PreconditionFailed</Code></Error>`, true
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("X-Amz-Meta-"+writerMark, f.marks[key])
	w.Header().Set("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT")
	if !f.lengthless {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)-from))
	}
	if from > 0 {
		w.WriteHeader(206)
	}
	if r.Method == http.MethodHead {
		return "", true
	}
	text = text[from:]
	if n := f.cut(); n >= 0 && n < len(text) {
		return text[:n], false
	}
	return text, true
}

func TestObjectsAreFoundLikeFiles(t *testing.T) {
	f, objects := newFakeS3(t, map[string]string{
		"trail/2026/11/29/a.json.gz": "a", "trail/2026/11/30/b.json.gz": "bb", "trail/2026/11/30/c.json.gz": "ccc", "trail/2026/11/": "",
		"trail/2026/11/30/d.txt": "dddd", "trail.txt": "x", "other/e": "e",
	})
	for _, tt := range []struct{ name, arg, want string }{
		{"a folder, with all below it", "s3://logs/trail", "2026/11/29/a.json.gz 1, 2026/11/30/b.json.gz 2, 2026/11/30/c.json.gz 3, 2026/11/30/d.txt 4"},
		{"a folder named as one", "s3://logs/trail/2026/11/30/", "b.json.gz 2, c.json.gz 3, d.txt 4"},
		{"one object", "s3://logs/trail.txt", " 1"},
		{"a pattern", "s3://logs/trail/2026/11/*/*.gz", "s3://logs/trail/2026/11/29/a.json.gz 1, s3://logs/trail/2026/11/30/b.json.gz 2, s3://logs/trail/2026/11/30/c.json.gz 3"},
		{"a pattern of folders", "s3://logs/trail/2026/11/3*", "s3://logs/trail/2026/11/30/b.json.gz 2, s3://logs/trail/2026/11/30/c.json.gz 3, s3://logs/trail/2026/11/30/d.txt 4"},
		{"a whole bucket", "s3://logs", "other/e 1, trail/2026/11/29/a.json.gz 1, trail/2026/11/30/b.json.gz 2, trail/2026/11/30/c.json.gz 3, trail/2026/11/30/d.txt 4, trail.txt 1"},
		{"nothing", "s3://logs/nope", "stat s3://logs/nope: file does not exist"},
		{"no bucket", "s3:///x", "stat s3:///x: names no bucket: want s3://bucket/prefix"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sources, err := ingest.Expand([]string{tt.arg}, objects)
			got := []string{}
			for _, s := range sources {
				got = append(got, strings.TrimPrefix(strings.TrimPrefix(s.Name, strings.TrimSuffix(tt.arg, "/")), "/")+" "+strconv.FormatInt(s.Size, 10))
			}
			if err != nil {
				got = append(got, err.Error())
			}
			if d := cmp.Diff(strings.Join(got, ", "), tt.want); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
	if _, err := ingest.Expand([]string{"s3://other/x"}, objects); err == nil || !strings.Contains(err.Error(), "NoSuchBucket") {
		t.Errorf("error of a bucket that is not there: %v", err)
	}
	if len(f.asked) == 0 {
		t.Error("nothing was asked")
	}
}

func TestABucketInAnotherRegionIsFound(t *testing.T) {
	s3, objects := newFakeS3(t, map[string]string{"a/b": "text"})
	s3.region = "ap-south-1"
	sources, err := ingest.Expand([]string{"s3://logs/a"}, objects)
	if err != nil || len(sources) != 1 {
		t.Fatalf("sources %v, error %v", sources, err)
	}
	f, err := objects.Open(sources[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); string(got) != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNamesWithEmptyPartsAreTold(t *testing.T) {
	_, objects := newFakeS3(t, map[string]string{"a//b": "x", "a/c": "y"})
	sources, err := ingest.Expand([]string{"s3://logs/a"}, objects)
	if len(sources) != 0 && sources[0].Name != "s3://logs/a/c" || err == nil || !strings.Contains(err.Error(), "names with an empty part are not read") {
		t.Errorf("sources %v, error %v", sources, err)
	}
}

func TestAnObjectIsAFile(t *testing.T) {
	content := randomText(1<<20 + 17)
	_, objects := newFakeS3(t, map[string]string{"big": content})
	f, err := objects.Open("s3://logs/big")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := iotest.TestReader(io.NewSectionReader(f, 0, int64(len(content))), []byte(content)); err != nil {
		t.Error(err)
	}
}

func TestACutConnectionIsGoneOnWith(t *testing.T) {
	content := randomText(300_000)
	s3, objects := newFakeS3(t, map[string]string{"big": content})
	random := rand.New(rand.NewPCG(1, 1))
	s3.cut = func() int { return random.IntN(50_000) }
	f, err := objects.Open("s3://logs/big")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got, []byte(content)) || len(s3.asked) < 5 {
		t.Errorf("%d of %d bytes by %d requests: %v", len(got), len(content), len(s3.asked), err)
	}
}

func TestAReplacedObjectIsNotGoneOnWith(t *testing.T) {
	s3, objects := newFakeS3(t, map[string]string{"big": randomText(3_000_000)})
	s3.cut = func() int { return 1_000_000 }
	f, err := objects.Open("s3://logs/big")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s3.mu.Lock()
	s3.version["big"]++
	s3.mu.Unlock()
	got, err := io.ReadAll(f)
	var path *fs.PathError
	if len(got) != 1_000_000 || !errors.As(err, &path) || path.Path != "s3://logs/big" || !strings.Contains(err.Error(), "PreconditionFailed") {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

func TestAnObjectOfUnknownLengthIsNotTakenForAnEmptyOne(t *testing.T) {
	s3, objects := newFakeS3(t, map[string]string{"big": randomText(10_000)})
	s3.lengthless = true
	if _, err := objects.Open("s3://logs/big"); err == nil || !strings.Contains(err.Error(), "the answer does not tell how long the object is") {
		t.Errorf("error %v", err)
	}
}

func TestReadersOfDifferentPlacesHaveTheirOwnConnections(t *testing.T) {
	content := randomText(4 << 20)
	s3, objects := newFakeS3(t, map[string]string{"big": content})
	f, err := objects.Open("s3://logs/big")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all sync.WaitGroup
	for part := range 4 {
		all.Go(func() {
			p := make([]byte, 64<<10)
			for off := part << 20; off < (part+1)<<20; off += len(p) {
				if n, err := f.ReadAt(p, int64(off)); n != len(p) || string(p) != content[off:off+len(p)] {
					t.Errorf("at %d: %d bytes, %v", off, n, err)
				}
			}
		})
	}
	all.Wait()
	if len(s3.asked) > 4 { // one that is done early leaves its connection to the next part
		t.Errorf("%d requests of 4 readers: %q", len(s3.asked), s3.asked)
	}
}

func randomText(n int) string {
	b := make([]byte, n/2+1)
	rand.NewChaCha8([32]byte{9}).Read(b)
	return hex.EncodeToString(b)[:n]
}
