package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/internal/generate"
)

// generateOptions are the flags of generate.
type generateOptions struct {
	engine generate.Options
	start  value[time.Time]
	share  value[uint64]
	to     string
	truth  string
}

func newGenerate(e *env) *cobra.Command {
	o := &generateOptions{engine: generate.Defaults()}
	cmd := &cobra.Command{
		Use:   "generate KIND",
		Short: "write made-up traffic with a known incident",
		Long:  "generate writes key events with a planted incident, to try keyheat on. The same flags give the same\nbytes. Kinds:\n\n" + kindList() + exitHelp,
		Example: `  keyheat generate hot-key | keyheat analyze -
  keyheat generate moving-key --events 10000000 --to events.ndjson --truth truth.json`,
		Args: args(1, 1, "one KIND, see keyheat generate --help"),
		RunE: func(cmd *cobra.Command, kind []string) error {
			o.engine.Kind = kind[0]
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runGenerate(cmd.Context(), e, cmd.OutOrStdout(), o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return kindNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	o.add(cmd.Flags())
	return cmd
}

func (o *generateOptions) add(flags *pflag.FlagSet) {
	g := &o.engine
	flags.StringVar(&g.Format, "format", g.Format, "`FORMAT` of the records: ndjson or csv")
	flags.StringVar(&g.Store, "store", g.Store, "`STORE` of the traffic: dynamodb or cassandra (default: what the kind is about)")
	flags.Uint64Var(&g.Seed, "seed", g.Seed, "`NUMBER` that chooses among like traffics")
	flags.Uint64Var(&g.Events, "events", g.Events, "`NUMBER` of records")
	flags.Uint64Var(&g.Rate, "rate", g.Rate, "`NUMBER` of records a second, in place of --events")
	flags.Uint64Var(&g.Minutes, "minutes", g.Minutes, "`NUMBER` of minutes from the first record to the last")
	flags.Uint64Var(&g.Keys, "keys", g.Keys, "`NUMBER` of distinct keys of the background traffic of a table")
	flags.Uint64Var(&g.Tables, "tables", g.Tables, "`NUMBER` of tables")
	flags.Uint64Var(&g.Nodes, "nodes", g.Nodes, "`NUMBER` of nodes that log")
	flags.Float64Var(&g.Skew, "skew", g.Skew, "Zipf `EXPONENT` of the background traffic; 0 is even")
	flags.Uint64Var(&g.ItemBytes, "item-bytes", g.ItemBytes, "mean `BYTES` of an item")
	o.share.add(flags, "share", "0.4", "`SHARE` of the hot key of its table's requests", parseShare)
	o.start.add(flags, "start", g.Start.Format(time.RFC3339), "`TIME` of the first record", parseStart)
	flags.StringVar(&o.to, "to", "-", "`FILE` for the records; - is stdout")
	flags.StringVar(&o.truth, "truth", "", "`FILE` for what was planted, as JSON")
}

func kindList() string {
	list := &strings.Builder{}
	for _, k := range generate.Kinds() {
		fmt.Fprintf(list, "  %-18s %s\n", k.Name, k.About)
	}
	return strings.TrimRight(list.String(), "\n")
}

func kindNames() []string {
	names := []string{}
	for _, k := range generate.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func parseShare(text string) (uint64, error) {
	m, err := parseMilli(text)
	return uint64(m), err
}

func parseStart(text string) (time.Time, error) {
	t, ok := bound{at: text}.timeIn(time.UTC)
	if !ok {
		return t, errors.New("must be a time like 2026-06-04T09:00:00Z")
	}
	return t.UTC(), nil
}

// Validate reports every fault of the flags.
func (o *generateOptions) Validate() error {
	if err := faults(&o.start, &o.share); err != nil {
		return err
	}
	o.engine.Start, o.engine.Share = o.start.of, o.share.of
	return o.engine.Validate()
}

func runGenerate(ctx context.Context, e *env, stdout io.Writer, o *generateOptions) error {
	out, done := stdout, func() error { return nil }
	if o.to != "-" {
		f, err := e.create(o.to)
		if err != nil {
			return failed(fmt.Errorf("writing --to: %w", err))
		}
		out, done = f, f.Close
	}
	truth, err := generate.Write(&untilDone{ctx.Err, out}, o.engine)
	err = errors.Join(err, done())
	switch {
	case errors.Is(err, errReaderGone):
		return nil
	case ctx.Err() != nil:
		return withCode(exitInterrupted, errors.New("interrupted: the records end early"))
	case err != nil:
		return failed(fmt.Errorf("writing the records: %w", err))
	case o.truth == "":
		return nil
	}
	return failed(writeTo(e, stdout, o.truth, func(w io.Writer) error { return printJSON(w, truth) }))
}

var errReaderGone = errors.New("the reader of stdout is gone")

// An untilDone writes until it is stopped, or until nobody reads any more.
type untilDone struct {
	stopped func() error
	w       io.Writer
}

// Write implements io.Writer.
func (u *untilDone) Write(p []byte) (int, error) {
	if err := u.stopped(); err != nil {
		return 0, err
	}
	n, err := u.w.Write(p)
	if pipe, ok := u.w.(*quietPipe); ok && pipe.gone {
		return 0, errReaderGone
	}
	return n, err
}
