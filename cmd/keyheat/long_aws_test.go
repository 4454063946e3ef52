package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The proofs of size of what AWS writes.

// trailObject gives an object of CloudTrail, as the service delivers it: data events of one table, of which
// one in five is about one item.
func trailObject(object int) []byte {
	const events = 20
	var b bytes.Buffer
	b.WriteString(`{"Records":[`)
	for i := range events {
		if i > 0 {
			b.WriteByte(',')
		}
		n := object*events + i
		key := fmt.Sprintf("TENANT#%d", n*7919%100_003)
		if n%5 == 0 {
			key = "TENANT#hot"
		}
		fmt.Fprintf(&b, `{"eventVersion":"1.11","userIdentity":{"type":"AssumedRole","principalId":"AROAEXAMPLEROLEID0001:orders-api","arn":"arn:aws:sts::444455556666:assumed-role/orders-api/i-0abc","accountId":"444455556666"},"eventTime":"2026-11-02T%02d:%02d:%02dZ","eventSource":"dynamodb.amazonaws.com","eventName":"GetItem","awsRegion":"eu-west-1","sourceIPAddress":"192.0.2.10","userAgent":"aws-sdk-go-v2/1.48.0","requestParameters":{"tableName":"Orders","key":{"pk":"%s","sk":"ORDER#%d"},"consistentRead":false},"responseElements":null,"requestID":"REQ%d","eventID":"%08d-1111-4111-8111-111111111111","readOnly":true,"eventType":"AwsApiCall","managementEvent":false,"recipientAccountId":"444455556666","eventCategory":"Data"}`,
			10+object/36000%12, object/600%60, object/10%60, key, n, n, n)
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// proveTrailObjects: the same objects of 13 KB in one compressed file, and each in a file of its own, a thousand a
// folder.
func proveTrailObjects(t *testing.T, keyheat string, thousandths int) {
	objects := 100 * thousandths
	many := t.TempDir()
	one := written(t, "one.json.gz", func(w *bufio.Writer) {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		small, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
		for i := range objects {
			object := trailObject(i)
			z.Write(object)
			dir := filepath.Join(many, fmt.Sprintf("%03d", i/1000))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			var packed bytes.Buffer
			small.Reset(&packed)
			small.Write(object)
			small.Close()
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("444455556666_CloudTrail_eu-west-1_%06d.json.gz", i)), packed.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		z.Close()
	})
	a, b := measure(t, nil, keyheat, one), measure(t, nil, keyheat, many)
	if got, want := findingsOf(&b.report), findingsOf(&a.report); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("findings of many objects %v, of one file %v", got, want)
	}
	if hot, known := b.report.keyOf("Orders", "TENANT#hot"); !known || !hot.hold(uint64(4*objects)) {
		t.Errorf("the hot item has %d reads, known %t: [%d, %d]", 4*objects, known, hot.Low, hot.High)
	}
	t.Logf("%d objects take %.2f times the CPU of one file", objects, b.cpu.Seconds()/a.cpu.Seconds())
	if thousandths == 1000 && b.cpu > 3*a.cpu {
		t.Errorf("%d objects took %.1f s of CPU, one file of the same bytes %.1f s: over three times", objects, b.cpu.Seconds(), a.cpu.Seconds())
	}
}

// proveExport: a full export of ten million items of 300 bytes in a hundred data files, with its manifests.
// Twenty keys hold a fifth to a 24th of the items of one file, the largest of three; all others three items.
func proveExport(t *testing.T, keyheat string, thousandths int) {
	const files, planted = 100, 20
	perFile := 100 * thousandths
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	truth := exportTruth{items: map[string]uint64{}, bytes: map[string]uint64{}, files: map[string]uint64{}}
	var manifest bytes.Buffer
	for file := range files {
		packed := truth.dataFile(file, perFile, planted)
		name := fmt.Sprintf("x%025d.json.gz", file)
		if err := os.WriteFile(filepath.Join(folder, "data", name), packed, 0o644); err != nil {
			t.Fatal(err)
		}
		sum := md5.Sum(packed)
		fmt.Fprintf(&manifest, `{"itemCount":%d,"md5Checksum":"%s","etag":"a-1","dataFileS3Key":"AWSDynamoDB/01793600000000-a1b2c3d4/data/%s"}`+"\n", perFile, base64.StdEncoding.EncodeToString(sum[:]), name)
	}
	summary := `{"version":"2020-06-30","tableArn":"arn:aws:dynamodb:eu-west-1:444455556666:table/Orders","exportTime":"2026-11-02T07:28:34.028Z","manifestFilesS3Key":"AWSDynamoDB/01793600000000-a1b2c3d4/manifest-files.json","outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}`
	for name, text := range map[string]string{"manifest-files.json": manifest.String(), "manifest-summary.json": summary} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := measure(t, nil, keyheat, folder)
	if len(m.report.Tables) != 1 || m.report.Tables[0].Stored == nil {
		t.Fatalf("%d tables", len(m.report.Tables))
	}
	if found := findingsOf(&m.report); len(found) > 0 {
		t.Errorf("findings of a whole export: %v", found)
	}
	truth.check(t, &m.report, files*perFile, planted)
}

// An exportTruth is what the data files of an export hold of planted keys, and how many others.
type exportTruth struct {
	items, bytes, files map[string]uint64
	others              uint64
}

// dataFile gives one data file.
func (x *exportTruth) dataFile(file, items, planted int) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	seen := map[string]bool{}
	line := []byte{}
	for i := range items {
		key := fmt.Sprintf("CUSTOMER#%04d-%07d", file, i/3)
		if i%(5+file/3) == 0 && file < 3*planted && (file < 3 || file%3 == 0) {
			key = fmt.Sprintf("PLANTED#%02d", file/3)
		}
		line = fmt.Appendf(line[:0], `{"Item":{"pk":{"S":"%s"},"sk":{"S":"ORDER#%07d"},"qty":{"N":"%d"},"note":{"S":"%0200d"}}}`+"\n", key, i, i%97+1, i)
		z.Write(line)
		if key[0] == 'P' {
			x.items[key]++
			x.bytes[key] += uint64(2 + len(key) + 2 + 13 + 3 + 2 + 4 + 200) // numbers of two digits take two bytes
		}
		if !seen[key] {
			seen[key] = true
			x.files[key]++
			if key[0] != 'P' {
				x.others++
				delete(x.files, key)
			}
		}
	}
	z.Close()
	return packed.Bytes()
}

func (x *exportTruth) check(t *testing.T, r *sizeReport, items, planted int) {
	t.Helper()
	s := r.Tables[0].Stored
	if s.Items != uint64(items) {
		t.Errorf("%d items, want %d", s.Items, items)
	}
	if keys := x.others + uint64(len(x.items)); !s.Keys.hold(keys) {
		t.Errorf("%d keys are not in [%d, %d]", keys, s.Keys.Low, s.Keys.High)
	}
	found := 0
	for i, c := range s.Collections {
		n, known := x.items[c.Key]
		if !known {
			continue
		}
		found++
		if b := x.bytes[c.Key]; c.Items != (bounds{n, n, n}) || c.Bytes != (bounds{b, b, b}) || c.Files == nil || c.Files.Value != x.files[c.Key] {
			t.Errorf("%s: %v items, %v bytes, files %v; want %d, %d in %d", c.Key, c.Items, c.Bytes, c.Files, n, b, x.files[c.Key])
		}
		if i > 0 && c.Bytes.Value > s.Collections[i-1].Bytes.Value {
			t.Errorf("%s stands behind a smaller one", c.Key)
		}
	}
	if found != planted || found != len(x.items) {
		t.Errorf("%d of %d planted collections are listed, of %d", found, planted, len(x.items))
	}
}
