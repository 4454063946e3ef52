package rules

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// exportFormat is the format of data files of exports to S3.
const exportFormat = "dynamodb-export"

// blindExports holds the data files that were read against the manifests of their exports: what is missing
// or cut hides items, and what is beside them may be of another export.
func blindExports(v *detect.View) []blindSource {
	files, listed, totals := ingest.ExportFiles{}, []*detect.FactStats{}, []*detect.FactStats{}
	for i := range v.Facts {
		switch f := &v.Facts[i]; f.Name {
		case ingest.FactExportItems:
			files.Add(ingest.ExportFile{Key: f.Node})
			listed = append(listed, f)
		case ingest.FactExportTotal:
			totals = append(totals, f)
		}
	}
	if len(listed) == 0 {
		return shortExport(totals, recordsOf(exportInputs(v)), "the data files that were read hold")
	}
	read, folders, beside := map[string]uint64{}, map[string]bool{}, []string{}
	data := exportInputs(v)
	for _, in := range data {
		if x, ok := files.Of(in.Name); ok {
			read[x.Key] = in.Records // a line each; indexes make events of their own
			folders[filepath.Dir(in.Name)] = true
		}
	}
	for _, in := range data {
		if _, ok := files.Of(in.Name); !ok && folders[filepath.Dir(in.Name)] {
			beside = append(beside, filepath.Base(in.Name))
		}
	}
	missing, unlike := []string{}, []string{}
	for _, f := range listed {
		want, err := strconv.ParseUint(f.Value, 10, 64)
		got, ok := read[f.Node]
		switch {
		case err != nil || !ok && want == 0: // a partition without items has an empty file
		case !ok:
			missing = append(missing, path.Base(f.Node))
		case got != want:
			unlike = append(unlike, fmt.Sprintf("%s has %s of %s", path.Base(f.Node), grouped(got), grouped(want)))
		}
	}
	all := []blindSource{}
	add := func(names []string, measure, said string) {
		if n := uint64(len(names)); n > 0 {
			all = append(all, blindSource{n, measure, fmt.Sprintf(said, plural(n, "data file")) + ": " + firstOf(names)})
		}
	}
	add(missing, "export_files_missing", "the manifest of an export lists %s that the inputs lack; items of them are in no count")
	add(unlike, "export_files_cut", "the manifest of an export tells another number of items for %s")
	all = append(all, shortExport(totals, itemsOf(listed), "its list of data files tells")...)
	add(beside, "export_files_beside", "no manifest lists %s beside those of an export: of another one, perhaps, and counted all the same")
	return all
}

// shortExport says that the summary of an export tells another number of items than what is there has: of a single export,
// since files do not name theirs.
func shortExport(totals []*detect.FactStats, got uint64, what string) []blindSource {
	if len(totals) != 1 || got == 0 {
		return nil
	}
	want, err := strconv.ParseUint(totals[0].Value, 10, 64)
	if err != nil || want == got {
		return nil
	}
	return []blindSource{{1, "exports_cut", fmt.Sprintf("the summary of an export tells of %s, and %s %s", plural(want, "item"), what, grouped(got))}}
}

func itemsOf(listed []*detect.FactStats) (sum uint64) {
	for _, f := range listed {
		if n, err := strconv.ParseUint(f.Value, 10, 64); err == nil {
			sum += n
		}
	}
	return sum
}

func recordsOf(inputs []*detect.InputStats) (sum uint64) {
	for _, in := range inputs {
		sum += in.Records
	}
	return sum
}

func exportInputs(v *detect.View) []*detect.InputStats {
	all := []*detect.InputStats{}
	for i := range v.Inputs {
		if v.Inputs[i].Format == exportFormat {
			all = append(all, &v.Inputs[i])
		}
	}
	return all
}

// firstOf lists names, of many the first.
func firstOf(names []string) string {
	const most = 3
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %s", strings.Join(names[:most], ", "), plural(uint64(n), "more file"))
	}
	return strings.Join(names, ", ")
}
