package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// checklistOptions are the flags of checklist.
type checklistOptions struct {
	read    readFlags
	judge   judgeFlags
	show    showFlags
	limit   value[int]
	format  value[string]
	noExact bool
}

func newChecklist(e *env) *cobra.Command {
	o := &checklistOptions{}
	cmd := &cobra.Command{
		Use:   "checklist INPUT…",
		Short: "answer the questions of data modelling for each table",
		Long: `checklist answers, for each table and from what was seen of it: does each read name its partition, are there
enough keys, will a partition pass the limit of its store and when, how consistent must reads be, how does data
go, do items and partitions stay small, is one change written to many partitions. An answer of yes is good and
no is trouble; what the inputs do not tell is unknown, with what would tell it.` + exitHelp,
		Example: `  keyheat checklist /var/log/cassandra sstablepartitions.csv
  keyheat checklist --format markdown cloudtrail/*.json.gz > review.md`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runChecklist(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	flags := cmd.Flags()
	o.read.add(e, flags)
	o.judge.add(flags)
	o.show.add(flags)
	names := outputNames(render.ChecklistCatalogue())
	o.format.add(flags, "format", names[0], "`FORMAT` of the output: "+strings.Join(names, ", "), oneOf(names...))
	o.limit.add(flags, "limit", "0", "`NUMBER` of tables in text and Markdown; 0 is what fits a screen", parseCount(0))
	o.read.addExact(flags)
	flags.BoolVar(&o.noExact, "no-exact", false, "read the inputs only once")
	return cmd
}

// Validate reports every fault of the flags.
func (o *checklistOptions) Validate() error {
	return faults(&o.read, &o.judge.rate, &o.show, &o.limit, &o.format)
}

func runChecklist(ctx context.Context, e *env, stdout io.Writer, o *checklistOptions, inputs []string) error {
	limits, errLimits := loadLimits(e, o.judge.limitsFile)
	options, _, errShow := o.show.options(e)
	if err := errors.Join(errLimits, errShow); err != nil {
		return err
	}
	options.Limit = o.limit.of
	r, err := readTraffic(ctx, e, &o.read, inputs, o.read.settings())
	if err != nil {
		return err
	}
	var exact *detect.Exact
	if !o.noExact {
		exact = r.exact(ctx, nil)
	}
	judge := reporter{env: e, flags: &reportFlags{judgeFlags: o.judge}, limits: limits}
	rep := judge.judge(detect.NewView(r.profile, exact, limits, o.judge.rate.of), report.Parts{})
	return r.print(stdout, func(w io.Writer) error {
		return outputNamed(render.ChecklistCatalogue(), o.format.of).Render(w, rep, options)
	})
}
