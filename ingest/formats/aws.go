package formats

import (
	"bytes"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

const (
	causeAWSJSON  = "broken JSON"
	causeAWSValue = "number not understood"
	skipAWSText   = "text around JSON"
	skipAWSOther  = "JSON of another kind"

	// sourceCollectionRefuse is what tells that an item collection is full: a write that was refused for it.
	sourceCollectionRefuse = "refused write"
)

// An awsPlace gives the positions of what stands within a record.
type awsPlace struct {
	at   ingest.Position
	data []byte
	seen int    // offset up to which lines are counted
	line uint64 // line ends before it
}

func (p *awsPlace) begin(rec *ingest.Record) { *p = awsPlace{at: rec.At, data: rec.Data} }

// of gives the position of data[offset]. It is quick for offsets that ascend.
func (p *awsPlace) of(offset int) ingest.Position {
	offset = min(offset, len(p.data))
	if offset < p.seen {
		p.seen, p.line = 0, 0
	}
	p.line += uint64(bytes.Count(p.data[p.seen:offset], []byte{'\n'}))
	p.seen = offset
	at := p.at
	at.Byte += uint64(offset)
	if at.Line > 0 {
		at.Line += p.line
	}
	return at
}

// awsVerdict judges the beginning of an input for the format that reads JSON of one kind.
func awsVerdict(head []byte, kind awsjson.Kind, what string) ingest.Verdict {
	if awsjson.Classify(head) == kind {
		return ingest.Verdict{Fit: ingest.Certain, Why: what}
	}
	if awsjson.ClassifyAmid(head) == kind {
		return ingest.Verdict{Fit: ingest.Possible, Why: what + ", with other text around"}
	}
	return ingest.Verdict{Fit: ingest.No, Why: "no " + what}
}

// awsPartition gives the name of the attribute that is the partition key of a table, where the user or a
// description of the table told it; else it is empty.
func awsPartition(o *ingest.DecodeOptions, table []byte) string {
	if name := o.Map["pk"]; name != "" {
		return name
	}
	if len(table) == 0 && len(o.PartitionKeys) == 1 { // a single table that is described is the one that is meant
		for _, name := range o.PartitionKeys {
			return name
		}
	}
	return o.PartitionKeys[string(table)]
}

// awsOnlyTable gives the name of the single table that is described, for records that name none; nil when there are several.
func awsOnlyTable(o *ingest.DecodeOptions) []byte {
	if len(o.PartitionKeys) == 1 {
		for table := range o.PartitionKeys {
			return []byte(table)
		}
	}
	return nil
}

// awsKeyBuffers holds the key of an event until the next one is made.
type awsKeyBuffers struct{ part, key, sort []byte }

// set gives e the key of an item, as far as it is known which of the attributes is which, and reports
// whether the partition key is.
func (b *awsKeyBuffers) set(e *ingest.Event, attrs []awsjson.Attribute, partition string) (hash int) {
	hash, sort := awsjson.Roles(attrs, partition)
	if hash < 0 || attrs[hash].Kind == 0 {
		return -1
	}
	b.part = attrs[hash].Append(b.part[:0])
	b.key = ingest.AppendKey(b.key[:0], b.part)
	e.Key, e.KeyKnown = b.key, true
	if sort >= 0 && attrs[sort].Kind != 0 {
		b.sort = attrs[sort].Append(b.sort[:0])
		e.SortKey = b.sort
	}
	return hash
}

// awsProblem hands over a problem of a record, with the beginning of text.
func awsProblem(to ingest.Sink, at ingest.Position, cause string, text []byte) {
	text = text[:min(len(text), ingest.MaxProblemText)]
	to.Problem(ingest.Problem{Cause: cause, Text: string(bytes.ToValidUTF8(text, []byte("?"))), At: at})
}

// awsBroken hands over that a record is no whole JSON, unless it only opens what the next lines hold, a record each:
//
//	{"Records":[
func awsBroken(to ingest.Sink, at ingest.Position, record []byte) {
	text := bytes.TrimRight(record, " \t\r\n")
	if bytes.HasSuffix(text, []byte("[")) && bytes.Count(text, []byte("[")) == 1 && bytes.Count(text, []byte("{")) == 1 {
		to.Skip(skipAWSText)
		return
	}
	awsProblem(to, at, causeAWSJSON, record)
}

// awsTime reads a time in any of the ways that services, SDKs and command lines print them; some print
// numbers with an exponent.
func awsTime(p *ingest.TimeParser, text []byte) (unixNano int64, cause string) {
	if i := bytes.IndexAny(text, "eE"); i > 0 && text[0]-'0' <= 9 {
		if seconds, err := strconv.ParseFloat(string(text), 64); err == nil && seconds > 0 && seconds < 1e18 {
			var buf [32]byte
			return p.Parse(strconv.AppendFloat(buf[:0], seconds, 'f', -1, 64))
		}
	}
	return p.Parse(text)
}
