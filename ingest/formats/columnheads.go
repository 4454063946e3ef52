package formats

import (
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// ColumnHeads gives a format that is no input's. It notes in names which further fields the beginnings of inputs of key
// events have, each name once. It is for one worker.
func ColumnHeads(names *[]string) *ingest.Format {
	return &ingest.Format{
		Name: "column-heads",
		Sniff: func(head []byte, o ingest.DecodeOptions) ingest.Verdict {
			for _, f := range []*ingest.Format{&KeyEventsNDJSON, &KeyEventsCSV} {
				if f.Sniff(head, o).Fit != ingest.Certain {
					continue
				}
				for _, name := range ColumnsOf(f, head, o) {
					if !slices.Contains(*names, name) && len(*names) < mostColumnNames {
						*names = append(*names, name)
					}
				}
			}
			return ingest.Verdict{Fit: ingest.No, Why: "only looked at for its fields"}
		},
	}
}

// mostColumnNames bounds the names of all inputs together.
const mostColumnNames = 256
