package dynamo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	// bodiesOpen is how many places of an object are read at the same time: one by each worker of a large one.
	bodiesOpen = 16
	// bodyAttempts is how often a connection may be cut without a byte in between.
	bodyAttempts = 5
)

// An object is an open object. It may be read at several places at the same time: what is read on from where
// a read ended comes from the same connection.
type object struct {
	objects *Objects
	name    string

	mu   sync.Mutex
	info objectInfo
	off  int64   // of Read
	idle []*body // that nobody reads, the longest idle first
}

// A body is an answer that goes to the object's end.
type body struct {
	io.ReadCloser
	at int64
}

// begin asks for the object from a place on. The first answer tells what the object is; the others must be
// of the same.
func (f *object) begin(at int64) (*body, error) {
	bucket, key := split(f.name)
	in := &s3.GetObjectInput{Bucket: &bucket, Key: &key}
	if at > 0 {
		in.Range, in.IfMatch = aws.String(fmt.Sprintf("bytes=%d-", at)), &f.info.tag
	}
	out, err := ask(f.objects, bucket, func(c *s3.Client) (*s3.GetObjectOutput, error) { return c.GetObject(f.objects.ctx, in) })
	if err != nil {
		return nil, err
	}
	if out.ContentLength == nil {
		return nil, errors.Join(errors.New("the answer does not tell how long the object is"), out.Body.Close())
	}
	got := objectInfo{
		whole: f.name, name: path.Base(key), size: aws.ToInt64(out.ContentLength) + at, modified: aws.ToTime(out.LastModified), tag: aws.ToString(out.ETag),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.info.whole == "":
		f.info = got
	case got.tag != f.info.tag || got.size != f.info.size:
		return nil, errors.Join(errors.New("the object was replaced while it was read"), out.Body.Close())
	}
	return &body{out.Body, at}, nil
}

// Stat describes the object as it was when it was opened.
func (f *object) Stat() (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info := f.info
	return &info, nil
}

// Read implements io.Reader.
func (f *object) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.off)
	f.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (f *object) ReadAt(p []byte, off int64) (n int, err error) {
	if off >= f.info.size {
		return 0, io.EOF
	}
	b := f.take(off)
	for cut := 0; n < len(p) && off+int64(n) < f.info.size; {
		if b == nil {
			if b, err = f.begin(off + int64(n)); err != nil {
				return n, failed("read", f.name, err)
			}
		}
		got, err := b.Read(p[n:])
		n += got
		b.at += int64(got)
		if got > 0 {
			cut = 0
		}
		if err != nil && b.at < f.info.size {
			b.Close() // what is cut has no better end
			b = nil
			if cut++; cut == bodyAttempts {
				return n, failed("read", f.name, err)
			}
		}
	}
	f.give(b)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// take gives the body that stands at a place, nil when there is none.
func (f *object) take(at int64) *body {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.idle, func(b *body) bool { return b.at == at })
	if i < 0 {
		return nil
	}
	b := f.idle[i]
	f.idle = slices.Delete(f.idle, i, i+1)
	return b
}

// give keeps a body for what is read next.
func (f *object) give(b *body) {
	if b == nil {
		return
	}
	f.mu.Lock()
	f.idle = append(f.idle, b)
	var old *body
	if len(f.idle) > bodiesOpen {
		old, f.idle = f.idle[0], slices.Delete(f.idle, 0, 1)
	}
	f.mu.Unlock()
	if old != nil {
		old.Close() // it was read as far as was wanted
	}
}

// Close ends all reading.
func (f *object) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.idle {
		b.Close() // what was not read of it does not matter
	}
	f.idle = nil
	return nil
}
