package main

import (
	"context"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// exact reads the inputs a second time and counts the nominated keys, and those that also adds; nil
// adds none. Where that cannot be, it gives nil and notes why: the counts are bounds then.
func (r *reading) exact(ctx context.Context, also func(*detect.Nominees)) *detect.Exact {
	if why := r.onlyOnce(); why != "" {
		r.notes = append(r.notes, "keys have bounds, not exact counts: "+why)
		return nil
	}
	nominees := detect.Nominate(r.profile)
	if also != nil {
		also(nominees)
	}
	if len(nominees.Keys) == 0 && len(nominees.Sizes) == 0 {
		return nil
	}
	counter := detect.NewCounter(r.profile, nominees)
	again := r.options
	again.Again = r.result
	result, err := r.pass(ctx, counter, again, "counting")
	switch {
	case ctx.Err() != nil:
		r.interrupted = true
		r.notes = append(r.notes, "keys have bounds, not exact counts: interrupted in the second pass")
		return nil
	case err != nil:
		r.errs = append(r.errs, err)
		return nil
	}
	changed := []string{}
	for _, s := range result.Sources {
		if s.Changed {
			changed = append(changed, s.Source.Name)
		}
	}
	if len(changed) > 0 {
		r.noteChanged(changed)
		return nil
	}
	return counter.Exact()
}

// noteChanged notes why there are no exact counts of sources that the second pass found changed.
func (r *reading) noteChanged(names []string) {
	r.notes = append(r.notes, "keys have bounds, not exact counts: changed while it was read: "+strings.Join(names, ", "))
}

// onlyOnce says why the inputs cannot be read a second time; empty when they can.
func (r *reading) onlyOnce() string {
	if r.interrupted {
		return "interrupted"
	}
	for _, s := range r.result.Sources {
		if s.Stream && len(s.Inputs) > 0 {
			return s.Source.Name + " is a stream, which cannot be read twice"
		}
	}
	return ""
}
