package formats

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/ingest"
)

func TestColumnHeadsNoteTheFieldsOfKeyEventsAlone(t *testing.T) {
	names := []string{}
	f := ColumnHeads(&names)
	for _, head := range []string{
		`{"ts":1772359200,"pk":"a","tenant":"t"}` + "\n",
		"ts,pk,region,tenant\n1772359200,a,eu,t\n",
		`{"Records":[{"eventSource":"dynamodb.amazonaws.com"}]}` + "\n",
		"INFO  [main] 2026-06-04 10:00:00,123 a line of a log\n",
	} {
		if v := f.Sniff([]byte(head), ingest.DecodeOptions{}); v.Fit != ingest.No {
			t.Errorf("%s: it reads an input", head)
		}
	}
	if d := cmp.Diff(names, []string{"tenant", "region"}); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}
