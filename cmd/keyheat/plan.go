package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/parts"
	"github.com/keyheat/keyheat/sketch"
)

func newPlan(e *env) *cobra.Command {
	f := &readFlags{}
	cmd := &cobra.Command{
		Use:   "plan INPUT…",
		Short: "share inputs out between many machines",
		Long: `plan prints a head line and one line for each split of the inputs: a chunk of a plain file, some entries
of a tar or zip archive, or a whole file. It looks at the inputs only as far as needed, and depends on them and the flags alone. Give the head
and any of the other lines to keyheat sketch --plan on any machine that sees the same files, and all that
comes of it to keyheat merge, in any order: the report is the one of keyheat analyze, to the byte.

A split line: number, source, first chunk + chunks, first entry + entries or "whole", bytes of the file, whether the file was named
or found, format, name.` + exitHelp,
		Example: `  keyheat plan /logs/*.ndjson > plan.txt
  keyheat sketch --plan plan.txt > parts.txt
  keyheat merge parts.txt`,
		Args: args(1, -1, "at least one INPUT: a file, a directory or a glob"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := f.fault(); err != nil {
				return usage(err)
			}
			return runPlan(cmd.Context(), e, cmd.OutOrStdout(), f, inputs)
		},
	}
	f.add(e, cmd.Flags())
	return cmd
}

func runPlan(ctx context.Context, e *env, stdout io.Writer, f *readFlags, inputs []string) error {
	r, err := prepare(ctx, e, f, inputs)
	if err != nil {
		return err
	}
	layouts, err := ingest.Plan(ctx, r.sources, r.options)
	if err != nil {
		return failedOrStopped(ctx, err)
	}
	reading, errReading := json.Marshal(r.shared(f))
	learnt, errLearnt := json.Marshal(learntOf(&r.options.Decode))
	if err := errors.Join(errReading, errLearnt); err != nil {
		return failed(err)
	}
	h := parts.Head{
		Tool: version(e), Hash: sketch.HashName, Settings: f.settings(), Sources: len(r.sources), Reading: reading, Learnt: learnt,
	}
	out := bufio.NewWriter(stdout)
	if err := errors.Join(parts.WritePlan(out, h, splitsOf(r.sources, layouts)), out.Flush()); err != nil {
		return failed(fmt.Errorf("writing the plan: %w", err))
	}
	return r.err()
}

// splitsOf gives a split for each chunk and each group of entries that can be read by itself, and for each
// other source.
func splitsOf(sources []ingest.Source, layouts []ingest.Layout) []parts.Split {
	var all []parts.Split
	for i, l := range layouts {
		entry := 0
		for first := range max(l.Chunks, len(l.Groups), 1) {
			s := parts.Split{Number: len(all), Source: i, Name: sources[i].Name, Named: sources[i].Named}
			s.Size = l.Size
			if len(l.Groups) > 0 {
				s.Entry, s.Entries = entry, l.Groups[first]
				if entry += s.Entries; first == len(l.Groups)-1 {
					s.Entries = ingest.RestOfEntries
				}
			}
			if l.Chunks > 0 {
				s.First, s.Chunks, s.Format = first, 1, l.Format.Name
			}
			all = append(all, s)
		}
	}
	return all
}
