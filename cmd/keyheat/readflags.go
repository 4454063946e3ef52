package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/formats"
)

// readFlags are the flags of every command that reads traffic.
type readFlags struct {
	mappings values[mapping]
	schemas  values[string]
	zone     value[*time.Location]
	since    value[bound]
	until    value[bound]
	tables   values[string]
	nodes    values[string]
	maxBad   value[badLimit]
	memory   value[uint64]
	chunk    value[uint64]
	workers  value[int]
	pane     value[time.Duration]
	quiet    bool
	twice    bool      // objects in S3 are read a second time where files are
	once     bool      // no second pass follows
	profiles bool      // inputs may be Profiles
	live     liveFlags // offered by commands that read live sources
}

// Bounds of --chunk: a part has costs of its own, and is what one worker reads.
const (
	minChunk = 4 << 10
	maxChunk = 1 << 40
)

func (f *readFlags) add(e *env, flags *pflag.FlagSet) {
	defaults := detect.DefaultSettings()
	f.mappings.add(flags, "map", "`FIELD=PATH`: where generic records hold a field, like pk=user.id (repeatable)", parseMapping)
	f.schemas.add(flags, "schema", "`FILE` with the tables of a cluster, as DESCRIBE prints them, read beside the inputs (repeatable)", parseText)
	f.zone.add(flags, "timezone", "UTC", "`ZONE` of times that name none", parseZone)
	f.since.add(flags, "since", "", "leave out events before `TIME`: 2026-06-04T10:00:00Z, or 2h before the end of the input", parseBound)
	f.until.add(flags, "until", "", "leave out events at or after `TIME`, of the same forms", parseBound)
	f.tables.add(flags, "table", "read only events of `TABLE` and its indexes (repeatable)", parseText)
	f.nodes.add(flags, "node", "read only events that `NODE` logged (repeatable)", parseText)
	f.maxBad.add(flags, "max-bad", "", "how many bad records still make a full report: `COUNT|PERCENT` (default 1%, at least 100 records)", parseMaxBad)
	f.memory.add(flags, "memory", showSize(defaults.Memory), "`SIZE` that the process may take", parseSize(detect.MinMemory, detect.MaxMemory))
	f.chunk.add(flags, "chunk", showSize(defaults.Chunk), "`SIZE` of the parts in which an input is read; shapes the estimates", parseSize(minChunk, maxChunk))
	f.workers.add(flags, "workers", fmt.Sprint(e.cpus), "`NUMBER` of chunks read at the same time; never changes the result", parseCount(1))
	f.pane.add(flags, "pane", "1m", "`WIDTH` of a time pane: 1m, 2m, 4m, 12m, 1h, 3h, 6h, 12h, 1d, 7d, 28d, 364d; widens itself for long inputs", parseWidth)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on stderr")
}

// addExact is for commands that read files twice unless they are told not to.
func (f *readFlags) addExact(flags *pflag.FlagSet) {
	flags.BoolVar(&f.twice, "exact", false, "read objects in S3 a second time too, which costs their transfer once more")
}

// fault gives every fault of the flags.
func (f *readFlags) fault() error {
	err := faults(&f.mappings, &f.schemas, &f.zone, &f.since, &f.until, &f.tables, &f.nodes, &f.maxBad, &f.memory, &f.chunk, &f.workers, &f.pane)
	return errors.Join(err, f.live.fault(), f.mapFault(), f.spanFault())
}

func (f *readFlags) mapFault() error {
	seen := []string{}
	for _, m := range f.mappings.of {
		if slices.Contains(seen, m.field) {
			return fmt.Errorf("--map %s=%s: %s is mapped twice", m.field, m.path, m.field)
		}
		seen = append(seen, m.field)
	}
	return formats.CheckMap(f.fields())
}

// spanFault reports bounds that no time fits between, as far as that shows before reading.
func (f *readFlags) spanFault() error {
	since, until := f.since.of, f.until.of
	if f.since.err != nil || f.until.err != nil || f.zone.err != nil || since.text == "" || until.text == "" {
		return nil
	}
	from, okFrom := since.timeIn(f.zone.of)
	to, okTo := until.timeIn(f.zone.of)
	empty := okFrom && okTo && !from.Before(to) || !okFrom && !okTo && since.ago <= until.ago
	if empty {
		return fmt.Errorf("--since %s --until %s: must be later than --since", since.text, until.text)
	}
	return nil
}

// settings gives the settings of the Profile.
func (f *readFlags) settings() detect.Settings {
	s := detect.DefaultSettings()
	s.Chunk, s.Memory, s.Pane = f.chunk.of, f.memory.of, f.pane.of
	return s
}

// decode gives what decoders are told by the flags alone.
func (f *readFlags) decode() ingest.DecodeOptions {
	return ingest.DecodeOptions{Map: f.fields(), Location: f.zone.of, Changes: true}
}

func (f *readFlags) fields() map[string]string {
	fields := map[string]string{}
	for _, m := range f.mappings.of {
		fields[m.field] = m.path
	}
	return fields
}

// What a run takes beside its workers, and what each of them takes: open tables of its chunk, its
// sealed part, buffers and the window of a decompressor. Measured with 8 M distinct keys of 20 tables
// over 10 hours, as text: 71 MiB with one worker, 106 with two, 177 with five; 207 as zstd.
const (
	memoryOfRun    = 128 << 20
	memoryOfWorker = 24 << 20
)

// fittingWorkers gives the number of workers that fit into the memory, at least one.
func (f *readFlags) fittingWorkers() int {
	scale := func(n uint64) uint64 { return n * f.memory.of / detect.DefaultMemory }
	fit := (f.memory.of - scale(memoryOfRun)) / max(scale(memoryOfWorker), memoryOfWorker)
	return max(1, min(f.workers.of, int(fit)))
}
