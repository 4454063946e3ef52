package dynamo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// Positions of a shard, as they are kept for a later run. The part is the shard's id, behind the label of its stream.
const (
	positionDone    = "done"
	positionSkipped = "skipped" // it was closed before reading began at the end of the stream
	positionGone    = "gone"    // it was not listed when reading began, though its children were; perhaps it is late
	positionAfter   = "after "  // and the sequence number of the last record

	partStream    = "stream"    // behind a label: whose position is a beginning, or done
	partRecording = "recording" // of all streams of the table: whose position is the first beginning
)

// A beginning is the position of a stream, or of all: where its reading began, which decides where shards begin that
// have no position of their own.
type beginning struct {
	From  string    `json:"from"` // as in the URL
	Begun time.Time `json:"begun"`
}

func (b beginning) text() string {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err) // two plain fields
	}
	return string(text)
}

// parseBeginning reads what text wrote.
func parseBeginning(text string) (b beginning, from origin, err error) {
	if err = json.Unmarshal([]byte(text), &b); err == nil {
		from, err = parseOrigin(b.From)
	}
	if err != nil {
		return b, from, fmt.Errorf("the position of the stream, %.100q: %w", text, err)
	}
	return b, from, nil
}

// sequenceIn gives the sequence number in a shard's position.
func sequenceIn(position string) (sequence string, ok bool) {
	return strings.CutPrefix(position, positionAfter)
}

// forgetful is the positions of a run that keeps none.
type forgetful struct{}

func (forgetful) Position(string) string { return "" }
func (forgetful) Reached(string, string) {}

// positionsOf gives what keeps positions, if the sink does.
func positionsOf(to ingest.Sink) ingest.Positions {
	if p, ok := to.(ingest.Positions); ok {
		return p
	}
	return forgetful{}
}

// later reports whether sequence number a comes after b; they have up to 40 digits.
func later(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
