package detect

import (
	"fmt"
	"slices"
	"time"

	"github.com/keyheat/keyheat/sketch"
)

// Defaults of Settings. Measured: with 256 MiB the whole process, two workers included, stays below
// 256 MiB of resident memory.
const (
	DefaultMemory = 256 << 20
	MinMemory     = 64 << 20
	MaxMemory     = 64 << 30
	DefaultChunk  = 64 << 20
	DefaultFan    = 32
)

// DefaultSettings gives the settings of a run that asks for nothing else.
func DefaultSettings() Settings {
	return Settings{Chunk: DefaultChunk, Fan: DefaultFan, Pane: time.Minute, Memory: DefaultMemory}
}

// Validate reports every setting that is out of range.
func (s Settings) Validate() []error {
	var faults []error
	if s.Memory < MinMemory || s.Memory > MaxMemory {
		faults = append(faults, fmt.Errorf("memory %d: must be between %d and %d bytes", s.Memory, uint64(MinMemory), uint64(MaxMemory)))
	}
	if !slices.Contains(Widths, uint32(s.Pane/time.Second)) || s.Pane%time.Second != 0 {
		faults = append(faults, fmt.Errorf("pane %v: must be one of 1m, 2m, 4m, 12m, 1h, 3h, 6h, 12h, 24h, 168h", s.Pane))
	}
	if s.Chunk == 0 {
		faults = append(faults, fmt.Errorf("chunk 0: must be at least 1 byte"))
	}
	if s.Fan < 2 {
		faults = append(faults, fmt.Errorf("fan %d: must be at least 2", s.Fan))
	}
	return faults
}

// scaled gives n for the default memory, and in proportion for another.
func (s Settings) scaled(n int) int {
	return max(1, int(mulDiv(uint64(n), s.Memory, DefaultMemory)))
}

// openBudget is what all open pane tables of one partial Profile may take together; tableBudget is
// what one table may.
func (s Settings) openBudget() int  { return s.scaled(8 << 20) }
func (s Settings) tableBudget() int { return s.scaled(1 << 20) }

// minTable is the least budget of an open pane table: with less, every update would purge.
const minTable = 16 << 10

// paneBudget gives the budget of each of n open pane tables: the largest power-of-two part of
// tableBudget with which they all fit into openBudget.
func (s Settings) paneBudget(n int) int {
	b := s.tableBudget()
	for b > minTable && b*n > s.openBudget() {
		b /= 2
	}
	return max(b, minTable)
}

// paneQuota says what a sealed pane keeps, with n active targets.
func (s Settings) paneQuota(n int) sketch.Quota {
	p := min(max(s.scaled(256)/max(n, 1), 1), 16)
	return sketch.Quota{
		Top:      [sketch.Weights]int{s.scaled(256), s.scaled(64), s.scaled(64)},
		PerGroup: [sketch.Weights]int{p, p / 2, p / 2},
	}
}

// runQuota says what the table of the whole run keeps, with n targets.
func (s Settings) runQuota(n int) sketch.Quota {
	p := min(max(s.scaled(1024)/max(n, 1), 1), 32)
	return sketch.Quota{
		Top:      [sketch.Weights]int{s.scaled(1024), s.scaled(256), s.scaled(256)},
		PerGroup: [sketch.Weights]int{p, p / 2, p / 2},
	}
}

// distinctPrecision and sampleSize shrink what each target holds as their number n grows, so that all
// are treated alike: a rule that favoured some would leave others silently too small after a merge.
func distinctPrecision(n int) uint8 {
	switch {
	case n <= 64:
		return 14
	case n <= 256:
		return 12
	}
	return 10
}

func (s Settings) sampleSize(n int) int {
	return min(max(s.scaled(16384)/max(n, 1), 32), 1024)
}

const (
	panePrecision = 8  // of the distinct keys of a target in a pane: standard error 6.5 %
	paneDistincts = 64 // targets of a sealed pane that keep their distinct keys
	fedFromPanes  = 8  // a chunk that opens more panes feeds the table of the whole run by event
	maxExamples   = 5  // of a cause of problems
)

// wider gives the width that follows w, and w itself for the last.
func wider(w uint32) uint32 {
	i := slices.Index(Widths, w)
	return Widths[min(i+1, len(Widths)-1)]
}
