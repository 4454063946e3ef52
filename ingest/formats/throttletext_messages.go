package formats

import (
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// messages reads what CloudWatch Logs answers or hands on: an object with a list of events, each a time in milliseconds
// and a message, which is a record. It reports whether the record is such a list.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
func (d *throttleText) messages(rec *ingest.Record, to ingest.Sink) (found bool) {
	r := awsjson.Read(rec.Data, 0)
	for r.Open('{'); ; {
		name, ok := r.Member()
		switch {
		case !ok:
			return found
		case string(name) != "events" && string(name) != "logEvents" || r.Peek() != '[':
			r.Skip()
			continue
		}
		for r.Open('['); r.Element(); {
			found = d.message(rec, &r, to) || found
		}
	}
}

// message reads one event of the list; its place is that of the list.
func (d *throttleText) message(rec *ingest.Record, r *awsjson.Reader, to ingest.Sink) bool {
	ahead := *r
	text := ahead.Find("message")
	nanos, _ := d.times.Parse(r.Find("timestamp"))
	if len(text) == 0 {
		return false
	}
	d.text = ingest.AppendUnquoted(d.text[:0], text)
	d.inside = true
	d.Decode(&ingest.Record{Data: d.text, At: rec.At, UnixNano: nanos, Node: rec.Node}, to)
	d.inside = false
	return true
}
