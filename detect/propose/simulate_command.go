package propose

import (
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// mostNamed is how many inputs a command line names.
const mostNamed = 3

// simulated is the command that replays the inputs of a report under another key; names in capitals are to be filled in.
func simulated(v *detect.View, f *detect.Finding, key string) string {
	inputs := []string{}
	for i := range v.Inputs {
		inputs = append(inputs, quotedName(v.Inputs[i].Name))
	}
	if len(inputs) == 0 || len(inputs) > mostNamed {
		inputs = []string{"INPUT"}
	}
	table := word(f.Subject.Target.Table, "TABLE")
	if f.Subject.Target.Index != "" {
		table += "/" + word(f.Subject.Target.Index, "INDEX")
	}
	return "keyheat simulate " + strings.Join(inputs, " ") + " --table " + table + " --key '" + key + "', or --auto for the columns that the input shows"
}

// quotedName writes the name of an input for a shell; what cannot be named twice, or safely, is INPUT.
func quotedName(name string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/:=+,@%"
	odd := func(r rune) bool { return !strings.ContainsRune(plain, r) }
	switch {
	case name == "" || name[0] == '-' || len(name) > 255 || strings.ContainsAny(name, "'!") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "INPUT"
	case strings.ContainsFunc(name, odd):
		return "'" + name + "'"
	}
	return name
}
