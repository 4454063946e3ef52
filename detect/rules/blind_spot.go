package rules

import (
	_ "embed" // for the rule's text
	"fmt"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

//go:embed doc/blind-spot.md
var blindSpotDoc string

// BlindSpot says what the input hides from the other rules.
var BlindSpot = detect.Rule{
	ID:    "blind-spot",
	Title: "The input hides evidence",
	Needs: "any input",
	Doc:   blindSpotDoc,
	Judge: judgeBlindSpot,
}

func judgeBlindSpot(v *detect.View) ([]detect.Finding, []detect.NotAssessed) {
	s := sumsOf(v)
	found := []detect.Finding{}
	say := func(count uint64, measure, message string) {
		found = append(found, detect.Finding{
			Severity: detect.Low, Confidence: detect.Sure, Span: v.Span,
			Evidence: []detect.Evidence{exactly(count).evidence(measure, "requests")},
			Message:  message, Cost: detect.Whole(count),
		})
	}
	for _, b := range blindExports(v) {
		say(b.count, b.measure, b.said)
		found[len(found)-1].Evidence[0].Unit = "files"
	}
	limit := v.Limits.Of(detect.BlindShare).Value
	much := func(n uint64) bool { return n > 0 && detect.Ratio(n, s.requests) >= limit }
	if much(s.untimed) {
		say(s.untimed, "requests_without_time", fmt.Sprintf("%s of %s have no time: nothing is known of rates, peaks and movement (--map ts=FIELD)",
			grouped(s.untimed), plural(s.requests, "request")))
	}
	if much(s.keyless) {
		say(s.keyless, "requests_without_key", fmt.Sprintf("%s of %s tell no partition key: a hot one may be among them (--map pk=FIELD)",
			grouped(s.keyless), plural(s.requests, "request")))
	}
	if v.Sampling.Unknown() && s.requests > 0 {
		say(s.requests, "requests_of_unknown_sampling", fmt.Sprintf("%s are a sample of unknown rate: shares are judged, rates are not (--sample-rate)",
			plural(s.requests, "request")))
	}
	if s.unitless > 0 && detect.Ratio(s.unitless, s.dynamo) >= limit {
		say(s.unitless, "requests_without_units", fmt.Sprintf("%s of %s to DynamoDB carry no capacity units: the limits of a partition cannot be judged (--map wcu=FIELD, rcu=FIELD)",
			grouped(s.unitless), plural(s.dynamo, "request")))
	}
	for _, b := range blindSelected(v) {
		say(b.count, b.measure, b.said)
	}
	for _, l := range lostParts(v) {
		if l.count > 0 {
			say(l.count, l.measure, fmt.Sprintf(l.said, plural(l.count, "request")))
		}
	}
	return found[:min(uint64(len(found)), v.Limits.Count(detect.BlindShown))], nil
}

// A lostPart is what a cap of the profile could not tell apart.
type lostPart struct {
	count         uint64
	measure, said string
}

func lostParts(v *detect.View) []lostPart {
	return []lostPart{
		{v.Lost.Targets, "requests_of_lost_tables", "tables were too many to tell apart: %s were counted under one name (--table)"},
		{v.Lost.Nodes, "requests_of_lost_nodes", "nodes were too many to tell apart: %s were counted for none (--node)"},
		{v.Lost.Shapes, "reads_of_lost_shapes", "statement shapes were too many to tell apart: %s were counted for none (--table)"},
		{v.Lost.Selected, "lost_records", "kinds of bad requests were too many to tell apart: %s were counted for none (--table)"},
	}
}

// sums are what requests lack, over all targets.
type sums struct{ requests, untimed, keyless, dynamo, unitless uint64 }

func sumsOf(v *detect.View) sums {
	s := sums{}
	for _, t := range v.Targets {
		n := &t.Totals
		s.requests += n[detect.Requests]
		s.untimed += n[detect.Untimed]
		scans := n[detect.ByOp+detect.Counter(ingest.OpScan)]
		s.keyless += n[detect.KeyUnknown] - min(n[detect.KeyUnknown], scans)
		if t.Target.Store == ingest.DynamoDB {
			// A refused request consumes nothing, so its record need carry no units.
			served := n[detect.Requests] - min(n[detect.Requests], n.Throttled())
			s.dynamo += n[detect.Requests]
			s.unitless += served - min(served, n[detect.UnitsKnown])
		}
	}
	return s
}
