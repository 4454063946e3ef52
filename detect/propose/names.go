package propose

import (
	"strings"
)

// dotted writes a table as nodetool takes it: keyspace and table apart.
func dotted(table string) string {
	keyspace, name, ok := strings.Cut(table, ".")
	if !ok {
		keyspace, name = "", table
	}
	return word(keyspace, "KEYSPACE") + " " + word(name, "TABLE")
}

// word gives a name if it is safe in a command line, else what stands for it: names come from outside.
func word(name, instead string) string {
	unsafe := func(r rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", r)
	}
	if name == "" || name[0] == '-' || len(name) > 255 || strings.ContainsFunc(name, unsafe) {
		return instead
	}
	return name
}
