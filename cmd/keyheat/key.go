package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// keyOptions are the flags of key.
type keyOptions struct {
	read    readFlags
	judge   judgeFlags
	show    showFlags
	format  value[string]
	noExact bool
}

func newKey(e *env) *cobra.Command {
	o := &keyOptions{}
	cmd := &cobra.Command{
		Use:   "key INPUT… TABLE KEY",
		Short: "tell everything known of one key",
		Long: `key prints what the inputs tell of one key of one table, or of one index as TABLE/INDEX: requests, cost and
tombstones with their bounds, its share, its busiest second, its course over time and its findings.

KEY is written as reports show it: as text, as (a, b) when it has several components, or as hex: 0x00ff.` + exitHelp,
		Example: `  keyheat key events.ndjson orders 'CUSTOMER#42'
  keyheat key /var/log/cassandra shop.order_queue '(eu-west, 2026-06-04)'`,
		Args: args(3, -1, "INPUT… TABLE KEY"),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			n := len(words) - 2
			return runKey(cmd.Context(), e, cmd.OutOrStdout(), o, words[:n], words[n], words[n+1])
		},
	}
	flags := cmd.Flags()
	o.read.add(e, flags)
	o.judge.add(flags)
	o.show.add(flags)
	names := outputNames(render.KeyCatalogue())
	o.format.add(flags, "format", names[0], "`FORMAT` of the output: "+strings.Join(names, " or "), oneOf(names...))
	flags.BoolVar(&o.noExact, "no-exact", false, "read the inputs only once; the key has bounds")
	return cmd
}

// Validate reports every fault of the flags.
func (o *keyOptions) Validate() error {
	return faults(&o.read, &o.judge.rate, &o.show, &o.format)
}

func runKey(ctx context.Context, e *env, stdout io.Writer, o *keyOptions, inputs []string, table, text string) error {
	reporter, err := (&reportFlags{judgeFlags: o.judge, showFlags: o.show}).open(e)
	if err != nil {
		return err
	}
	r, err := readTraffic(ctx, e, &o.read, inputs, o.read.settings())
	if err != nil {
		return err
	}
	var exact *detect.Exact
	if !o.noExact {
		exact = r.exact(ctx)
	}
	view := detect.NewView(r.profile, exact, reporter.limits, o.judge.rate.of)
	target, err := findTarget(view, table)
	if err != nil {
		return errors.Join(err, r.err())
	}
	rep := reporter.judge(view, report.Parts{Problems: r.profile.Problems})
	page, _ := report.BuildKey(view, rep, target.Target, findKey(target, text), panesOf)
	err = writeTo(e, stdout, "-", func(w io.Writer) error {
		return outputNamed(render.KeyCatalogue(), o.format.of).Render(w, page, reporter.options)
	})
	r.warn()
	return errors.Join(failed(err), r.err())
}

// findTarget gives the table, or TABLE/INDEX, that name means.
func findTarget(v *detect.View, name string) (*detect.TargetView, error) {
	table, index, _ := strings.Cut(name, "/")
	found, known := []*detect.TargetView{}, []string{}
	for _, t := range v.Targets {
		known = append(known, targetName(t.Target))
		if t.Target.Index == index && names(table, []byte(t.Target.Table)) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return nil, usage(fmt.Errorf("no table %q in the input%s", name, suggestion(name, "", known)))
	case 1:
		return found[0], nil
	}
	matches := []string{}
	for _, t := range found {
		matches = append(matches, strings.TrimSpace(t.Target.Store.String()+" "+targetName(t.Target)))
	}
	return nil, usage(fmt.Errorf("table %q is ambiguous: %s", name, strings.Join(matches, ", ")))
}

// findKey gives the key that text means: the likeliest that is held, else the likeliest.
func findKey(t *detect.TargetView, text string) []byte {
	forms := keyForms(text)
	for _, form := range forms {
		if slices.ContainsFunc(t.Keys, func(k *detect.KeyView) bool { return bytes.Equal(k.Key, form) }) {
			return form
		}
	}
	return forms[0]
}
