package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/capture"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

// profileEnd ends the names of Profiles that are found in folders of S3, where a look into each object is a request.
const profileEnd = ".khp"

// isProfile reports whether a source is a Profile, packed by gzip or not. What cannot be read is none: who reads it
// says so.
func isProfile(files ingest.Files, s *ingest.Source) bool {
	if s.Path == "" || s.Size < 0 {
		return false
	}
	if dynamo.IsObject(s.Path) && !s.Named && !strings.HasSuffix(strings.TrimSuffix(s.Path, ".gz"), profileEnd) {
		return false
	}
	f, err := files.Open(s.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8)
	if _, err := f.ReadAt(head, 0); err != nil {
		return false
	}
	if head[0] == 0x1f && head[1] == 0x8b {
		unpacked, err := gzip.NewReader(io.NewSectionReader(f, 0, s.Size))
		if err != nil {
			return false
		}
		if _, err := io.ReadFull(unpacked, head); err != nil {
			return false
		}
	}
	return detect.IsProfile(head)
}

// withoutProfiles notes the sources that are Profiles and gives the others.
func (r *reading) withoutProfiles(sources []ingest.Source) (others []ingest.Source) {
	for i := range sources {
		if isProfile(r.env.files, &sources[i]) {
			r.profiles = append(r.profiles, sources[i].Path)
			continue
		}
		others = append(others, sources[i])
	}
	return others
}

// isCapture reports whether a file is a capture.
func isCapture(files ingest.Files, name string) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, ingest.SniffBytes)
	n, _ := io.ReadFull(f, head) // what is there will do
	return capture.Format.Sniff(head[:n], ingest.DecodeOptions{}).Fit == ingest.Certain
}

// holdsParts reports whether the first file of a folder is no Profile, and no capture.
func holdsParts(e *env, dir string) bool {
	sources, err := ingest.Expand([]string{dir}, e.files)
	return err != nil || len(sources) == 0 || !isProfile(e.files, &sources[0]) && !isCapture(e.files, sources[0].Path)
}

// profileFiles gives the files that arguments of merge name, those that are captures apart. What names nothing is given as
// it is: reading it says so.
func profileFiles(e *env, args []string) (profiles, captures []string) {
	for _, arg := range args {
		sources, err := ingest.Expand([]string{arg}, e.files)
		if arg == "-" || err != nil {
			profiles = append(profiles, arg)
			continue
		}
		for i := range sources {
			if name := sources[i].Path; !isProfile(e.files, &sources[i]) && isCapture(e.files, name) {
				captures = append(captures, name)
			} else {
				profiles = append(profiles, name)
			}
		}
	}
	return profiles, captures
}

// readNight reads inputs that may be Profiles, which are merged behind all others, into a Profile that is ready to be
// judged.
func readNight(ctx context.Context, e *env, f *readFlags, inputs []string) (*reading, error) {
	f.profiles = true
	r, err := prepare(ctx, e, f, inputs)
	if err != nil {
		return nil, err
	}
	if len(r.sources) > 0 {
		if err := r.sketch(ctx, f, f.settings()); err != nil && (len(r.profiles) == 0 || r.interrupted) {
			return nil, err
		}
	}
	if err := r.mergeProfiles(); err != nil {
		return nil, err
	}
	r.profile = detect.JoinStores(r.profile)
	return r, nil
}

// mergeProfiles merges the inputs that are Profiles with what was read of the others. The error says that nothing was
// recognised.
func (r *reading) mergeProfiles() error {
	joined := &joiner{env: r.env, profile: r.profile, fits: r.wanted.whole}
	for _, file := range r.profiles {
		joined.add(file)
	}
	r.errs, r.unread = append(r.errs, joined.errs...), append(r.unread, joined.unread...)
	r.left, r.notes = joined.notes, append(r.notes, joined.notes...)
	if n := len(joined.unread); n > 0 {
		r.partial = append(r.partial, fmt.Sprintf("Profiles that were left out: %d", n))
	}
	if joined.profile == nil {
		return r.nothing()
	}
	r.profile = joined.profile
	return nil
}

// whole says why a Profile cannot be used where only a part of what it holds is wanted.
func (w *wanted) whole(p *detect.Profile) error {
	switch {
	case len(w.tables)+len(w.nodes) > 0:
		return errors.New("a Profile cannot be cut to the tables and nodes that are wanted: give those to keyheat sketch")
	case p.First == 0: // no event has a time
		return nil
	case w.window.Since != 0 && p.First < w.window.Since || w.window.Until != 0 && p.Last >= w.window.Until:
		return fmt.Errorf("tells of %s to %s, and a Profile cannot be cut: give --since and --until to keyheat sketch", moment(p.First), moment(p.Last))
	}
	return nil
}
