package detect

import (
	"slices"

	"github.com/keyheat/keyheat/sketch"
)

// Records of a DynamoDB stream and of CloudTrail have names of their own, and one that comes again is the same record:
// dumps of a shard overlap, or a body and its archive are both there. No set of seen names is kept: of each table a
// uniform sample of them, with how often each came, and of each input the sum of all.

// A Named is the records of an input that have a name of their own. Two inputs of equal ones hold the same records,
// in whatever form and order: unlike ones have equal sums once in 2^64.
type Named struct {
	Records uint64
	Sum     uint64 // of the hashes of their names, modulo 2^64
}

func (n *Named) add(id uint64) {
	if id != 0 {
		n.Records++
		n.Sum += sketch.Combine(id, 0)
	}
}

func (n *Named) join(o Named) {
	n.Records, n.Sum = AddSat(n.Records, o.Records), n.Sum+o.Sum
}

// identify counts a record by its name; size is the most names that are held.
func (t *TargetStats) identify(id uint64, size int) {
	if t.IDs == nil {
		t.IDs = sketch.NewSample(size)
	}
	t.Named++
	t.IDs.Add(sketch.Combine(id, 0), 1, 0)
}

// joinIDs adds the records with names of a later part.
func (t *TargetStats) joinIDs(o *TargetStats) {
	t.Named = AddSat(t.Named, o.Named)
	switch {
	case o.IDs == nil:
	case t.IDs == nil:
		t.IDs = o.IDs
	default:
		t.IDs.Merge(o.IDs)
	}
}

// Copies are records that were read once more: how many too many requests are counted for it.
type Copies struct {
	Records uint64 // with a name of their own, copies included
	// Value is how many of them are copies, Low and High the ends of its 95 % interval, and all are the same where every name
	// was held. Low is over 0 where any copy was seen.
	Value, Low, High uint64
}

// copies tells what the sample of names says: the share of names that came again, by Wilson's interval, times how often
// those came.
func (t *TargetStats) copies() Copies {
	c := Copies{Records: t.Named}
	if t.IDs == nil {
		return c
	}
	names, again, more := uint64(0), uint64(0), uint64(0)
	t.IDs.Each(func(_, records, _ uint64) {
		names++
		if records > 1 {
			again, more = again+1, AddSat(more, records-1)
		}
	})
	switch {
	case more == 0:
		return c
	case t.IDs.Theta() == 0:
		c.Value, c.Low, c.High = more, more, more
		return c
	}
	// With a share q of names that come again, each w times more, the copies are qw / (1 + qw) of the records.
	of := func(q float64) uint64 {
		w := float64(q * float64(more) / float64(again))
		return min(uint64(float64(t.Named)*float64(w/(1+w))), t.Named)
	}
	low, high := wilson(again, names)
	c.Value = max(of(float64(again)/float64(names)), more)
	c.Low, c.High = max(of(low), more), max(of(high), c.Value)
	return c
}

// Same gives the inputs that hold the same records, those of each group in their order, groups in order of their first.
// Inputs of one name are left out: they are of a live source, of which Doubled tells.
func (p *Profile) Same() (groups [][]string) {
	place := map[Named]int{}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if in.Named.Records == 0 {
			continue
		}
		at, found := place[in.Named]
		if !found {
			at = len(groups)
			place[in.Named], groups = at, append(groups, nil)
		}
		if n := len(groups[at]); n == 0 || groups[at][n-1] != in.Name {
			groups[at] = append(groups[at], in.Name)
		}
	}
	several := groups[:0]
	for _, g := range groups {
		if len(g) > 1 {
			several = append(several, g)
		}
	}
	return several
}

// Doubt takes the certainty from a finding that rests on counted requests of a table of which records were read once
// more, or of an index of it: its lower bounds are none. An evidence says how many.
func (v *View) Doubt(f *Finding) {
	of := f.Subject.Target
	for _, t := range v.Targets {
		c := &t.Copies
		if t.Target != of && t.Target != (Target{Store: of.Store, Table: of.Table}) || c.Value == 0 {
			continue
		}
		e := Evidence{Measure: "repeated_records", Unit: "records", Value: Whole(c.Value), Low: Whole(c.Low), High: Whole(c.High), How: Estimated}
		if c.Low == c.High {
			e.How = Counted
		}
		f.Confidence, f.Evidence = Maybe, append(f.Evidence, e)
		return
	}
}

// counted reports whether a finding of a rule rests on counted requests; what the store itself says does not.
func (r *Rule) counted(f *Finding) bool {
	return r.Counts && slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.How == Counted || e.How == Estimated })
}
