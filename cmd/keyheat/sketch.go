package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// sketchOptions are the flags of sketch.
type sketchOptions struct {
	read readFlags
	to   string
}

func newSketch(e *env) *cobra.Command {
	o := &sketchOptions{}
	cmd := &cobra.Command{
		Use:   "sketch INPUT…",
		Short: "keep what a report needs of the inputs in a small file",
		Long: `sketch reads the inputs and writes their Profile: everything a report needs, in a few MiB whatever the
size of the inputs. keyheat merge makes one report of many Profiles, as from many machines or days. Profiles
merge when --chunk, --memory and --pane are the same.` + exitHelp,
		Example: `  keyheat sketch --to node1.khp /var/log/cassandra
  keyheat merge node1.khp node2.khp`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(e); err != nil {
				return usage(err)
			}
			return runSketch(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	o.read.add(e, cmd.Flags())
	cmd.Flags().StringVar(&o.to, "to", "-", "`FILE` for the Profile; - is stdout")
	return cmd
}

// Validate reports every fault of the flags.
func (o *sketchOptions) Validate(e *env) error {
	return errors.Join(faults(&o.read), notToTerminal(e, o.to))
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
