package ingest

import (
	"errors"
	"fmt"
	"strings"
)

// A Result says what became of each source, in their order.
type Result struct {
	Sources []SourceResult
}

// A SourceResult says what became of one source.
type SourceResult struct {
	Source Source
	// Err says why nothing, or not all, of it could be read: missing, unreadable, unrecognised (an
	// *UnrecognisedError), a broken archive. Errors of one of its inputs are in Inputs.
	Err error
	// Size is the bytes it had when it was opened, the most that is read of it; -1 for a stream.
	Size int64
	// stamp is that of the file, see Options.Stamp; 0: its bytes are summed.
	stamp int64
	// Stream is set for sources that cannot be read again: the standard input, pipes, a Live.
	Stream bool
	// Notes are what a Live tells beside its records, sorted.
	Notes []string
	// Inputs are what was recognised in it, in order.
	Inputs []InputResult
	// Skipped are the first of those found in a directory, by a glob or in an archive that hold nothing
	// that a format knows; SkippedMore is the number of the others.
	Skipped     []Skipped
	SkippedMore int
	// Damaged are the first of its data files of exports whose bytes have another sum than their manifest says, and
	// DamagedMore is the number of the others. Those that were decompressed since are not checked.
	Damaged     []string
	DamagedMore int
	// Changed is set by a second pass that did not see the bytes of the first one.
	Changed bool

	archive bool     // it, or something in it, is an archive
	sums    []uint32 // CRC-32C of what was read of each of its inputs that are no text
	errs    int
}

// maxErrors bounds the errors that are kept of one source.
const maxErrors = 10

// Fail adds an error; the first ones are kept.
func (r *SourceResult) Fail(err error) {
	if err == nil {
		return
	}
	if r.errs++; r.errs <= maxErrors {
		r.Err = errors.Join(r.Err, err)
	}
}

func (r *SourceResult) damage(name string) {
	if len(r.Damaged) == maxErrors {
		r.DamagedMore++
		return
	}
	r.Damaged = append(r.Damaged, name)
}

// WantInputs makes it an error of an archive that was named to hold nothing that a format knows.
func (r *SourceResult) WantInputs() {
	if r.Source.Named && r.Err == nil && len(r.Inputs) == 0 {
		r.Err = fmt.Errorf("%s: nothing in it that a format knows", r.Source.Name)
	}
}

// An InputResult says what was read of one input.
type InputResult struct {
	Input   *Input
	Chunks  int
	Bytes   uint64   // decompressed
	Records uint64   // see ChunkStats
	Sums    []uint32 // CRC-32C of each chunk's bytes, if asked for
	Err     error    // a *ReadError when it ended early
}

// Skipped is a file or archive member that was found, not named, and holds nothing to read.
type Skipped struct {
	Name string
	Why  string // with the nearest format
}

// maxSkipped bounds the members of one archive that are listed as skipped.
const maxSkipped = 100

// Skip notes a file, or a member of an archive, that holds nothing to read.
func (r *SourceResult) Skip(name, why string) {
	if len(r.Skipped) >= maxSkipped {
		r.SkippedMore++
		return
	}
	r.Skipped = append(r.Skipped, Skipped{Name: name, Why: why})
}

// stillIs reports whether a file has the stamp that it had; else it is Changed.
func (r *SourceResult) stillIs(f File, o *Options) bool {
	if r.stamp == 0 {
		return true
	}
	info, err := f.Stat()
	if err != nil || o.Stamp(info) != r.stamp {
		r.Changed = true
	}
	return !r.Changed
}

// A ReadError is an input that could not be read to its end.
type ReadError struct {
	Name string
	Byte uint64 // of the decompressed input, up to which it was read
	Err  error
}

// Error names the input, the cause and the place.
func (e *ReadError) Error() string {
	return fmt.Sprintf("reading %s: %v, after %d bytes", e.Name, e.Err, e.Byte)
}

// Unwrap gives the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// An UnrecognisedError is an input that no format knows.
type UnrecognisedError struct {
	Name     string
	Verdicts []FormatVerdict // of each format, the best fit first
}

// A FormatVerdict is what one format makes of an input.
type FormatVerdict struct {
	Format *Format
	Verdict
}

// Error names the input and each format's verdict. For an ambiguous input the first says how to have
// it read.
func (e *UnrecognisedError) Error() string {
	var b strings.Builder
	if len(e.Verdicts) > 0 && e.Verdicts[0].Fit == Ambiguous {
		fmt.Fprintf(&b, "%s: ambiguous", e.Name)
	} else {
		fmt.Fprintf(&b, "%s: no format knows it", e.Name)
	}
	for _, v := range e.Verdicts {
		fmt.Fprintf(&b, "\n  %s: %s", v.Format.Name, v.Why)
	}
	return b.String()
}

// nearest gives the best verdict in one clause.
func (e *UnrecognisedError) nearest() string {
	if len(e.Verdicts) == 0 {
		return "no format knows it"
	}
	return e.Verdicts[0].Format.Name + ": " + e.Verdicts[0].Why
}
