package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// patternsOptions are the flags of patterns.
type patternsOptions struct {
	read   readFlags
	show   showFlags
	limit  value[int]
	format value[string]
}

func newPatterns(e *env) *cobra.Command {
	o := &patternsOptions{}
	cmd := &cobra.Command{
		Use:   "patterns INPUT…",
		Short: "print how tables are accessed: the access-pattern table",
		Long: `patterns prints one row for each way in which a table is accessed, filled from the traffic that was seen: the
statement or operation, what goes in (the parts of the key that are bound), what comes out (rows, bytes), how
often, how fast, how it is served (partition, range, in, scan, index) and its share of the table's cost.
The inputs are read once. What no record tells is unknown.` + exitHelp,
		Example: `  keyheat patterns events.ndjson
  keyheat patterns --schema schema.cql --format markdown audit.log
  keyheat patterns --table orders --format csv cloudtrail/*.json.gz`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runPatterns(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	flags := cmd.Flags()
	o.read.add(e, flags)
	o.show.add(flags)
	names := outputNames(render.PatternsCatalogue())
	o.format.add(flags, "format", names[0], "`FORMAT` of the output: "+strings.Join(names, ", "), oneOf(names...))
	o.limit.add(flags, "limit", "20", "`NUMBER` of patterns of each table; 0 is all that are known", parseCount(0))
	return cmd
}

// Validate reports every fault of the flags.
func (o *patternsOptions) Validate() error { return faults(&o.read, &o.show, &o.limit, &o.format) }

func runPatterns(ctx context.Context, e *env, stdout io.Writer, o *patternsOptions, inputs []string) error {
	options, _, err := o.show.options(e)
	if err != nil {
		return err
	}
	r, err := readTraffic(ctx, e, &o.read, inputs, o.read.settings())
	if err != nil {
		return err
	}
	view := detect.NewView(r.profile, nil, detect.DefaultLimits(), detect.Rate{Num: 1, Den: 1})
	table := report.BuildPatterns(view, o.limit.of)
	return r.print(stdout, func(w io.Writer) error {
		return outputNamed(render.PatternsCatalogue(), o.format.of).Render(w, table, options)
	})
}
