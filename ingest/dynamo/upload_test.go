package dynamo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write does what an upload asks for. The caller holds the lock.
func (f *fakeS3) write(w http.ResponseWriter, r *http.Request, key string) {
	body, err := io.ReadAll(r.Body)
	q, answer := r.URL.Query(), ""
	_, there := f.objects[key]
	switch {
	case err != nil:
		panic(http.ErrAbortHandler)
	case r.Header.Get("If-None-Match") == "*" && there:
		w.WriteHeader(412)
		io.WriteString(w, `<Error><Code>PreconditionFailed</Code></Error>`)
		return
	case r.Method == http.MethodDelete:
		maps.DeleteFunc(f.parts, func(name, _ string) bool { return strings.HasPrefix(name, key+" ") })
	case q.Has("uploads"):
		f.parts[key+" mark"] = r.Header.Get("X-Amz-Meta-" + writerMark)
		answer = `<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>`
	case q.Has("partNumber"):
		f.parts[fmt.Sprintf("%s %05s", key, q.Get("partNumber"))] = string(body)
		w.Header().Set("ETag", `"p"`)
	case q.Has("uploadId"):
		f.complete(key)
		answer = `<CompleteMultipartUploadResult><ETag>"v0"</ETag></CompleteMultipartUploadResult>`
	default:
		f.objects[key], f.marks[key] = string(body), r.Header.Get("X-Amz-Meta-"+writerMark)
	}
	if f.lost(r) {
		panic(http.ErrAbortHandler)
	}
	io.WriteString(w, answer)
}

// neededFor gives the permission that a request needs
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html).
func neededFor(r *http.Request, bucket, key string) string {
	object := " arn:aws:s3:::" + bucket + "/" + key
	switch {
	case r.Method == http.MethodDelete && r.URL.Query().Has("uploadId"):
		return actionAbortUpload + object
	case r.Method == http.MethodDelete:
		return "s3:DeleteObject" + object
	case r.Method == http.MethodPut || r.Method == http.MethodPost:
		return actionPutObject + object
	case key == "":
		return actionListBucket + " arn:aws:s3:::" + bucket + " of " + r.URL.Query().Get("prefix")
	}
	return actionGetObject + object
}

// complete makes an object of its parts.
func (f *fakeS3) complete(key string) {
	f.objects[key], f.marks[key] = "", f.parts[key+" mark"]
	for _, name := range slices.Sorted(maps.Keys(f.parts)) {
		if strings.HasPrefix(name, key+" 0") {
			f.objects[key] += f.parts[name]
		}
		if strings.HasPrefix(name, key+" ") {
			delete(f.parts, name)
		}
	}
}

// upload writes a text in small pieces.
func upload(u *Upload, text string) error {
	for len(text) > 0 {
		n, err := u.Write([]byte(text[:min(len(text), 100_000)]))
		if err != nil {
			return errors.Join(err, u.Close())
		}
		text = text[n:]
	}
	return u.Close()
}

func TestAnObjectIsWrittenWhole(t *testing.T) {
	for _, tt := range []struct {
		name     string
		size     int
		requests string // that write
	}{
		{"nothing", 0, "PUT"},
		{"a small one in one piece", 1000, "PUT"},
		{"one of a part and a byte", uploadPart + 1, "POST PUT PUT POST"},
		{"one of many parts", 4*uploadPart - 7, "POST PUT PUT PUT PUT POST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s3, objects := newFakeS3(t, map[string]string{})
			content := randomText(tt.size)
			if err := upload(objects.Create("s3://logs/a/b", true), content); err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, asked := range s3.asked {
				if method, key, _ := strings.Cut(asked, " "); key == "a/b" {
					got = append(got, method)
				}
			}
			if d := cmp.Diff(strings.Join(got, " "), tt.requests); d != "" || s3.objects["a/b"] != content || len(s3.parts) > 0 {
				t.Errorf("%d of %d bytes, %d parts left, requests (-got +want):\n%s", len(s3.objects["a/b"]), tt.size, len(s3.parts), d)
			}
		})
	}
}

func TestAnObjectThatIsThereIsNotReplacedUnlessWanted(t *testing.T) {
	for _, size := range []int{1000, 2 * uploadPart} {
		s3, objects := newFakeS3(t, map[string]string{"a": "old"})
		content := randomText(size)
		if err := upload(objects.Create("s3://logs/a", true), content); !errors.Is(err, fs.ErrExist) || s3.objects["a"] != "old" || len(s3.parts) > 0 {
			t.Errorf("%d bytes: error %v, object %.10q, %d parts left", size, err, s3.objects["a"], len(s3.parts))
		}
		if err := upload(objects.Create("s3://logs/a", false), content); err != nil || s3.objects["a"] != content {
			t.Errorf("%d bytes: error %v", size, err)
		}
	}
}

// The request is made again, and refused since it was done before.
func TestAnAnswerThatIsLostIsNoOtherWriter(t *testing.T) {
	for _, size := range []int{1000, 2 * uploadPart} {
		s3, objects := newFakeS3(t, map[string]string{})
		ends := 0
		s3.lost = func(r *http.Request) bool {
			if r.URL.Query().Has("uploadId") == (size > uploadPart) && !r.URL.Query().Has("partNumber") {
				ends++
			}
			return ends == 1
		}
		content := randomText(size)
		if err := upload(objects.Create("s3://logs/a", true), content); err != nil || s3.objects["a"] != content || ends < 1 {
			t.Errorf("%d bytes, %d answers: error %v", size, ends, err)
		}
	}
}

func TestAnUploadThatIsGivenUpLeavesNothing(t *testing.T) {
	for _, size := range []int{1000, 2 * uploadPart} {
		s3, objects := newFakeS3(t, map[string]string{})
		u := objects.Create("s3://logs/a", true)
		if _, err := u.Write([]byte(randomText(size))); err != nil {
			t.Fatal(err)
		}
		u.Abort()
		u.Abort()
		if err := u.Close(); !errors.Is(err, errAborted) || len(s3.objects)+len(s3.parts) > 0 {
			t.Errorf("%d bytes: error %v, %d objects, %d parts", size, err, len(s3.objects), len(s3.parts))
		}
	}
}

func TestWhatCannotBeWrittenIsSaidAndHoldsNobodyUp(t *testing.T) {
	for name, want := range map[string]string{
		"s3://other/x": "write s3://other/x: NoSuchBucket",
		"s3://logs":    "write s3://logs: names no object: want s3://bucket/key",
		"s3:///x":      "write s3:///x: names no object: want s3://bucket/key",
	} {
		_, objects := newFakeS3(t, map[string]string{})
		if err := upload(objects.Create(name, false), randomText(3*uploadPart)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

func TestABucketInAnotherRegionIsWrittenTo(t *testing.T) {
	s3, objects := newFakeS3(t, map[string]string{})
	s3.region = "ap-south-1"
	if err := upload(objects.Create("s3://logs/a", true), "text"); err != nil || s3.objects["a"] != "text" {
		t.Errorf("error %v, object %q", err, s3.objects["a"])
	}
}

func TestARecordingGoesOnBehindItsLastCapture(t *testing.T) {
	for _, tt := range []struct {
		name, folder string
		want         uint64
		fault        string
	}{
		{"none yet", "s3://logs/new", 0, ""},
		{"others of other names beside it", "s3://logs/h1/", 12, ""},
		{"more than eight digits", "s3://logs/h2", 123456789, ""},
		{"a bucket", "s3://logs", 0, "names no folder: want s3://bucket/prefix"},
		{"no bucket", "s3:///x", 0, "names no folder: want s3://bucket/prefix"},
		{"a bucket that is not there", "s3://other/x", 0, "NoSuchBucket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, objects := newFakeS3(t, map[string]string{
				"h1/00000002.arrow": "x", "h1/00000012.arrow": "last", "h1/13.arrow": "x", "h1/00000014.arrow.gz": "x", "h1/00000015.arrow/a": "x", "h1/a": "x",
				"h2/00000001.arrow": "x", "h2/123456789.arrow": "x",
			})
			r, last, err := objects.Recording(tt.folder)
			if last != tt.want || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Fatalf("capture %d, error %v; want %d, %q", last, err, tt.want, tt.fault)
			}
			if last != 12 {
				return
			}
			f, err := r.Open(last)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(f); string(text) != "last" || err != nil || f.Close() != nil {
				t.Errorf("%q, %v", text, err)
			}
			if err := upload(r.Create(last+1), "more"); err != nil {
				t.Error(err)
			}
			if _, last, err := objects.Recording(tt.folder); last != 13 || err != nil {
				t.Errorf("last is %d, error %v", last, err)
			}
			if err := upload(r.Create(13), "another"); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second one of the same number: error %v", err)
			}
		})
	}
}

func TestThePolicyOfARecordingHoldsWhatRequestsNeedAndNoMore(t *testing.T) {
	s3, objects := newFakeS3(t, map[string]string{"h1/00000001.arrow": "x"})
	r, last, err := objects.Recording("s3://logs/h1")
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Open(last)
	if err != nil {
		t.Fatal(err)
	}
	ends := 0
	s3.lost = func(r *http.Request) bool { // what is there is looked at
		if !r.URL.Query().Has("uploadId") || r.Method != http.MethodPost {
			return false
		}
		ends++
		return ends == 1
	}
	gone := r.Create(3)
	_, errGone := gone.Write([]byte(randomText(2 * uploadPart)))
	gone.Abort()
	if err := errors.Join(f.Close(), upload(r.Create(2), randomText(2*uploadPart)), errGone); err != nil {
		t.Fatal(err)
	}
	text, err := r.Policy()
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Statement []statement }
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"s3:prefix": "h1/*"}; !maps.Equal(p.Statement[0].Condition["StringLike"], want) {
		t.Errorf("condition %v, want %v", p.Statement[0].Condition, want)
	}
	allowed, needed := map[string]bool{}, map[string]bool{}
	for _, st := range p.Statement {
		for _, action := range st.Action {
			allowed[action+" "+st.Resource[0]] = true
		}
	}
	for one := range s3.needed {
		switch resource, prefix, listed := strings.Cut(one, " of "); {
		case listed && strings.HasPrefix(prefix, "h1/"):
			needed[resource] = true
		default:
			needed[strings.Replace(one, one[strings.LastIndex(one, "/"):], "/*", 1)] = true
		}
	}
	if d := cmp.Diff(needed, allowed); d != "" {
		t.Errorf("requests: made (-), allowed (+):\n%s", d)
	}
}
