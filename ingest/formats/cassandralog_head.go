package formats

import "bytes"

// A cassandraHead is what stands before the message of a line of a Cassandra log. Its slices are parts of the line.
type cassandraHead struct {
	level  byte // first letter; 0: none
	thread []byte
	time   []byte // with date; empty: none, or a time without date
	file   []byte // File.java:123, or a logger; it may be that of a helper, never decide by it alone
}

// cassandraLine takes the head of a line apart and gives where the message begins; -1: it has no such head.
// The layouts, by conf/logback.xml and conf/log4j-server.properties of each version:
//
//	WARN [Thread] 2014-05-02 10:11:12,345 File.java (line 12) message      1.2, 2.0: the level is right-aligned
//	WARN  [Thread] 2024-05-02 10:11:12,345 File.java:12 - message          2.1 to 5.0.6
//	WARN  [Thread] 2026-05-02T10:11:12,345 File.java:12 - message          5.0.7 on, UTC
//	WARN  [Thread] 2020-01-10 17:14:48,765 service File.java:12 - message  DSE; the service is mostly empty
//	WARN  10:11:12 message                                                 console, with or without fraction
func cassandraLine(data []byte) (h cassandraHead, message int) {
	i := clBlanks(data, 0)
	n := cassandraLevel(data[i:])
	if n == 0 {
		return h, -1
	}
	h.level = data[i]
	i = clBlanks(data, i+n)
	if i < len(data) && data[i] == '[' {
		end := clThreadEnd(data[i:])
		if end < 0 {
			return h, -1
		}
		h.thread = data[i+1 : i+end]
		i = clBlanks(data, i+end+1)
	}
	h.time, i = clTime(data, i)
	if i < len(data) && data[i] == '[' {
		return h, -1 // [shard 0]: Scylla
	}
	if h.file, i = clFile(data, i); bytes.HasPrefix(h.file, clScyllaLogger) {
		return h, -1
	}
	return h, i
}

// quietLine reports whether data is a line of the usual layout whose message says nothing of keys: what
// nearly all lines are. False is no answer.
func quietLine(data []byte) bool {
	const level, date = 6, 23 // bytes: "INFO  ", "2024-05-02 10:11:12,345"
	if len(data) < 80 || string(data[:level-1]) != "INFO " && string(data[:level-1]) != "DEBUG" || data[level-1] != ' ' || data[level] != '[' {
		return false
	}
	n := bytes.IndexByte(data[level:min(len(data), 250)], ']')
	time := level + n + 2
	if n < 0 || len(data) < time+date+40 || !clMillis(data[time:time+date]) || data[time+date] != ' ' {
		return false
	}
	file := time + date + 1
	if data[file] == ' ' { // DSE: no service
		file++
	}
	n = bytes.IndexByte(data[file:min(len(data), file+80)], ' ')
	message := file + n + 3 // behind " - "
	return n > 0 && message < len(data) && data[message-2] == '-' && data[message-1] == ' ' && data[message] != '\n' &&
		cassandraMessage(data[message:]) == clNone && !bytes.HasPrefix(data[file:], clSamplerFile)
}

// clMillis reports whether data, of 23 bytes, is a date and a time with milliseconds: all that clDate takes of it.
func clMillis(data []byte) bool {
	return clDigit(data[0]) && data[4] == '-' && data[7] == '-' && clClock(data[11:]) && clDigit(data[20]) && clDigit(data[21]) && clDigit(data[22])
}

// cassandraQuiet is the Quiet of formats whose records are those of Cassandra's log.
func cassandraQuiet(text []byte) (size, records int) {
	for end, n := 0, 0; ; n++ {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			return size, records
		}
		line := text[end : end+i]
		quiet := quietLine(line)
		if quiet || len(line) > 0 && cassandraLogBegins(line) {
			size, records = end, n
		}
		if !quiet {
			return size, records
		}
		end += i + 1
	}
}

// cassandraLevel gives the length of the level that data begins with, when a blank follows it.
func cassandraLevel(data []byte) int {
	if len(data) < 6 {
		return 0
	}
	switch string(data[:4]) {
	case "INFO", "WARN":
		if data[4] == ' ' {
			return 4
		}
	case "ERRO", "DEBU", "TRAC", "FATA":
		if c := data[4]; data[5] == ' ' && (c == 'R' || c == 'G' || c == 'E' || c == 'L') {
			return 5
		}
	}
	return 0
}

func clBlanks(data []byte, i int) int {
	for i < len(data) && data[i] == ' ' {
		i++
	}
	return i
}

// clThreadEnd gives where the bracket of a thread name closes: names hold brackets themselves, addresses
// for instance, so the one that a blank and a digit follow.
func clThreadEnd(data []byte) int {
	for i := 1; ; i++ {
		n := bytes.IndexByte(data[i:], ']')
		if n < 0 || i+n > 256 {
			return -1
		}
		i += n
		if next := clBlanks(data, i+1); next > i+1 && next < len(data) && clDigit(data[next]) {
			return i
		}
	}
}

// clTime reads the time at data[i:], if one is there, and gives where the next word begins.
func clTime(data []byte, i int) ([]byte, int) {
	size := clDate(data[i:])
	if size > 0 {
		return data[i : i+size], clBlanks(data, i+size)
	}
	if clClock(data[i:]) {
		for i < len(data) && data[i] != ' ' {
			i++
		}
		return nil, clBlanks(data, i)
	}
	return nil, i
}

// clDate gives the length of the date and time that data begins with, zone included; 0: none.
func clDate(data []byte) int {
	if len(data) < 19 || !clDigit(data[0]) || data[4] != '-' || data[7] != '-' || !clClock(data[11:]) {
		return 0
	}
	n := 19
	for n < len(data) && (clDigit(data[n]) || bytes.IndexByte(clTimeBytes, data[n]) >= 0) {
		n++
	}
	if len(data) > n+4 && data[n] == ' ' {
		switch zone := data[n+1 : n+4]; {
		case string(zone) == "UTC" && data[n+4] == ' ':
			n += 4
		case (zone[0] == '+' || zone[0] == '-') && clDigit(zone[1]) && clDigit(zone[2]):
			for n++; n < len(data) && data[n] != ' '; n++ {
			}
		}
	}
	return n
}

var clTimeBytes = []byte(",.:+-Zz") // of a fraction and a zone

// clClock reports whether data begins with a time of day, 10:11:12.
func clClock(data []byte) bool {
	return len(data) >= 8 && clDigit(data[0]) && clDigit(data[1]) && data[2] == ':' && clDigit(data[3]) && data[5] == ':' && clDigit(data[6])
}

func clDigit(c byte) bool { return c-'0' <= 9 }

// clFile reads the file or logger at data[i:] and gives where the message begins; without one the
// message begins at i.
func clFile(data []byte, i int) (file []byte, message int) {
	const words = 3 // a service, the file, (line 12)
	at := i
	for range words {
		n := bytes.IndexByte(data[at:min(len(data), at+200)], ' ')
		if n < 0 {
			break
		}
		word, next := data[at:at+n], at+n+1
		switch {
		case next+1 < len(data) && data[next] == '-' && (data[next+1] == ' ' || data[next+1] == '\n') && n > 0:
			return word, next + 2
		case next+1 == len(data) && data[next] == '-':
			return word, len(data)
		case bytes.HasPrefix(data[next:], clLineWord):
			if end := bytes.IndexByte(data[next:min(len(data), next+32)], ')'); end > 0 && bytes.HasSuffix(word, clJavaFile) {
				return word, clBlanks(data, next+end+1)
			}
		}
		at = next
	}
	return nil, i
}

var (
	clLineWord = []byte("(line ")
	clJavaFile = []byte(".java")

	clScyllaLogger = []byte("large_") // large_data, large_partition
)
