package nightly

import (
	"fmt"
	"testing"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report"
)

// BenchmarkFourHundredNights makes the trend and the history of a job with 100 tables, 2,000 sizes and 100
// findings a night.
func BenchmarkFourHundredNights(b *testing.B) {
	nights := []*Night{}
	for n := range 400 {
		night := aNight(day(1).AddDate(0, 0, n).Format("2006-01-02"))
		for i := range 2000 {
			target := detect.Target{Store: ingest.Cassandra, Table: fmt.Sprint("t", i%100)}
			night.Sizes = append(night.Sizes, Size{Target: target, Key: fmt.Append(nil, i), KeyKnown: true, Measure: "partition_bytes", Value: uint64(1000 + n*i), Limit: 1 << 30})
			if i < 100 {
				night.Digest.Targets = append(night.Digest.Targets, target)
				s := detect.Subject{Target: target, Key: fmt.Append(nil, i+n%7), HasKey: true}
				night.Digest.Findings = append(night.Digest.Findings, report.Finding{ID: report.FindingID("r", s), Finding: detect.Finding{Rule: "r", Severity: detect.Low, Subject: s}})
			}
		}
		nights = append(nights, night)
	}
	j := &Job{Name: "job"}
	for b.Loop() {
		trendOf(j, nights)
		if _, err := history("job", nights); err != nil {
			b.Fatal(err)
		}
	}
}
