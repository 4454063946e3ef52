package aws

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// A recording that is killed at any time has each record once, in captures that are all whole, and is read as one.
func TestARecordingInS3IsGoneOnWithWhereItWasKilled(t *testing.T) {
	b := newBucket(t, moto, "traffic")
	w := newWriter(t, ministack.at(t), "Recorded") // moto cannot describe a stream that is closed
	if err := build(); err != nil {
		t.Fatal(err)
	}
	folder := "s3://" + b.name + "/orders/h1"
	args := []string{"collect", w.address(ministack.url, "&from=trim-horizon"), "--to", folder, "--append", "--every", "1s", "--quiet"}
	for range 3 {
		w.put(t, 1200)
		before := len(b.keys(t, "orders/h1/"))
		cmd := exec.Command(program, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.put(t, 1200)
		for end := time.Now().Add(startup); len(b.keys(t, "orders/h1/")) < before+2; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing is recorded")
			}
			w.put(t, 25)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	w.close(t)
	if _, stderr, code := keyheat(t, args...); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r, said := analyze(t, folder)
	w.check(t, r)
	if notes := strings.Join(r.Notes, "\n"); said != "" || strings.Contains(notes, "recorded twice") || strings.Contains(notes, "gap") {
		t.Errorf("stderr %q, notes:\n%s", said, notes)
	}
	checkCopies(t, b, folder)
}

// checkCopies looks at what is told of a recording that a capture was copied into, and of one that lacks one.
func checkCopies(t *testing.T, b *bucket, folder string) {
	t.Helper()
	keys := b.keys(t, "orders/h1/")
	if len(keys) < 7 {
		t.Fatalf("captures: %q", keys)
	}
	if _, err := b.client.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: &b.name, Key: aws.String("orders/copy.arrow"), CopySource: aws.String(b.name + "/" + keys[0])}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.name, Key: &keys[2]}); err != nil {
		t.Fatal(err)
	}
	r, _ := analyze(t, strings.TrimSuffix(folder, "/h1"))
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"and counted twice: dynamodb://Recorded/", fmt.Sprintf("gap: captures 3 to 3 of the recording %s/ are not among the inputs", folder)} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
}

func TestCollectSaysWhyItCannotWriteToS3(t *testing.T) {
	b := newBucket(t, ministack, "faults")
	w := newWriter(t, ministack.at(t), "Unwritten")
	w.put(t, 100)
	w.close(t)
	collect := func(more ...string) (string, int) {
		_, stderr, code := keyheat(t, append([]string{"collect", w.address(ministack.url, "&from=trim-horizon"), "--quiet"}, more...)...)
		return stderr, code
	}
	if said, code := collect("--to", "s3://"+b.name+"/x"); code != 0 {
		t.Fatalf("exit %d: %s", code, said)
	}
	b.put(t, "y/00000001.arrow", []byte("something else"))
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"--to s3://faults/x", 2, "--to s3://faults/x: holds captures already: give --append to go on with them, or take another prefix"},
		{"--to s3://faults/x --overwrite", 2, "--overwrite: objects in S3 are never replaced: take another prefix"},
		{"--to s3://faults/y --append", 3, "--append --to s3://faults/y: no Arrow message where one must begin"},
		{"--to s3://faults", 3, "write s3://faults: names no folder: want s3://bucket/prefix"},
		{"--to s3://not-there/x", 3, "list s3://not-there/x: NoSuchBucket"},
		{"--to x.arrow --every 1s", 2, "--every: needs --to s3://bucket/prefix; a file is whole at any time"},
	} {
		if said, code := collect(strings.Fields(tt.args)...); code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s: exit %d, said %q; want %d, %q", tt.args, code, said, tt.code, tt.want)
		}
	}
	stdout, stderr, code := keyheat(t, "doctor", w.address(ministack.url, ""), "--to", "s3://faults/x")
	for _, want := range []string{`"s3:PutObject"`, `"arn:aws:s3:::faults/x/*"`, "s3://faults/x/ holds 1 captures"} {
		if !strings.Contains(stdout, want) || code != 0 || stderr != "" {
			t.Errorf("exit %d, stderr %q, no %s in\n%s", code, stderr, want, stdout)
		}
	}
}
