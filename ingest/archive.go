package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
)

// maxSpool is the most of a zip archive, in bytes, that is held in memory when it cannot be read at any
// place: inside another archive, or from a stream.
const maxSpool = 32 << 20

// maxMemberName bounds the shown name of a member, in bytes.
const maxMemberName = 512

// tar reads the regular files in a tar archive.
func (w *worker) tar(p place, r io.Reader) {
	res := &w.r.res.Sources[p.file]
	res.archive = true
	split := w.splitAt(p)
	if split != nil && p.disk != nil { // what is not read is passed over
		r = io.NewSectionReader(p.disk, 0, p.size)
	}
	t := tar.NewReader(r)
	for i := 0; !w.r.stopped.Load() && !split.ended(i); {
		h, err := t.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			res.Fail(archiveError(p.name, "tar", err))
			return
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if split.holds(i) {
			w.stream(p.member(h.Name, h.Size), t)
		}
		i++
	}
}

// splitAt gives the split of an archive, nil when all of it is read: those inside another are.
func (w *worker) splitAt(p place) *Split {
	if p.depth > 0 {
		return nil
	}
	return w.r.src[p.file].Split
}

// layoutArchive finds out how an archive would be shared out, when its entries can be read one by one.
func (w *worker) layoutArchive(p place, k kind) {
	var sizes []int64
	switch {
	case p.depth > 0 || p.disk == nil:
	case k == tarArchive:
		t := tar.NewReader(io.NewSectionReader(p.disk, 0, p.size))
		for !w.r.stopped.Load() {
			h, err := t.Next()
			if err != nil {
				break // it comes again when it is read
			}
			if h.Typeflag == tar.TypeReg {
				sizes = append(sizes, h.Size)
			}
		}
	case k == zipArchive:
		if z, err := w.openZip(p, nil); err == nil {
			for _, f := range regular(z) {
				sizes = append(sizes, int64(min(f.UncompressedSize64, 1<<62)))
			}
		}
	}
	w.r.o.layout[p.file] = Layout{Size: p.size, Groups: groupsOf(sizes, w.r.o.Chunk)}
}

func regular(z *zip.Reader) (files []*zip.File) {
	for _, f := range z.File {
		if f.Mode().IsRegular() {
			files = append(files, f)
		}
	}
	return files
}

// zip reads the regular files in a zip archive.
func (w *worker) zip(p place, r io.Reader) {
	res := &w.r.res.Sources[p.file]
	res.archive = true
	z, err := w.openZip(p, r)
	if err != nil {
		res.Fail(archiveError(p.name, "zip", err))
		return
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	split := w.splitAt(p)
	for i, f := range regular(z) {
		if w.r.stopped.Load() || split.ended(i) {
			return
		}
		if !split.holds(i) {
			continue
		}
		m := p.member(f.Name, int64(min(f.UncompressedSize64, 1<<62)))
		if err := w.zipMember(m, f); err != nil {
			res.Fail(&ReadError{Name: m.name, Err: err})
		}
	}
}

func (w *worker) zipMember(m place, f *zip.File) error {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return errors.New("is encrypted")
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	w.stream(m, r)
	return r.Close()
}

// openZip reads the directory of a zip archive, which stands at its end.
func (w *worker) openZip(p place, r io.Reader) (*zip.Reader, error) {
	if p.disk != nil {
		return zip.NewReader(p.disk, p.size)
	}
	all, err := io.ReadAll(io.LimitReader(r, maxSpool+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxSpool {
		return nil, fmt.Errorf("over %d MiB inside an archive or a stream: unpack it first", maxSpool>>20)
	}
	return zip.NewReader(bytes.NewReader(all), int64(len(all)))
}

// member is the place of a member of the archive at p.
func (p place) member(name string, size int64) place {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	p.name = p.name + "/" + name[:min(len(name), maxMemberName)]
	p.named, p.size, p.disk = false, size, nil
	p.depth++
	return p
}

// archiveError names the archive, unless the error says that the run was cancelled.
func archiveError(name, kind string, err error) error {
	var inner *streamError
	if !errors.As(err, &inner) && !errors.Is(err, errStopped) && !errors.Is(err, errShort) {
		err = fmt.Errorf("%s archive: %w", kind, err)
	}
	return fmt.Errorf("reading %s: %w", name, err)
}
