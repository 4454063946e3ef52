package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// KeyEventsNDJSON is the generic format as JSON: one object a line, one record each.
var KeyEventsNDJSON = ingest.Format{
	Name:     "key-events-ndjson",
	Title:    "key events, one JSON object a line",
	Coverage: ingest.Traffic,
	Carries:  keyEventsCarry,
	Doc: `One JSON object a line (https://github.com/ndjson/ndjson-spec), made from an application's own log, a
warehouse or a proxy; also a JSON array with one object a line.

    {"ts":"2026-03-01T10:00:00.123Z","table":"orders","op":"read","key":"CUSTOMER#42","bytes":512}
` + keyEventNames,
	Sniff: sniffNDJSON,
	Alike: true,
	New:   newNDJSON,
}

const (
	causeAfter = "text after the JSON object"

	skipBracket = "bracket of a JSON array"
)

// ndjson decodes one object a record. The fast way expects the record to look like one seen before, and
// leaves what differs to the general way; both hand their values to row.
type ndjson struct {
	row
	plan  *plan
	shape shape
	miss  uint32 // records since the last hit that the shape did not fit
	learn uint32 // misses at which the next shape is learned
	runs  runs
}

func newNDJSON(_ []byte, o ingest.DecodeOptions) (ingest.Decoder, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	return p.ndjson(o), nil
}

func (p *plan) ndjson(o ingest.DecodeOptions) *ndjson {
	d := &ndjson{plan: p, learn: 1}
	d.times.Location = o.Location
	d.compose(p)
	return d
}

// Decode gives the event of a record, or the problem with it, or skips it.
func (d *ndjson) Decode(rec *ingest.Record, to ingest.Sink) {
	if d.steady {
		d.again(rec.At)
		if d.fast(rec.Data) {
			d.finishSteady(rec, to)
			return
		}
	}
	d.begin(rec.At)
	if d.fast(rec.Data) {
		d.miss = 0
		d.finish(rec, to)
		d.steady = d.steady && d.seen == d.shape.fields
		return
	}
	d.begin(rec.At)
	if d.general(rec, to) {
		d.relearn(rec.Data)
		d.finish(rec, to)
		d.steady = false
	}
}

// relearn takes the shape of a record when the one at hand has not fitted for long; the more often
// that was in vain, the longer.
func (d *ndjson) relearn(data []byte) {
	if d.miss++; d.miss < d.learn {
		return
	}
	d.shape.learn(data, d.plan)
	d.miss, d.learn = 0, min(d.learn*2, 1<<12)
}

// general reads any record; it reports whether there is an event to finish.
func (d *ndjson) general(rec *ingest.Record, to ingest.Sink) bool {
	data := rec.Data
	i, opened := opening(data)
	switch {
	case i == len(data):
		if opened {
			to.Skip(skipBracket)
		} else {
			to.Skip(skipEmpty)
		}
		return false
	case data[i] != '{':
		if closing(data, i) {
			to.Skip(skipBracket)
		} else {
			problem(rec, to, causeJSON, data)
		}
		return false
	}
	next, cause := d.object(data, i, &d.plan.names)
	switch {
	case cause != "":
		problem(rec, to, cause, d.bad)
		return false
	case !closing(data, next):
		problem(rec, to, causeAfter, data[next:])
		return false
	}
	return true
}

// closing reports whether nothing follows but a comma or the bracket that ends an array.
func closing(data []byte, i int) bool {
	i = ingest.SkipSpace(data, i)
	if i < len(data) && (data[i] == ',' || data[i] == ']') {
		if end := data[i] == ']'; end {
			i = ingest.SkipSpace(data, i+1)
			return i == len(data) || data[i] == ',' && ingest.SkipSpace(data, i+1) == len(data)
		}
		i = ingest.SkipSpace(data, i+1)
	}
	return i == len(data)
}

// object reads the members of one object whose names are in t.
func (d *ndjson) object(data []byte, i int, t *names) (next int, cause string) {
	m := ingest.ReadJSON(data, i)
	for {
		name, kind, text, ok := m.Next()
		if !ok {
			break
		}
		e := t.find(name)
		if e == nil {
			if bytes.IndexByte(name, '\\') < 0 {
				continue
			}
			if e = t.find(d.unquote(name)); e == nil {
				continue
			}
		}
		if cause := d.value(e, kind, text); cause != "" {
			return 0, cause
		}
	}
	next, ok := m.Ended()
	if !ok {
		d.bad = data
		return 0, causeJSON
	}
	return next, ""
}

// value takes the value of a name that has a target, or names inside.
func (d *ndjson) value(e *named, kind ingest.JSONKind, text []byte) (cause string) {
	if e.sub != nil {
		switch kind {
		case ingest.JSONObject:
			_, cause = d.object(text, 0, e.sub)
		case ingest.JSONArray:
			cause = d.elements(text, e.sub)
		}
	}
	if e.target.field == fieldNone || cause != "" {
		return cause
	}
	return d.set(e.target, kind, text)
}

// elements takes the elements of an array whose numbers are in t.
func (d *ndjson) elements(text []byte, t *names) string {
	i := ingest.SkipSpace(text, 1)
	for n := 0; text[i] != ']'; n++ {
		kind, value, next := ingest.ScanJSON(text, i)
		for at := range t.entries {
			if e := &t.entries[at]; e.index == n && kind != ingest.JSONBroken {
				if cause := d.value(e, kind, value); cause != "" {
					return cause
				}
			}
		}
		if i = ingest.SkipSpace(text, next); text[i] == ',' {
			i = ingest.SkipSpace(text, i+1)
		} else if text[i] != ']' || kind == ingest.JSONBroken {
			d.bad = text
			return causeJSON
		}
	}
	return ""
}

// sniffNDJSON judges the first records of head.
func sniffNDJSON(head []byte, o ingest.DecodeOptions) ingest.Verdict {
	if ingest.RecordsOfAWS(head) {
		return ingest.Verdict{Fit: ingest.No, Why: "records in an array, as AWS delivers them"}
	}
	p, err := newPlan(o)
	if err != nil {
		return ingest.Verdict{Fit: ingest.No, Why: err.Error()}
	}
	s := survey{plan: p}
	d := p.ndjson(o)
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		i, opened := opening(line)
		if i == len(line) || opened && line[i] != '{' || line[i] == ']' {
			continue
		}
		if s.records++; s.records > surveyedRecords {
			break
		}
		same, ok := s.read(line, i)
		if !ok && s.records == 1 { // a document over several lines, some of which may look like records
			return ingest.Verdict{Fit: ingest.No, Why: "not one JSON object a line"}
		}
		switch {
		case !ok:
			s.names, s.known = s.names[:0], false
		case !same:
			s.known = s.observe(s.names)
		}
		if !ok || !s.known {
			s.foreign++
			continue
		}
		d.Decode(&ingest.Record{Data: line}, onlyEvents{&s})
	}
	if s.records == 0 || s.foreign*2 > s.records {
		return ingest.Verdict{Fit: ingest.No, Why: "not one JSON object a line"}
	}
	return s.verdict("JSON objects")
}

// read takes the names of the object at line[i], and reports whether they are those of the record before; ok is false
// when it is none.
func (s *survey) read(line []byte, i int) (same, ok bool) {
	var buf [64]byte
	m := ingest.ReadJSON(line, i)
	n := 0
	for same = true; ; n++ {
		name, _, _, ok := m.Next()
		if !ok {
			break
		}
		text := ingest.AppendUnquoted(buf[:0], name)
		if n < len(s.names) && s.names[n] == string(text) {
			continue
		}
		s.names, same = append(s.names[:n], string(text)), false
	}
	same = same && n == len(s.names)
	s.names = s.names[:n]
	_, ok = m.Ended()
	return same, ok
}
