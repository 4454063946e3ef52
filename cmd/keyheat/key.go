package main

import (
	"bytes"
	"cmp"
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
	o.read.addExact(flags)
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
		exact = r.exact(ctx, func(n *detect.Nominees) { nominate(n, table, text) })
		dropUnseen(exact)
	}
	view := detect.NewView(r.profile, exact, reporter.limits, o.judge.rate.of)
	target, err := findTarget(view, table)
	if err != nil {
		return errors.Join(err, r.err())
	}
	rep := reporter.judge(view, report.Parts{Problems: r.profile.Problems})
	page, _ := report.BuildKey(view, rep, target.Target, findKey(target, text), panesOf)
	if exact != nil && !page.Held { // the second pass looked for it
		page.Requests, page.Cost, page.Tombstones = detect.Range{}, detect.Range{}, detect.Range{}
	}
	return r.print(stdout, func(w io.Writer) error {
		return outputNamed(render.KeyCatalogue(), o.format.of).Render(w, page, reporter.options)
	})
}

// nominate adds what the text of a key may mean in the table, so that the second pass counts it however
// small it is.
func nominate(n *detect.Nominees, table, text string) {
	for id, t := range n.Targets {
		if !isTarget(t, table) {
			continue
		}
		for _, form := range keyForms(text) {
			asked := detect.Nominee{Target: uint32(id), Key: form}
			if i, found := slices.BinarySearchFunc(n.Keys, asked, compareNominees); !found {
				n.Keys = slices.Insert(n.Keys, i, asked)
			}
		}
	}
}

func compareNominees(a, b detect.Nominee) int {
	return cmp.Or(cmp.Compare(a.Target, b.Target), bytes.Compare(a.Key, b.Key))
}

// dropUnseen takes off the keys that the second pass did not see: what the text could have meant.
func dropUnseen(x *detect.Exact) {
	if x == nil {
		return
	}
	for i := len(x.Keys) - 1; i >= 0; i-- {
		if x.Keys[i] == nil {
			x.Keys = slices.Delete(x.Keys, i, i+1)
			x.Nominees.Keys = slices.Delete(x.Nominees.Keys, i, i+1)
		}
	}
}

// isTarget reports whether name, TABLE or TABLE/INDEX, means t.
func isTarget(t detect.Target, name string) bool {
	table, index, _ := strings.Cut(name, "/")
	return t.Index == index && names(table, []byte(t.Table))
}

// findTarget gives the table, or TABLE/INDEX, that name means.
func findTarget(v *detect.View, name string) (*detect.TargetView, error) {
	found, known := []*detect.TargetView{}, []string{}
	for _, t := range v.Targets {
		known = append(known, targetName(t.Target))
		if isTarget(t.Target, name) {
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
