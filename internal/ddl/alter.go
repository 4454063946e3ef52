package ddl

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/keyheat/keyheat/ingest/cql"
)

// Alter writes a change of one option of a table with its check and how it is undone. statement is the table's CREATE
// TABLE as DESCRIBE prints it; change is the proposal's ALTER. An ALTER of compaction replaces all its options, so those
// that the table has are kept where the class stays. Errors wrap ErrTable.
func Alter(t *cql.Table, statement, change, verify string) (string, error) {
	_, set, ok := strings.Cut(change, " WITH ")
	name, value, also := strings.Cut(set, " = ")
	if !strings.HasPrefix(change, "ALTER TABLE ") || !ok || !also {
		return "", fmt.Errorf("%w: the proposal alters none", ErrTable)
	}
	options, err := optionsOf(statement)
	if err != nil {
		return "", err
	}
	now := optionNamed(options, name)
	if name == "compaction" {
		value = keeping(now, value)
	}
	table := dotted(t.Keyspace, t.Name)
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s. Read it, and the steps of the proposal, before you paste it.\nALTER TABLE %s WITH %s = %s;\n", table, table, name, value)
	fmt.Fprintf(&b, "--    check: every node has it\nSELECT %s FROM system_schema.tables WHERE keyspace_name = '%s' AND table_name = '%s';\n", name, textOf(t.Keyspace), textOf(t.Name))
	if verify != "" {
		fmt.Fprintf(&b, "--    %s\n", verify)
	}
	if now == "" {
		fmt.Fprintf(&b, "--    undo:  the schema does not print %s, so that it is the server's default\n", name)
		return b.String(), nil
	}
	fmt.Fprintf(&b, "--    undo:\n-- ALTER TABLE %s WITH %s = %s;\n", table, name, now)
	return b.String(), nil
}

// optionNamed gives the value of an option in the text from WITH on, on one line; empty where it does not stand there.
func optionNamed(options, name string) string {
	text := strings.TrimPrefix(strings.TrimSpace(options), "WITH ")
	for len(text) > 0 {
		end := optionEnd(text)
		key, value, _ := strings.Cut(text[:end], "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Join(strings.Fields(value), " ")
		}
		text = strings.TrimPrefix(text[end:], " AND ")
	}
	return ""
}

// optionEnd gives where an option ends: at the next AND outside of quotes and brackets, or with the text. Line breaks
// before an AND become blanks.
func optionEnd(text string) int {
	depth, quoted := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], " AND "):
			return i
		}
	}
	return len(text)
}

// mapEntry is an entry of a map of texts.
var mapEntry = regexp.MustCompile(`'([^']+)'\s*:\s*'([^']*)'`)

// keeping gives the new options of compaction with those of the present ones that it does not name; another class has
// options of its own.
func keeping(now, next string) string {
	class := func(text string) string {
		for _, e := range mapEntry.FindAllStringSubmatch(text, -1) {
			if e[1] == "class" {
				return e[2][strings.LastIndexByte(e[2], '.')+1:]
			}
		}
		return ""
	}
	if class(now) != class(next) {
		return next
	}
	out := []string{}
	for _, e := range mapEntry.FindAllStringSubmatch(next, -1) {
		out = append(out, e[0])
	}
	for _, e := range mapEntry.FindAllStringSubmatch(now, -1) {
		if !strings.Contains(next, "'"+e[1]+"':") {
			out = append(out, "'"+e[1]+"': '"+e[2]+"'")
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
}
