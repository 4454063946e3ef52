package ingest

import (
	"path"
	"path/filepath"
	"strings"
)

// An ExportFile is a data file of a DynamoDB export to S3, as the manifest of the export tells of it: the
// file itself names no table.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
type ExportFile struct {
	Key      string // in the bucket
	Table    string // empty: not known
	UnixNano int64  // when the items were so; 0: not known, or an incremental export
	Both     bool   // of an incremental export: lines hold the old image, where there was one
	MD5      []byte // of the file in the bucket; nil: not known
}

// ExportFiles finds data files of exports by the name of a copy, whatever folder it was copied to. They
// are held by the last part of their key.
type ExportFiles map[string][]ExportFile

// Add adds a file.
func (f ExportFiles) Add(x ExportFile) {
	base := exportBase(x.Key)
	f[base] = append(f[base], x)
}

// Of gives the file of which name is a copy, compressed as it was or not: the one whose key and name agree
// in the most last parts. ok is false when there is none, or two agree as well.
func (f ExportFiles) Of(name string) (x ExportFile, ok bool) {
	best := 0
	for _, c := range f[exportBase(filepath.ToSlash(name))] {
		switch n := sharedParts(c.Key, filepath.ToSlash(name)); {
		case n > best:
			best, x, ok = n, c, true
		case n == best:
			ok = false
		}
	}
	return x, ok
}

func exportBase(name string) string { return strings.TrimSuffix(path.Base(name), ".gz") }

// sharedParts gives how many of the last parts of two paths are the same; that of the files are.
func sharedParts(a, b string) int {
	n := 1
	for {
		a, b = path.Dir(a), path.Dir(b)
		if path.Base(a) != path.Base(b) || path.Base(a) == "." || path.Base(a) == "/" {
			return n
		}
		n++
	}
}
