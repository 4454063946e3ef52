package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

func TestAStatementIsKeptWithoutItsValues(t *testing.T) {
	tests := []struct{ name, statement, want string }{
		{"markers", "SELECT * FROM orders WHERE pk = ?", "SELECT * FROM orders WHERE pk = ?"},
		{"values", "select * from orders where pk = 'SECRET' and n = 5", "SELECT * FROM orders WHERE pk = ? AND n = ?"},
		{"PartiQL", `UPDATE "Orders" SET a = 1 WHERE pk = 'SECRET'`, "UPDATE Orders SET a = ? WHERE pk = ?"},
		{"cut off", "SELECT * FROM orders WHERE pk = 'SECR", "SELECT * FROM orders WHERE pk = ?"},
		{"a name", "orders-by-customer v2", "orders-by-customer v2"},
		{"another language", "EXISTS(SELECT * FROM t WHERE pk = 'SECRET')", "EXISTS(SELECT * FROM t WHERE pk = ?)"},
		{"another language, cut off", "EXISTS('SECR", "EXISTS(?"},
		{"an empty one", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s statements
			for range 2 {
				if got := string(s.of([]byte(test.statement))); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
		})
	}
}

func TestRecordsCarryShapesOfStatements(t *testing.T) {
	line := `{"pk":"a","table":"t","statement":"SELECT * FROM t WHERE pk = 'SECRET'"}` + "\n"
	file := "pk,table,statement\na,t,SELECT * FROM t WHERE pk = 'SECRET'\n"
	for name, c := range map[string]struct {
		format *ingest.Format
		data   string
	}{"NDJSON": {&KeyEventsNDJSON, line}, "CSV": {&KeyEventsCSV, file}} {
		t.Run(name, func(t *testing.T) {
			said, ok := decode(t, fixture{format: c.format}, []byte(c.data))
			if out := fmt.Sprint(said); !ok || !strings.Contains(out, `shape="SELECT * FROM t WHERE pk = ?"`) || strings.Contains(out, "SECRET") {
				t.Errorf("got %s", out)
			}
		})
	}
}
