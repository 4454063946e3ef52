package awsjson

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

func TestStatementsTellTheirTableAndTheLiteralsOfTheirConditions(t *testing.T) {
	for _, c := range []struct {
		text, table, index string
		op                 ingest.Op
		attrs              []string
	}{
		{`SELECT * FROM "Orders" WHERE pk = 'TENANT#17' AND status = ***(Redacted)`, "Orders", "", ingest.OpRead, []string{"pk S TENANT#17"}},
		{`select a from Orders."byStatus" where "status"='x' and n = -5`, "Orders", "byStatus", ingest.OpRead, []string{"n N -5"}},
		{`SELECT * FROM "Orders"`, "Orders", "", ingest.OpScan, nil},
		{`UPDATE "Orders" SET a=1 WHERE pk = 'x' AND sk = 'y'`, "Orders", "", ingest.OpUpdate, []string{"pk S x", "sk S y"}},
		{`DELETE FROM "Orders" WHERE pk = 'x'`, "Orders", "", ingest.OpDelete, []string{"pk S x"}},
		{`INSERT INTO "Orders" VALUE {'pk' : ***(Redacted)}`, "Orders", "", ingest.OpWrite, nil},
		{`SELECT * FROM "Orders" WHERE pk = 'x' OR pk = 'y'`, "Orders", "", ingest.OpRead, nil},
		{`SELECT * FROM "Orders" WHERE pk IN ['x','y']`, "Orders", "", ingest.OpRead, nil},
		{`EXPLAIN nothing`, "", "", ingest.OpUnknown, nil},
		{``, "", "", ingest.OpUnknown, nil},
	} {
		s, attrs := PartiQL([]byte(c.text), nil)
		var got []string
		for _, a := range attrs {
			got = append(got, fmt.Sprintf("%s %c %s", a.Name, a.Kind, a.Text))
		}
		if string(s.Table) != c.table || string(s.Index) != c.index || s.Op != c.op {
			t.Errorf("%q: got %s %s %v, want %s %s %v", c.text, s.Table, s.Index, s.Op, c.table, c.index, c.op)
		}
		if diff := cmp.Diff(got, c.attrs); diff != "" {
			t.Errorf("%q (-got +want):\n%s", c.text, diff)
		}
	}
}
