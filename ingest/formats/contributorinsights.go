package formats

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// ContributorInsights is a report of the keys of a table that consumed most, or were throttled most.
var ContributorInsights = ingest.Format{
	Name:     "contributor-insights",
	Title:    "reports of CloudWatch Contributor Insights for DynamoDB",
	Coverage: ingest.Selected,
	Carries:  []string{"time", "partition key", "sort key", "units", "throttles"},
	Doc: `Output of "aws cloudwatch get-insight-rule-report" for a rule of DynamoDB
(https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html):

    {"KeyLabels":["PartitionKey","SortKey"],"AggregateValue":412345.0,"Contributors":[
      {"Keys":["TENANT#17","ORDER#1"],"ApproximateAggregateValue":181200.0,"Datapoints":[{"Timestamp":…,"ApproximateValue":178000.0}]}]}

The keys are the largest 25 at most, so they are a selection. A report does not say of which rule and table it is: put
"RuleName":"DynamoDBContributorInsights-PKT-Orders-1791501766746" into its object to say so, or give its file that name, or leave the command in front of it.
Rules of an index name it behind the table, and are told apart where the table is described. Rules PKT and SKT count
throttled requests. PKC and SKC, and reports without a rule, count capacity: three times the write units plus the read
units, told as read units, of which a partition serves 3,000 a second.`,
	Sniff: func(head []byte, _ ingest.DecodeOptions) ingest.Verdict {
		return awsVerdict(head, awsjson.Insights, "report of Contributor Insights")
	},
	Begins: awsjson.Begins,
	Long:   true,
	New: func(head []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
		d := &contributorInsights{times: ingest.TimeParser{Location: o.Location}, named: ruleIn(o.Input), indexes: o.Indexes}
		if d.named == nil {
			d.named = onlyRule(head)
		}
		return d, nil
	},
}

const (
	skipNoContributors = "report without contributors"
	insightsPrefix     = "DynamoDBContributorInsights-"
	roleInsightsKeys   = "contributor-insights"
	roleInsightsItems  = "contributor-insights by sort key"
)

// contributorInsights decodes reports.
type contributorInsights struct {
	times    ingest.TimeParser
	event    ingest.Event
	key      []byte
	part     []byte
	sort     []byte
	place    awsPlace
	to       ingest.Sink
	events   int
	table    []byte
	index    []byte
	throttle bool
	named    []byte // the rule that the name of the input tells, or its text
	indexes  map[string][]ingest.SecondaryIndex
}

// ruleIn gives the rule that a file is named for, empty when it is not.
func ruleIn(input string) []byte {
	base := path.Base(filepath.ToSlash(input))
	i := strings.Index(base, insightsPrefix)
	if i < 0 {
		return nil
	}
	name, _, _ := strings.Cut(base[i:], ".")
	return []byte(name)
}

// onlyRule gives the rule that the command in front of a report names; nil when the text names several.
func onlyRule(head []byte) (rule []byte) {
	if i := bytes.Index(head, []byte(insightsPrefix)); i > bytes.IndexByte(head, '{') {
		return nil
	}
	for {
		i := bytes.Index(head, []byte(insightsPrefix))
		if i < 0 {
			return rule
		}
		head = head[i:]
		n := len(insightsPrefix)
		for n < len(head) && isRuleByte(head[n]) {
			n++
		}
		if rule != nil && !bytes.Equal(rule, head[:n]) {
			return nil
		}
		rule, head = bytes.Clone(head[:n]), head[n:]
	}
}

// isRuleByte reports whether the names of tables and indexes may hold c.
func isRuleByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' <= 9 || c == '-' || c == '_' || c == '.'
}

// Decode gives an event for each datapoint of each contributor.
func (d *contributorInsights) Decode(rec *ingest.Record, to ingest.Sink) {
	d.place.begin(rec)
	d.to, d.events = to, 0
	r := awsjson.Read(rec.Data, 0)
	for r.Next() {
		ahead := r
		if name := ahead.Find("RuleName"); name != nil {
			d.rule(name)
		} else {
			d.rule(d.named)
		}
		d.report(&r)
	}
	switch {
	case r.Broken():
		awsBroken(to, d.place.of(r.At()), rec.Data)
	case d.events == 0:
		to.Skip(skipNoContributors)
	}
}

// rule takes what the name of a rule tells: DynamoDBContributorInsights-PKT-Orders-1791501766746. For an
// index it is the table's name and the index's, told apart where the table is described.
func (d *contributorInsights) rule(name []byte) {
	d.table, d.index, d.throttle = nil, nil, false
	rest, ok := bytes.CutPrefix(name, []byte(insightsPrefix))
	if !ok || len(rest) < 4 {
		return
	}
	d.throttle = rest[2] == 'T'
	rest = rest[4:]
	if i := bytes.LastIndexByte(rest, '-'); i > 0 {
		rest = rest[:i]
	}
	d.table = rest
	if size, fits := d.described(string(rest)); fits == 1 {
		d.table, d.index = rest[:size], rest[size+1:]
	}
}

// described gives how long the name of the described table is that, with one of its global indexes, makes the name of a
// rule's resource, and of how many tables that holds.
func (d *contributorInsights) described(resource string) (size, fits int) {
	for table, indexes := range d.indexes {
		after, found := strings.CutPrefix(resource, table+"-")
		if found && slices.ContainsFunc(indexes, func(x ingest.SecondaryIndex) bool { return !x.Local && x.Name == after }) {
			size, fits = len(table), fits+1
		}
	}
	return size, fits
}

func (d *contributorInsights) report(r *awsjson.Reader) {
	r.Open('{')
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		if string(name) != "Contributors" {
			r.Skip()
			continue
		}
		for r.Open('['); r.Element(); {
			d.contributor(r)
		}
	}
}

// contributor reads one key and what it counts, in total and by period.
func (d *contributorInsights) contributor(r *awsjson.Reader) {
	at := r.At()
	var total []byte
	points := awsjson.Reader{}
	keys, parts := awsjson.Reader{}, 0
	if !r.Open('{') {
		return
	}
	for {
		name, ok := r.Member()
		if !ok {
			break
		}
		switch string(name) {
		case "Keys":
			r.Peek()
			keys, parts = *r, 1
			r.Skip()
		case "ApproximateAggregateValue":
			total = r.Text()
		case "Datapoints":
			points = *r
			r.Skip()
		default:
			r.Skip()
		}
	}
	if parts == 0 || r.Broken() {
		return
	}
	d.name(&keys)
	n := d.datapoints(&points, at)
	if n == 0 {
		d.emit(at, nil, total)
	}
}

// name sets the key of the event.
func (d *contributorInsights) name(keys *awsjson.Reader) {
	e := &d.event
	e.Reset()
	e.Store, e.Coverage, e.Role, e.Table = ingest.DynamoDB, ingest.Selected, roleInsightsKeys, d.table
	e.Index = d.index
	keys.Open('[')
	for n := 0; keys.Element(); n++ {
		text := keys.Text()
		switch n {
		case 0:
			d.part = ingest.AppendUnquoted(d.part[:0], text)
			d.key = ingest.AppendKey(d.key[:0], d.part)
			e.Key, e.KeyKnown = d.key, true
		case 1:
			d.sort = ingest.AppendUnquoted(d.sort[:0], text)
			e.SortKey, e.Role = d.sort, roleInsightsItems
		}
	}
}

func (d *contributorInsights) datapoints(r *awsjson.Reader, at int) (n int) {
	if r.Peek() != '[' {
		return 0
	}
	r.Open('[')
	for ; r.Element(); n++ {
		ahead := *r
		when := ahead.Find("Timestamp")
		d.emit(at, when, r.Find("ApproximateValue"))
	}
	return n
}

// emit hands over what a key counts in one period, or in all.
func (d *contributorInsights) emit(at int, when, value []byte) {
	d.events++
	e := &d.event
	e.At = d.place.of(at)
	milli, ok := awsjson.Milli(value)
	if !ok {
		awsProblem(d.to, e.At, causeAWSValue, value)
		return
	}
	if when != nil {
		nanos, cause := awsTime(&d.times, when)
		if cause != "" {
			awsProblem(d.to, e.At, cause, when)
			return
		}
		e.SetTime(nanos)
	}
	if d.throttle {
		e.Throttle, e.Requests = ingest.ThrottledUnknown, (milli+500)/1000
	} else {
		e.SetReadUnits(milli)
	}
	d.to.Event(e)
}
