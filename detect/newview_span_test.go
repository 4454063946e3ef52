package detect

import (
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

func TestSpanOfMetricsStandsForThatOfEvents(t *testing.T) {
	points := []PointStats{
		{Target: Target{Store: ingest.DynamoDB}, Values: []PointValue{{Unix: 0}, {Unix: 120, Seconds: 60}, {Unix: 300, Seconds: 60}}},
		{Target: Target{Store: ingest.Cassandra}, Values: []PointValue{{Unix: 7, Seconds: 900}}},
	}
	p := NewBuilder(smallSettings()).seal(nil)
	p.Points = points
	if got, want := NewView(p, nil, DefaultLimits(), Rate{}).Span, (Span{120, 360}); got != want {
		t.Errorf("metrics alone: got %v, want %v", got, want)
	}
	p.First, p.Last = 5000*second, 6000*second
	if got, want := NewView(p, nil, DefaultLimits(), Rate{}).Span, (Span{5000, 6001}); got != want {
		t.Errorf("beside events: got %v, want %v", got, want)
	}
}
