package ingest

import "bytes"

// word splits line at its first space.
func word(line []byte) (first, rest []byte, ok bool) {
	return bytes.Cut(line, []byte{' '})
}

// rfc3339 reads the time that line begins with, which must be followed by a space.
func rfc3339(line []byte) (unixNano int64, rest []byte, ok bool) {
	first, rest, ok := word(line)
	if !ok || len(first) < 19 || len(first) > 40 || first[10] != 'T' {
		return 0, nil, false
	}
	unixNano, cause := ParseTime(first, nil)
	return unixNano, rest, cause == ""
}

// Container runtimes of Kubernetes write TIME STREAM TAG LINE, where the tag is F for a whole line or
// its end and P for a part of one:
// https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
//
//	2026-03-01T10:00:00.123456789Z stdout F WARN  [ReadStage-2] …
func openCRI(line []byte) (opened, bool) {
	at, rest, ok := rfc3339(line)
	if !ok {
		return opened{}, false
	}
	stream, rest, _ := word(rest)
	tag, text, _ := word(rest)
	if string(stream) != "stdout" && string(stream) != "stderr" || len(tag) == 0 || len(tag) > 1 && tag[1] != ':' {
		return opened{}, false
	}
	if tag[0] != 'F' && tag[0] != 'P' {
		return opened{}, false
	}
	return opened{Meta: Meta{UnixNano: at, Partial: tag[0] == 'P'}, text: text}, true
}

// kubectl logs --prefix writes [pod/POD/CONTAINER] before each line:
// https://kubernetes.io/docs/reference/kubectl/generated/kubectl_logs/
func openKubectl(line []byte) (opened, bool) {
	if !bytes.HasPrefix(line, []byte("[pod/")) {
		return opened{}, false
	}
	names, text, ok := bytes.Cut(line[len("[pod/"):], []byte("] "))
	pod, _, slash := bytes.Cut(names, []byte{'/'})
	if !ok || !slash || bytes.IndexByte(names, ' ') >= 0 {
		return opened{}, false
	}
	return opened{Meta: Meta{Node: pod}, text: text}, true
}

// docker compose logs writes the container before each line, padded to the longest; version 1 joined its number
// with a low line: https://docs.docker.com/reference/cli/docker/compose/logs/
//
//	cassandra-1  | WARN  [ReadStage-2] …
func openCompose(line []byte) (opened, bool) {
	name, text, ok := bytes.Cut(line, composeBar[0])
	name = bytes.TrimRight(name, " ")
	number := bytes.TrimRight(name, "0123456789")
	if !ok || len(number) == len(name) || len(number) < 2 || !isContainer(name) ||
		number[len(number)-1] != '-' && number[len(number)-1] != '_' || len(text) > 0 && text[0] != ' ' {
		return opened{}, false
	}
	return opened{Meta: Meta{Node: name}, text: bytes.TrimPrefix(text, []byte{' '})}, true
}

var composeBar = [][]byte{[]byte(" |")}

// stern writes the pod and the container before each line: https://github.com/stern/stern. Pods of a stateful set end in
// their number, others in five letters and digits.
//
//	cassandra-0 server-system-logger WARN  [ReadStage-2] …
func openStern(line []byte) (opened, bool) {
	pod, rest, ok := word(line)
	container, text, _ := bytes.Cut(rest, []byte{' '})
	i := bytes.LastIndexByte(pod, '-')
	if !ok || i < 1 || len(container) == 0 || !isContainer(pod) || !isContainer(container) {
		return opened{}, false
	}
	end := pod[i+1:]
	if len(end) == 0 || len(bytes.Trim(end, "0123456789")) > 0 && len(end) != 5 {
		return opened{}, false
	}
	return opened{Meta: Meta{Node: pod}, text: text}, true
}

// isContainer reports whether a name may be one of a pod or a container: small letters, digits, and what joins
// them.
func isContainer(name []byte) bool {
	for _, c := range name {
		if c-'a' >= 26 && c-'0' >= 10 && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(name) > 0 && bytes.IndexByte([]byte("-_."), name[0]) < 0
}

// A time alone before each line: kubectl logs --timestamps, docker logs --timestamps, and the files
// that CloudWatch Logs exports to S3.
//
//	2026-03-01T10:00:00.123Z WARN  [ReadStage-2] …
func openTimestamp(line []byte) (opened, bool) {
	at, text, ok := rfc3339(line)
	return opened{Meta: Meta{UnixNano: at}, text: text}, ok
}

// openQuoted reads a line as mails and Markdown quote it. Each line must be quoted: a text with some
// quotes in it is a text.
//
//	> WARN  [ReadStage-2] …
func openQuoted(line []byte) (opened, bool) {
	text, ok := bytes.CutPrefix(line, []byte(">"))
	return opened{text: bytes.TrimPrefix(text, []byte(" "))}, ok
}

// priority skips <PRI>, a number of at most three digits.
func priority(line []byte) (rest []byte, ok bool) {
	if len(line) == 0 || line[0] != '<' {
		return line, false
	}
	n := 1
	for n < len(line) && n <= 3 && line[n]-'0' <= 9 {
		n++
	}
	if n == 1 || n == len(line) || line[n] != '>' {
		return line, false
	}
	return line[n+1:], true
}

// RFC 5424 section 6: <PRI>1 TIME HOST APP PROCID MSGID STRUCTURED-DATA MESSAGE, where a hyphen is an
// unknown field.
func openSyslog5424(line []byte) (opened, bool) {
	rest, ok := priority(line)
	if !ok || !bytes.HasPrefix(rest, []byte("1 ")) {
		return opened{}, false
	}
	var fields [5][]byte // time, host, app, process, message id
	rest = rest[2:]
	for i := range fields {
		if fields[i], rest, ok = word(rest); !ok || len(fields[i]) == 0 {
			return opened{}, false
		}
	}
	var o opened
	if o.UnixNano, ok = timeOrHyphen(fields[0]); !ok {
		return opened{}, false
	}
	if string(fields[1]) != "-" {
		o.Node = fields[1]
	}
	rest, ok = skipStructured(rest)
	o.text = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte{' '}), []byte("\xEF\xBB\xBF"))
	return o, ok
}

func timeOrHyphen(text []byte) (unixNano int64, ok bool) {
	if string(text) == "-" {
		return 0, true
	}
	unixNano, cause := ParseTime(text, nil)
	return unixNano, cause == ""
}

// skipStructured skips "-" or a run of [id name="value" …], in whose values \] and \" do not end.
func skipStructured(text []byte) (rest []byte, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		return text[1:], true
	}
	if len(text) == 0 || text[0] != '[' {
		return nil, false
	}
	quoted := false
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ']' && !quoted:
			if i+1 == len(text) || text[i+1] != '[' {
				return text[i+1:], true
			}
		}
	}
	return nil, false
}

// openSyslog undoes TIME HOST TAG[PID]: of RFC 3164, with or without <PRI>, as files of syslog daemons
// and journalctl -o short have it, and with the ISO times of rsyslog and journalctl -o short-iso. The
// time of RFC 3164 has neither year nor zone and is not used. ScyllaDB's test harness puts !LEVEL |
// before the tag.
//
//	Mar  1 10:00:00 db-07 scylla[8112]:  [shard  3:comp] large_data - …
//	2026-03-01T10:00:00.117Z db-07 scylla[8112]:  [shard  3:comp] large_data - …
func openSyslog(line []byte) (opened, bool) {
	rest, _ := priority(line)
	at, rest, iso := rfc3339(rest)
	if !iso {
		var ok bool
		rest, _ = priority(line)
		if rest, ok = skipStamp(rest); !ok {
			return opened{}, false
		}
	}
	host, rest, ok := word(rest)
	if !ok || len(host) == 0 || bytes.IndexByte(host, ':') == len(host)-1 {
		return opened{}, false
	}
	text, tagged := skipTag(rest)
	if iso && (!tagged || !isHost(host) || rest[0]-'0' <= 9) { // a time before another time, or before a frame of Java
		return opened{}, false
	}
	return opened{Meta: Meta{UnixNano: at, Node: host}, text: text}, true
}

// isHost reports whether a word may be the name or the address of a machine, and is no date and no level of a log.
func isHost(word []byte) bool {
	switch string(word) {
	case "TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "NOTICE", "SEVERE":
		return false
	}
	return word[0] > ' ' && bytes.ContainsFunc(word, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' || r == '.' || r == ':' })
}

// skipStamp skips "Mar  1 10:00:00 ", with a fraction of the second allowed (journalctl -o short-precise).
func skipStamp(line []byte) (rest []byte, ok bool) {
	const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
	if len(line) < len("Mar  1 10:00:00 ") || !bytes.Contains([]byte(months), line[:3]) || bytes.IndexByte(line[:3], ' ') >= 0 {
		return nil, false
	}
	clock := line[7:15]
	if line[3] != ' ' || line[6] != ' ' || line[4] != ' ' && line[4]-'0' > 3 || line[5]-'0' > 9 ||
		clock[2] != ':' || clock[5] != ':' {
		return nil, false
	}
	for _, i := range [...]int{0, 1, 3, 4, 6, 7} {
		if clock[i]-'0' > 9 {
			return nil, false
		}
	}
	n := 15
	if line[n] == '.' {
		_, size := fraction(line[n+1:])
		n += 1 + size
	}
	if n >= len(line) || line[n] != ' ' {
		return nil, false
	}
	return line[n+1:], true
}

// skipTag skips "scylla[8112]: ", of which the number may be missing, and one space only: what the
// program wrote may begin with spaces.
func skipTag(text []byte) (rest []byte, ok bool) {
	tag := bytes.TrimLeft(text, " ")
	if len(tag) > 0 && tag[0] == '!' {
		if _, after, found := bytes.Cut(tag, []byte("| ")); found {
			tag = after
		}
	}
	end := bytes.IndexByte(tag, ':')
	if end <= 0 || bytes.IndexByte(tag[:end], ' ') >= 0 {
		return text, false
	}
	return bytes.TrimPrefix(tag[end+1:], []byte{' '}), true
}

// AWS Lambda writes TIME, the id of the request, a level and what a Node.js function prints, with tabs between; for
// Python the level stands first. Around them stand lines of its own (START, END, REPORT). Only what is JSON, or a dict of
// Python, is undone, also behind a few words: errors are records with their heads.
// https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
// https://docs.aws.amazon.com/lambda/latest/dg/python-logging.html
//
//	2026-03-01T10:00:00.117Z	8f507cfc-xmpl-4697-b07a-ac58fc914c95	INFO	Received event: {"Records":[…]}
//	[INFO]	2026-03-01T10:00:00.117Z	8f507cfc-xmpl-4697-b07a-ac58fc914c95	{"Records":[…]}
func openLambda(line []byte) (opened, bool) {
	if len(line) == 0 || line[0] != '[' && line[0]-'0' > 9 {
		return opened{}, false
	}
	fields := bytes.SplitN(line, []byte{'\t'}, 4)
	if len(fields) < 4 {
		return opened{}, false
	}
	when := fields[0]
	if len(when) > 0 && when[0] == '[' {
		when = fields[1]
	}
	text := behindWords(fields[3])
	if len(text) == 0 || len(when) < 19 || len(when) > 40 {
		return opened{}, false
	}
	at, cause := ParseTime(when, nil)
	return opened{Meta: Meta{UnixNano: at}, text: text}, cause == ""
}

// behindWords gives the object or array that text begins with, or has behind a few words that tell of no error; nil: none.
func behindWords(text []byte) []byte {
	const longestWords = 64
	i := bytes.IndexAny(text[:min(len(text), longestWords)], "{[")
	if i < 0 || bytes.ContainsAny(text[:i], "\"'\t") || bytes.Contains(bytes.ToLower(text[:i]), []byte("error")) {
		return nil
	}
	next := SkipSpace(text, i+1)
	if i > 0 && next < len(text) && bytes.IndexByte([]byte("\"'{"), text[next]) < 0 {
		return nil
	}
	return text[i:]
}
