package formats

import "bytes"

// A scyllaHead is what stands before the message of a line of ScyllaDB's log.
type scyllaHead struct {
	shard int    // where the bracket of the shard stands; of a line without one, where the logger does
	group []byte // scheduling group, empty: none printed
}

// scyllaLoggers are those whose lines are known without a shard before them, as people paste them.
var scyllaLoggers = [][]byte{
	[]byte("large_data - "), []byte("large_partition - "), []byte("querier - Read "), []byte("storage_proxy - Exception when communicating with "),
}

var (
	slDropped = []byte("(rate limiting dropped ")         // begins a message that stands for several
	slWarning = []byte(" (see tombstone_warn_threshold)") // ends a warning of a read
)

const maxScyllaPrefix = 300 // bytes before the bracket of the shard

// scyllaLine takes the head of a line apart and gives where the message begins; -1: it has no such head.
// The layouts, by seastar/src/util/log.cc, with whatever a log shipper printed before them:
//
//	WARN  2025-06-14 09:31:02,117 [shard  3:comp] large_data - message
//	 [shard 3] large_data - message                                      syslog, before 5.4
//	large_data - message                                                 pasted
func scyllaLine(line []byte) (h scyllaHead, message int) {
	i := bytes.Index(line[:min(len(line), maxScyllaPrefix)], []byte("[shard "))
	if i < 0 {
		return scyllaBare(line)
	}
	h.shard = i
	size := bytes.IndexByte(line[i:min(len(line), i+40)], ']')
	if size < 0 {
		return h, -1
	}
	number, group, _ := bytes.Cut(bytes.TrimSpace(line[i+len("[shard "):i+size]), []byte(":"))
	if len(number) == 0 || number[0]-'0' > 9 {
		return h, -1
	}
	h.group = bytes.TrimSpace(group)
	at := i + size + 1
	for at < len(line) && line[at] == ' ' {
		at++
	}
	name := bytes.Index(line[at:min(len(line), at+80)], []byte(" - "))
	if name <= 0 || bytes.IndexByte(line[at:at+name], ' ') >= 0 {
		return h, -1
	}
	return h, at + name + len(" - ")
}

// scyllaBare finds the message of a line without a shard: behind a logger, or a message that stands alone.
func scyllaBare(line []byte) (h scyllaHead, message int) {
	for _, logger := range scyllaLoggers {
		if i := bytes.Index(line[:min(len(line), maxScyllaPrefix)], logger); i == 0 || i > 0 && line[i-1] == ' ' {
			h.shard = i
			return h, i + bytes.Index(line[i:], []byte(" - ")) + len(" - ")
		}
	}
	if len(line) < 20 {
		return h, -1
	}
	lone := false
	switch line[0] {
	case 'W': // Cassandra prints no blank before the key, or `to sstable`
		lone = bytes.HasPrefix(line, []byte("Writing a partition with too many rows [")) ||
			bytes.HasPrefix(line, []byte("Writing large ")) && bytes.Contains(line, []byte(" bytes")) && slSSTable(line)
	case 'L':
		lone = bytes.HasPrefix(line, []byte("Large data guardrail: "))
	case '(', 'R':
		lone = (line[0] == '(' || bytes.HasPrefix(line, []byte("Read "))) && bytes.Contains(line, []byte(" live ")) &&
			bytes.Contains(line, []byte("tombstones for ")) && bytes.Contains(line, slWarning)
	}
	if lone {
		return h, 0
	}
	return h, -1
}

// slSSTable reports whether a line ends in the name of an SSTable as ScyllaDB prints it.
func slSSTable(line []byte) bool {
	i := bytes.LastIndex(line, []byte(") to "))
	return i > 0 && !bytes.HasPrefix(line[i+len(") to "):], []byte("sstable "))
}

// slText is what is left to read of a message.
type slText []byte

// skip takes word off the front.
func (s *slText) skip(word string) bool {
	if len(*s) < len(word) || string((*s)[:len(word)]) != word {
		return false
	}
	*s = (*s)[len(word):]
	return true
}

// until takes what stands before the first word off the front, and the word.
func (s *slText) until(word string) ([]byte, bool) {
	before, after, ok := bytes.Cut(*s, []byte(word))
	if ok {
		*s = after
	}
	return before, ok
}

// number takes a whole number off the front.
func (s *slText) number() (n uint64, ok bool) {
	i := 0
	for i < len(*s) && (*s)[i]-'0' <= 9 && i < 19 {
		n = n*10 + uint64((*s)[i]-'0')
		i++
	}
	*s = (*s)[i:]
	return n, i > 0
}

// undropped takes off what a rate-limited message begins with.
func (s *slText) undropped() {
	if bytes.HasPrefix(*s, slDropped) {
		s.until(" similar messages) ")
	}
}
