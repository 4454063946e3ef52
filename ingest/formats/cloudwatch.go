package formats

import (
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// CloudWatch is metrics of DynamoDB from CloudWatch.
var CloudWatch = ingest.Format{
	Name:     "cloudwatch-metrics",
	Title:    "CloudWatch metrics of DynamoDB",
	Coverage: ingest.StateOnly,
	Carries:  []string{"time", "table", "index", "capacity", "throttles"},
	Doc: `Output of "aws cloudwatch get-metric-data" and "get-metric-statistics", the queries of the former, and records of a
metric stream in JSON (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html):

    {"MetricDataResults":[{"Id":"m4","Label":"WriteThrottleEvents Sum","Timestamps":[…],"Values":[…]}]}
    {"Label":"ConsumedWriteCapacityUnits","Datapoints":[{"Timestamp":…,"Sum":182605.0,"Unit":"Count"}]}

Results do not say which table they are of: give the file of the queries (--metric-data-queries) with them, or keep the
answer together with its queries in one object. The metric is known from the query, else from the label; the period from
the query, else from the distances of the datapoints. A period without a datapoint is not known, and not zero.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		return awsVerdict(head, awsjson.Metrics, "CloudWatch metrics")
	},
	Begins: awsjson.Begins,
	Long:   true,
	New: func(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		return &cloudWatch{times: ingest.TimeParser{Location: o.Location}}, nil
	},
}

const (
	skipMetricUnknown = "series of another metric"
	skipMetricOther   = "metric of another service"
	skipMetricEmpty   = "no datapoints"
)

// cloudWatch decodes metrics.
type cloudWatch struct {
	times   ingest.TimeParser
	point   ingest.Point
	fact    ingest.Fact
	place   awsPlace
	to      ingest.Sink
	said    bool
	queries []metricQuery
	value   []byte // of a fact
	period  int64  // seconds, from the distances of datapoints; 0: unknown
}

// A metricQuery says what a series is.
type metricQuery struct {
	id, namespace, name, stat []byte
	table, index, operation   []byte
	period                    []byte
	at                        int
}

// Decode gives the datapoints and queries of a JSON text.
func (d *cloudWatch) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	d.to, d.said, d.queries = to, false, d.queries[:0]
	r := awsjson.Read(rec.Data, 0)
	for r.Next() {
		d.findQueries(&r, 0)
	}
	d.tellQueries()
	d.period = d.distance(rec.Data)
	r = awsjson.Read(rec.Data, 0)
	for r.Next() {
		d.answer(&r)
	}
	switch {
	case r.Broken():
		awsBroken(to, d.place.of(r.At()), rec.Data)
	case !d.said:
		to.Skip(skipMetricEmpty)
	}
}

// findQueries collects the objects with a MetricStat.
func (d *cloudWatch) findQueries(r *awsjson.Reader, depth int) {
	switch c := r.Peek(); {
	case c == '[' && depth < 4:
		r.Open('[')
		for r.Element() {
			d.findQueries(r, depth+1)
		}
	case c == '{' && depth < 4:
		q := metricQuery{at: r.At()}
		known := false
		r.Open('{')
		for {
			name, ok := r.Member()
			if !ok {
				break
			}
			switch string(name) {
			case "Id":
				q.id = r.Text()
			case "MetricStat":
				known = true
				q.metricStat(r)
			case "MetricDataResults":
				r.Skip()
			default:
				d.findQueries(r, depth+1)
			}
		}
		if known && !r.Broken() {
			d.queries = append(d.queries, q)
		}
	default:
		r.Skip()
	}
}

// metricStat reads a MetricStat with the Metric in it, whose members have names of their own.
func (q *metricQuery) metricStat(r *awsjson.Reader) {
	if !r.Open('{') {
		return
	}
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "Metric":
			q.metricStat(r)
		case "Namespace":
			q.namespace = r.Text()
		case "MetricName":
			q.name = r.Text()
		case "Stat":
			q.stat = r.Text()
		case "Period":
			q.period = r.Text()
		case "Dimensions":
			q.dimensions(r)
		default:
			r.Skip()
		}
	}
}

// dimensions reads [{"Name":…,"Value":…}], or an object by name as in metric streams.
func (q *metricQuery) dimensions(r *awsjson.Reader) {
	if r.Peek() == '{' {
		r.Open('{')
		for {
			name, ok := r.Member()
			if !ok {
				return
			}
			q.dimension(name, r.Text())
		}
	}
	if !r.Open('[') {
		return
	}
	for r.Element() {
		var name, value []byte
		if !r.Open('{') {
			continue
		}
		for {
			member, ok := r.Member()
			if !ok {
				break
			}
			text := r.Text()
			switch string(member) {
			case "Name":
				name = text
			case "Value":
				value = text
			}
		}
		q.dimension(name, value)
	}
}

func (q *metricQuery) dimension(name, value []byte) {
	switch string(name) {
	case "TableName":
		q.table = value
	case "GlobalSecondaryIndexName":
		q.index = value
	case "Operation":
		q.operation = value
	}
}

// tellQueries hands over what each Id stands for, for results that come in another input.
func (d *cloudWatch) tellQueries() {
	for i := range d.queries {
		q := &d.queries[i]
		d.said = true
		if string(q.namespace) != "AWS/DynamoDB" {
			d.to.Skip(skipMetricOther)
			continue
		}
		d.value = append(append(append(d.value[:0], q.name...), ' '), awsjson.Statistic(q.stat)...)
		d.value = append(append(append(d.value, ' '), q.period...), ' ')
		d.value = append(d.value, q.operation...)
		d.fact = ingest.Fact{
			Store: ingest.DynamoDB, Table: q.table, Index: q.index, Node: q.id, Name: ingest.FactMetricQuery,
			Value: d.value, At: d.place.of(q.at),
		}
		d.to.Fact(&d.fact)
	}
}

// query gives what the series with this Id is, nil when no query tells it.
func (d *cloudWatch) query(id []byte) *metricQuery {
	for i := range d.queries {
		if string(d.queries[i].id) == string(id) {
			return &d.queries[i]
		}
	}
	return nil
}

// describe makes point one of a series that a query describes.
func (d *cloudWatch) describe(q *metricQuery) (known bool) {
	d.point = ingest.Point{Store: ingest.DynamoDB, Table: q.table, Index: q.index, Node: q.operation, Name: q.name}
	d.point.Stat = awsjson.Statistic(q.stat)
	d.point.Seconds = uint32(max(d.period, 0))
	if seconds, err := strconv.ParseUint(string(q.period), 10, 32); err == nil {
		d.point.Seconds = uint32(seconds)
	}
	return len(q.namespace) == 0 || string(q.namespace) == "AWS/DynamoDB"
}

// label makes point one of a series of which only the label is known; id tells it from others. A label
// may hold any part of what the series is: without the name of a metric only a query can tell what it is.
func (d *cloudWatch) label(label, id []byte) (known bool) {
	name := awsjson.MetricIn(label)
	d.point = ingest.Point{Node: id, Name: name, Seconds: uint32(d.period), Stat: awsjson.StatisticIn(label)}
	if name == nil {
		return len(id) > 0
	}
	d.point.Store = ingest.DynamoDB
	if d.point.Stat == "" && awsjson.Counts(name) {
		d.point.Stat = "sum"
	}
	return true
}

// emit hands over a datapoint of the series that point describes.
func (d *cloudWatch) emit(at int, when, value []byte) {
	d.point.At = d.place.of(at)
	nanos, cause := awsTime(&d.times, when)
	milli, ok := awsjson.Milli(value)
	switch {
	case cause != "":
		awsProblem(d.to, d.point.At, cause, when)
		return
	case !ok:
		awsProblem(d.to, d.point.At, causeAWSValue, value)
		return
	}
	d.point.UnixNano, d.point.Milli = nanos, milli
	d.to.Point(&d.point)
}
