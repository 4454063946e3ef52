package detect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// pointsByQuery gives the series of metrics. Results of CloudWatch name no table: those whose Id a query
// has, in whatever input, are under the table, metric and statistic of that query. An Id that queries use
// for unlike things tells nothing.
func pointsByQuery(points []PointStats, facts []FactStats) []PointStats {
	queries := map[string]*FactStats{}
	for i := range facts {
		if f := &facts[i]; f.Name == ingest.FactMetricQuery {
			if _, twice := queries[f.Node]; twice || f.Other != "" {
				f = nil
			}
			queries[facts[i].Node] = f
		}
	}
	if len(queries) == 0 {
		return points
	}
	var out []PointStats
	var lost Lost // nothing is: the series are no more than before
	for _, p := range points {
		if q := queries[p.Node]; q != nil && p.Target.Table == "" {
			p = p.of(q)
		}
		out = joinPoint(out, &p, &lost)
	}
	return out
}

// of gives p under what a query says it is, unless it is a series of another metric.
func (p PointStats) of(q *FactStats) PointStats {
	said := strings.Split(q.Value, " ")
	if len(said) != 4 || p.Name != "" && p.Name != said[0] {
		return p
	}
	p.Target, p.Node, p.Name, p.Stat = q.Target, said[3], said[0], said[1]
	p.Values = slices.Clone(p.Values)
	if seconds, err := strconv.ParseUint(said[2], 10, 32); err == nil {
		for i := range p.Values {
			p.Values[i].Seconds = uint32(seconds)
		}
	}
	return p
}
