package propose

import (
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// Denylist makes Cassandra refuse one partition, as first aid.
var Denylist = detect.Remedy{
	Kind:  "denylist",
	Title: "First aid: have Cassandra refuse one partition",
	Rules: []string{"tombstone-dense-read"},
	Doc: `Cassandra 4.1 and later can refuse reads and writes of listed partitions at once, before they take heap and time of
their replicas.

**Gate.** A certain finding of *critical* with a key that lasts to the end of the input, on Cassandra whose version is told.

**Formula.** Tombstones that a read of the partition scans, before: as measured, at least so many where reads are ended; after: 0, because
none is let through.
Source: Cassandra source, StorageProxyMBean and SystemDistributedKeyspace: the table is
system_distributed.partition_denylist (ks_name, table_name, key), though a page of the documentation names another.

**Caveats.** All requests for the partition fail, legitimate ones too. The feature is off unless partition_denylist_enabled
is set; it takes up to ten minutes unless it is loaded by JMX; at most 1,000 keys a table.`,
	Propose: func(v *detect.View, f *detect.Finding) []detect.Proposal {
		e, ok := scanned(f)
		if f.Confidence != detect.Sure || f.Severity < detect.Critical || !f.Subject.HasKey || !isCassandra(f) || !stillOn(v, f) || !ok {
			return nil
		}
		version := versionOf(v)
		if version == "" {
			return lacking("have Cassandra refuse the partition", "its version, since 4.1 and later can", "nodetool version")
		}
		if olderThan(version, 4, 1) {
			return nil
		}
		keyspace, table, _ := strings.Cut(f.Subject.Target.Table, ".")
		row := "ks_name = '" + word(keyspace, "KEYSPACE") + "' AND table_name = '" + word(table, "TABLE") + "' AND key = 0xKEY"
		return []detect.Proposal{{
			Kind:    "denylist",
			Title:   "now: have Cassandra refuse this partition: " + atLeast(e) + " " + countedIn(e) + " are then scanned no more",
			Change:  "INSERT INTO system_distributed.partition_denylist (ks_name, table_name, key) VALUES ('" + word(keyspace, "KEYSPACE") + "', '" + word(table, "TABLE") + "', 0xKEY)",
			Effects: []detect.Effect{gone(e)},
			Costs:   []string{"every request for the partition fails"},
			Risks:   []string{"legitimate users of the partition are refused", "it is off unless partition_denylist_enabled is true in cassandra.yaml or set by JMX (StorageProxy)"},
			Steps: []string{
				"the key as the table stores it: of a text its bytes in hex; of other types cqlsh -e \"SELECT intAsBlob(k) …\" and the like; of several columns each as two bytes of length, its bytes and a zero byte",
				"set it with JMX, StorageProxy.setPartitionDenylistEnabled(true), insert the row, StorageProxy.loadPartitionDenylist(); else it is read within ten minutes",
				"undo: DELETE FROM system_distributed.partition_denylist WHERE " + row + ", and load the list again",
			},
			Verify: "reads of the key fail at once, and latency of the others falls: nodetool proxyhistograms",
		}}
	},
}
