package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
	"github.com/keyheat/keyheat/ingest/cassandra"
	"github.com/keyheat/keyheat/ingest/formats"
)

// allFormats are the formats of inputs: text, tables, and captures.
func allFormats() []*ingest.Format {
	return slices.Concat(formats.Catalogue(), formats.Tables(), []*ingest.Format{&capture.Format})
}

// formatsOptions are the flags of formats.
type formatsOptions struct {
	format value[string]
}

func newFormats() *cobra.Command {
	o := &formatsOptions{}
	cmd := &cobra.Command{
		Use:   "formats [NAME]",
		Short: "list the logs and exports that can be read",
		Long: `formats lists every format with its coverage and what its records can carry; with a name it prints
what the records of that format look like and where they come from.

The coverage is traffic (all requests, or a sample of them), selected (only bad or capped ones, so that
counts are "at least") or state (conditions).` + exitHelp,
		Example: "  keyheat formats\n  keyheat formats key-events-ndjson",
		Args:    args(0, 1, "at most one NAME"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runFormats(cmd.OutOrStdout(), o, names)
		},
	}
	o.format.add(cmd.Flags(), "format", "text", "`FORMAT` of the output: text or json", oneOf("text", "json"))
	return cmd
}

// Validate reports every fault of the flags.
func (o *formatsOptions) Validate() error { return faults(&o.format) }

// listedFormats are those of inputs, and those of live sources.
func listedFormats() []*ingest.Format { return slices.Concat(allFormats(), cassandra.Formats()) }

func runFormats(w io.Writer, o *formatsOptions, names []string) error {
	if len(names) == 1 {
		return printFormat(w, names[0])
	}
	if o.format.of == "json" {
		return printFormatsJSON(w)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range listedFormats() {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.Name, f.Coverage, f.Title, strings.Join(f.Carries, ", "))
	}
	return table.Flush()
}

func printFormatsJSON(w io.Writer) error {
	type format struct {
		Name     string   `json:"name"`
		Title    string   `json:"title"`
		Coverage string   `json:"coverage"`
		Carries  []string `json:"carries"`
		Doc      string   `json:"doc"`
	}
	all := []format{}
	for _, f := range listedFormats() {
		all = append(all, format{f.Name, f.Title, f.Coverage.String(), f.Carries, f.Doc})
	}
	return printJSON(w, all)
}

func printFormat(w io.Writer, name string) error {
	known := []string{}
	for _, f := range listedFormats() {
		if f.Name == name {
			_, err := fmt.Fprintf(w, "%s: %s\ncoverage: %s\ncarries: %s\n\n%s\n",
				f.Name, f.Title, f.Coverage, strings.Join(f.Carries, ", "), strings.TrimSpace(f.Doc))
			return err
		}
		known = append(known, f.Name)
	}
	return usage(fmt.Errorf("unknown format %q%s", name, suggestion(name, "", known)))
}
