package propose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A side is reading or writing, with what tells of it.
type side struct {
	name        string // of reports
	pane        detect.PaneCounter
	total       detect.Counter
	metric      string // of CloudWatch
	provisioned string // name of the fact
	setting     string // of the command line
	fresh       uint64 // units a second that a new on-demand table takes

	scaleMin, scaleMax, maximum, quota string // names of facts: limits of auto scaling, on-demand maximum, a table's quota
}

// sides are both. AWS, "On-demand capacity mode": a new table takes 4,000 writes and 12,000 reads a second.
var sides = []side{
	{"write", detect.PaneWriteMilli, detect.WriteMilli, "ConsumedWriteCapacityUnits", ingest.FactWriteUnits, "WriteCapacityUnits", 4000,
		ingest.FactScalingMinWrite, ingest.FactScalingMaxWrite, ingest.FactMaxWriteUnits, ingest.FactTableWriteQuota},
	{"read", detect.PaneReadMilli, detect.ReadMilli, "ConsumedReadCapacityUnits", ingest.FactReadUnits, "ReadCapacityUnits", 12000,
		ingest.FactScalingMinRead, ingest.FactScalingMaxRead, ingest.FactMaxReadUnits, ingest.FactTableReadQuota},
}

// busiest gives the units a second of the busiest minute of a target, from requests or else from metrics; 0
// when neither tells.
func (s *side) busiest(v *detect.View, t *detect.TargetView) detect.Milli {
	most := detect.Milli(0)
	if v.Width > 0 {
		for i := range t.Panes {
			most = max(most, detect.Milli(v.Sampling.Scale(t.Panes[i].Totals[s.pane])/uint64(v.Width)))
		}
	}
	if most > 0 {
		return most
	}
	for i := range v.Points {
		p := &v.Points[i]
		if p.Target != t.Target || p.Name != s.metric || !strings.EqualFold(p.Stat, "sum") {
			continue
		}
		for _, n := range p.Values {
			if n.Seconds > 0 {
				most = max(most, detect.Milli(n.Milli/uint64(n.Seconds)))
			}
		}
	}
	return most
}

// wanted gives the units a second that would refuse nothing: the busiest minute's, and the share that was
// refused on top.
func (s *side) wanted(v *detect.View, t *detect.TargetView, refused detect.Milli) detect.Milli {
	return detect.Milli(mulDiv(uint64(s.busiest(v, t)), 1000, uint64(1000-min(refused, 900))))
}

// headroom is the share of capacity that should be in use, in thousandths: the usual target of auto scaling.
const headroom = 700

// shortTable gives the target of a throttling finding whose table or index, not a key range of it, is
// short of capacity, and the share of requests that was refused, as far as known without their retries.
func shortTable(v *detect.View, f *detect.Finding) (*detect.TargetView, detect.Milli) {
	t := targetOf(v, f)
	if !worthIt(f) || t == nil || f.Subject.Target.Store != ingest.DynamoDB {
		return nil, 0
	}
	count := func(measure string) detect.Milli {
		e, _ := measured(f, measure)
		return e.Low
	}
	table := count("throttled_table") + count("throttled_index")
	if table == 0 || count("throttled_key_range") >= table || count("throttled_on_demand_maximum") >= table {
		return nil, 0
	}
	return t, refusedShare(f)
}

// refusedShare gives the share of a throttling finding's requests that was refused, as far as known without retries.
func refusedShare(f *detect.Finding) detect.Milli {
	share, ok := measured(f, "throttled_share_without_retries")
	if !ok {
		share, _ = measured(f, "throttled_share")
	}
	return share.Low
}

// number gives a fact of a target that is a whole number, 0 where it is none.
func number(v *detect.View, t detect.Target, name string) uint64 {
	value, _ := v.Fact(t, name)
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// billing gives the billing mode of a table, empty where no input tells it. Of an index it is the table's.
func billing(v *detect.View, t detect.Target) string {
	mode, _ := v.Fact(detect.Target{Store: t.Store, Table: t.Table}, ingest.FactBilling)
	return mode
}

const (
	provisionedMode = "PROVISIONED"
	onDemandMode    = "PAY_PER_REQUEST"
)

// describeTable is the command that tells schema, indexes, billing and capacity.
func describeTable(f *detect.Finding) string {
	return "aws dynamodb describe-table --table-name " + word(f.Subject.Target.Table, "TABLE")
}

// updateCapacity is the command that sets a table's or index's provisioned units.
func updateCapacity(t detect.Target, read, write uint64) string {
	units := "ReadCapacityUnits=" + strconv.FormatUint(read, 10) + ",WriteCapacityUnits=" + strconv.FormatUint(write, 10)
	command := "aws dynamodb update-table --table-name " + word(t.Table, "TABLE")
	if t.Index == "" {
		return command + " --provisioned-throughput " + units
	}
	return command + ` --global-secondary-index-updates '[{"Update":{"IndexName":"` + word(t.Index, "INDEX") + `","ProvisionedThroughput":{"ReadCapacityUnits":` +
		strconv.FormatUint(read, 10) + `,"WriteCapacityUnits":` + strconv.FormatUint(write, 10) + `}}}]'`
}

// quotaRisk says what a change meets at the quotas of the account.
func quotaRisk(v *detect.View, units [2]uint64) string {
	for i := range sides {
		if most := number(v, detect.Target{}, sides[i].quota); most > 0 && units[i] > most {
			return fmt.Sprintf("it is over the %d %s units that a table may have: ask for a higher quota first (aws service-quotas)", most, sides[i].name)
		}
	}
	return "an account has a limit on units: aws dynamodb describe-limits"
}

// consumedUnits is the command that tells the units of each minute; for reads likewise.
func consumedUnits(f *detect.Finding) string {
	dimensions := "Name=TableName,Value=" + word(f.Subject.Target.Table, "TABLE")
	if f.Subject.Target.Index != "" {
		dimensions += " Name=GlobalSecondaryIndexName,Value=" + word(f.Subject.Target.Index, "INDEX")
	}
	return "aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name ConsumedWriteCapacityUnits --dimensions " + dimensions +
		" --statistics Sum --period 60 --start-time START --end-time END (and ConsumedReadCapacityUnits)"
}
