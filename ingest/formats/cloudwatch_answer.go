package formats

import (
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// answer reads an object with results, and passes queries.
func (d *cloudWatch) answer(r *awsjson.Reader) {
	begin := r.At()
	q := metricQuery{}
	var label []byte
	points, stream := -1, streamPoint{}
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		switch string(name) {
		case "MetricDataResults":
			d.results(r)
		case "Label":
			label = r.Text()
		case "Datapoints":
			points = r.At()
			r.Skip()
		default:
			stream.member(r, name, &q)
		}
	}
	switch {
	case r.Broken():
	case points >= 0:
		d.statistics(points, label)
	case len(q.name) > 0:
		d.streamed(begin, &q, &stream)
	}
}

// results reads the series of GetMetricData.
func (d *cloudWatch) results(r *awsjson.Reader) {
	if !r.Open('[') {
		return
	}
	for r.Element() {
		s := metricSeries{}
		s.read(r)
		if !r.Broken() {
			d.series(&s)
		}
	}
}

// A metricSeries is one of GetMetricData's results.
type metricSeries struct {
	id, label     []byte
	times, values int // offsets of the arrays; 0: there is none
}

func (s *metricSeries) read(r *awsjson.Reader) {
	if !r.Open('{') {
		return
	}
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "Id":
			s.id = r.Text()
		case "Label":
			s.label = r.Text()
		case "Timestamps":
			r.Peek()
			s.times = r.At()
			r.Skip()
		case "Values":
			r.Peek()
			s.values = r.At()
			r.Skip()
		default:
			r.Skip()
		}
	}
}

func (d *cloudWatch) series(s *metricSeries) {
	d.said = true
	known := false
	if q := d.query(s.id); q != nil {
		known = d.describe(q)
	} else {
		known = d.label(s.label, s.id)
	}
	if !known || s.times == 0 || s.values == 0 {
		d.to.Skip(skipMetricUnknown)
		return
	}
	times, values := awsjson.Read(d.place.data, s.times), awsjson.Read(d.place.data, s.values)
	times.Open('[')
	values.Open('[')
	n := 0
	for ; times.Element() && values.Element(); n++ {
		at := values.At()
		d.emit(at, times.Text(), values.Text())
	}
	if n == 0 {
		d.to.Skip(skipMetricEmpty)
	}
}

// statistics reads the datapoints of GetMetricStatistics, of which each has one or more statistics.
func (d *cloudWatch) statistics(at int, label []byte) {
	d.said = true
	if !d.label(label, nil) {
		d.to.Skip(skipMetricUnknown)
		return
	}
	r := awsjson.Read(d.place.data, at)
	r.Open('[')
	n := 0
	for ; r.Element(); n++ {
		d.datapoint(&r)
	}
	if n == 0 {
		d.to.Skip(skipMetricEmpty)
	}
}

// datapoint hands over the statistics of the object that comes next; its time may stand behind them.
func (d *cloudWatch) datapoint(r *awsjson.Reader) {
	ahead := *r
	when := ahead.Find("Timestamp")
	at := r.At()
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		if string(name) == "ExtendedStatistics" && r.Peek() == '{' {
			r.Open('{')
			for {
				name, ok := r.Member()
				if !ok {
					break
				}
				d.statistic(name, at, when, r.Text())
			}
			continue
		}
		d.statistic(name, at, when, r.Text())
	}
}

func (d *cloudWatch) statistic(name []byte, at int, when, value []byte) {
	if d.point.Stat = awsjson.Statistic(name); d.point.Stat != "" {
		d.emit(at, when, value)
	}
}

// A streamPoint is a record of a metric stream, which covers a minute.
type streamPoint struct {
	time   []byte
	values [4]streamValue
	n      int
}

type streamValue struct{ name, value []byte }

func (s *streamPoint) member(r *awsjson.Reader, name []byte, q *metricQuery) {
	switch string(name) {
	case "namespace":
		q.namespace = r.Text()
	case "metric_name":
		q.name = r.Text()
	case "dimensions":
		q.dimensions(r)
	case "timestamp":
		s.time = r.Text()
	case "value":
		s.read(r)
	default:
		r.Skip()
	}
}

// read reads {"max":…,"min":…,"sum":…,"count":…}; percentiles may stand among them.
func (s *streamPoint) read(r *awsjson.Reader) {
	if !r.Open('{') {
		return
	}
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		value := r.Text()
		if awsjson.Statistic(name) != "" && s.n < len(s.values) {
			s.values[s.n] = streamValue{name, value}
			s.n++
		}
	}
}

func (d *cloudWatch) streamed(begin int, q *metricQuery, s *streamPoint) {
	d.said = true
	d.period = 60
	if !d.describe(q) {
		d.to.Skip(skipMetricOther)
		return
	}
	for _, v := range s.values[:s.n] {
		d.statistic(v.name, begin, s.time, v.value)
	}
	if s.n == 0 {
		d.to.Skip(skipMetricEmpty)
	}
}

// distance gives the greatest number of seconds that divides all distances of datapoints in a text, which
// is their period or, where many are missing, a multiple; 0 when there are no two.
func (d *cloudWatch) distance(data []byte) (seconds int64) {
	r := awsjson.Read(data, 0)
	last := int64(0)
	for r.Next() {
		d.distances(&r, &last, &seconds, 0)
	}
	if seconds > 86400 {
		return 0
	}
	return seconds
}

// distances looks for times in the next value.
func (d *cloudWatch) distances(r *awsjson.Reader, last, divisor *int64, depth int) {
	switch c := r.Peek(); {
	case c == '[' && depth < 6:
		r.Open('[')
		for r.Element() {
			d.distances(r, last, divisor, depth+1)
		}
	case c == '{' && depth < 6:
		r.Open('{')
		for {
			name, ok := r.Member()
			if !ok {
				return
			}
			switch {
			case string(name) == "Timestamp":
				d.near(r.Text(), last, divisor)
			case string(name) == "Timestamps" && r.Peek() == '[':
				r.Open('[')
				for r.Element() {
					d.near(r.Text(), last, divisor)
				}
			default:
				d.distances(r, last, divisor, depth+1)
			}
		}
	default:
		r.Skip()
	}
}

// near takes the distance between a time and the one before it.
func (d *cloudWatch) near(text []byte, last, divisor *int64) {
	nanos, cause := awsTime(&d.times, text)
	if cause != "" {
		return
	}
	seconds := nanos / 1e9
	if *last != 0 {
		*divisor = awsDivisor(*divisor, max(seconds-*last, *last-seconds))
	}
	*last = seconds
}

func awsDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
