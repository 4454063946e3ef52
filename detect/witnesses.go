package detect

import (
	"cmp"
	"slices"

	"github.com/keyheat/keyheat/ingest"
)

// joinWitnesses brings together what tells of one table. Witnesses of times that do not meet tell of different
// requests, which are added up. Of others the same request may be told twice: the one that tells of most
// requests becomes the table's traffic, and the rest stay targets of their own, which a View keeps beside it.
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
		main := &p.Targets[group[0]]
		for _, id := range group[1:] {
			t := &p.Targets[id]
			if t.Totals[Requests] > 0 && main.meets(t) {
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
			break
		}
	}
	return next
}

// tellers gives the targets of each table that has several, those of most requests first.
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
			return cmp.Compare(p.Targets[b].Totals[Requests], p.Targets[a].Totals[Requests])
		})
		groups = append(groups, group)
	}
	return groups
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
