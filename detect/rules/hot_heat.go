package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// heat is what one row of the rule says of a key.
type heat struct {
	severity detect.Severity
	span     detect.Span
	evidence []detect.Evidence
	said     string // a clause of the message
}

// hotKeys gives the hot partitions of one target, worst first.
func hotKeys(v *detect.View, t *detect.TargetView) []detect.Finding {
	found := []detect.Finding{}
	spans := windows(v, v.Limits.Count(detect.MinutesInARow))
	for _, k := range t.Keys {
		if requests(k).High < v.Limits.Count(detect.ShareRequestsOfKey) && !rated(v, t) {
			continue
		}
		panes := series(v, k)
		rows := []heat{}
		for _, s := range sides {
			if h, ok := rateHeat(v, t, k, panes, s); ok {
				rows = append(rows, h)
			}
		}
		if h, ok := shareHeat(v, t, k, panes, spans); ok {
			rows = append(rows, h)
		}
		if len(rows) > 0 {
			found = append(found, hotFinding(v, t, k, panes, rows))
		}
	}
	slices.SortStableFunc(found, func(a, b detect.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Cost, a.Cost))
	})
	return found[:min(len(found), maxHotKeys)]
}

// maxHotKeys is the most hot partitions shown of one target: more of them are a key that moves, which
// has a rule of its own.
const maxHotKeys = 10

// hotFinding brings the rows of one key together.
func hotFinding(v *detect.View, t *detect.TargetView, k *detect.KeyView, panes []detect.KeyPane, rows []heat) detect.Finding {
	slices.SortStableFunc(rows, func(a, b heat) int { return cmp.Compare(b.severity, a.severity) })
	n := requests(k)
	f := detect.Finding{
		Severity: rows[0].severity,
		Subject:  detect.Subject{Target: t.Target, Key: k.Key, HasKey: true},
		Series:   middles(panes, requestsOf), SeriesOf: "requests",
		Cost: detect.Whole(n.Middle()),
	}
	said := []string{}
	for i, h := range rows {
		f.Span = joined(f.Span, h.span)
		f.Evidence = append(f.Evidence, h.evidence...)
		if i < maxClauses {
			said = append(said, h.said)
		}
	}
	f.Evidence = append(f.Evidence, ranged(n).evidence("requests", "requests"))
	if t.Target.Store == ingest.DynamoDB {
		clause, more := splitHelp(v, k, f.Evidence)
		f.Evidence, said = append(f.Evidence, more...), append(said, clause)
	}
	f.Message = "one key " + strings.Join(said, "; it ")
	return settle(f, positions(k))
}

// maxClauses is the most rows that a message tells, the worst; the evidence has them all.
const maxClauses = 2

// hotUnjudged says what of a target could not be judged.
func hotUnjudged(v *detect.View, t *detect.TargetView, hot bool) []detect.NotAssessed {
	missing := []detect.NotAssessed{}
	miss := func(getIt string, what ...string) {
		missing = append(missing, detect.NotAssessed{Target: t.Target, Missing: what, GetIt: getIt})
	}
	total := t.Totals[detect.Requests]
	judged := total >= v.Limits.Count(detect.ShareRequestsOfTable)
	share := v.Limits.Of(detect.ShareOfTable).Value
	if judged && detect.Ratio(t.Totals[detect.KeyUnknown], total) >= share {
		miss("name the field of the partition key: keyheat analyze --map pk=FIELD INPUT", "key")
	}
	if judged && t.Untold.Requests >= v.Limits.Count(detect.ShareRequestsOfKey) && detect.Ratio(t.Untold.Requests, total) >= share {
		miss("a key over the share may have been crowded out: keyheat analyze --memory 1GiB INPUT, or --table "+tableName(t.Target), "keys")
	}
	if judged && slices.ContainsFunc(t.Keys, func(k *detect.KeyView) bool { return undecided(v, t, k) }) {
		miss("counts are too wide to tell: keyheat analyze without --no-exact, on files that can be read twice", "exact_counts")
	}
	if judged && !t.Timed() {
		miss("records with a time: keyheat analyze --map ts=FIELD INPUT", "time")
	}
	if t.Target.Store != ingest.DynamoDB {
		return missing
	}
	return append(missing, rateUnjudged(v, t, hot)...)
}

// rateUnjudged says what of a DynamoDB target's rates could not be judged.
func rateUnjudged(v *detect.View, t *detect.TargetView, hot bool) []detect.NotAssessed {
	missing := []detect.NotAssessed{}
	miss := func(getIt string, what ...string) {
		missing = append(missing, detect.NotAssessed{Target: t.Target, Missing: what, GetIt: getIt})
	}
	switch {
	case t.Totals[detect.UnitsKnown] == 0:
		miss("log ReturnConsumedCapacity and give it as fields rcu and wcu: keyheat analyze --map wcu=FIELD INPUT", "read_units", "write_units")
	case v.Sampling.Unknown():
		miss("say what share of the requests was recorded: keyheat analyze --sample-rate 0.01 INPUT", "sample_rate")
	case hiddenRate(v, t):
		miss("a key over half of a partition's limit may have been crowded out: keyheat analyze --memory 1GiB INPUT", "keys_of_minutes")
	}
	if !v.Second && (hot || maybeOver(v, t)) {
		miss("seconds are counted when the input can be read twice: keyheat analyze FILE, without --no-exact", "second_pass")
	}
	known := func(k *detect.KeyView) bool { return k.Exact != nil && k.Exact.SortKnown > 0 }
	if hot && !slices.ContainsFunc(t.Keys, known) {
		miss("whether a split can help shows with the sort key: keyheat analyze --map sk=FIELD FILE, without --no-exact", "sort_keys")
	}
	return missing
}

// maybeOver reports whether a key has a second over a partition's limit, which alone is no finding.
func maybeOver(v *detect.View, t *detect.TargetView) bool {
	return rated(v, t) && slices.ContainsFunc(t.Keys, func(k *detect.KeyView) bool {
		return k.CostSecond.N > 0 && slices.ContainsFunc(sides, func(s *side) bool {
			l := &load{v, t, k, series(v, k), s}
			second, _ := l.busySecond()
			return second.low >= v.Limits.Of(s.limit).Value
		})
	})
}

// undecided reports whether a key's upper bound reaches the share of the whole input and its lower does not.
func undecided(v *detect.View, t *detect.TargetView, k *detect.KeyView) bool {
	n := requests(k)
	all := scope{part: n, total: t.Totals[detect.Requests], distinct: t.Distinct.Low}
	at := all
	at.part.Low = n.High
	return at.passes(v, v.SamplingOf(t)) && !all.passes(v, v.SamplingOf(t))
}
