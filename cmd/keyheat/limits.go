package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/detect"
)

// limitsOptions are the flags of limits.
type limitsOptions struct {
	format value[string]
	file   string
}

func newLimits(e *env) *cobra.Command {
	o := &limitsOptions{}
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "print the limits and floors that rules hold evidence against",
		Long: `limits prints every limit with its unit and source. To change some, give the changed ones to
analyze as --limits-file, a JSON object of names and numbers: {"hot-partition.share": 0.3}.` + exitHelp,
		Example: "  keyheat limits\n  keyheat limits --format json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runLimits(e, cmd.OutOrStdout(), o)
		},
	}
	o.format.add(cmd.Flags(), "format", "text", "`FORMAT` of the output: text or json", oneOf("text", "json"))
	addLimitsFile(cmd.Flags(), &o.file)
	return cmd
}

func addLimitsFile(flags *pflag.FlagSet, file *string) {
	flags.StringVar(file, "limits-file", "", "JSON `FILE` of limits to change, see keyheat limits")
}

// Validate reports every fault of the flags.
func (o *limitsOptions) Validate() error { return faults(&o.format) }

func runLimits(e *env, w io.Writer, o *limitsOptions) error {
	limits, err := loadLimits(e, o.file)
	if err != nil {
		return err
	}
	if o.format.of == "json" {
		return printLimitsJSON(w, limits)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range limits.All() {
		fmt.Fprintf(table, "%s\t%s %s\t%s\t%s\n", l.Name, showMilli(l.Value), l.Unit, l.About, l.Source)
	}
	return table.Flush()
}

func printLimitsJSON(w io.Writer, limits *detect.Limits) error {
	type limit struct {
		Name   string      `json:"name"`
		Value  json.Number `json:"value"`
		Unit   string      `json:"unit"`
		About  string      `json:"about"`
		Source string      `json:"source"`
	}
	all := []limit{}
	for _, l := range limits.All() {
		all = append(all, limit{l.Name, json.Number(showMilli(l.Value)), l.Unit, l.About, l.Source})
	}
	return printJSON(w, all)
}

// printJSON writes v indented, with text as it is.
func printJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

// loadLimits gives the documented limits with those of the file laid over them.
func loadLimits(e *env, file string) (*detect.Limits, error) {
	limits := detect.DefaultLimits()
	if file == "" {
		return limits, nil
	}
	text, err := e.readFile(file)
	if err != nil {
		return nil, failed(fmt.Errorf("reading --limits-file: %w", err))
	}
	values, err := parseLimits(text)
	if err == nil {
		err = limits.Override(values)
	}
	if err != nil {
		return nil, usage(fmt.Errorf("--limits-file %s: %w", file, err))
	}
	return limits, nil
}

func parseLimits(text []byte) (map[string]detect.Milli, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	numbers := map[string]json.Number{}
	if err := in.Decode(&numbers); err != nil {
		return nil, fmt.Errorf("must be a JSON object of numbers: %w", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one JSON object: more follows it")
	}
	values, wrong := map[string]detect.Milli{}, []error{}
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		value, err := parseMilli(strings.TrimSpace(numbers[name].String()))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %s: %w", name, numbers[name], err))
		}
		values[name] = value
	}
	return values, errors.Join(wrong...)
}
