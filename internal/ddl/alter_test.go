package ddl

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const altered = `CREATE TABLE shop.jobs (
    queue text,
    id timeuuid,
    PRIMARY KEY (queue, id)
) WITH CLUSTERING ORDER BY (id ASC)
    AND comment = 'compaction = {''class'': ''None''} AND gc_grace_seconds = 1'
    AND compaction = {'class': 'org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy', 'max_threshold': '32',
        'unchecked_tombstone_compaction': 'false'}
    AND gc_grace_seconds = 864000;`

func TestAltersKeepWhatTheTableHas(t *testing.T) {
	table, statement := tableOf(t, altered, "jobs")
	for _, c := range []struct{ name, change, alter, undo string }{
		{
			"an option of the same class",
			"ALTER TABLE shop.jobs WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'unchecked_tombstone_compaction': 'true'}",
			"ALTER TABLE shop.jobs WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'unchecked_tombstone_compaction': 'true', 'max_threshold': '32'};",
			"-- ALTER TABLE shop.jobs WITH compaction = {'class': 'org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy', 'max_threshold': '32', 'unchecked_tombstone_compaction': 'false'};",
		},
		{
			"another class",
			"ALTER TABLE shop.jobs WITH compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'}",
			"ALTER TABLE shop.jobs WITH compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'};",
			"'max_threshold': '32', 'unchecked_tombstone_compaction': 'false'};",
		},
		{"a number", "ALTER TABLE shop.jobs WITH gc_grace_seconds = 172800", "ALTER TABLE shop.jobs WITH gc_grace_seconds = 172800;", "-- ALTER TABLE shop.jobs WITH gc_grace_seconds = 864000;"},
		{"an option that is not printed", "ALTER TABLE shop.jobs WITH default_time_to_live = 60", "ALTER TABLE shop.jobs WITH default_time_to_live = 60;", "does not print default_time_to_live"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Alter(table, statement, c.change, "look again")
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(got), "\n")
			if d := cmp.Diff(lines[1], c.alter); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
			if !strings.HasSuffix(got, c.undo+"\n") && !strings.Contains(got, c.undo) || !strings.Contains(got, "look again") {
				t.Errorf("undo %s is not in\n%s", c.undo, got)
			}
		})
	}
	for _, change := range []string{"", "nodetool compact shop jobs", "ALTER TABLE shop.jobs"} {
		if got, err := Alter(table, statement, change, ""); !errors.Is(err, ErrTable) {
			t.Errorf("%q: %s, %v", change, got, err)
		}
	}
}
