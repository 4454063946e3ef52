package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
	"github.com/keyheat/keyheat/internal/parts"
	"github.com/keyheat/keyheat/sketch"
)

// A partFiles are the open files of parts.
type partFiles struct {
	env   *env
	index *parts.Index
	close []func() error
}

// ofParts reports whether the arguments of merge are parts of a plan: files or folders of them, or stdin.
func ofParts(e *env, o *mergeOptions, args []string) (bool, error) {
	if o.plan != "" || o.nominate {
		return true, nil
	}
	for _, arg := range args {
		var beginning []byte
		if arg == "-" {
			r := bufio.NewReader(e.stdin)
			e.stdin = r
			beginning, _ = r.Peek(32) // an error comes again when it is read
		} else if info, err := e.files.Stat(arg); err != nil {
			continue // merging it says so
		} else if info.IsDir() {
			return holdsParts(e, arg), nil
		} else if f, err := e.files.Open(arg); err == nil {
			beginning = make([]byte, 32)
			n, _ := io.ReadFull(f, beginning)
			beginning = beginning[:n]
			if err := f.Close(); err != nil {
				return false, err
			}
		}
		if parts.IsParts(beginning) {
			return true, nil
		}
	}
	return false, nil
}

// add indexes a file, the files of a folder, or stdin.
func (p *partFiles) add(arg string) error {
	if arg == "-" {
		f, remove, err := p.env.spool(p.env.stdin)
		if err != nil {
			return fmt.Errorf("keeping stdin: %w", err)
		}
		p.close = append(p.close, remove)
		return p.index.Add(arg, f)
	}
	info, err := p.env.files.Stat(arg)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return p.file(arg)
	}
	entries, err := p.env.files.ReadDir(arg)
	if err != nil {
		return err
	}
	for _, d := range entries {
		name := path.Base(d.Name())
		// What engines keep for themselves: _SUCCESS, .part-00000.crc.
		if d.IsDir() || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		if err := p.file(within(arg, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// within gives the path of what is in a folder, which may be one of S3.
func within(dir, name string) string {
	if dynamo.IsObject(dir) {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

func (p *partFiles) file(name string) error {
	f := &reopened{files: p.env.files, name: name}
	err := p.index.Add(name, f)
	return errors.Join(err, f.Close())
}

// end closes what is open.
func (p *partFiles) end() error {
	errs := []error{}
	for _, c := range p.close {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// A reopened is a file that is open only while it is read: a plan may come back in more files than a process
// may have open.
type reopened struct {
	files ingest.Files
	name  string
	f     ingest.File // nil: closed
}

func (r *reopened) open() (err error) {
	if r.f == nil {
		r.f, err = r.files.Open(r.name)
	}
	return err
}

// Read implements io.Reader; the file stays open until Close.
func (r *reopened) Read(b []byte) (int, error) {
	if err := r.open(); err != nil {
		return 0, err
	}
	return r.f.Read(b)
}

// ReadAt implements io.ReaderAt.
func (r *reopened) ReadAt(b []byte, at int64) (int, error) {
	if err := r.open(); err != nil {
		return 0, err
	}
	n, err := r.f.ReadAt(b, at)
	if errClose := r.Close(); err == nil {
		err = errClose
	}
	return n, err
}

// Close closes the file until it is read again.
func (r *reopened) Close() error {
	if r.f == nil {
		return nil
	}
	f := r.f
	r.f = nil
	return f.Close()
}

// runMergeParts makes of the parts of a plan what a run on one machine makes of its inputs.
func runMergeParts(ctx context.Context, e *env, stdout io.Writer, o *mergeOptions, args []string) (err error) {
	reporter, err := o.report.open(e)
	if err != nil {
		return err
	}
	first, second, done, err := openParts(e, o, args)
	if done != nil {
		defer func() { err = errors.Join(err, failed(done())) }()
	}
	if err != nil {
		return failed(err)
	}
	r, most, err := readingOf(e, &first.Head)
	if err != nil {
		return failed(err)
	}
	e.limitMemory(int64(first.Settings.Memory / 10 * 8))
	if err := r.takeAll(resultOf(first)); err != nil {
		return err
	}
	collector := detect.NewCollector(first.Settings)
	if err := first.Fold(ctx, collector); err != nil {
		return failedOrStopped(ctx, fmt.Errorf("merging: %w", err))
	}
	r.profile = collector.Profile()
	r.judgeBad(most)
	if o.to != "" && !o.nominate {
		return errors.Join(writeProfile(e, stdout, o.to, r.profile), r.err())
	}
	r.profile = detect.JoinStores(r.profile)
	nominees := detect.Nominate(r.profile)
	nominees.ByColumns(r.profile, r.columns)
	if o.nominate {
		return errors.Join(writeKeys(e, stdout, o.to, nominees), r.err())
	}
	exact, err := r.exactOf(ctx, first, second, nominees)
	if err != nil {
		return failedOrStopped(ctx, fmt.Errorf("merging exact counts: %w", err))
	}
	return reporter.report(stdout, r, exact)
}

// openParts indexes the parts and checks that all are there.
func openParts(e *env, o *mergeOptions, args []string) (first, second *parts.Pass, done func() error, err error) {
	var plan *parts.Plan
	if o.plan != "" {
		if plan, err = readPlan(e, o.plan); err != nil {
			return nil, nil, nil, fmt.Errorf("reading the plan: %w", err)
		}
	}
	files := &partFiles{env: e, index: parts.NewIndex()}
	for _, arg := range args {
		if err := files.add(arg); err != nil {
			return nil, nil, files.end, fmt.Errorf("merging %s: %w", arg, err)
		}
	}
	first, second, err = files.index.Check(plan)
	if err == nil && first.Hash != sketch.HashName {
		err = fmt.Errorf("the parts are of hash %s, this keyheat uses %s", first.Hash, sketch.HashName)
	}
	return first, second, files.end, err
}

// resultOf gives the result of the first pass as a run on one machine would: of a file in several splits
// the first that failed speaks.
func resultOf(p *parts.Pass) *ingest.Result {
	r := &ingest.Result{Sources: make([]ingest.SourceResult, p.Sources)}
	for i := range p.Outcomes {
		o := p.Outcomes[i]
		s := &r.Sources[o.Source]
		s.Source.Name, s.Source.Named = string(o.Name), o.Named
		base := 0
		if o.Entries {
			base = len(s.Inputs)
		}
		if o.Entries || s.Err == nil {
			for _, f := range o.Errors {
				s.Fail(told(s.Source.Name, f))
			}
		}
		for _, k := range o.Skipped {
			s.Skip(string(k.Name), string(k.Why))
		}
		s.SkippedMore += o.More
		for _, name := range o.Damaged {
			s.Damaged = append(s.Damaged, string(name))
		}
		s.DamagedMore += o.DamagedMore
		for member, chunks := range o.Members {
			if base+member == len(s.Inputs) {
				s.Inputs = append(s.Inputs, ingest.InputResult{})
			}
			s.Inputs[base+member].Chunks += chunks
		}
		for _, x := range o.Ended {
			if at := base + x.Member; at < len(s.Inputs) && s.Inputs[at].Err == nil {
				s.Inputs[at].Err = errors.New(string(x.Text))
			}
		}
		if last := i+1 == len(p.Outcomes) || p.Outcomes[i+1].Source != o.Source; last && o.Entries {
			s.WantInputs()
		}
	}
	return r
}

// writeKeys writes the keys that a second pass counts.
func writeKeys(e *env, stdout io.Writer, file string, n *detect.Nominees) error {
	form, err := n.MarshalBinary()
	if err != nil {
		return failed(err)
	}
	line, _ := parts.Keys(form)
	if file == "" {
		file = "-"
	}
	err = writeTo(e, stdout, file, func(w io.Writer) error {
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return failed(fmt.Errorf("writing the keys: %w", err))
	}
	return nil
}

// exactOf gives what the second pass counted, nil when there was none.
func (r *reading) exactOf(ctx context.Context, first, second *parts.Pass, n *detect.Nominees) (*detect.Exact, error) {
	if second == nil || len(n.Keys) == 0 && len(n.Sizes) == 0 {
		return nil, nil
	}
	form, err := n.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if _, digest := parts.Keys(form); digest != second.Keys {
		return nil, errors.New("the keys that were counted are not those of the first pass")
	}
	changed := []string{}
	for _, source := range parts.Changed(first, second) {
		changed = append(changed, r.result.Sources[source].Source.Name)
	}
	if len(changed) > 0 {
		r.noteChanged(changed)
		return nil, nil
	}
	counter := detect.NewCounter(r.profile, n)
	if err := second.Fold(ctx, counter); err != nil {
		return nil, err
	}
	return counter.Exact(), nil
}
