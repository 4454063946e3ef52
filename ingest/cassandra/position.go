package cassandra

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// Parts of inputs whose positions are kept for a later run.
const (
	partRequests = "requests" // of the traces
	partLines    = "lines"    // of a node's log: Unix nanoseconds
)

// positionsOf gives what keeps positions, nil if the sink does not.
func positionsOf(to ingest.Sink) ingest.Positions {
	p, _ := to.(ingest.Positions)
	return p
}

// A tracePosition says which traced requests were told: those that began before since, and of the later ones, and
// of ScyllaDB's slow ones, those whose hash is here.
type tracePosition struct {
	since int64 // Unix nanoseconds
	told  map[uint64]bool
	slow  map[uint64]bool
}

// hashOf stands for the id of a request in a position. Of a million requests two have the same with a chance of one
// in 30 million.
func hashOf(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id)) // its error is always nil
	return h.Sum64()
}

// text gives the position as it is kept.
func (p *tracePosition) text() string {
	return fmt.Sprintf("%d %s %s", p.since, hashes(p.told), hashes(p.slow))
}

func hashes(set map[uint64]bool) string {
	b := []byte{}
	for _, h := range slices.Sorted(maps.Keys(set)) {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// parseTracePosition reads what text wrote; the zero value stands for an empty text.
func parseTracePosition(text string) (p tracePosition, err error) {
	if text == "" {
		return p, nil
	}
	fields := strings.Split(text, " ")
	if len(fields) != 3 {
		return p, fmt.Errorf("the position of the traces: %d fields", len(fields))
	}
	var errs [3]error
	p.since, errs[0] = strconv.ParseInt(fields[0], 10, 64)
	p.told, errs[1] = parseHashes(fields[1])
	p.slow, errs[2] = parseHashes(fields[2])
	if err := errors.Join(errs[:]...); err != nil {
		return p, fmt.Errorf("the position of the traces: %w", err)
	}
	return p, nil
}

func parseHashes(text string) (map[uint64]bool, error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err == nil && len(b)%8 != 0 {
		err = fmt.Errorf("%d bytes of hashes", len(b))
	}
	set := map[uint64]bool{}
	for ; err == nil && len(b) > 0; b = b[8:] {
		set[binary.BigEndian.Uint64(b)] = true
	}
	return set, err
}

// tracesKept is how long nodes keep traces unless they are told otherwise (cassandra.yaml, trace_type_query_ttl).
const tracesKept = 24 * time.Hour

// resume goes on where an earlier run ended.
func (t *traceReader) resume(now int64) {
	t.since = now - int64(t.server.config.since)
	if t.before.since == 0 {
		return
	}
	if gone := now - t.before.since - int64(tracesKept); gone > 0 {
		t.notes.Note(fmt.Sprintf("gap: requests traced from %s on were not read for more than the day that nodes keep traces", time.Unix(0, t.before.since).UTC().Format(time.RFC3339)))
	}
	t.since = t.before.since
}

// reached says how far the traces were told.
func (t *traceReader) reached() {
	if t.positions == nil {
		return
	}
	p := tracePosition{since: t.kept(), told: map[uint64]bool{}, slow: map[uint64]bool{}}
	for id, s := range t.sessions {
		if s.told && s.started >= p.since {
			p.told[hashOf(id)] = true
		}
	}
	for id, date := range t.slow {
		if date >= p.since {
			p.slow[hashOf(id)] = true
		}
	}
	t.positions.Reached(partRequests, p.text())
}

// kept is the time from which requests are known by id: the window begins there, or the first request that is not
// told.
func (t *traceReader) kept() int64 {
	since := t.since
	for _, s := range t.sessions {
		if !s.told {
			since = min(since, s.started)
		}
	}
	return since
}
