package formats

import (
	"bytes"

	"github.com/keyheat/keyheat/ingest/formats/awsjson"
)

// lineHead is how far into a line its head is looked for, in bytes.
const lineHead = 160

// beginsLogRecord reports whether a line begins a record: one that begins as log lines do, with a time,
// a level, a bracket or a member, also behind what a shipper or a person put before it. Others, stack
// traces and the exceptions that lead them, belong to the line that logged them.
func beginsLogRecord(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	head := line[:min(len(line), lineHead)]
	switch at := headAt(head); {
	case belowLog(head):
		return false
	case startsLog(line):
		return true
	case at < 0:
		return saysRefused(line)
	default:
		before := bytes.TrimLeft(head[:at], " \t>*|0123456789:")
		return len(before) == 0 || line[0] != ' ' && line[0] != '\t' && !bytes.ContainsAny(before, "\"'{")
	}
}

// saysRefused reports whether a line without a head says what was refused: what a program wrote that
// leaves time and level to its shipper.
func saysRefused(line []byte) bool {
	if !isNameByte(line[0]) || !bytes.Contains(line, []byte(": ")) || bytes.Contains(line, causedBy) || !awsjson.Refused(line) {
		return false
	}
	begin, end := exceptionName(line)
	return begin != 0 && (begin < 0 || bytes.IndexByte(line[begin:end], '.') < 0)
}

// startsLog reports whether a line starts as lines of logs do.
func startsLog(line []byte) bool {
	if c := line[0]; c == '{' || c == '[' || c-'0' <= 9 {
		return true
	}
	for _, start := range logStarts {
		if bytes.HasPrefix(line, start) {
			return true
		}
	}
	return len(line) > 4 && bytes.IndexByte([]byte("IWEF"), line[0]) >= 0 && line[1]-'0' <= 9 && line[4]-'0' <= 9 // klog: E1102
}

var logStarts = wordList("ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL", "CRITICAL", "NOTICE", "time=", "ts=", "level=", "msg=", "timestamp=")

func wordList(words ...string) (out [][]byte) {
	for _, w := range words {
		out = append(out, []byte(w))
	}
	return out
}

// headAt gives where a date, the time of a syslog or a level stands in the head of a line, -1 when none
// does.
func headAt(head []byte) int {
	if syslogTime(head) {
		return 0
	}
	date, level := dateAt(head), levelAt(head)
	if date < 0 || level >= 0 && level < date {
		return level
	}
	return date
}

func levelAt(head []byte) int {
	for _, level := range levelWords {
		if i := bytes.Index(head, level); i == 0 || i > 0 && bytes.IndexByte([]byte(" \t:|]"), head[i-1]) >= 0 {
			return i
		}
	}
	return -1
}

var levelWords = wordList("ERROR ", "ERROR:", "WARN ", "WARNING ", "WARNING:", "INFO ", "DEBUG ", "FATAL ", "CRITICAL ", "[ERROR]", "[WARN]", "[INFO]")

// syslogTime reports whether a line begins with `Nov  2 10:11:12 `.
func syslogTime(line []byte) bool {
	return len(line) > 16 && line[0]-'A' < 26 && line[3] == ' ' && line[5]-'0' <= 9 && line[6] == ' ' &&
		line[9] == ':' && line[12] == ':' && line[15] == ' ' && line[7]-'0' <= 9
}

// belowLog reports whether a line belongs to the one above, though something stands before it: it goes on
// with a stack trace, or with the exception that leads one.
func belowLog(head []byte) bool {
	for _, mark := range belowMarks {
		if i := bytes.Index(head, mark); i >= 0 && isShipped(head[:i]) {
			return true
		}
	}
	if before, _, found := bytes.Cut(head, causedBy); found && len(bytes.Fields(before)) <= 3 && levelAt(before) < 0 {
		return true
	}
	if i := bytes.Index(head, []byte("]:  ")); i > 0 && syslogTime(head) { // a second line of one message
		return true
	}
	i := exceptionAt(head)
	return i > 0 && levelAt(head[:i]) < 0 && (dateAt(head) != 0 || len(bytes.TrimSpace(head[timeSize(head):i])) > 0) // a program that prints the time itself
}

var causedBy = []byte("Caused by: ")

var belowMarks = wordList("\tat ", "  at ", "at ", "\t... ", "... ", "  File ", "File ", "Traceback (most", "During handling of", "The above exception")

// isShipped reports whether nothing but blanks and what a shipper prints stands before a text.
func isShipped(before []byte) bool {
	trimmed := bytes.TrimRight(before, " \t")
	if len(trimmed) == 0 || len(before)-len(trimmed) > 1 {
		return true
	}
	switch c := trimmed[len(trimmed)-1]; {
	case c == '|', c == '>', c == '*', c == ']', c == 'F', c == 'Z':
		return true
	case c == ':':
		return len(trimmed) > 1 && (trimmed[len(trimmed)-2] == ']' || trimmed[len(trimmed)-2]-'0' <= 9)
	default:
		return c-'0' <= 9
	}
}

// exceptionAt gives where a line holds the name of an exception before its message, with nothing but
// what a shipper prints before it; -1: nowhere.
//
//	com.amazonaws.….ProvisionedThroughputExceededException: The level …
func exceptionAt(line []byte) int {
	begin, end := exceptionName(line)
	if begin > 0 && (bytes.IndexByte(line[begin:end], '.') < 0 || !isShipped(line[:begin])) {
		return -1
	}
	return begin
}

// exceptionName gives the first name of an exception that a colon follows; -1: there is none.
func exceptionName(line []byte) (begin, end int) {
	for ; ; end++ {
		i := bytes.IndexByte(line[end:], ':')
		if i < 0 {
			return -1, -1
		}
		end += i
		if name := line[:end]; bytes.HasSuffix(name, []byte("Exception")) || bytes.HasSuffix(name, []byte("Error")) || bytes.HasSuffix(name, []byte("Exceeded")) {
			break
		}
	}
	for begin = end; begin > 0 && isNameByte(line[begin-1]); begin-- {
	}
	return begin, end
}

func isNameByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' <= 9 || c == '.' || c == '_' || c == '$'
}
