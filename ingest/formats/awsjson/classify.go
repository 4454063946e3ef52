package awsjson

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest"
)

// A Kind is what a JSON text of AWS is about.
type Kind uint8

// The kinds that formats read. Other is JSON that is none of them, or no JSON.
const (
	Other Kind = iota
	Stream
	Trail
	Export
	Scan
	Insights
	Metrics
	Description
)

// Begins reports whether a line of a file of JSON begins a record: a line for each object, or objects
// that are spread over lines of which all but the first are indented or close it.
func Begins(line []byte) bool { return len(line) > 0 && (line[0] == '{' || line[0] == '[') }

// Classify tells what the JSON at the beginning of an input is. A beginning that is cut off in the middle
// of an object is judged by what is there.
func Classify(head []byte) Kind {
	at := firstBracket(head)
	if at < 0 {
		return Other
	}
	s := survey{r: Read(head, at)}
	for range surveyed {
		s.seen = 0
		if s.value(1); s.kind == Other {
			s.kind = s.weigh()
		}
		if s.kind != Other || !s.r.Next() {
			break
		}
	}
	return s.kind
}

// surveyed is how many values of a beginning are looked at.
const surveyed = 4

// ClassifyAmid tells what JSON stands amid other text, which the beginning of an input begins with: behind the command
// that printed it, in a page of Markdown or a program, behind the words of a log, or after the rest of a record that is
// cut. Descriptions have members that may stand in any object, so they begin a line.
func ClassifyAmid(head []byte) Kind {
	if at := ingest.SkipSpace(head, 0); at < len(head) && Begins(head[at:]) {
		return Other
	}
	at := 0
	for range surveyedAmid {
		i, first := nextValue(head, at)
		if i < 0 {
			break
		}
		s := survey{r: Read(head, i)}
		if s.value(1); s.kind == Other {
			s.kind = s.weigh()
		}
		if s.kind != Other && (first || s.kind != Description) {
			return s.kind
		}
		if at = i + 1; !s.r.Broken() {
			at = max(at, s.r.At())
		}
	}
	return Other
}

const surveyedAmid = 32

// nextValue gives where an object or an array of objects begins, from at on: the first of its line or behind text without
// quotes, which would make it a part of another. -1: nowhere.
func nextValue(head []byte, at int) (i int, first bool) {
	for ; ; at++ {
		n := bytes.IndexAny(head[min(at, len(head)):], "{[")
		if n < 0 {
			return -1, false
		}
		at += n
		next := ingest.SkipSpace(head, at+1)
		if next >= len(head) || head[next] != '"' && (head[at] != '[' || head[next] != '{') {
			continue
		}
		before := head[bytes.LastIndexByte(head[:at], '\n')+1 : at]
		if bytes.IndexByte(before, '"') < 0 {
			return at, len(bytes.TrimSpace(before)) == 0
		}
	}
}

// firstBracket gives the place of the first value: at the beginning, or else, since the first record may
// be cut off, at the beginning of a line behind one that ends as JSON does. -1: there is none.
func firstBracket(head []byte) int {
	i := ingest.SkipSpace(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), 0)
	i += len(head) - len(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")))
	if i < len(head) && Begins(head[i:]) {
		return i
	}
	for {
		n := bytes.IndexByte(head[i:], '\n')
		if n < 1 {
			return -1
		}
		last := bytes.TrimRight(head[i:i+n], "\r ,")
		i += n + 1
		if len(last) == 0 || last[len(last)-1] != '}' && last[len(last)-1] != ']' {
			return -1
		}
		if i < len(head) && Begins(head[i:]) {
			return i
		}
	}
}

// A sign is a name that tells something only together with others.
type sign uint16

const (
	signKeys sign = 1 << iota
	signImage
	signItems
	signCount
	signTyped
	signVersion
	signLabel
)

// survey walks through one value until it is clear what it is.
type survey struct {
	r    Reader
	seen sign
	kind Kind
}

// maxLevel is how deep a survey looks: {"Records":[{"dynamodb":{"Keys":...}}]} with an envelope around.
const maxLevel = 8

// value walks through the next value, at depth.
func (s *survey) value(depth int) {
	if depth > maxLevel {
		s.r.Skip()
		return
	}
	switch s.r.Peek() {
	case '{':
		s.object(depth)
	case '[':
		s.r.Open('[')
		for s.kind == Other && s.r.Element() {
			s.value(depth)
		}
	default:
		s.r.Skip()
	}
}

func (s *survey) object(depth int) {
	s.r.Open('{')
	for s.kind == Other {
		name, ok := s.r.Member()
		if !ok {
			return
		}
		if s.kind = s.decisive(name, depth); s.kind != Other {
			return
		}
		s.note(name, depth)
		if s.kind == Other {
			s.value(depth + 1)
		}
	}
}

// decisive gives the kind that a name with the value that comes next decides. depth counts the objects
// that are open.
func (s *survey) decisive(name []byte, depth int) Kind {
	var buf [32]byte
	next := s.r.Peek()
	switch string(Fold(&buf, name)) {
	case "dynamodb":
		return only(next == '{', Stream)
	case "ddbstreambatchinfo":
		return Stream
	case "recordformat":
		return only(next == '"', Stream)
	case "eventsource":
		return s.source()
	case "nextsharditerator":
		return only(bytes.Contains(s.text(), []byte(":dynamodb:")), Stream)
	case "data":
		return only(depth == 2 && next == '"' && holdsRecord(s.text()), Stream)
	case "body", "payload", "message", "cloudtrailevent":
		return s.message()
	case "metricname":
		return only(string(name) == "MetricName" && depth <= 2, Description)
	case "requestparameters":
		return only(depth <= 3, Trail)
	case "eventcategory":
		return only(next == '"' && s.seen&signVersion != 0, Trail)
	case "item":
		return only(depth == 1 && next == '{', Export)
	case "writetimestampmicros":
		return only(depth == 2, Export)
	case "contributors", "keylabels":
		return only(depth == 1 && next == '[', Insights)
	case "metricdataresults", "metricstat", "metricdataqueries", "metricstreamname":
		return Metrics
	case "datapoints":
		return only(depth == 1 && next == '[' && s.seen&signLabel != 0, Metrics)
	}
	return describes(Fold(&buf, name), depth)
}

// describes gives Description for the names that only descriptions, lists and answers of DynamoDB have.
func describes(folded []byte, depth int) Kind {
	switch string(folded) {
	case "keyschema", "attributedefinitions", "tablestatus", "timetolivedescription", "timetolivestatus",
		"contributorinsightsstatus", "contributorinsightssummaries", "contributorinsightsrulelist",
		"streamdescription", "streamarn", "streamviewtype", "sharditerator", "itemcollectionmetrics", "consumedcapacity",
		"continuousbackupsdescription", "exportdescription", "exportsummaries", "manifestfiless3key", "datafiles3key",
		"insightrules", "managedrules", "unprocesseditems", "unprocessedkeys", "scalabletargets", "sizeestimaterangegb",
		"accountmaxwritecapacityunits", "tablemaxwritecapacityunits":
		return Description
	case "tablenames":
		return only(depth == 1, Description)
	}
	return Other
}

func only(is bool, k Kind) Kind {
	if is {
		return k
	}
	return Other
}

// source judges the value of an eventSource.
func (s *survey) source() Kind {
	switch text := s.text(); {
	case string(text) == "aws:dynamodb", string(text) == "aws:kinesis", string(text) == "scylladb:alternator":
		return Stream
	case bytes.HasSuffix(text, []byte(".amazonaws.com")):
		return Trail
	}
	return Other
}

// message judges a member that may hold a record as text.
func (s *survey) message() Kind {
	switch text := s.text(); {
	case quotesRecord(text):
		return Stream
	case bytes.Contains(text, []byte(`\"eventSource\"`)) && bytes.Contains(text, []byte("dynamodb.amazonaws.com")):
		return Trail
	}
	return Other
}

// quotesRecord reports whether the text of a message holds a change of a DynamoDB table, or tells of some.
func quotesRecord(text []byte) bool {
	return bytes.Contains(text, []byte("DDBStreamBatchInfo")) || bytes.Contains(text, []byte(`\"dynamodb\"`))
}

// text looks at the next value if it is a string, or what there is of it where the beginning is cut off.
func (s *survey) text() []byte {
	r := s.r
	if r.Peek() != '"' {
		return nil
	}
	begin := r.At()
	if _, text := r.Value(); !r.Broken() {
		return text
	}
	return r.data[begin:]
}

// note remembers names that decide together.
func (s *survey) note(name []byte, depth int) {
	switch string(name) {
	case "Keys", "keys":
		s.mark(depth == 1, signKeys)
	case "NewImage", "OldImage", "newImage", "oldImage":
		s.mark(depth == 1, signImage)
	case "Items", "Responses":
		s.mark(depth == 1, signItems)
	case "Count", "ScannedCount":
		s.mark(depth == 1, signCount)
	case "eventVersion", "eventversion":
		s.mark(depth <= 3, signVersion)
	case "Label":
		s.mark(depth == 1, signLabel)
	case "S", "N", "B", "M", "L", "BOOL", "NULL", "SS", "NS", "BS":
		s.mark(depth >= 2, signTyped)
	}
	if s.seen&(signItems|signTyped) == signItems|signTyped {
		s.kind = Scan
	}
}

func (s *survey) mark(is bool, m sign) {
	if is {
		s.seen |= m
	}
}

// weigh judges a whole value by the names that were seen.
func (s *survey) weigh() Kind {
	switch {
	case s.seen&(signKeys|signImage) == signKeys|signImage && s.seen&signTyped != 0:
		return Export
	case s.seen&signItems != 0 && s.seen&signCount != 0:
		return Scan
	}
	return Other
}
