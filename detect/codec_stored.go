package detect

import "github.com/keyheat/keyheat/sketch"

func (w *encoder) inventories(list []Inventory) {
	w.count(len(list))
	for i := range list {
		s := &list[i]
		w.signed(s.UnixNano)
		w.count(len(s.Targets))
		for j := range s.Targets {
			t := &s.Targets[j]
			w.nums(uint64(t.ID), t.Items, t.Bytes, t.Keyless)
			if t.Distinct != nil {
				w.b = t.Distinct.AppendBinary(w.b)
				w.b = t.Sample.AppendBinary(w.b)
				w.b = t.ItemBytes.AppendBinary(w.b)
				w.flag(t.Types)
				w.count(len(t.Entities))
				for _, e := range t.Entities {
					w.text(e.Name)
					w.nums(e.Items, e.Bytes)
				}
			}
		}
		w.b = s.Sizes.AppendBinary(w.b)
	}
}

func (r *decoder) inventories(p *Profile) {
	timed := 0
	for range r.count() {
		s := Inventory{UnixNano: r.signed()}
		if n := len(p.Inventories); n > 0 && p.Inventories[n-1].UnixNano >= s.UnixNano {
			r.fail("inventories are out of order")
		}
		if s.UnixNano != 0 {
			timed++
		}
		for range r.count() {
			t := r.storedTarget(p)
			if n := len(s.Targets); n > 0 && s.Targets[n-1].ID >= t.ID {
				r.fail("targets of an inventory are out of order")
			}
			s.Targets = append(s.Targets, t)
		}
		s.Sizes = r.top(len(p.Targets))
		p.Inventories = append(p.Inventories, s)
	}
	if timed > MaxInventories {
		r.fail("too many inventories")
	}
}

func (r *decoder) storedTarget(p *Profile) StoredTarget {
	t := StoredTarget{ID: uint32(r.below(uint64(len(p.Targets)), "a target")), Items: r.num(), Bytes: r.num(), Keyless: r.num()}
	if r.err == nil && !p.Settings.KeysOnly {
		t.Distinct = read(r, sketch.ReadDistinct)
		t.Sample = read(r, sketch.ReadSample)
		t.ItemBytes = read(r, sketch.ReadHistogram)
		t.Types = r.flag()
		for range r.count() {
			e := EntitySize{r.text(), r.num(), r.num()}
			if n := len(t.Entities); n > 0 && t.Entities[n-1].Name >= e.Name {
				r.fail("entities are out of order")
			}
			t.Entities = append(t.Entities, e)
		}
		if len(t.Entities) > maxEntities || t.Types && len(t.Entities) > 0 {
			r.fail("too many entities")
		}
	}
	return t
}

func (w *encoder) exactSize(s ExactSize) {
	w.count(len(s))
	for i := range s {
		w.signed(s[i].UnixNano)
		w.nums(s[i].Items, s[i].Bytes, s[i].Files)
		w.position(s[i].First)
		w.position(s[i].Last)
	}
}

func (r *decoder) exactSize() (s ExactSize) {
	for range r.count() {
		x := SizeAt{r.signed(), r.num(), r.num(), r.num(), r.position(), r.position()}
		if n := len(s); n > 0 && s[n-1].UnixNano >= x.UnixNano {
			r.fail("sizes are out of order")
		}
		s = append(s, x)
	}
	return s
}
