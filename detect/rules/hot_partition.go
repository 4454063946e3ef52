package rules

import (
	_ "embed" // for the rule's text

	"github.com/keyheat/keyheat/detect"
)

//go:embed doc/hot-partition.md
var hotPartitionDoc string

// HotPartition finds keys whose load nears or passes what one partition can serve, or takes far more
// than its share of a table or index.
var HotPartition = detect.Rule{
	ID:    "hot-partition",
	Title: "One key takes more than a partition can serve, or far more than its share",
	Needs: "traffic; times and units for rates, the second pass for seconds",
	Doc:   hotPartitionDoc,
	Judge: judgeHotPartition,
}

func judgeHotPartition(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	if !fromTraffic(v) {
		return nil, nil
	}
	found, missing := []detect.Finding{}, []detect.NotAssessed{}
	for _, t := range v.Targets {
		hot := hotKeys(v, t)
		found = append(found, hot...)
		missing = append(missing, hotUnjudged(v, t, len(hot) > 0)...)
	}
	return found, missing
}
