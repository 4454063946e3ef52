package aws

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// events gives generated traffic of one table, which begins at an hour of a day.
func events(t *testing.T, table string, n, hour int) []byte {
	t.Helper()
	stdout, stderr, code := keyheat(t, "generate", "hot-key", "--events", fmt.Sprint(n), "--start", fmt.Sprintf("2026-11-30T%02d:00:00Z", hour))
	if code != 0 {
		t.Fatal(stderr)
	}
	return []byte(strings.ReplaceAll(stdout, `"table":"carts"`, `"table":"`+table+`"`))
}

// packed gives a text as gzip has it.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// archives gives a tar and a zip archive of the same number of files each, of which some are compressed.
func archives(t *testing.T) (tarred, zipped []byte) {
	t.Helper()
	var a, b bytes.Buffer
	to, also := tar.NewWriter(&a), zip.NewWriter(&b)
	for i := range 8 {
		name, text := fmt.Sprintf("nodes/10.0.0.%d/events.ndjson", i), events(t, "archived", 1500, i)
		if i%3 == 0 {
			name, text = name+".gz", packed(t, text)
		}
		if err := to.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		w, err := also.CreateHeader(&zip.FileHeader{Name: "zip/" + name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(text); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if err := also.Close(); err != nil {
		t.Fatal(err)
	}
	return a.Bytes(), b.Bytes()
}

// watched stands before a server and notes from where objects were read, by their keys.
func watched(t *testing.T, upstream string) (address string, begun func(key string) []string) {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	ranges := map[string][]string{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			mu.Lock()
			ranges[r.URL.Path] = append(ranges[r.URL.Path], r.Header.Get("Range"))
			mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func(key string) []string {
		mu.Lock()
		defer mu.Unlock()
		return ranges[key]
	}
}

// carriedOut shares a plan out between three processes, each with every third split and the last one first, which
// put their parts into a folder.
func carriedOut(t *testing.T, plan, to string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	lines := strings.SplitAfter(strings.TrimSuffix(plan, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	shares := [3]string{lines[0], lines[0], lines[0]}
	for i := len(lines) - 1; i > 0; i-- {
		shares[i%3] += lines[i]
	}
	for i, share := range shares {
		splits, parts := filepath.Join(dir, fmt.Sprint("splits-", i)), fmt.Sprintf("%s/parts-%d", to, 2-i)
		if err := os.WriteFile(splits, []byte(share), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := keyheat(t, append([]string{"sketch", "--plan", splits, "--to", parts}, args...)...); code != 0 || stderr != "" {
			t.Fatalf("share %d: exit %d: %s", i, code, stderr)
		}
	}
}

func TestAPlanOfObjectsGivesTheReportOfOneRun(t *testing.T) {
	b := newBucket(t, ministack, "planned")
	address, begun := watched(t, ministack.url)
	t.Setenv("AWS_ENDPOINT_URL", address)
	plain := events(t, "orders", 20_000, 0)
	tarred, zipped := archives(t)
	for key, data := range map[string][]byte{
		"in/plain.ndjson": plain, "in/packed.ndjson.gz": packed(t, events(t, "packed", 5000, 1)), "in/bundle.tar": tarred, "in/bundle.zip": zipped,
		"in/trail/a.json.gz": trail(t, 1, 400), "in/trail/b.json.gz": trail(t, 2, 400), "in/bundle.tar.gz": packed(t, tarred),
	} {
		b.put(t, key, data)
	}
	run := func(args ...string) string {
		stdout, stderr, code := keyheat(t, args...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d: %s", args[0], code, stderr)
		}
		return stdout
	}
	in := "s3://" + b.name + "/in"
	plan := run("plan", in, "--chunk", "512KiB")
	if chunks := len(plain)>>19 + 1; strings.Count(plan, "plain.ndjson") != chunks || chunks < 4 || strings.Count(plan, `bundle.tar"`) < 2 || strings.Count(plan, "bundle.zip") < 2 {
		t.Errorf("of %d chunks, plan:\n%s", chunks, plan)
	}
	before := len(begun("/" + b.name + "/in/plain.ndjson"))
	parts, counted := "s3://"+b.name+"/parts", t.TempDir()
	carriedOut(t, plan, parts)
	places := map[string]bool{}
	for _, from := range begun("/" + b.name + "/in/plain.ndjson")[before:] {
		places[from] = true
	}
	if len(places) < len(plain)>>19 {
		t.Errorf("the large object was read from %v on", places)
	}
	got := run("merge", "--format", "json", parts)
	want := run("analyze", in, "--no-exact", "--chunk", "512KiB", "--format", "json")
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("of the plan (-), of one run (+):\n%s", d)
	}
	if files := regexp.MustCompile(`"`+regexp.QuoteMeta(b.dir)).ReplaceAllString(run("analyze", b.dir+"/in", "--no-exact", "--chunk", "512KiB", "--format", "json"), `"s3://`+b.name); files != want {
		t.Errorf("of files (-), of objects (+):\n%s", cmp.Diff(files, want))
	}

	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(run("merge", "--nominate", parts)), 0o600); err != nil {
		t.Fatal(err)
	}
	carriedOut(t, plan, counted, "--count-keys", keys)
	got = run("merge", "--format", "json", parts, counted)
	if d := cmp.Diff(got, run("analyze", in, "--exact", "--chunk", "512KiB", "--format", "json")); d != "" || !strings.Contains(got, `"how": "counted"`) {
		t.Errorf("of both passes over the plan (-), of one run (+):\n%s", d)
	}
}

// Profiles and reports are objects, too.
func TestProfilesAndReportsAreKeptInS3(t *testing.T) {
	b := newBucket(t, ministack, "profiles")
	for i := range 2 {
		b.put(t, fmt.Sprintf("in/%d.ndjson", i), events(t, "orders", 5000, i))
		if _, stderr, code := keyheat(t, "sketch", fmt.Sprintf("s3://profiles/in/%d.ndjson", i), "--to", fmt.Sprintf("s3://profiles/p/%d.khp", i), "--quiet"); code != 0 || stderr != "" {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	want, stderr, code := keyheat(t, "merge", "s3://profiles/p/0.khp", "s3://profiles/p/1.khp", "--format", "json")
	if code != 0 || stderr != "" || !strings.Contains(want, `"value": 10000,`) {
		t.Fatalf("exit %d: %s%s", code, stderr, want)
	}
	for _, in := range []string{"s3://profiles/p", "s3://profiles/p/*.khp"} {
		if got, stderr, code := keyheat(t, "merge", in, "--format", "json"); code != 0 || got != want {
			t.Errorf("%s: exit %d, %s, (-got +want):\n%s", in, code, stderr, cmp.Diff(got, want))
		}
	}
	if _, stderr, code := keyheat(t, "merge", "s3://profiles/p", "--output", "json=s3://profiles/out/report.json"); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	config := filepath.Join(t.TempDir(), "keyheat.yaml")
	if err := os.WriteFile(config, []byte("version: 1\nstate: state\njobs:\n  hosts: {inputs: [\"s3://profiles/p\"]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := keyheat(t, "nightly", "-c", config); code != 0 || !strings.Contains(stdout, "orders") {
		t.Errorf("exit %d: %s%s", code, stderr, stdout)
	}
	if got, stderr, code := keyheat(t, "compare", "s3://profiles/out/report.json", "s3://profiles/p/1.khp"); code != 0 || stderr != "" {
		t.Errorf("exit %d: %s%s", code, stderr, got)
	}
}
