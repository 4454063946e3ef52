package rules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// A blindSource is one source of records that hides some of what happened.
type blindSource struct {
	count         uint64
	measure, said string
}

// blindSelected says what records of bad requests alone do not tell: they are limited in rate or
// number, cut, or switched off.
func blindSelected(v *detect.View) []blindSource {
	limited, slow, cut := uint64(0), uint64(0), uint64(0)
	for _, t := range v.Targets {
		for _, s := range t.Selected {
			if t.Target.Store == ingest.Scylla {
				limited += s.Counts[detect.SelectedWarned].Low
			}
			slow += s.Counts[detect.SelectedSlow].Low + s.Counts[detect.SelectedTimedOut].Low
			if !s.KeyKnown && strings.HasSuffix(s.Shape, "…") {
				cut += s.Counts[detect.SelectedRecords].Low
			}
		}
	}
	all := []blindSource{}
	add := func(n uint64, measure, said string) {
		if n > 0 {
			all = append(all, blindSource{n, measure, said})
		}
	}
	add(limited, "rate_limited_warnings", fmt.Sprintf("Scylla limits the rate of its warnings: %s are a part of them (system.large_partitions and tracing tell more)", plural(limited, "warning")))
	add(slow, "slow_requests_listed", fmt.Sprintf("%s were slow: a list of slow operations shows 50 statements in 5 seconds at most, and reads only; hot writes leave no trace there", plural(slow, "listed request")))
	add(cut, "records_with_cut_statements", fmt.Sprintf("the statements of %s were cut before their key could be read (give the schema: --schema FILE; or trace such a read)", plural(cut, "record")))
	return append(all, switchedOff(v)...)
}

// switchedOff tells of settings that keep a store silent.
func switchedOff(v *detect.View) []blindSource {
	all := []blindSource{}
	for _, s := range []struct {
		fact, measure, said string
		hidden              func(n uint64) bool
	}{
		{ingest.FactSlowQuery, "slow_log_off", "the log of slow reads is off (slow_query_log_timeout: 500ms shows them)", isZero},
		{ingest.FactPartitionWarn, "partition_size_warning_off", "large partitions are not reported when they are written (partition_size_warn_threshold: 100MiB shows them)", isZero},
		{ingest.FactPartitionTombsWarn, "partition_tombstones_warning_off", "partitions of many tombstones are not reported (partition_tombstones_warn_threshold: 100000 shows them)", isZero},
		{ingest.FactTombstoneWarn, "tombstone_warning_raised", "reads of many tombstones are reported late: the warning threshold was raised (tombstone_warn_threshold: 1000 shows them)",
			func(n uint64) bool { return n > v.Limits.Count(detect.TombstonesWarnRead) }},
	} {
		if value, ok := v.Fact(detect.Target{}, s.fact); ok {
			if n, err := strconv.ParseUint(value, 10, 64); err == nil && s.hidden(n) {
				all = append(all, blindSource{1, s.measure, s.said})
			}
		}
	}
	return all
}

func isZero(n uint64) bool { return n == 0 }
