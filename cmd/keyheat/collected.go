package main

import (
	"fmt"
	"strings"

	"github.com/keyheat/keyheat/detect"
)

// maxNamed bounds the streams and nodes that a note names.
const maxNamed = 10

// collectedNotes says what a reader must know of recordings that were made on several machines: what was
// recorded twice, what is missing of a recording, and which nodes sent nothing.
func collectedNotes(p *detect.Profile) (notes []string) {
	doubled := p.Doubled()
	for _, d := range doubled[:min(len(doubled), maxNamed)] {
		notes = append(notes, fmt.Sprintf("recorded twice from %s to %s, and counted twice: %s; leave one recording out",
			moment(d.Span.Start*1e9), moment(d.Span.End*1e9), d.Name))
	}
	if more := len(doubled) - maxNamed; more > 0 {
		notes = append(notes, fmt.Sprintf("more streams that were recorded twice: %d", more))
	}
	notes = append(notes, sameNotes(p)...)
	missing := p.Missing()
	for _, m := range missing[:min(len(missing), maxNamed)] {
		notes = append(notes, fmt.Sprintf("gap: captures %d to %d of the recording %s are not among the inputs", m.First, m.Last, m.Recording))
	}
	if more := len(missing) - maxNamed; more > 0 {
		notes = append(notes, fmt.Sprintf("gap: more gaps in recordings: %d", more))
	}
	if unseen, of := p.Unseen(); len(unseen) > 0 {
		shown := strings.Join(unseen[:min(len(unseen), maxNamed)], ", ")
		if more := len(unseen) - maxNamed; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		notes = append(notes, fmt.Sprintf("of %d nodes that the topology names, nothing was read of %d: %s", of, len(unseen), shown))
	}
	return notes
}

// sameNotes says which inputs hold the same records.
func sameNotes(p *detect.Profile) (notes []string) {
	same := p.Same()
	for _, names := range same[:min(len(same), maxNamed)] {
		shown := strings.Join(names[1:min(len(names), maxNamed)], ", ")
		if more := len(names) - maxNamed; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		notes = append(notes, fmt.Sprintf("the same records as in %s are in %s, and are counted again: leave one out", names[0], shown))
	}
	if more := len(same) - maxNamed; more > 0 {
		notes = append(notes, fmt.Sprintf("more inputs whose records are in others as well: %d", more))
	}
	return notes
}
