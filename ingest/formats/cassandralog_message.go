package formats

import "bytes"

// A clMessage is a kind of message, by how it begins.
type clMessage uint8

const (
	clNone clMessage = iota
	clRead
	clAbort
	clLarge
	clWrittenTombstones
	clWriteThreshold
	clGuardrail
	clUnloggedBatch
	clAggregation
	clNodes
	clOperations
	clSlowJSON
	clAudit
	clThreshold
	clConfiguration
	clSize    // of batches, results and pages
	clContext // tells that something happened, not to what
)

// cassandraMessage tells the kind of the message that text begins with; clNone for all that says
// nothing of keys. It is asked of every line, so that it is one switch over the first byte.
func cassandraMessage(text []byte) clMessage {
	if len(text) < 14 {
		return clNone
	}
	switch c := text[0]; c {
	case 'R':
		return clReadKind(text)
	case 'S':
		switch {
		case clBegins(text, "Scanned over "):
			return clAbortKind(text)
		case clBegins(text, "Some operations "):
			return clContext
		}
	case 'W':
		return clWriteKind(text)
	case 'C':
		if clBegins(text, "Compacting large partition ") || clBegins(text, "Compacting large row ") {
			return clLarge
		}
	case 'G':
		if clBegins(text, "Guardrail ") && bytes.Contains(text[:min(len(text), 80)], clViolated) {
			return clGuardrail
		}
	case 'U':
		if clBegins(text, "Unlogged batch covering ") {
			return clUnloggedBatch
		}
	case 'B':
		if clBegins(text, "Batch for [") || clBegins(text, "Batch of prepared statements for [") {
			return clSize
		}
	case 'A':
		if clBegins(text, "Aggregation query used without partition key") {
			return clAggregation
		}
	case 'N':
		if clBegins(text, "Node configuration:[") {
			return clConfiguration
		}
	case '[':
		if clBegins(text, clSlowJSONBegins) {
			return clSlowJSON
		}
	case 'h', 'u':
		switch {
		case (clBegins(text, "user:") || clBegins(text, "host:")) && auditEntry(text) == 0:
			return clAudit
		case clBegins(text, "updated tombstone_"):
			return clThreshold
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return clNumberKind(text)
	}
	return clNone
}

var clViolated = []byte(" violated: ")

func clBegins(text []byte, with string) bool {
	return len(text) >= len(with) && string(text[:len(with)]) == with
}

// clReadKind tells warnings of reads from the results of traces, which have no statement.
func clReadKind(text []byte) clMessage {
	switch {
	case clBegins(text, "Read on table "):
		return clSize
	case clBegins(text, "Recording statements with duration of "): // DSE's CqlSlowLogWriter
		return clContext
	}
	s := clText{text}
	if !s.skip("Read ") || !s.skipNumber() {
		return clNone
	}
	switch {
	case s.skip(" live rows and "):
		if s.skipNumber() && s.at(" tombstone cells for query ") {
			return clRead
		}
	case s.skip(" live and "):
		if s.skipNumber() && s.oldCells() && (s.at("in ") || s.at("(see tombstone_warn_threshold)")) {
			return clRead
		}
	}
	return clNone
}

// oldCells reads what 1.2 to 2.2 call tombstones in warnings; traces of 2.2, which could be taken for
// warnings without a table, say ` tombstone cells (`.
func (s *clText) oldCells() bool {
	if s.skip(" tombstoned cells ") || s.skip(" tombstoned columns ") {
		return true
	}
	return s.at(" tombstone cells in ") && s.skip(" tombstone cells ")
}

// clAbortKind tells ends of reads from what traces say of them.
func clAbortKind(text []byte) clMessage {
	s := clText{text}
	s.skip("Scanned over ")
	if s.skipNumber() && (s.at(" tombstones during query ") || s.at(" tombstones in ") || s.at(" tombstone rows for query ") ||
		s.at(" tombstones; query aborted (see tombstone_fail_threshold)")) {
		return clAbort
	}
	return clNone
}

func clWriteKind(text []byte) clMessage {
	switch {
	case clBegins(text, "Writing large partition "):
		return clLarge
	case clBegins(text, "Write to ") && bytes.Contains(text[:min(len(text), 400)], clEstimatedWord):
		return clWriteThreshold
	case clBegins(text, "Writing ") && clDigit(text[8]):
		if s := (clText{text[8:]}); s.skipNumber() && s.at(" tombstones to ") {
			return clWrittenTombstones
		}
	}
	return clNone
}

var clEstimatedWord = []byte("; estimated ")

// clNumberKind tells messages that begin with a count.
func clNumberKind(text []byte) clMessage {
	s := clText{text}
	s.number()
	switch {
	case s.skip(" nodes "), s.skip(" node "):
		switch {
		case s.at("scanned "):
			return clNodes
		case s.at("loaded over "), s.at("referenced more than allowed number of indexes"):
			return clSize
		}
	case s.skip(" operations were slow in the last "), s.skip(" operations timed out in the last "):
		return clOperations
	}
	return clNone
}

// clFirst are the bytes with which messages begin that may stand anywhere in a text.
var clFirst = [256]bool{
	'R': true, 'S': true, 'W': true, 'C': true, 'G': true, 'U': true, 'B': true, 'A': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
}

// findCassandraMessage finds the first message in text[from:] that cassandraMessage knows; -1: none.
func findCassandraMessage(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		if !clFirst[text[i]] || i > 0 && clDigit(text[i]) && clDigit(text[i-1]) {
			continue
		}
		if cassandraMessage(text[i:]) != clNone {
			return i
		}
	}
	return -1
}

// A clText is what is left to read of a text.
type clText struct{ rest []byte }

func (s *clText) at(word string) bool { return clBegins(s.rest, word) }

func (s *clText) skip(word string) bool {
	if !s.at(word) {
		return false
	}
	s.rest = s.rest[len(word):]
	return true
}

// number reads a number of at most 18 digits: the server prints no larger one.
func (s *clText) number() (n uint64, ok bool) {
	size := 0
	for size < len(s.rest) && clDigit(s.rest[size]) {
		n = n*10 + uint64(s.rest[size]-'0')
		size++
	}
	s.rest = s.rest[size:]
	return n, size > 0 && size <= 18
}

func (s *clText) skipNumber() bool {
	_, ok := s.number()
	return ok
}

// until gives what stands before word and passes over both; without word nothing is passed over.
func (s *clText) until(word string) ([]byte, bool) {
	return s.split(clIndex(s.rest, word), word)
}

// untilLast is until with the last word.
func (s *clText) untilLast(word string) ([]byte, bool) {
	return s.split(clLastIndex(s.rest, word), word)
}

func (s *clText) split(at int, word string) ([]byte, bool) {
	if at < 0 {
		return nil, false
	}
	before := s.rest[:at]
	s.rest = s.rest[at+len(word):]
	return before, true
}

// clIndex is bytes.Index, which would allocate a word of more than 32 bytes.
func clIndex(text []byte, word string) int {
	for from := 0; ; from++ {
		i := bytes.IndexByte(text[from:], word[0])
		if i < 0 {
			return -1
		}
		if from += i; clBegins(text[from:], word) {
			return from
		}
	}
}

func clLastIndex(text []byte, word string) int {
	for end := len(text); ; {
		end = bytes.LastIndexByte(text[:end], word[0])
		if end < 0 || clBegins(text[end:], word) {
			return end
		}
	}
}

// clFlat appends text with each line end, and the blanks around it, as one blank: people wrap lines.
func clFlat(dst, text []byte) []byte {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, line...)
	}
	return dst
}
