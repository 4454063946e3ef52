package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyheat/keyheat/ingest"
)

func TestSeriesWithoutTableAreThoseOfTheQueryWithTheirID(t *testing.T) {
	orders := Target{Store: ingest.DynamoDB, Table: "Orders", Index: ""}
	query := func(of Target, id, value string) FactStats {
		return FactStats{Target: of, Node: id, Name: ingest.FactMetricQuery, Value: value}
	}
	series := func(id, name string, values ...PointValue) PointStats {
		return PointStats{Target: Target{Store: ingest.DynamoDB}, Node: id, Name: name, Values: values}
	}
	at := func(unix, seconds uint32) PointValue { return PointValue{unix, seconds, 1000} }
	for _, c := range []struct {
		name   string
		points []PointStats
		facts  []FactStats
		want   []PointStats
	}{
		{
			"a query tells table, statistic, period and operation",
			[]PointStats{series("m1", "ThrottledRequests", at(60, 0))},
			[]FactStats{query(orders, "m1", "ThrottledRequests sum 60 PutItem")},
			[]PointStats{{Target: orders, Node: "PutItem", Name: "ThrottledRequests", Stat: "sum", Values: []PointValue{at(60, 60)}}},
		},
		{
			"a query tells the metric where the label did not",
			[]PointStats{series("m1", "", at(60, 60))},
			[]FactStats{query(orders, "m1", "WriteThrottleEvents sum 60 ")},
			[]PointStats{{Target: orders, Name: "WriteThrottleEvents", Stat: "sum", Values: []PointValue{at(60, 60)}}},
		},
		{
			"a query of another metric tells nothing",
			[]PointStats{series("m1", "ReadThrottleEvents", at(60, 60))},
			[]FactStats{query(orders, "m1", "WriteThrottleEvents sum 60 ")},
			[]PointStats{series("m1", "ReadThrottleEvents", at(60, 60))},
		},
		{
			"an Id that stands for two things tells nothing",
			[]PointStats{series("m1", "ReadThrottleEvents", at(60, 60))},
			[]FactStats{query(orders, "m1", "ReadThrottleEvents sum 60 "), query(Target{Store: ingest.DynamoDB, Table: "Music", Index: ""}, "m1", "ReadThrottleEvents sum 60 ")},
			[]PointStats{series("m1", "ReadThrottleEvents", at(60, 60))},
		},
		{
			"series that turn out to be one are joined",
			[]PointStats{series("a", "ReadThrottleEvents", at(60, 60)), series("b", "ReadThrottleEvents", at(120, 60))},
			[]FactStats{query(orders, "a", "ReadThrottleEvents sum 60 "), query(orders, "b", "ReadThrottleEvents sum 60 ")},
			[]PointStats{{Target: orders, Name: "ReadThrottleEvents", Stat: "sum", Values: []PointValue{at(60, 60), at(120, 60)}}},
		},
	} {
		if diff := cmp.Diff(pointsByQuery(c.points, c.facts), c.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", c.name, diff)
		}
	}
}
