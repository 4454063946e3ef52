package propose

import "github.com/keyheat/keyheat/detect"

// lacking says that one fact is missing for a remedy, and the command that supplies it.
func lacking(remedy, fact, command string) []detect.Proposal {
	return []detect.Proposal{{
		Kind:  "confirm",
		Title: "one fact is missing to " + remedy + ": " + fact,
		Steps: []string{"get it with " + command + ", and give it as an input"},
	}}
}

// describeCQL is the command that tells the schema of a finding's table.
func describeCQL(f *detect.Finding) string {
	return "cqlsh -e 'DESCRIBE TABLE " + word(f.Subject.Target.Table, "KEYSPACE.TABLE") + "'"
}
