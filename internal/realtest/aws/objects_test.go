package aws

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
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

func TestObjectsGiveTheReportOfTheSameFiles(t *testing.T) {
	for _, server := range []*standIn{ministack, moto} {
		t.Run(server.name, func(t *testing.T) {
			client := s3.NewFromConfig(settings(t, server.at(t)), func(o *s3.Options) { o.UsePathStyle = true })
			bucket, dir := "trail-bucket", t.TempDir()
			if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{
				Bucket: &bucket, CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: region},
			}); err != nil {
				t.Fatal(err)
			}
			put := func(key string, data []byte) {
				if _, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)}); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(dir, key)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for part := range 30 {
				put(fmt.Sprintf("AWSLogs/2026/11/%02d/part-%d.json.gz", 1+part%3, part), trail(t, part, 40))
			}
			plain, stderr, code := keyheat(t, "generate", "hot-key", "--events", "60000")
			if code != 0 {
				t.Fatal(stderr)
			}
			put("plain/events.ndjson", []byte(plain))
			t.Setenv("AWS_ENDPOINT_URL", server.url)
			t.Setenv("AWS_REGION", region)
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
