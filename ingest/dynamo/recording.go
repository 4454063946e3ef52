package dynamo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// A Recording is a folder of S3 in which captures are kept one after the other, as 00000001.arrow and so on.
type Recording struct {
	objects *Objects
	folder  string // with the last "/"
}

// Recording gives the recording in a folder, s3://bucket/prefix, and the number of its last capture; 0: there is
// none yet. Where it cannot be listed there is one all the same, and the error.
func (o *Objects) Recording(name string) (*Recording, uint64, error) {
	bucket, key := split(name)
	if bucket == "" || folderOf(key) == "" {
		return nil, 0, &fs.PathError{Op: "write", Path: name, Err: errors.New("names no folder: want s3://bucket/prefix")}
	}
	r := &Recording{objects: o, folder: objectScheme + bucket + "/" + folderOf(key)}
	last := uint64(0)
	err := o.list(bucket, folderOf(key), "/", func(i *objectInfo) {
		n, err := strconv.ParseUint(strings.TrimSuffix(i.name, captureEnd), 10, 64)
		if err == nil && !i.folder && i.whole == r.name(n) {
			last = max(last, n)
		}
	})
	if err != nil {
		err = failed("list", name, err)
	}
	return r, last, err
}

const captureEnd = ".arrow"

// name is that of a capture by its number: the order of names, which listings have, is the order of numbers.
func (r *Recording) name(n uint64) string { return fmt.Sprintf("%s%08d%s", r.folder, n, captureEnd) }

// Open opens a capture for reading.
func (r *Recording) Open(n uint64) (io.ReadCloser, error) { return r.objects.Open(r.name(n)) }

// Create begins a capture. Close fails with fs.ErrExist when another collector has put one of that number there.
func (r *Recording) Create(n uint64) *Upload { return r.objects.Create(r.name(n), true) }

// Name is what the recording is called: where it is.
func (r *Recording) Name() string { return r.folder }

// Actions of IAM that a recording needs: its last capture is read to go on behind it, and of one whose answer was
// lost it is looked whether it is there.
const (
	actionListBucket  = "s3:ListBucket"
	actionGetObject   = "s3:GetObject"
	actionPutObject   = "s3:PutObject"
	actionAbortUpload = "s3:AbortMultipartUpload"
)

// Policy gives the least policy of IAM that suffices to write a recording, and to go on with it.
func (r *Recording) Policy() (string, error) {
	cfg, err := r.objects.load()
	if err != nil {
		return "", fmt.Errorf("settings of AWS: %w", err)
	}
	bucket, folder := split(r.folder)
	arn := "arn:" + partition(cfg.Region) + ":s3:::" + bucket
	return policyText([]statement{
		{Effect: "Allow", Action: []string{actionListBucket}, Resource: []string{arn}, Condition: map[string]map[string]string{"StringLike": {"s3:prefix": folder + "*"}}},
		{Effect: "Allow", Action: []string{actionPutObject, actionGetObject, actionAbortUpload}, Resource: []string{arn + "/" + folder + "*"}},
	}), nil
}
