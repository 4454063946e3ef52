package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/detect/propose"
	"github.com/keyheat/keyheat/detect/rules"
)

func newExplain(e *env) *cobra.Command {
	file := ""
	cmd := &cobra.Command{
		Use:   "explain RULE",
		Short: "tell what a rule says, when it fires and what to do about it",
		Long: `explain prints what a rule says, from which floors it fires, what its findings must not be taken
for, and the remedies that are proposed for it.` + exitHelp,
		Example: "  keyheat explain hot-partition",
		Args:    args(1, 1, "one RULE, see keyheat rules"),
		RunE: func(cmd *cobra.Command, names []string) error {
			limits, err := loadLimits(e, file)
			if err != nil {
				return err
			}
			return runExplain(cmd.OutOrStdout(), limits, names[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	addLimitsFile(cmd.Flags(), &file)
	return cmd
}

func ruleIDs() []string {
	ids := []string{}
	for _, r := range rules.Catalogue() {
		ids = append(ids, r.ID)
	}
	return ids
}

func runExplain(w io.Writer, limits *detect.Limits, id string) error {
	all := rules.Catalogue()
	i := slices.IndexFunc(all, func(r *detect.Rule) bool { return r.ID == id })
	if i < 0 {
		return usage(fmt.Errorf("unknown rule %q%s", id, suggestion(id, "", ruleIDs())))
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s: %s\nneeds %s\n\n%s\n", id, all[i].Title, all[i].Needs, strings.TrimSpace(all[i].Doc))
	explainLimits(out, limits, id)
	for _, r := range propose.Catalogue() {
		if slices.Contains(r.Rules, id) {
			fmt.Fprintf(out, "\nRemedy %s: %s\n%s\n", r.Kind, r.Title, strings.TrimSpace(r.Doc))
		}
	}
	if propose.Mendable(id) {
		fmt.Fprint(out, "\nWhat another partition key would do to it: keyheat simulate INPUT --table TABLE --auto\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// explainLimits lists the limits that carry the rule's name.
func explainLimits(w io.Writer, limits *detect.Limits, id string) {
	head := "\nLimits:\n"
	for _, l := range limits.All() {
		if strings.HasPrefix(l.Name, id+".") {
			fmt.Fprintf(w, "%s  %s: %s %s, %s\n", head, l.Name, showMilli(l.Value), l.Unit, l.About)
			head = ""
		}
	}
}
