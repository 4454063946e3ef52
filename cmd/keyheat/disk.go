package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// disk is the file system of the machine.
type disk struct{}

// Open opens a file for reading.
func (disk) Open(name string) (ingest.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat describes a file, following links.
func (disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadDir lists a directory in order of names.
func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Glob gives the names that a pattern fits, in order.
func (disk) Glob(pattern string) ([]string, error) { return filepath.Glob(pattern) }

// SameFile reports whether two descriptions are of one file.
func (disk) SameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

// settled is how long ago a file must have been changed for the time of its last change to tell its bytes: one
// that is younger may be changed again, and what was added to it be no reason to count nothing.
const settled = 10 * time.Minute

// stamp is for ingest.Options.Stamp.
func (e *env) stamp(info fs.FileInfo) int64 {
	if at := info.ModTime(); e.now().Sub(at) > settled {
		return at.UnixNano()
	}
	return 0
}

// spool keeps a stream in a temporary file.
func spool(r io.Reader) (ingest.File, func() error, error) {
	f, err := os.CreateTemp("", "keyheat-*")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	if _, err = io.Copy(f, r); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return f, remove, nil
}
