package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	// uploadPart is the size of the parts in which an object is sent; smaller ones are sent in one piece. So many
	// are in memory as are sent at once, and one more.
	uploadPart  = 8 << 20
	uploadsOpen = 2
	// uploadAttempts is how often a request to write is made before its error counts.
	uploadAttempts = 10
	// writerMark is the metadata by which a writer knows its object again.
	writerMark = "keyheat-writer"
)

// errAborted ends an upload of which nothing is to be kept.
var errAborted = errors.New("the upload was given up")

// An Upload is an object that is being written. It is there, whole, when Close returns no error; of one that is
// given up, and of one whose process is killed, there is nothing.
type Upload struct {
	to   *io.PipeWriter
	done chan struct{} // closed when err is set
	err  error
}

// Create begins to write an object, in the place of one that is there. With onlyNew that is an error of Close,
// fs.ErrExist: who comes second has written nothing. The end of the context of NewObjects ends no upload.
func (o *Objects) Create(name string, onlyNew bool) *Upload {
	from, to := io.Pipe()
	u := &Upload{to: to, done: make(chan struct{})}
	go func() {
		defer close(u.done)
		u.err = o.upload(context.WithoutCancel(o.ctx), name, onlyNew, from)
		from.CloseWithError(u.err) // a writer waits no longer
	}()
	return u
}

// Write implements io.Writer.
func (u *Upload) Write(p []byte) (int, error) { return u.to.Write(p) }

// Close ends the object, and waits until it is there.
func (u *Upload) Close() error {
	u.to.Close()
	<-u.done
	return u.err
}

// Abort gives the object up, if it is not there yet.
func (u *Upload) Abort() {
	u.to.CloseWithError(errAborted)
	<-u.done
}

// upload writes what from gives.
func (o *Objects) upload(ctx context.Context, name string, onlyNew bool, from io.Reader) error {
	bucket, key := split(name)
	if bucket == "" || key == "" {
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("names no object: want s3://bucket/key")}
	}
	// What is written cannot be sent once more to another region, so that is found out before; all else comes again.
	ask(o, bucket, func(c *s3.Client) (*s3.ListObjectsV2Output, error) {
		return c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &key, MaxKeys: aws.Int32(1)})
	})
	client, err := o.client(bucket)
	if err != nil {
		return failed("write", name, err)
	}
	client = s3.New(client.Options(), func(s *s3.Options) { s.Retryer = retry.AddWithMaxAttempts(s.Retryer, uploadAttempts) })
	mark := rand.Text()
	in := &transfermanager.UploadObjectInput{Bucket: &bucket, Key: &key, Body: from, Metadata: map[string]string{writerMark: mark}}
	if onlyNew {
		in.IfNoneMatch = aws.String("*")
	}
	to := transfermanager.New(client, func(s *transfermanager.Options) {
		s.PartSizeBytes, s.MultipartUploadThreshold, s.Concurrency = uploadPart, uploadPart, uploadsOpen
	})
	_, err = to.UploadObject(ctx, in)
	switch {
	case err == nil || errors.Is(err, errAborted):
		return err
	case written(ctx, client, bucket, key, mark):
		return nil
	case refusedAsOld(err):
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrExist}
	}
	return failed("write", name, err)
}

// written reports whether an object is the one with a mark: an answer that was lost says nothing, and the request
// that was made once more was refused.
func written(ctx context.Context, c *s3.Client, bucket, key, mark string) bool {
	head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
	return err == nil && head.Metadata[writerMark] == mark
}

// refusedAsOld reports whether a request was refused since the object was there, or was written at the same time
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
func refusedAsOld(err error) bool {
	var res *awshttp.ResponseError
	return errors.As(err, &res) && res.HTTPStatusCode() == http.StatusPreconditionFailed || code(err) == "ConditionalRequestConflict"
}
