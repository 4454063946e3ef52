package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// isManifest reports whether a file has the name of a manifest of an export to S3.
func isManifest(path string) bool {
	base := filepath.Base(path)
	return base == "manifest-summary.json" || base == "manifest-files.json"
}

// An exportLearner takes what manifests tell, by their folder: the two of an export stand in the same.
type exportLearner map[string]*learntExport

// A learntExport is what the manifests of one folder tell.
type learntExport struct {
	table string
	at    int64 // Unix nanoseconds; 0: not known, or an incremental export
	part  bool  // an incremental one
	both  bool  // of an incremental one: with old images
	files []ingest.ExportFile
}

// fact takes a fact from an input in a folder.
func (l exportLearner) fact(folder string, f *ingest.Fact) {
	switch f.Name {
	case ingest.FactExportTime, ingest.FactExportFrom, ingest.FactExportView, ingest.FactExportItems, ingest.FactExportMD5:
	default:
		return
	}
	x := l[folder]
	if x == nil {
		x = &learntExport{}
		l[folder] = x
	}
	switch f.Name {
	case ingest.FactExportTime:
		x.table = string(f.Table)
		if t, err := time.Parse(time.RFC3339, string(f.Value)); err == nil {
			x.at = t.UnixNano()
		}
	case ingest.FactExportFrom:
		x.part = true
	case ingest.FactExportView:
		x.both = string(f.Value) == "NEW_AND_OLD_IMAGES"
	default:
		x.file(f)
	}
}

func (x *learntExport) file(f *ingest.Fact) {
	i := slices.IndexFunc(x.files[max(0, len(x.files)-1):], func(y ingest.ExportFile) bool { return y.Key == string(f.Node) })
	if i < 0 {
		x.files = append(x.files, ingest.ExportFile{Key: string(f.Node)})
	}
	if f.Name != ingest.FactExportMD5 {
		return
	}
	if sum, err := base64.StdEncoding.DecodeString(string(f.Value)); err == nil {
		x.files[len(x.files)-1].MD5 = sum
	}
}

// files gives all data files that were told of.
func (l exportLearner) files() ingest.ExportFiles {
	all := ingest.ExportFiles{}
	for _, folder := range slices.Sorted(maps.Keys(l)) {
		x := l[folder]
		if x.part {
			x.at = 0
		}
		for _, f := range x.files {
			f.Table, f.UnixNano, f.Both = x.table, x.at, x.both
			all.Add(f)
		}
	}
	return all
}

// damaged is the error of a data file whose bytes are not those of the bucket.
func damaged(name string) error {
	return fmt.Errorf("%s: its MD5 is not the one in the manifest of its export: it was cut, damaged or replaced: copy it again", name)
}
