package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

type member struct {
	name string
	data []byte
}

func tarred(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.data)), Typeflag: tar.TypeReg}
		if m.data == nil {
			h.Typeflag, h.Linkname = tar.TypeSymlink, "elsewhere"
			if strings.HasSuffix(m.name, "/") {
				h.Typeflag, h.Linkname = tar.TypeDir, ""
			}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchivesAreReadInsideEachOther(t *testing.T) {
	inner := tarred(t,
		member{"nodes/10.0.0.1/logs/", nil},
		member{"nodes/10.0.0.1/logs/cassandra/system.log", []byte("one\ntwo\n")},
		member{"nodes/10.0.0.1/logs/link", nil},
		member{"nodes/10.0.0.2/logs/cassandra/system.log.1.gz", gzipped(t, []byte("three\n"))},
		member{"core", []byte("\x00\n")},
		member{"empty", []byte{}},
		member{"../../etc/passwd", []byte("four\n")},
	)
	for name, stored := range map[string][]byte{
		"tar": inner, "tar.gz": gzipped(t, inner), "tar.zst": zstded(t, inner),
		"tar in tar": tarred(t, member{"bundle.tar", inner}),
		"tar in zip": zipped(t, member{"folder/", nil}, member{"bundle.tar", inner}),
		"zip in tar": tarred(t, member{"bundle.tar", zipped(t, member{"folder/bundle", inner})}),
	} {
		t.Run(name, func(t *testing.T) {
			_, src := write(t, map[string][]byte{"b": stored})
			h, res := read(t, src, lineOptions())
			if err := firstError(res); err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(texts(h), []string{"one", "two", "three", "four"}); d != "" {
				t.Error(d)
			}
			s := res.Sources[0]
			if len(s.Inputs) != 3 || len(s.Skipped) != 2 {
				t.Fatalf("%d inputs, skipped %v", len(s.Inputs), s.Skipped)
			}
			if in := s.Inputs[0].Input; in.Node != "10.0.0.1" || !strings.HasSuffix(in.Name, "/nodes/10.0.0.1/logs/cassandra/system.log") {
				t.Errorf("first %q of node %q", in.Name, in.Node)
			}
			if in := s.Inputs[1].Input; in.Node != "10.0.0.2" || !strings.HasSuffix(in.Compression, "gzip") || in.ID != (InputID{0, 1}) {
				t.Errorf("second %+v", in)
			}
			if in := s.Inputs[2].Input; strings.Contains(in.Name, "..") {
				t.Errorf("a member name leaves the archive: %q", in.Name)
			}
		})
	}
}

func TestTruncatedArchiveKeepsItsFirstMembers(t *testing.T) {
	whole := tarred(t, member{"a", []byte("one\n")}, member{"b", bytes.Repeat([]byte("two\n"), 1000)}, member{"c", []byte("three\n")})
	_, src := write(t, map[string][]byte{"b.tar": whole[:1536+2000]})
	h, res := read(t, src, lineOptions())
	got := texts(h)
	if len(got) != 501 || got[0] != "one" || got[500] != "two" {
		t.Errorf("%d records", len(got))
	}
	if err := res.Sources[0].Inputs[1].Err; err == nil || !strings.Contains(err.Error(), "b.tar/b: ") || !strings.Contains(err.Error(), "after 2000 bytes") {
		t.Errorf("error of the member: %v", err)
	}
	if err := res.Sources[0].Err; err == nil || !strings.Contains(err.Error(), "tar archive") {
		t.Errorf("error of the archive: %v", err)
	}
}

func TestArchiveOfNothingKnownIsAnError(t *testing.T) {
	_, src := write(t, map[string][]byte{"b.zip": zipped(t, member{"a", []byte{0}})})
	_, res := read(t, src, lineOptions())
	if err := res.Sources[0].Err; err == nil || !strings.Contains(err.Error(), "nothing in it that a format knows") {
		t.Errorf("error %v", err)
	}
}

func TestNestingIsLimited(t *testing.T) {
	data := []byte("deep\n")
	for depth := 1; depth <= maxDepth+1; depth++ {
		data = gzipped(t, data)
		_, src := write(t, map[string][]byte{"a": data})
		h, res := read(t, src, lineOptions())
		err := firstError(res)
		if depth <= maxDepth && (err != nil || len(h.all()) != 1) {
			t.Errorf("depth %d: %v", depth, err)
		}
		if depth > maxDepth && (err == nil || !strings.Contains(err.Error(), "more than 8 times")) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestSkippedMembersAreListedUpToALimit(t *testing.T) {
	members := []member{{"fine", []byte("fine\n")}}
	for i := range maxSkipped + 50 {
		members = append(members, member{fmt.Sprint(i), []byte{0}})
	}
	_, src := write(t, map[string][]byte{"a.tar": tarred(t, members...)})
	_, res := read(t, src, lineOptions())
	if s := res.Sources[0]; len(s.Skipped) != maxSkipped || s.SkippedMore != 50 || s.Err != nil {
		t.Errorf("%d listed, %d more, error %v", len(s.Skipped), s.SkippedMore, s.Err)
	}
}

func TestZipThatDoesNotFitIntoMemoryIsRefused(t *testing.T) {
	big := make([]byte, maxSpool+1)
	copy(big, "PK\x03\x04")
	_, src := write(t, map[string][]byte{"a.tar": tarred(t, member{"a.zip", big}, member{"b", []byte("fine\n")})})
	h, res := read(t, src, lineOptions())
	if err := res.Sources[0].Err; err == nil || !strings.Contains(err.Error(), "unpack it first") {
		t.Errorf("error %v", err)
	}
	if d := gocmp.Diff(texts(h), []string{"fine"}); d != "" {
		t.Error(d)
	}
}
