package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	live   liveFlags
	format value[string]
	to     string
}

func newDoctor(e *env) *cobra.Command {
	o := &doctorOptions{}
	cmd := &cobra.Command{
		Use:   "doctor URL",
		Short: "say what a running database shows, what hides the rest, and the least rights needed",
		Long: `doctor asks a running database what keyheat can see of it, which settings or missing permissions hide evidence, and
with which command that would show, at which cost. It only reads. It prints the least role or policy that suffices,
and with --to the one for a folder of S3 that collect writes to.` + exitHelp,
		Example: `  keyheat doctor cassandra://reader@10.0.3.17/shop
  keyheat doctor --format json dynamodb://orders
  keyheat doctor dynamodb://orders --to s3://traffic/orders/host1`,
		Args: args(1, 1, "one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			return runDoctor(cmd.Context(), e, cmd.OutOrStdout(), o, args[0])
		},
	}
	o.format.add(cmd.Flags(), "format", "text", "`FORMAT` of the output: text or json", oneOf("text", "json"))
	o.live.addLoad(cmd.Flags())
	cmd.Flags().StringVar(&o.to, "to", "", "`FOLDER` that collect is to write to: s3://bucket/prefix")
	return cmd
}

// Validate reports every fault of the flags.
func (o *doctorOptions) Validate() error {
	err := faults(&o.format, &o.live.load)
	if o.to != "" && !dynamo.IsObject(o.to) {
		err = errors.Join(err, fmt.Errorf("--to %s: must be like s3://bucket/prefix; other files need no policy", o.to))
	}
	return err
}

func runDoctor(ctx context.Context, e *env, w io.Writer, o *doctorOptions, text string) error {
	server, err := e.openServer(text, &o.live, ingest.DecodeOptions{})
	if err != nil {
		return err
	}
	d, err := server.Diagnose(ctx)
	if err != nil {
		return failedOrStopped(ctx, fmt.Errorf("%s: %w", text, err))
	}
	policy, err := o.writePolicy(e, d)
	if err != nil {
		return failed(err)
	}
	if o.format.of == "json" {
		return printDiagnosisJSON(w, text, d, policy)
	}
	p := &diagnosisText{width: cmp.Or(e.width, 100)}
	p.print(d, policy)
	_, err = io.WriteString(w, p.out.String())
	return err
}

// writePolicy gives the policy for the folder of --to, and notes whether it can be listed; empty: there is no --to.
func (o *doctorOptions) writePolicy(e *env, d *ingest.Diagnosis) (string, error) {
	if o.to == "" {
		return "", nil
	}
	recording, last, err := e.objects.Recording(o.to)
	switch {
	case recording == nil:
		return "", err
	case err != nil:
		d.Notes = append(d.Notes, "objects cannot be listed: "+err.Error())
	default:
		d.Notes = append(d.Notes, fmt.Sprintf("%s holds %d captures; whether more can be written was not tried, since doctor only reads", recording.Name(), last))
	}
	return recording.Policy()
}

func printDiagnosisJSON(w io.Writer, source string, d *ingest.Diagnosis, policy string) error {
	type hidden struct {
		What string `json:"what"`
		Why  string `json:"why"`
		Show string `json:"show"`
		Cost string `json:"cost"`
	}
	out := struct {
		Schema  string   `json:"schema"`
		Source  string   `json:"source"`
		Sees    []string `json:"sees"`
		Hidden  []hidden `json:"hidden"`
		Lacking []string `json:"lacking"`
		Least   string   `json:"least"`
		LeastTo string   `json:"least_to,omitempty"`
		Notes   []string `json:"notes"`
	}{"keyheat.diagnosis/1", source, orNone(d.Sees), []hidden{}, orNone(d.Lacking), d.Least, policy, orNone(d.Notes)}
	for _, h := range d.Hidden {
		out.Hidden = append(out.Hidden, hidden(h))
	}
	return printJSON(w, out)
}

// orNone makes an absent list an empty one.
func orNone(list []string) []string { return append([]string{}, list...) }

// diagnosisText prints a Diagnosis for people: what is asked, and beside it the answer.
type diagnosisText struct {
	width int
	out   strings.Builder
}

// labelWidth is the width of the column of what is asked.
const labelWidth = 13

func (p *diagnosisText) print(d *ingest.Diagnosis, policy string) {
	p.say("can see", cmp.Or(strings.Join(d.Sees, ", "), "nothing"))
	label := "cannot see"
	for _, h := range d.Hidden {
		p.say(label, h.What+": "+h.Why)
		p.paste("  → ", h.Show)
		if h.Cost != "" {
			p.say("", "  cost: "+h.Cost)
		}
		label = ""
	}
	if len(d.Lacking) == 0 {
		p.say("permissions", "enough")
	}
	for i, l := range d.Lacking {
		p.say([...]string{"permissions", ""}[min(i, 1)], "refused: "+l)
	}
	if d.Least != "" {
		p.say("least role", "that works:")
		p.paste("  ", d.Least)
	}
	if policy != "" {
		p.say("to write", "the least policy for --to:")
		p.paste("  ", policy)
	}
	for _, n := range d.Notes {
		p.say("note", n)
	}
}

// say prints a text wrapped beside its label.
func (p *diagnosisText) say(label, text string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	line := indent
	for _, word := range strings.Fields(visible(text)) {
		if len(line) > len(indent) && labelWidth+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > p.width {
			p.line(label, line)
			label, line = "", indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += word
	}
	p.line(label, line)
}

// paste prints lines that are to be copied: they are not wrapped.
func (p *diagnosisText) paste(before, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.line("", before+visible(strings.ReplaceAll(line, "\t", "    ")))
		before = strings.Repeat(" ", utf8.RuneCountInString(before))
	}
}

func (p *diagnosisText) line(label, text string) {
	fmt.Fprintf(&p.out, "%-*s%s\n", labelWidth, label, text)
}
