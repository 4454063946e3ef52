package ingest

import (
	"io"
	"io/fs"
)

// Files is what ingest needs of a file system.
type Files interface {
	Open(name string) (File, error)
	Stat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error) // sorted by name
	Glob(pattern string) ([]string, error)
	SameFile(a, b fs.FileInfo) bool
}

// A File is an open file, as *os.File is one.
type File interface {
	io.ReadCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// A Source is one file, or the standard input: named by an argument, or found in a directory or by a
// glob. Or it is a Live: all of a run's are read at the same time, beside the files.
type Source struct {
	Name  string // as shown
	Path  string // as opened; empty for the standard input and a Live
	Size  int64  // bytes on disk when it was found; -1 when not known beforehand
	Named bool   // named on the command line itself: an error when no format knows it
	Stdin bool
	Split *Split // nil: all of it is read
	Live  Live   // nil: a file or the standard input; its Size is -1
}
