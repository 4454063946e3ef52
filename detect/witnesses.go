package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// joinWitnesses brings together what tells of one table. Witnesses of times that do not meet tell of different
// requests, which are added up. Of others the same request may be told twice: the one that tells where most
// requests went becomes the table's traffic, and the rest stay targets of their own, which a View keeps beside it.
// Before that, witnesses that never tell of the same request are added up: what CloudTrail tells beside changes goes
// to the one that tells of most changes, a stream or CloudTrail itself.
// Records of bad requests and conditions, which are of no witness, go to the table's traffic.
func joinWitnesses(p *Profile) *Profile {
	for {
		next := p.nextNames()
		if len(next) == 0 {
			return p
		}
		p = p.renamed(func(t Target) Target {
			if to, ok := next[t]; ok {
				return to
			}
			return t
		})
	}
}

// nextNames gives for each table one target that is to be joined to its traffic, which takes the name of both;
// none when all is joined. Each step joins one, so there are fewer steps than witnesses.
func (p *Profile) nextNames() map[Target]Target {
	next := map[Target]Target{}
	for _, group := range p.tellers() {
		main, t := p.pair(group, (*TargetStats).named)
		if t == nil {
			main, t = p.pair(group, consecutive)
		}
		if t == nil {
			main, t = p.pair(group, (*TargetStats).apart)
		}
		if t == nil {
			main, t = p.unmet(group)
		}
		if t == nil {
			continue
		}
		name := main.Target
		if t.Totals[Requests] > 0 {
			name.Told = name.Told.and(t.Target.Told)
		}
		if name == main.Target {
			next[t.Target] = name
		} else {
			next[main.Target] = name // and what is to be joined to it comes next
		}
	}
	return next
}

// pair gives two of a group that fit, of several the ones of most requests; nil, nil when there are none.
func (p *Profile) pair(group []int, fit func(a, b *TargetStats) bool) (a, b *TargetStats) {
	for i := range group {
		for _, id := range group[i+1:] {
			if a, b = &p.Targets[group[i]], &p.Targets[id]; fit(a, b) {
				return a, b
			}
		}
	}
	return nil, nil
}

// named reports whether t has the name of both already, and o is what is to be joined to it.
func (t *TargetStats) named(o *TargetStats) bool {
	return t.Target.Told.and(o.Target.Told) == t.Target.Told && o.Totals[Requests] > 0
}

// consecutive reports whether both tell of changes alone, one after the other. They are added up before anything is
// added to either that widens its times.
func consecutive(a, b *TargetStats) bool {
	others := Told(1 << ingest.TrailOthers)
	return others.apart(a.Target.Told) && others.apart(b.Target.Told) && a.Totals[Requests] > 0 && b.Totals[Requests] > 0 && !a.meets(b)
}

// unmet gives the first of a group and one that tells of no request at its times; nil when all that do.
func (p *Profile) unmet(group []int) (main, t *TargetStats) {
	main = &p.Targets[group[0]]
	for _, id := range group[1:] {
		if t = &p.Targets[id]; t.Totals[Requests] == 0 || !main.meets(t) {
			return main, t
		}
	}
	return main, nil
}

// apart reports whether no request is told by both.
func (t *TargetStats) apart(o *TargetStats) bool { return t.Target.Told.apart(o.Target.Told) }

// apart reports whether no witness of one set tells of a request that one of the other tells of.
func (t Told) apart(o Told) bool {
	for _, a := range t.Witnesses() {
		for _, b := range o.Witnesses() {
			if !a.Apart(b) {
				return false
			}
		}
	}
	return true
}

// tellers gives the targets of each table that has several, those first that tell where most requests went: an audit
// log of prepared statements has no keys, and traces of part of the same requests have.
func (p *Profile) tellers() [][]int {
	var groups [][]int
	for i := 0; i < len(p.Targets); {
		first := i
		for ; i < len(p.Targets) && p.Targets[i].Target.Bare() == p.Targets[first].Target.Bare(); i++ {
		}
		if i-first < 2 {
			continue
		}
		group := []int{}
		for id := first; id < i; id++ {
			group = append(group, id)
		}
		slices.SortStableFunc(group, func(a, b int) int {
			x, y := &p.Targets[a].Totals, &p.Targets[b].Totals
			return cmp.Or(cmp.Compare(y.placed(), x.placed()), cmp.Compare(y[Requests], x[Requests]))
		})
		groups = append(groups, group)
	}
	return groups
}

// placed gives the requests of which it is known where they went: to a key, or as a scan to all.
func (t *Totals) placed() uint64 {
	scans := t[ByOp+Counter(ingest.OpScan)]
	return t[Requests] - min(t[Requests], t[KeyUnknown]-min(t[KeyUnknown], scans))
}

// meets reports whether both may tell of the same requests: their times meet, or are not known.
func (t *TargetStats) meets(o *TargetStats) bool {
	if t.Totals[Untimed] > 0 || o.Totals[Untimed] > 0 {
		return true
	}
	return t.First <= o.Last && o.First <= t.Last
}

// beside puts the views of targets that tell of the requests of another again into that one's Also. What
// records of no witness tell of the table stands in all of them.
func beside(all []*TargetView, p *Profile) []*TargetView {
	lesser := map[*TargetView]bool{}
	for _, group := range p.tellers() {
		main := all[group[0]]
		for _, id := range group[1:] {
			t := all[id]
			main.Also, lesser[t] = append(main.Also, t), true
			if t.Told.has(ingest.AnyWitness) {
				main.takeConditions(t)
			}
		}
		for _, t := range main.Also {
			t.takeConditions(main)
			main.borrow(t)
		}
	}
	return slices.DeleteFunc(all, func(t *TargetView) bool { return lesser[t] })
}

// takeConditions takes over what is known of the table beside its traffic.
func (t *TargetView) takeConditions(o *TargetView) {
	t.Selected, t.Windows, t.States, t.Stored, t.Earlier = o.Selected, o.Windows, o.States, o.Stored, o.Earlier
}

// Teller gives the view of the table, as its traffic or another witness tells it, whose requests carry the measure of
// this counter; the traffic where none does.
func (t *TargetView) Teller(c Counter) *TargetView {
	if t.Totals[c] > 0 {
		return t
	}
	for _, o := range t.Also {
		if o.Totals[c] > 0 {
			return o
		}
	}
	return t
}

// Witnesses names what tells of the traffic.
func (t Told) Witnesses() []ingest.Witness {
	var list []ingest.Witness
	for w := range ingest.Witnesses {
		if t.has(w) {
			list = append(list, w)
		}
	}
	return list
}
