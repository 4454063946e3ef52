package cassandra

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The server goes through whole tables for these looks, which take it the longer the more is stored.
func TestLooksThroughWholeTablesRestInProportion(t *testing.T) {
	for table, share := range map[string]float64{"system_traces.sessions": 1. / traceRest, systemLogs: 1. / logRest} {
		for _, took := range []time.Duration{10 * time.Millisecond, 200 * time.Millisecond, 3 * time.Second} {
			t.Run(fmt.Sprint(table, " ", took), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					f.virtual([2]string{"system_views", "system_logs"})
					f.tables[systemLogs] = (&fakeLog{start: time.Now()}).rows
					spent, looks, answer := time.Duration(0), 0, f.tables[table]
					f.tables[table] = func(address string, q *query) ([]record, error) {
						time.Sleep(took)
						spent, looks = spent+took, looks+1
						return answer(address, q)
					}
					const span = 2 * time.Hour
					if _, err := collect(t, f.server(t, "cassandra://10.0.0.1"), span); err != nil {
						t.Fatal(err)
					}
					// One at the begin and one at the end are made in any case.
					if most := time.Duration(float64(span)*share) + 2*took; spent > most || looks < 3 {
						t.Errorf("%d looks took %s of %s, want at most %s", looks, spent, span, most)
					}
				})
			})
		}
	}
}
