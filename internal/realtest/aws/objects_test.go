package aws

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
)

// trail gives a file of CloudTrail with n reads of each of two tables, of which one key has half.
func trail(t *testing.T, part, n int) []byte {
	t.Helper()
	records := []any{}
	for i := range n {
		key := fmt.Sprintf("C%d", part*n+i)
		if i%2 == 0 {
			key = "HOT"
		}
		records = append(records, map[string]any{
			"eventSource": "dynamodb.amazonaws.com", "eventName": "GetItem", "eventTime": fmt.Sprintf("2026-11-30T10:%02d:%02dZ", part%60, i%60),
			"eventID": fmt.Sprintf("%d-%d", part, i), "requestParameters": map[string]any{"tableName": "Orders", "key": map[string]any{"customer": key}},
		})
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := json.NewEncoder(w).Encode(map[string]any{"Records": records}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// A bucket is one of a stand-in, and a folder of the same files.
type bucket struct {
	client    *s3.Client
	name, dir string
}

// newBucket makes a bucket that the program finds.
func newBucket(t *testing.T, server *standIn, name string) *bucket {
	t.Helper()
	b := &bucket{s3.NewFromConfig(settings(t, server.at(t)), func(o *s3.Options) { o.UsePathStyle = true }), name, t.TempDir()}
	if _, err := b.client.CreateBucket(t.Context(), &s3.CreateBucketInput{
		Bucket: &name, CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: region},
	}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ENDPOINT_URL", server.url)
	t.Setenv("AWS_REGION", region)
	return b
}

// put makes an object and a file.
func (b *bucket) put(t *testing.T, key string, data []byte) {
	t.Helper()
	if _, err := b.client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: bytes.NewReader(data)}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b.dir, key)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// keys gives the names of the objects below a folder.
func (b *bucket) keys(t *testing.T, prefix string) (keys []string) {
	t.Helper()
	page, err := b.client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Contents {
		keys = append(keys, *c.Key)
	}
	return keys
}

func TestObjectsGiveTheReportOfTheSameFiles(t *testing.T) {
	for _, server := range []*standIn{ministack, moto} {
		t.Run(server.name, func(t *testing.T) {
			store := newBucket(t, server, "trail-bucket")
			bucket, dir, put := store.name, store.dir, store.put
			for part := range 30 {
				put(t, fmt.Sprintf("AWSLogs/2026/11/%02d/part-%d.json.gz", 1+part%3, part), trail(t, part, 40))
			}
			plain, stderr, code := keyheat(t, "generate", "hot-key", "--events", "60000")
			if code != 0 {
				t.Fatal(stderr)
			}
			put(t, "plain/events.ndjson", []byte(plain))
			for name, args := range map[string][]string{
				"many small objects":              {"AWSLogs"},
				"read twice":                      {"AWSLogs", "--exact"},
				"a large one, in parts by ranges": {"plain", "--chunk", "1MiB", "--workers", "4", "--exact"},
			} {
				t.Run(name, func(t *testing.T) {
					report := func(in string) string {
						all := append([]string{"analyze", in + args[0], "--format", "json"}, args[1:]...)
						if !strings.HasPrefix(in, "s3://") && len(args) == 1 {
							all = append(all, "--no-exact")
						}
						stdout, stderr, code := keyheat(t, all...)
						if code != 0 || stderr != "" {
							t.Fatalf("exit %d: %s", code, stderr)
						}
						var r struct {
							Tables, Findings json.RawMessage
							Inputs           []struct{ Records, Events int }
						}
						if err := json.Unmarshal([]byte(stdout), &r); err != nil {
							t.Fatal(err)
						}
						return fmt.Sprintf("%s\n%s\n%v", r.Tables, r.Findings, r.Inputs)
					}
					got, want := report("s3://"+bucket+"/"), report(dir+"/")
					if d := cmp.Diff(got, want); d != "" || !strings.Contains(got, "hot-partition") {
						t.Errorf("objects (-), files (+):\n%s", d)
					}
				})
			}
			// A plan of the large object is carried out piece by piece.
			plan, stderr, code := keyheat(t, "plan", "s3://"+bucket+"/plain/events.ndjson", "--chunk", "1MiB")
			if code != 0 || strings.Count(plan, "\n") < 5 {
				t.Errorf("exit %d, stderr %q, plan:\n%s", code, stderr, plan)
			}
		})
	}
}

// An export is checked against its manifest as it is streamed.
func TestADataFileInS3WithAnotherMD5ThanItsManifestSaysFailsTheRun(t *testing.T) {
	b := newBucket(t, ministack, "exports")
	export := os.DirFS(root + "/fixtures/scenarios/blind-spot-quiet-export-whole/export")
	if err := fs.WalkDir(export, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(export, name)
		b.put(t, "2026/"+name, data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := keyheat(t, "analyze", "s3://exports/2026", "--format", "json"); code != 0 || stderr != "" {
		t.Fatalf("as it was exported: exit %d: %s", code, stderr)
	}
	other, err := fs.ReadFile(export, "data/dd8vt5.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	b.put(t, "2026/data/aa7qk2.json.gz", other)
	stdout, stderr, code := keyheat(t, "analyze", "s3://exports/2026", "--format", "json")
	if code != 3 || !strings.Contains(stderr, "aa7qk2.json.gz: its MD5 is not the one in the manifest") || strings.Contains(stderr, "dd8vt5") ||
		!strings.Contains(stdout, `"partial": "data files of exports that are not as their manifest says: 1"`) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
