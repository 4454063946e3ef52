package formats

import (
	"bytes"
	"strings"

	"github.com/keyheat/keyheat/ingest"
)

// What decoders of print-outs of tools share.

// A printout knows in which chunk its line is, so that places held from an earlier one leave out their
// line, which is counted by chunk.
type printout struct {
	chunk int
	line  uint64
}

// A mark is a place held for what later lines say.
type mark struct {
	at    ingest.Position
	chunk int
}

// turn takes the place of the next record.
func (p *printout) turn(at ingest.Position) {
	if at.Line <= p.line {
		p.chunk++
	}
	p.line = at.Line
}

func (p *printout) mark(at ingest.Position) mark { return mark{at, p.chunk} }

func (p *printout) place(m mark) ingest.Position {
	if m.chunk != p.chunk {
		m.at.Line = 0
	}
	return m.at
}

// label splits "  Label (of a kind): value" at its first colon.
func label(line []byte) (name string, value []byte, ok bool) {
	before, after, ok := bytes.Cut(bytes.TrimSpace(line), []byte{':'})
	return string(bytes.ToLower(bytes.TrimSpace(before))), bytes.TrimSpace(after), ok
}

// splitName splits table or table.index, and ks.table or ks.table.index when no keyspace is known.
func splitName(keyspace, name []byte) (table, index []byte) {
	if len(keyspace) == 0 {
		ks, rest, ok := bytes.Cut(name, []byte{'.'})
		if !ok {
			return bytes.Clone(name), nil
		}
		keyspace, name = ks, rest
	}
	name, index, _ = bytes.Cut(name, []byte{'.'})
	return bytes.Join([][]byte{keyspace, name}, []byte{'.'}), bytes.Clone(index)
}

// The table in the path of an SSTable: …/keyspace/table-id/[.index/][snapshots/name/]nb-2-big-Data.db,
// the id of 32 hex digits from 2.1 on.
var dataPath = pattern(`([\w]+)/([\w]+)-[0-9a-f]{32}(?:/(?:snapshots|backups)(?:/[^/\s]+)??)?(?:/\.([\w]+))?/[\w.-]*$`)

// pathTable gives the table whose SSTable a path names; nil when the path does not say.
func pathTable(path []byte) (table, index []byte) {
	m := dataPath().FindSubmatch(bytes.TrimSpace(path))
	if m == nil {
		return nil, nil
	}
	return bytes.Join(m[1:3], []byte{'.'}), bytes.Clone(m[3])
}

// lastField splits off the last word of a line.
func lastField(line []byte) (before, last []byte) {
	line = bytes.TrimRight(line, " \t")
	i := bytes.LastIndexAny(line, " \t")
	return line[:i+1], line[i+1:]
}

// ansiColour is what terminals are told of colours.
var ansiColour = pattern("\x1b\\[[0-9;]*m")

// uncoloured gives a line without colours.
func uncoloured(line []byte) []byte {
	if bytes.IndexByte(line, '\x1b') < 0 {
		return line
	}
	return ansiColour().ReplaceAll(line, nil)
}

var logLine = pattern(`^\s*(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+\[`)

// sniffLines shows each line of a beginning that is not blank to see, until it has seen enough; a line
// of a log ends it, since logs hold print-outs too.
func sniffLines(head []byte, see func(line []byte) (enough bool)) (log bool) {
	for line := range bytes.Lines(head) {
		line = uncoloured(bytes.TrimRight(line, "\r\n"))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if logLine().Match(line) {
			return true
		}
		if see(line) {
			return false
		}
	}
	return false
}

var scyllaPrintout = pattern(`\bsystem_distributed_everywhere\b|_scylla_cdc_log\b|(?i:[$#>@].*\bscylla\b|\bscylla\b.*nodetool)`)

// printoutStore gives ScyllaDB where the beginning of a print-out of nodetool shows that it is its own, and no
// store otherwise: the same text may be of either.
func printoutStore(head []byte) ingest.Store {
	if scyllaPrintout().Match(head) {
		return ingest.Scylla
	}
	return ingest.StoreUnknown
}

// certainOr gives a verdict of yes or no.
func certainOr(yes bool, seen, missing string) ingest.Verdict {
	if yes {
		return ingest.Verdict{Fit: ingest.Certain, Why: seen}
	}
	return ingest.Verdict{Fit: ingest.No, Why: missing}
}

// What print-outs hold that carries no evidence, or is not understood.
const (
	skipLine       = "line without evidence"
	skipNotANumber = "statistic without a value"

	causeBadTop = "entry of a list of top partitions not understood"
)

// complain makes a Problem of a line.
func complain(to ingest.Sink, cause string, line []byte, at ingest.Position) {
	text := strings.ToValidUTF8(string(line[:min(len(line), ingest.MaxProblemText)]), "?")
	to.Problem(ingest.Problem{Cause: cause, Text: text, At: at})
}

// places gives places inside of a document. Those that ascend cost one reading of it.
type places struct {
	rec    *ingest.Record
	offset int
	lines  int
}

func (p *places) at(offset int) ingest.Position {
	offset = min(offset, len(p.rec.Data))
	if offset < p.offset {
		p.offset, p.lines = 0, 0
	}
	p.lines += bytes.Count(p.rec.Data[p.offset:offset], []byte{'\n'})
	p.offset = offset
	at := p.rec.At
	at.Byte, at.Line = at.Byte+uint64(offset), at.Line+uint64(p.lines)
	return at
}

// of gives the place of a part of the document, which was cut from it without a limit of capacity.
func (p *places) of(part []byte) ingest.Position { return p.at(cap(p.rec.Data) - cap(part)) }

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return line
}

// unquotedText gives what the text between the quotes of a JSON string stands for.
func unquotedText(text []byte) []byte { return ingest.AppendUnquoted(nil, text) }

// indentOf gives the number of blanks and tabs that a line begins with.
func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// jsonMember gives the object that is the value of a name, nil when there is none.
func jsonMember(text []byte, want string) []byte {
	m := ingest.ReadJSON(text, 0)
	for {
		name, kind, inner, ok := m.Next()
		if !ok {
			return nil
		}
		if string(name) == want && kind == ingest.JSONObject {
			return inner
		}
	}
}

// yamlPair reads "key: value" at the beginning of a line, comments left out.
func yamlPair(line []byte) (name, value string, ok bool) {
	before, after, ok := bytes.Cut(line, []byte{':'})
	name = string(before)
	if !ok || name == "" || strings.ContainsAny(name, " \t#'\"{[") {
		return "", "", false
	}
	if i := bytes.Index(after, []byte(" #")); i >= 0 {
		after = after[:i]
	}
	return name, string(bytes.TrimSpace(after)), true
}
