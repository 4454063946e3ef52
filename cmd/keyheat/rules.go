package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect/rules"
)

// rulesOptions are the flags of rules.
type rulesOptions struct {
	format value[string]
}

func newRules() *cobra.Command {
	o := &rulesOptions{}
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "list what can be found",
		Long:    "rules lists every rule with its permanent id and the input it needs; keyheat explain RULE tells more." + exitHelp,
		Example: "  keyheat rules\n  keyheat rules --format json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runRules(cmd.OutOrStdout(), o)
		},
	}
	o.format.add(cmd.Flags(), "format", "text", "`FORMAT` of the output: text or json", oneOf("text", "json"))
	return cmd
}

// Validate reports every fault of the flags.
func (o *rulesOptions) Validate() error { return faults(&o.format) }

func runRules(w io.Writer, o *rulesOptions) error {
	if o.format.of == "json" {
		return printRulesJSON(w)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rules.Catalogue() {
		fmt.Fprintf(table, "%s\t%s\tneeds %s\n", r.ID, r.Title, r.Needs)
	}
	return table.Flush()
}

func printRulesJSON(w io.Writer) error {
	type rule struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Needs string `json:"needs"`
		Doc   string `json:"doc"`
	}
	all := []rule{}
	for _, r := range rules.Catalogue() {
		all = append(all, rule{r.ID, r.Title, r.Needs, r.Doc})
	}
	return printJSON(w, all)
}
