package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

var (
	orders = detect.Target{Store: ingest.DynamoDB, Table: "orders"}
	carts  = detect.Target{Store: ingest.DynamoDB, Table: "carts"}
)

func trouble(rule string, t detect.Target, key string, s detect.Severity, of ...detect.Evidence) Finding {
	subject := detect.Subject{Target: t, Key: []byte(key), HasKey: true}
	return Finding{ID: FindingID(rule, subject), Finding: detect.Finding{Rule: rule, Severity: s, Subject: subject, Evidence: of}}
}

func seen(measure, unit string, value, off, limit uint64) detect.Evidence {
	return detect.Evidence{Measure: measure, Unit: unit, Value: detect.Whole(value), Low: detect.Whole(value - off), High: detect.Whole(value + off), Limit: detect.Whole(limit)}
}

func atLeast(measure, unit string, value uint64) detect.Evidence {
	e := seen(measure, unit, value, 0, 0)
	e.Open, e.High = true, 0
	return e
}

// night is a digest of an hour of orders and carts.
func night(of ...Finding) *Digest {
	return &Digest{Span: detect.Span{Start: 0, End: 3600}, Targets: []detect.Target{orders, carts}, Findings: of}
}

func with(d *Digest, change func(*Digest)) *Digest { change(d); return d }

func TestEachFindingHasOneChange(t *testing.T) {
	hot := func(s detect.Severity, of ...detect.Evidence) Finding {
		return trouble("hot-partition", orders, "k", s, of...)
	}
	rate := func(n, off uint64) detect.Evidence { return seen("write_units_per_second", "WCU/s", n, off, 1000) }
	tests := map[string]struct {
		before, after *Digest
		want          string
		because       string
	}{
		"only in the later report is new":               {night(), night(hot(detect.High)), "new", ""},
		"only in the earlier report is gone":            {night(hot(detect.High)), night(), "gone", ""},
		"in both alike is unchanged":                    {night(hot(detect.High)), night(hot(detect.High)), "unchanged", ""},
		"a higher severity is worse":                    {night(hot(detect.Low)), night(hot(detect.High)), "worse", ""},
		"a lower severity is better, whatever the rate": {night(hot(detect.High, rate(1000, 0))), night(hot(detect.Low, rate(2000, 0))), "better", ""},
		"bounds apart and a tenth more is worse":        {night(hot(detect.High, rate(1000, 10))), night(hot(detect.High, rate(1100, 10))), "worse", ""},
		"bounds apart and a tenth less is better":       {night(hot(detect.High, rate(1000, 10))), night(hot(detect.High, rate(900, 10))), "better", ""},
		"bounds that overlap are unchanged":             {night(hot(detect.High, rate(1000, 60))), night(hot(detect.High, rate(1100, 60))), "unchanged", ""},
		"less than a tenth of a rate is unchanged":      {night(hot(detect.High, rate(1000, 0))), night(hot(detect.High, rate(1099, 0))), "unchanged", ""},
		"a size that grows by 4 % is worse":             {night(hot(detect.High, seen("partition_bytes", "bytes", 100, 0, 90))), night(hot(detect.High, seen("partition_bytes", "bytes", 104, 0, 90))), "worse", ""},
		"sizes of which each is at least so much":       {night(hot(detect.High, atLeast("partition_bytes", "bytes", 100))), night(hot(detect.High, atLeast("partition_bytes", "bytes", 104))), "worse", ""},
		"fewer keys are worse":                          {night(hot(detect.Low, seen("distinct_keys", "keys", 20, 0, 20))), night(hot(detect.Low, seen("distinct_keys", "keys", 10, 0, 20))), "worse", ""},
		"a measure with a limit goes before others":     {night(hot(detect.High, seen("share", "share", 1, 0, 0), rate(1000, 0))), night(hot(detect.High, seen("share", "share", 2, 0, 0), rate(1000, 0))), "unchanged", ""},
		"counts over unlike spans are not compared": {night(hot(detect.High, seen("requests", "requests", 100, 0, 50))),
			with(night(hot(detect.High, seen("requests", "requests", 1000, 0, 50))), func(d *Digest) { d.Span.End *= 10 }), "unchanged", ""},
		"a table that is not told of is unseen, not gone": {night(hot(detect.High)), with(night(), func(d *Digest) { d.Targets = d.Targets[1:] }), "unseen", "the other report tells nothing of this table"},
		"a rule that could not be assessed is unseen": {night(hot(detect.High)),
			with(night(), func(d *Digest) {
				d.NotAssessed = []detect.NotAssessed{{Rule: "hot-partition", Target: orders}}
			}), "unseen", "the other report could not assess this rule"},
		"another table's rule that could not be assessed does not matter": {night(hot(detect.High)),
			with(night(), func(d *Digest) {
				d.NotAssessed = []detect.NotAssessed{{Rule: "hot-partition", Target: carts}}
			}), "gone", ""},
		"a partial report loses nothing for good":             {night(hot(detect.High)), with(night(), func(d *Digest) { d.Partial = "interrupted" }), "unseen", "the other report is partial"},
		"a report with a least severity loses nothing":        {night(hot(detect.Low)), with(night(), func(d *Digest) { d.LeftOut = 2 }), "unseen", "the other report leaves out 2 findings of lower severity"},
		"new in a table that was not told of before is noted": {with(night(), func(d *Digest) { d.Targets = nil }), night(hot(detect.Low)), "new", "the other report tells nothing of this table"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := Compare(tc.before, tc.after).Changes
			if len(got) != 1 || got[0].Change.String() != tc.want || got[0].Because != tc.because {
				t.Errorf("got %d changes, the first %v because %q; want %s because %q", len(got), got[:min(1, len(got))], got[0].Because, tc.want, tc.because)
			}
		})
	}
}

func TestChangesStandInOrderOfKindThenOfTheirReport(t *testing.T) {
	at := func(key string, s detect.Severity) Finding { return trouble("hot-partition", orders, key, s) }
	c := Compare(night(at("gone", detect.High), at("same", detect.High), at("worse", detect.Low)),
		night(at("same", detect.High), at("new1", detect.High), at("worse", detect.Medium), at("new2", detect.Low)))
	got := []string{}
	for _, x := range c.Changes {
		got = append(got, x.Change.String()+" "+string(x.Finding.Subject.Key))
	}
	if d := cmp.Diff(got, []string{"new new1", "new new2", "worse worse", "gone gone", "unchanged same"}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if c.Count(New) != 2 || c.Count(Unseen) != 0 {
		t.Errorf("%d new and %d unseen, want 2 and 0", c.Count(New), c.Count(Unseen))
	}
}

func TestADigestLeavesOutWhatComparingDoesNotNeed(t *testing.T) {
	f := trouble("hot-partition", orders, "k", detect.High, seen("requests", "requests", 5, 0, 0))
	f.Proposals, f.Series, f.Evidence[0].Positions = []detect.Proposal{{}}, []uint64{1}, []ingest.Position{{}}
	r := &Report{Findings: []Finding{f}, Tables: []Table{{Target: orders}}}
	d := r.Digest()
	if got := d.Findings[0]; got.Proposals != nil || got.Series != nil || got.Evidence[0].Positions != nil || got.ID != f.ID {
		t.Errorf("got %+v", got)
	}
	if f.Evidence[0].Positions == nil || !slices.Equal(d.Targets, []detect.Target{orders}) {
		t.Error("the report was changed, or its tables are lost")
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"keyheat.report/2"}`: `schema "keyheat.report/2": must be keyheat.report/1`,
		`{"schema":"keyheat.report/1","findings":[{"id":"a","rule":"b","severity":"bad"}]}`:                                            "finding 1: must have id, rule and a severity of low to critical",
		`{"schema":"keyheat.report/1","findings":[{"id":"a","rule":"b","severity":"low","evidence":[{"value":-1,"low":0,"high":0}]}]}`: `finding 1: "-1": must be a number of 0 or more, without exponent`,
	} {
		if _, err := ReadDigest([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
