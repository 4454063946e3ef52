package propose

import "github.com/keyheat/keyheat/detect"

// widestRead gives the mean rows of the statement of the finding's table that reads most; untold reports that there are
// reads, of which none tells its rows.
func widestRead(v *detect.View, f *detect.Finding) (rows detect.Milli, untold bool) {
	t := targetOf(v, f)
	if t == nil {
		return 0, false
	}
	reads, told := false, false
	for i := range t.Patterns {
		if p := &t.Patterns[i]; p.Op.Reads() {
			reads, told = true, told || p.RowsKnown > 0
			rows = max(rows, detect.Milli(mulDiv(p.Rows, 1000, p.RowsKnown)))
		}
	}
	return rows, reads && !told
}
