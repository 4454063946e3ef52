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
	files, listed := ingest.ExportFiles{}, []*detect.FactStats{}
	for i := range v.Facts {
		if f := &v.Facts[i]; f.Name == ingest.FactExportItems {
			files.Add(ingest.ExportFile{Key: f.Node})
			listed = append(listed, f)
		}
	}
	if len(listed) == 0 {
		return nil
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
	add(beside, "export_files_beside", "no manifest lists %s beside those of an export: of another one, perhaps, and counted all the same")
	return all
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
