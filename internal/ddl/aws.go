package ddl

import (
	"fmt"
	"strings"
)

// AWS writes the calls of a proposal for a table of DynamoDB: what to look at before, the change, its check
// and how it is undone. commands are those of the proposal, those that undo it marked so; empty when it has
// no call.
func AWS(table, index, change, verify string, steps []string) string {
	if !strings.HasPrefix(change, "aws ") || !safe(table) || !safe(index) {
		return ""
	}
	var b strings.Builder
	of := "--table-name " + table
	if index != "" {
		of += " --index-name " + index
	}
	fmt.Fprintf(&b, "# %s. Read it before you paste it.\n# 1. before: keep the answer, it tells how to go back\naws dynamodb describe-table --table-name %s\n", table, table)
	fmt.Fprintf(&b, "# 2. watch the keys meanwhile (charged for each request)\naws dynamodb update-contributor-insights %s --contributor-insights-action ENABLE\n", of)
	fmt.Fprintf(&b, "# 3. the change\n%s\n# 4. check\naws dynamodb describe-table --table-name %s\n", change, table)
	if verify != "" {
		fmt.Fprintf(&b, "#    %s\n", verify)
	}
	for _, s := range steps {
		if undo := command(s); undo != "" {
			fmt.Fprintf(&b, "# 5. undo\n# %s\n", undo)
		}
	}
	fmt.Fprintf(&b, "# 6. afterwards\naws dynamodb update-contributor-insights %s --contributor-insights-action DISABLE\n", of)
	return b.String()
}

// command gives the call in a step that says how to undo.
func command(step string) string {
	i := strings.Index(step, "aws ")
	if !strings.HasPrefix(step, "undo") || i < 0 {
		return ""
	}
	return step[i:]
}

// safe reports whether a name is one of DynamoDB's: nothing that a shell could take for more. Empty is no
// index.
func safe(name string) bool {
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == "" && !strings.HasPrefix(name, "-")
}
