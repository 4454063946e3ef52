package main

import (
	"context"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/ingest/dynamo"
)

// exact reads the inputs a second time and counts the nominated keys, and those that also adds; nil
// adds none. Where that cannot be, it gives nil and notes why: the counts are bounds then.
func (r *reading) exact(ctx context.Context, also func(*detect.Nominees)) *detect.Exact {
	if why := r.onlyOnce(); why != "" {
		r.notes = append(r.notes, "keys have bounds, not exact counts: "+why)
		return nil
	}
	nominees := detect.Nominate(r.profile)
	nominees.ByColumns(r.profile, r.columns)
	r.options.Decode.Columns = nominees.Columns
	if also != nil {
		also(nominees)
	}
	if len(nominees.Keys) == 0 && len(nominees.Sizes) == 0 {
		return nil
	}
	counter := detect.NewCounter(r.profile, nominees)
	if !r.again(ctx, counter, "counting") {
		return nil
	}
	return counter.Exact()
}

// again reads the inputs once more, exactly the bytes that were read first. It reports whether h saw all of
// them, and else notes why the counts are bounds.
func (r *reading) again(ctx context.Context, h ingest.Handler, doing string) bool {
	again := r.options
	again.Again = r.result
	again.Decode.Changes = false
	result, err := r.pass(ctx, h, again, doing)
	switch {
	case ctx.Err() != nil:
		r.interrupted = true
		r.notes = append(r.notes, "keys have bounds, not exact counts: interrupted in the second pass")
		return false
	case err != nil:
		r.errs = append(r.errs, err)
		return false
	}
	changed := []string{}
	for _, s := range result.Sources {
		if s.Changed {
			changed = append(changed, s.Source.Name)
		}
	}
	if len(changed) > 0 {
		r.noteChanged(changed)
	}
	return len(changed) == 0
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
	if len(r.profiles) > 0 {
		return "Profiles hold no records that could be read again"
	}
	for _, s := range r.result.Sources {
		if dynamo.IsObject(s.Source.Path) && !r.twice && len(s.Inputs) > 0 {
			return "objects in S3 are read a second time with --exact only"
		}
		if s.Stream && len(s.Inputs) > 0 {
			return s.Source.Name + " is a stream, which cannot be read twice"
		}
	}
	return ""
}
