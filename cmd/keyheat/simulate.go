package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/detect/propose"
	"github.com/keyheat/keyheat/detect/rules"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/report/render"
)

// simulateOptions are the flags of simulate.
type simulateOptions struct {
	read    readFlags
	judge   judgeFlags
	color   value[string]
	keys    values[*propose.CandidateKey]
	auto    bool
	format  value[string]
	noExact bool
}

// maxCandidates bounds the keys of one run, which share its memory.
const maxCandidates = 12

func newSimulate(e *env) *cobra.Command {
	o := &simulateOptions{}
	cmd := &cobra.Command{
		Use:   "simulate INPUT… --table TABLE [--key KEY… | --auto]",
		Short: "replay recorded traffic under other partition keys",
		Long: `simulate puts the recorded traffic of one table, or of one index as TABLE/INDEX, under other partition keys and
prints what each would do, beside today's: heat, sizes, how many partitions a read asks, what reads cost,
and which findings go. All keys are replayed at once; the keys that matter are then counted exactly.

KEY is a list of parts:
  key                 today's partition key
  tenant_id           a column: a field of generic events, the partition key columns of a schema
  shard(8)            one of 8 shards, drawn for each write; a read asks all 8
  shard_by(sk, 8)     one of 8 shards by the value of a column; a read that has the column asks one
  bucket(day, ts)     the hour, day, week or month of a time; ts is the time of the request

--auto proposes keys for the findings of the table, and none where a key would change nothing.` + exitHelp,
		Example: `  keyheat simulate events.ndjson --table orders --auto
  keyheat simulate events.ndjson --table orders --key 'key, shard(8)' --key 'tenant_id, bucket(day, ts)'
  keyheat simulate --format json events.ndjson --table orders/by_status --key 'key, shard_by(sk, 16)'`,
		Args: args(1, -1, "at least one INPUT: a file, a directory, a glob or -"),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			if err := o.Validate(inputs); err != nil {
				return usage(err)
			}
			return runSimulate(cmd.Context(), e, cmd.OutOrStdout(), o, inputs)
		},
	}
	flags := cmd.Flags()
	o.read.add(e, flags)
	o.judge.add(flags)
	flags.Lookup("table").Usage = "`TABLE`, or TABLE/INDEX, whose traffic is replayed"
	o.color.add(flags, "color", "auto", "`WHEN` to colour text: auto, always or never; NO_COLOR means never where auto does", oneOf("auto", "always", "never"))
	o.keys.add(flags, "key", "`KEY` to replay the traffic under (repeatable)", propose.ParseCandidate)
	flags.BoolVar(&o.auto, "auto", false, "propose keys and replay the traffic under them")
	names := outputNames(render.SimulationCatalogue())
	o.format.add(flags, "format", names[0], "`FORMAT` of the output: "+strings.Join(names, " or "), oneOf(names...))
	o.read.addExact(flags)
	flags.BoolVar(&o.noExact, "no-exact", false, "replay once; keys have bounds")
	return cmd
}

// Validate reports every fault of the flags.
func (o *simulateOptions) Validate(inputs []string) error {
	err := faults(&o.read, &o.judge.rate, &o.color, &o.keys, &o.format)
	say := func(bad bool, text string) {
		if bad {
			err = errors.Join(err, errors.New(text))
		}
	}
	given := len(o.keys.texts) + len(o.keys.faults)
	say(len(o.read.tables.of) != 1, "--table TABLE must be given once: a replay is of one table or index")
	say(o.auto == (given > 0), "give --key KEY, or --auto for keyheat to propose keys: one of the two")
	say(given > maxCandidates, fmt.Sprintf("--key: at most %d keys at once", maxCandidates))
	say(o.auto && slices.Contains(inputs, "-"), "--auto reads its inputs several times, stdin can be read once: give a file, or --key")
	return err
}

func runSimulate(ctx context.Context, e *env, stdout io.Writer, o *simulateOptions, inputs []string) error {
	reporter, err := (&reportFlags{judgeFlags: o.judge, showFlags: showFlags{color: o.color}}).open(e)
	if err != nil {
		return err
	}
	table, index, _ := strings.Cut(o.read.tables.of[0], "/")
	o.read.tables.of[0] = table
	r, err := prepare(ctx, e, &o.read, inputs)
	if err != nil {
		return err
	}
	s := &simulating{reading: r, o: o, limits: reporter.limits, table: table, index: index}
	result, err := s.run(ctx)
	if err != nil {
		return err
	}
	r.wanted.tables = nil // that another table was left out is no news
	result.Notes = append(result.Notes, append(r.remarks(), r.partial...)...)
	err = writeTo(e, stdout, "-", func(w io.Writer) error {
		return outputNamed(render.SimulationCatalogue(), o.format.of).Render(w, result, reporter.options)
	})
	return errors.Join(failed(err), r.err())
}

// A simulating is one run of simulate.
type simulating struct {
	*reading
	o            *simulateOptions
	limits       *detect.Limits
	table, index string
}

// run replays the traffic under the keys that are given, or proposed.
func (s *simulating) run(ctx context.Context) (*detect.Simulation, error) {
	keys, found := s.o.keys.of, []detect.Finding{}
	if s.o.auto {
		view, columns, err := s.survey(ctx)
		if err != nil {
			return nil, err
		}
		found = s.findings(view)
		keys = propose.Candidates(view, found, s.wantsTarget, columns, maxCandidates)
	}
	faults := []error{}
	for _, k := range keys {
		if err := k.Resolve(s.column); err != nil {
			faults = append(faults, fmt.Errorf("--key %q: %w", k, err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, usage(err)
	}
	replay := propose.NewReplay(keys, s.settings(), s.wants)
	if err := s.replay(ctx, replay); err != nil {
		return nil, err
	}
	if s.profile == nil {
		s.profile = replay.Profile()
		s.judgeBad(s.o.read.maxBad.of)
	}
	result, ok := replay.Result(s.limits, s.o.judge.rate.of, s.findings, s.o.auto)
	if !ok {
		return nil, errors.Join(usage(fmt.Errorf("no traffic of table %q in the input: see keyheat keys", s.o.read.tables.texts[0])), s.err())
	}
	for _, rule := range propose.Unjudged(found, s.wantsTarget, result) {
		result.Notes = append(result.Notes, rule+" does not rest on traffic that could be replayed: see the proposals of keyheat analyze")
	}
	return result, nil
}

// settings gives the settings of the profiles.
func (s *simulating) settings() detect.Settings { return s.o.read.settings() }

// replay reads the inputs, the first time unless keys were proposed, and once more to count.
func (s *simulating) replay(ctx context.Context, replay *propose.Replay) error {
	if s.o.auto {
		if !s.again(ctx, replay, "replaying") {
			return errors.Join(failed(errors.New("the inputs could not be read a second time as they were")), s.err())
		}
	} else if err := s.read(ctx, replay); err != nil {
		return err
	}
	if s.o.noExact {
		return nil
	}
	if why := s.onlyOnce(); why != "" {
		s.notes = append(s.notes, "keys have bounds, not exact counts: "+why)
		return nil
	}
	if counter := replay.Counter(); !s.again(ctx, counter, "counting") {
		replay.Uncount()
	}
	return nil
}

// findings judges a view as a report does.
func (s *simulating) findings(v *detect.View) []detect.Finding {
	found, _ := detect.Judge(v, rules.Catalogue(), nil)
	return found
}

// wants reports whether an event is of the table or index.
func (s *simulating) wants(e *ingest.Event) bool {
	return string(e.Index) == s.index && names(s.table, e.Table)
}

func (s *simulating) wantsTarget(t detect.Target) bool {
	return t.Index == s.index && names(s.table, []byte(t.Table))
}
