package propose

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A confirmation is how to make sure of findings of one rule.
type confirmation struct {
	with  string
	steps func(f *detect.Finding) []string
}

// confirmations are those of rules about conditions and statements, by rule. None changes anything.
var confirmations = map[string]confirmation{
	"large-partition":     {"the store's own sizes", confirmSize},
	"growing-partition":   {"sizes of more days", confirmGrowth},
	"large-item":          {"the size of its parts", confirmItem},
	"tombstone-partition": {"the kinds of its tombstones", confirmTombstones},
	"purge-blocked":       {"what blocks the purge", confirmPurge},
	"full-scan":           {"a trace and the client that sends it", confirmScan},
	"fan-out":             {"the client that sends it", confirmFanOut},
}

func confirmSize(f *detect.Finding) []string {
	table := word(f.Subject.Target.Table, "TABLE")
	if f.Subject.Target.Store == ingest.DynamoDB {
		return []string{
			"confirm whether the table has a local secondary index: aws dynamodb describe-table --table-name " + table + " (LocalSecondaryIndexes)",
			"with one, ReturnItemCollectionMetrics=SIZE on a write to the key tells its size; without, add up an export: keyheat analyze EXPORT",
		}
	}
	both := dotted(f.Subject.Target.Table)
	steps := []string{"confirm with nodetool tablestats " + word(f.Subject.Target.Table, "KEYSPACE.TABLE") + ": Compacted partition maximum bytes, on each replica"}
	if f.Subject.Target.Store == ingest.Scylla {
		return append(steps, "cqlsh: SELECT * FROM system.large_partitions WHERE keyspace_name = … AND table_name = … on each replica")
	}
	return append(steps,
		"sstablepartitions --min-size 100MiB on the data files of "+both+" (5.0 and later): sizes by key and SSTable",
		"nodetool getendpoints "+both+" KEY: the nodes to look at",
	)
}

func confirmGrowth(f *detect.Finding) []string {
	return append([]string{"confirm by measuring again tomorrow by the same means, and give all files: keyheat analyze DAY1 DAY2 DAY3"}, confirmSize(f)...)
}

func confirmItem(f *detect.Finding) []string {
	if f.Subject.Target.Store == ingest.DynamoDB {
		return []string{"confirm with aws dynamodb get-item --table-name " + word(f.Subject.Target.Table, "TABLE") + " --key KEY --return-consumed-capacity TOTAL: a read unit is 4 KB of it"}
	}
	if f.Subject.Target.Store == ingest.Scylla {
		return []string{"confirm with cqlsh: SELECT * FROM system.large_rows and system.large_cells WHERE keyspace_name = … AND table_name = …"}
	}
	return []string{"confirm by reading the row and measuring its columns: sstabledump FILE -k KEY, on one replica"}
}

func confirmTombstones(f *detect.Finding) []string {
	both := dotted(f.Subject.Target.Table)
	if f.Subject.Target.Store == ingest.Scylla {
		return []string{scyllaKinds, "a trace of one read of the partition tells whether reads meet them: cqlsh, TRACING ON"}
	}
	return []string{
		"confirm with sstablepartitions --min-tombstones 1000 on the data files of " + both + " (5.0 and later): rows, ranges, collections, cells and what expired, apart",
		"before 5.0: sstabledump FILE -k KEY, on one replica; nodetool getsstables " + both + " KEY names the files",
		"a trace of one read of the partition tells whether reads meet them: cqlsh, TRACING ON",
	}
}

// scyllaKinds is how ScyllaDB shows what tombstones there are. Its statistics of reads never count any.
const scyllaKinds = "confirm with scylla sstable dump-data --output-format json FILES > dump.json on one replica, and keyheat analyze dump.json: rows, ranges, collections and cells, apart"

func confirmPurge(f *detect.Finding) []string {
	return []string{
		"confirm with sstableexpiredblockers " + dotted(f.Subject.Target.Table) + " on each node: which SSTable keeps others",
		"sstablemetadata of the table's files: timestamps and droppable tombstones of each",
	}
}

func confirmScan(f *detect.Finding) []string {
	if f.Subject.Target.Store == ingest.DynamoDB {
		return []string{
			"confirm who scans: CloudTrail data events of the table name the caller of each Scan (userIdentity)",
			"aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name ReturnedItemCount" +
				" --dimensions Name=TableName,Value=" + word(f.Subject.Target.Table, "TABLE") + " Name=Operation,Value=Scan --statistics Sum --period 60 --start-time START --end-time END",
		}
	}
	return []string{
		"confirm with a trace of one such read: cqlsh, TRACING ON, then the statement: it should name ranges of tokens",
		"find the client by the statement and its time; nodetool clientstats names who is connected",
	}
}

func confirmFanOut(*detect.Finding) []string {
	return []string{"confirm by the statement which client sends it, and how many partitions it names each time"}
}
