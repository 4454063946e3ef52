package rules

import (
	_ "embed" // for the rule's text
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/hot-partition.md
var hotPartitionDoc string

// HotPartition finds keys whose load nears or passes what one partition can serve, or takes far more
// than its share of a table or index.
var HotPartition = detect.Rule{
	ID:     "hot-partition",
	Title:  "One key takes more than a partition can serve, or far more than its share",
	Needs:  "traffic, or lists of samplers; times and units for rates, the second pass for seconds",
	Counts: true,
	Doc:    hotPartitionDoc,
	Judge:  judgeHotPartition,
}

func judgeHotPartition(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	traffic := fromTraffic(v)
	for _, t := range v.Targets {
		hot := []detect.Finding{}
		if traffic {
			hot = hotKeys(v, t)
			missing = append(missing, hotUnjudged(v, t, len(hot) > 0)...)
		}
		found = append(found, withListed(v, t, hot)...)
	}
	if !traffic {
		missing = append(missing, trafficUnseen(v)...)
	}
	return found, missing
}

// trafficUnseen says that records of bad requests alone have no shares, once for each store.
func trafficUnseen(v *detect.View) []detect.NotAssessed {
	missing := []detect.NotAssessed{}
	for _, t := range v.Targets {
		if len(t.Selected) == 0 || isSystem(t.Target) {
			continue
		}
		getIt := "records of bad requests have no shares: nodetool settraceprobability 0.001 for ten minutes, or the audit log, show all reads and writes"
		if t.Target.Store == ingest.DynamoDB {
			getIt = "records of refusals have no shares: give records of the table's stream, CloudTrail data events or Contributor Insights"
		}
		missing = append(missing, detect.NotAssessed{Missing: []string{"traffic"}, GetIt: getIt})
	}
	slices.SortFunc(missing, func(a, b detect.NotAssessed) int { return strings.Compare(a.GetIt, b.GetIt) })
	return slices.CompactFunc(missing, func(a, b detect.NotAssessed) bool { return a.GetIt == b.GetIt })
}

// withListed adds the keys that stand out in samplers' lists, and where nothing better is known those of
// slow and refused operations and those that Contributor Insights meters. A key is told once, by what makes it
// worse, and else by its traffic.
func withListed(v *detect.View, t *detect.TargetView, hot []detect.Finding) []detect.Finding {
	more := sampledKeys(v, t)
	if t.Totals[detect.Requests] == 0 && len(t.Windows) == 0 {
		more = slices.Concat(badKeys(v, t, &slowRequests), badKeys(v, t, &refusedRequests), meteredKeys(v, t))
	}
	for _, f := range more {
		i := slices.IndexFunc(hot, func(h detect.Finding) bool { return string(h.Subject.Key) == string(f.Subject.Key) })
		switch {
		case i < 0:
			hot = append(hot, f)
		case f.Severity > hot[i].Severity:
			hot[i] = f
		}
	}
	return hot
}
