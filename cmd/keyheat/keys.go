package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// keysOptions are the flags of keys.
type keysOptions struct {
	read   readFlags
	show   showFlags
	by     value[report.Weight]
	limit  value[int]
	format value[string]
}

func newKeys(e *env) *cobra.Command {
	o := &keysOptions{}
	cmd := &cobra.Command{
		Use:   "keys INPUT…",
		Short: "print the heaviest keys as a plain table",
		Long: `keys prints the heaviest keys of the inputs, what people use sort, uniq and awk for: one row a key, with
the bounds of its count. It reads the inputs once; --exact reads files a second time and closes the bounds.
With --pane each pane of time has its own list.` + exitHelp,
		Example: `  keyheat keys events.ndjson --limit 10
  keyheat keys --by tombstones --format csv /var/log/cassandra
  zcat events.gz | keyheat keys - --pane 1m --limit 3`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runKeys(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	flags := cmd.Flags()
	o.read.add(e, flags)
	o.show.add(flags)
	flags.Lookup("pane").Usage = "list the keys of each pane of time of this `WIDTH`: 1m, 2m, 4m, 12m, 1h, 3h, 6h, 12h, 1d, 7d"
	flags.Lookup("pane").DefValue = ""
	names := outputNames(render.KeysCatalogue())
	o.format.add(flags, "format", names[0], "`FORMAT` of the output: "+strings.Join(names, ", "), oneOf(names...))
	o.by.add(flags, "by", string(report.Requests), "`WEIGHT` to rank keys by: "+weightNames(), parseWeight)
	o.limit.add(flags, "limit", "20", "`NUMBER` of keys, of each pane with --pane; 0 is all that are known", parseCount(0))
	flags.BoolVar(&o.read.twice, "exact", false, "read files a second time to count the heaviest keys exactly")
	return cmd
}

func weightNames() string {
	names := []string{}
	for _, w := range report.Weights {
		names = append(names, string(w))
	}
	return strings.Join(names, ", ")
}

func parseWeight(text string) (report.Weight, error) {
	for _, w := range report.Weights {
		if text == string(w) {
			return w, nil
		}
	}
	return "", fmt.Errorf("must be one of %s", weightNames())
}

// Validate reports every fault of the flags.
func (o *keysOptions) Validate() error {
	return faults(&o.read, &o.show, &o.by, &o.limit, &o.format)
}

func runKeys(ctx context.Context, e *env, stdout io.Writer, o *keysOptions, inputs []string) error {
	options, _, err := o.show.options(e)
	if err != nil {
		return err
	}
	o.read.once = !o.read.twice
	settings := o.read.settings()
	settings.KeysOnly, settings.NoPanes, settings.Bytes = true, !o.read.pane.given, o.by.of == report.Bytes
	settings.RequestsOnly = o.by.of == report.Requests
	r, err := readTraffic(ctx, e, &o.read, inputs, settings)
	if err != nil {
		return err
	}
	var exact *detect.Exact
	if o.read.twice {
		exact = r.exact(ctx, nil)
	}
	view := detect.NewView(r.profile, exact, detect.DefaultLimits(), detect.Rate{Num: 1, Den: 1})
	table := report.BuildKeyTable(view, o.selection())
	return r.print(stdout, func(w io.Writer) error {
		return outputNamed(render.KeysCatalogue(), o.format.of).Render(w, table, options)
	})
}

// selection says which keys are listed; --table was heeded when reading.
func (o *keysOptions) selection() report.KeySelect {
	s := report.KeySelect{By: o.by.of, Limit: o.limit.of}
	if o.read.pane.given {
		s.Panes = panesOf
	}
	return s
}

// panesOf is a report.PanesOf.
func panesOf(_ *detect.TargetView, k *detect.KeyView) []detect.KeyPane { return k.Series() }
