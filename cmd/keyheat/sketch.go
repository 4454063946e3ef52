package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// sketchOptions are the flags of sketch.
type sketchOptions struct {
	read      readFlags
	plan      string
	countKeys string
	to        string
}

func newSketch(e *env) *cobra.Command {
	o := &sketchOptions{}
	cmd := &cobra.Command{
		Use:   "sketch {INPUT… | --plan FILE}",
		Short: "keep what a report needs of the inputs in a small file",
		Long: `sketch reads the inputs, files or live sources by their URL, and writes their Profile: everything a report needs, in a few MiB whatever the
size of the inputs. keyheat merge makes one report of many Profiles, as from many machines or days. Profiles
merge when --chunk, --memory and --pane are the same.

With --plan it reads splits of a plan instead and writes a line for each chunk, for keyheat merge; with
--count-keys it counts the keys of keyheat merge --nominate in them, exactly.` + exitHelp,
		Example: `  keyheat sketch --to node1.khp /var/log/cassandra
  keyheat merge node1.khp node2.khp
  keyheat sketch dynamodb://orders?region=eu-west-1 --for 10m --to /shared/host1.khp
  sed -n '1p;7p' plan.txt | keyheat sketch --plan - > split7.txt`,
		Args: args(0, -1, ""),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := errors.Join(o.Validate(e), o.planFault(cmd, inputs)); err != nil {
				return usage(err)
			}
			if o.plan != "" {
				return runSketchPlan(cmd.Context(), e, cmd.OutOrStdout(), o)
			}
			return runSketch(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	o.read.add(e, cmd.Flags())
	o.read.live.add(cmd.Flags())
	cmd.Flags().StringVar(&o.plan, "plan", "", "`FILE` with the head and splits of keyheat plan; - is stdin")
	cmd.Flags().StringVar(&o.countKeys, "count-keys", "", "`FILE` of keyheat merge --nominate: count its keys, in a second pass over the plan")
	cmd.Flags().StringVar(&o.to, "to", "-", "`FILE` for the Profile, or the parts; - is stdout")
	return cmd
}

// Validate reports every fault of the flags.
func (o *sketchOptions) Validate(e *env) error {
	return errors.Join(faults(&o.read), o.terminalFault(e))
}

// terminalFault refuses to write a Profile to a terminal; parts are text.
func (o *sketchOptions) terminalFault(e *env) error {
	if o.plan != "" {
		return nil
	}
	return notToTerminal(e, o.to)
}

// notToTerminal refuses to write bytes to a terminal.
func notToTerminal(e *env, file string) error {
	if file == "-" && e.outTerminal {
		return errors.New("stdout is a terminal: give --to FILE")
	}
	return nil
}

func runSketch(ctx context.Context, e *env, stdout io.Writer, o *sketchOptions, inputs []string) error {
	r, err := readToMerge(ctx, e, &o.read, inputs, o.read.settings())
	if err != nil {
		return err
	}
	err = writeProfile(e, stdout, o.to, r.profile)
	r.warn()
	return errors.Join(err, r.err())
}
