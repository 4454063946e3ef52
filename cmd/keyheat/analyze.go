package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
)

// analyzeOptions are the flags of analyze.
type analyzeOptions struct {
	read    readFlags
	report  reportFlags
	noExact bool
}

func newAnalyze(e *env) *cobra.Command {
	o := &analyzeOptions{}
	cmd := &cobra.Command{
		Use:   "analyze INPUT…",
		Short: "find hot partitions and tombstones in logs, exports and running databases",
		Long: `analyze reads files, directories, globs, archives, - (stdin) or live sources by their URL, says what is wrong
and what to change.

A URL is read for the time that --for says, without it until interrupted; the report follows. It is read once, as with
--no-exact. Passwords do not belong into a URL. keyheat doctor URL says what a source can show.

Inputs are read twice, the second time to count the keys that matter exactly; stdin is read once, so its
keys have bounds. Objects in S3, s3://BUCKET/PREFIX, are inputs like files and folders; they are read once without --exact. Estimates always carry their bounds. Compressed files and archives are read as they are.` + exitHelp,
		Example: `  keyheat analyze /var/log/cassandra bundle.tar.gz
  keyheat analyze --since 2h --fail-on high --output json=report.json events.ndjson
  zcat events.gz | keyheat analyze -
  keyheat analyze cassandra://reader@10.0.3.17/shop --for 5m`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob, a URL or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			if slices.ContainsFunc(inputs, isURL) && !o.noExact {
				if err := cmd.Flags().Set("no-exact", "true"); err != nil {
					return err
				}
			}
			return runAnalyze(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	o.read.add(e, cmd.Flags())
	o.read.live.add(cmd.Flags())
	o.report.add(cmd.Flags())
	o.read.addExact(cmd.Flags())
	cmd.Flags().BoolVar(&o.report.ddl, "ddl", false, "add the text to paste to proposals: CQL for a new table and the way to it (needs --schema), calls of the AWS command line")
	cmd.Flags().BoolVar(&o.noExact, "no-exact", false, "read the inputs only once; keys have bounds")
	return cmd
}

// Validate reports every fault of the flags.
func (o *analyzeOptions) Validate() error { return faults(&o.read, &o.report) }

func runAnalyze(ctx context.Context, e *env, stdout io.Writer, o *analyzeOptions, inputs []string) error {
	reporter, err := o.report.open(e)
	if err != nil {
		return err
	}
	o.read.once = o.noExact
	r, err := readTraffic(ctx, e, &o.read, inputs, o.read.settings())
	if err != nil {
		return err
	}
	var exact *detect.Exact
	if !o.noExact {
		exact = r.exact(ctx, nil)
	}
	return reporter.report(stdout, r, exact)
}
