package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"github.com/keyheat/keyheat/ingest"
)

// objectScheme begins the names of objects: s3://bucket/key.
const objectScheme = "s3://"

// IsObject reports whether a name is one of an object or a bucket in S3.
func IsObject(name string) bool { return strings.HasPrefix(name, objectScheme) }

// Objects are buckets of S3 as a file system, whose folders are what "/" parts keys into. It implements
// ingest.Files and is safe for use by several goroutines. Objects are streamed, from where they are asked for,
// and go on where a connection was cut as long as they are the same.
type Objects struct {
	ctx  context.Context // files have none of their own; its end ends all requests
	load func() (aws.Config, error)

	mu      sync.Mutex
	clients map[string]*s3.Client // by region; the one of the settings has none
	regions map[string]string     // of buckets in other regions than that
	known   map[string]fs.FileInfo
}

// NewObjects gives the buckets that the credentials of the process may read. No request is made before the
// first use. ctx ends all of them.
func NewObjects(ctx context.Context) *Objects {
	return &Objects{
		ctx: ctx, clients: map[string]*s3.Client{}, regions: map[string]string{}, known: map[string]fs.FileInfo{},
		load: sync.OnceValues(func() (aws.Config, error) {
			return config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}), config.WithAPIOptions([]func(*middleware.Stack) error{plainBodies}))
		}),
	}
}

// client gives the client for a bucket.
func (o *Objects) client(bucket string) (*s3.Client, error) {
	cfg, err := o.load()
	if err != nil {
		return nil, fmt.Errorf("settings of AWS: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	region := o.regions[bucket]
	if c := o.clients[region]; c != nil {
		return c, nil
	}
	c := s3.NewFromConfig(cfg, func(s *s3.Options) {
		s.UsePathStyle = cfg.BaseEndpoint != nil // other servers seldom have a name for each bucket
		s.Region = cmp.Or(region, s.Region, "us-east-1")
		s.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired // objects are seldom read in one piece
	})
	o.clients[region] = c
	return c, nil
}

// ask makes a request of a bucket; where S3 says that the bucket is in another region, there.
func ask[O any](o *Objects, bucket string, do func(*s3.Client) (*O, error)) (*O, error) {
	for again := false; ; again = true {
		c, err := o.client(bucket)
		if err != nil {
			return nil, err
		}
		out, err := do(c)
		region := regionIn(err)
		if region == "" || again {
			return out, err
		}
		o.mu.Lock()
		o.regions[bucket] = region
		o.mu.Unlock()
	}
}

// regionIn gives the region that an error says a bucket is in, when that is why it is one.
func regionIn(err error) string {
	var res *awshttp.ResponseError
	if !errors.As(err, &res) || res.Response == nil {
		return ""
	}
	switch res.HTTPStatusCode() {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusBadRequest:
		return res.Response.Header.Get("X-Amz-Bucket-Region")
	}
	return ""
}

// split gives the bucket and the key of a name.
func split(name string) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(name, objectScheme), "/")
	return bucket, key
}

// An objectInfo describes an object, or a folder of objects. It implements fs.FileInfo and fs.DirEntry.
type objectInfo struct {
	whole    string // name with bucket
	name     string // last part
	size     int64
	modified time.Time
	tag      string
	folder   bool
}

func (i *objectInfo) Name() string               { return i.name }
func (i *objectInfo) Size() int64                { return i.size }
func (i *objectInfo) ModTime() time.Time         { return i.modified }
func (i *objectInfo) IsDir() bool                { return i.folder }
func (i *objectInfo) Sys() any                   { return nil }
func (i *objectInfo) Type() fs.FileMode          { return i.Mode().Type() }
func (i *objectInfo) Info() (fs.FileInfo, error) { return i, nil }

// Mode says whether it is an object or a folder; nobody may write to it.
func (i *objectInfo) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// failed says what was done with which name; objects that are not there are fs.ErrNotExist.
func failed(op, name string, err error) error {
	var res *awshttp.ResponseError
	switch {
	case err == nil:
		return nil
	case code(err) == "NoSuchKey" || code(err) == "NotFound" || errors.As(err, &res) && res.HTTPStatusCode() == http.StatusNotFound && code(err) != "NoSuchBucket":
		err = fs.ErrNotExist
	case code(err) != "":
		err = fmt.Errorf("%s: %w", code(err), err)
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Stat describes an object, or a folder: a name below which there are objects. A bucket is a folder.
func (o *Objects) Stat(name string) (fs.FileInfo, error) {
	o.mu.Lock()
	info := o.known[name]
	delete(o.known, name)
	o.mu.Unlock()
	if info != nil {
		return info, nil
	}
	bucket, key := split(name)
	if bucket == "" {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: errors.New("names no bucket: want s3://bucket/prefix")}
	}
	if key != "" && !strings.HasSuffix(key, "/") {
		head, err := ask(o, bucket, func(c *s3.Client) (*s3.HeadObjectOutput, error) {
			return c.HeadObject(o.ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
		})
		if err == nil {
			return &objectInfo{
				whole: name, name: path.Base(key), size: aws.ToInt64(head.ContentLength), modified: aws.ToTime(head.LastModified), tag: aws.ToString(head.ETag),
			}, nil
		}
		if err = failed("stat", name, err); !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	prefix := folderOf(key)
	page, err := ask(o, bucket, func(c *s3.Client) (*s3.ListObjectsV2Output, error) {
		return c.ListObjectsV2(o.ctx, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix, MaxKeys: aws.Int32(1)})
	})
	if err != nil {
		return nil, failed("stat", name, err)
	}
	if len(page.Contents) == 0 && key != "" {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return &objectInfo{whole: name, name: path.Base(key), folder: true}, nil
}

// folderOf gives the prefix of the keys in a folder.
func folderOf(key string) string {
	if key = strings.TrimSuffix(key, "/"); key != "" {
		key += "/"
	}
	return key
}

// list hands over the objects and folders of a bucket whose keys begin so.
func (o *Objects) list(bucket, prefix, delimiter string, take func(*objectInfo)) error {
	in := &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix}
	if delimiter != "" {
		in.Delimiter = &delimiter
	}
	for {
		page, err := ask(o, bucket, func(c *s3.Client) (*s3.ListObjectsV2Output, error) { return c.ListObjectsV2(o.ctx, in) })
		if err != nil {
			return err
		}
		for i := range page.CommonPrefixes {
			key := strings.TrimSuffix(aws.ToString(page.CommonPrefixes[i].Prefix), "/")
			take(&objectInfo{whole: objectScheme + bucket + "/" + key, name: path.Base(key), folder: true})
		}
		for i := range page.Contents {
			c := &page.Contents[i]
			take(&objectInfo{
				whole: objectScheme + bucket + "/" + aws.ToString(c.Key), name: path.Base(aws.ToString(c.Key)), size: aws.ToInt64(c.Size),
				modified: aws.ToTime(c.LastModified), tag: aws.ToString(c.ETag),
			})
		}
		if in.ContinuationToken = page.NextContinuationToken; aws.ToString(in.ContinuationToken) == "" {
			return nil
		}
	}
}

// ReadDir lists a folder in order of names. Objects that only mark a folder are left out. The error is that
// of names with an empty part, which no path leads to.
func (o *Objects) ReadDir(name string) ([]fs.DirEntry, error) {
	bucket, key := split(name)
	prefix := folderOf(key)
	var all []fs.DirEntry
	var empty error
	err := o.list(bucket, prefix, "/", func(i *objectInfo) {
		switch rest := strings.TrimPrefix(i.whole, objectScheme+bucket+"/"+prefix); {
		case rest == "" && !i.folder: // marks the folder itself
		case rest == "":
			empty = &fs.PathError{Op: "list", Path: i.whole + "//", Err: errors.New("names with an empty part are not read")}
		default:
			all = append(all, i)
		}
	})
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	if err != nil {
		err = failed("list", name, err)
	}
	return all, errors.Join(err, empty)
}

// Glob gives the objects and folders that a pattern fits, as path.Match has it, in order. What it found is
// described by the next Stat without a request.
func (o *Objects) Glob(pattern string) ([]string, error) {
	bucket, key := split(pattern)
	if _, err := path.Match(key, ""); err != nil {
		return nil, err
	}
	prefix := key[:strings.IndexAny(key+"*", `*?[\`)]
	parts := strings.Count(key, "/") + 1
	found := map[string]*objectInfo{}
	err := o.list(bucket, prefix, "", func(i *objectInfo) {
		_, rest := split(i.whole)
		split := strings.SplitN(rest, "/", parts+1)
		if len(split) > parts {
			rest = strings.Join(split[:parts], "/")
			i = &objectInfo{whole: objectScheme + bucket + "/" + rest, name: path.Base(rest), folder: true}
		}
		if ok, _ := path.Match(key, rest); ok && !strings.HasSuffix(i.whole, "/") {
			found[i.whole] = i
		}
	})
	if err != nil {
		return nil, failed("list", pattern, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	names := []string{}
	for name, info := range found {
		names = append(names, name)
		o.known[name] = info
	}
	slices.Sort(names)
	return names, nil
}

// SameFile reports whether two descriptions are of one object.
func (*Objects) SameFile(a, b fs.FileInfo) bool {
	x, ok := a.(*objectInfo)
	y, also := b.(*objectInfo)
	return ok && also && x.whole == y.whole
}

// Open begins to read an object from its beginning.
func (o *Objects) Open(name string) (ingest.File, error) {
	f := &object{objects: o, name: name}
	b, err := f.begin(0)
	if err != nil {
		return nil, failed("open", name, err)
	}
	f.give(b)
	return f, nil
}
