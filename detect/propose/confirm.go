package propose

import (
	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// Confirm says how to make sure of a finding that is possible only, or for which nothing else is proposed.
var Confirm = detect.Remedy{
	Kind:  "confirm",
	Title: "Make sure first",
	Rules: []string{
		"fan-out", "full-scan", "growing-partition", "hot-index", "hot-node", "hot-partition", "large-item",
		"large-partition", "low-cardinality-key", "moving-hot-key", "purge-blocked", "skewed-key", "throttling",
		"tombstone-dense-read", "tombstone-partition",
	},
	Doc: `The exact commands that show whether a finding holds, or what its cause is. Nothing is changed by them.

**Gate.** The finding is *possible*, or it is at least *medium* and no other remedy fits, or its mechanism is not known.

**Caveats.** Tracing and samplers cost a little: they are switched off again in the same step.`,
	Propose: proposeConfirm,
}

func proposeConfirm(_ *detect.View, f *detect.Finding) []detect.Proposal {
	lone := f.Severity >= detect.Medium && len(f.Proposals) == 0
	if f.Confidence == detect.Sure && !lone && f.Mechanism != "unknown" {
		return nil
	}
	if _, again := measured(f, "repeated_records"); again {
		return []detect.Proposal{{
			Kind:  "confirm",
			Title: "confirm with inputs that hold each record once",
			Steps: []string{"leave out what is there twice: a file and its copy, which the notes name, or of two dumps of a shard what the second has up to the last SequenceNumber of the first"},
		}}
	}
	return []detect.Proposal{{
		Kind:  "confirm",
		Title: "confirm with " + confirmWith(f),
		Steps: confirmSteps(f),
	}}
}

func confirmWith(f *detect.Finding) string {
	if c, ok := confirmations[f.Rule]; ok {
		return c.with
	}
	switch f.Rule {
	case "hot-node":
		return "the node's own figures"
	case "tombstone-dense-read":
		return "a trace and the table's statistics"
	case "throttling":
		return "the store's own count of refusals"
	case "moving-hot-key", "low-cardinality-key", "skewed-key":
		return "a longer input"
	}
	return "exact counts and the store's own sampler"
}

func confirmSteps(f *detect.Finding) []string {
	if c, ok := confirmations[f.Rule]; ok {
		return c.steps(f)
	}
	table := word(f.Subject.Target.Table, "TABLE")
	steps := []string{}
	switch f.Rule {
	case "hot-node":
		return []string{
			"confirm that the log names replicas, not coordinators: nodetool getendpoints KEYSPACE TABLE KEY",
			"nodetool status and nodetool ring (does it own more tokens?), nodetool proxyhistograms and nodetool tpstats on this node and on another",
			"its pauses and its disk: GCInspector lines of system.log, iostat; and whether the snitch sends reads to it: nodetool describecluster",
		}
	case "tombstone-dense-read":
		steps = append(steps, "confirm with a trace of one such read: cqlsh, TRACING ON, then the statement")
		if f.Subject.Target.Store == ingest.Scylla {
			return append(steps, scyllaKinds)
		}
		if _, given := measured(f, "table_tombstones_per_read"); !given {
			steps = append(steps, "nodetool tablestats "+word(f.Subject.Target.Table, "KEYSPACE.TABLE")+": tombstones per slice and partition sizes")
		}
		return append(steps, "to see the kinds of tombstones: sstablepartitions on the data files of that table")
	case "throttling":
		if e, ok := measured(f, "throttled_account"); ok && e.Low > 0 {
			return []string{
				"confirm the account's quotas with aws dynamodb describe-limits, and give its output as an input",
				"aws service-quotas list-service-quotas --service-code dynamodb: ask for more by request-service-quota-increase; tables of the account and region share it",
			}
		}
		steps = append(steps, "confirm which limit was met: log ThrottlingReasons of the exceptions for ten minutes")
	case "moving-hot-key":
		steps = append(steps, "confirm with keyheat keys INPUT --table "+table+" --pane 1h on a day or more: each pane's own top keys")
	case "low-cardinality-key", "skewed-key":
		steps = append(steps, "confirm with keyheat keys INPUT --table "+table+" on a day or more")
	case "hot-partition":
		if _, ok := measured(f, "requests"); !ok && isCQL(f.Subject.Target.Store) {
			steps = append(steps, "confirm with a sample of all requests: nodetool settraceprobability 0.001 on two nodes for ten minutes, then 0, and keyheat analyze on the traces")
			break
		}
		fallthrough
	default:
		steps = append(steps, "confirm with keyheat analyze FILE --table "+table+", without --no-exact: the key is then counted by the second")
	}
	return append(steps, storeSteps(f, table)...)
}

// storeSteps are the store's own means to see its heavy keys and refusals.
func storeSteps(f *detect.Finding, table string) []string {
	if f.Subject.Target.Store == ingest.DynamoDB && f.Rule == "throttling" {
		return []string{
			"aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name WriteKeyRangeThroughputThrottleEvents" +
				" --dimensions Name=TableName,Value=" + table + " --statistics Sum --period 60 --start-time START --end-time END" +
				" (and ReadKeyRangeThroughputThrottleEvents): datapoints mean a hot partition, none mean capacity",
		}
	}
	if f.Subject.Target.Store == ingest.DynamoDB {
		insights := "aws dynamodb update-contributor-insights --table-name " + table
		if f.Subject.Target.Index != "" {
			insights += " --index-name " + word(f.Subject.Target.Index, "INDEX")
		}
		return []string{
			insights + " --contributor-insights-action ENABLE, wait ten minutes, read the top keys, then DISABLE",
		}
	}
	if f.Rule == "throttling" {
		return nil
	}
	return []string{"nodetool toppartitions " + dotted(f.Subject.Target.Table) + " 10000 (Cassandra 4.1 and later: nodetool profileload) on a replica while it lasts"}
}
