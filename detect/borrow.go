package detect

import (
	"bytes"
	"cmp"
	"slices"
)

// borrow takes from another witness of the same requests what t's own records do not tell: capacity units and sizes,
// and by how much items grew. What is borrowed is of fewer requests than t tells of, so all of it is "at least".
func (t *TargetView) borrow(o *TargetView) {
	if len(t.Growing) == 0 {
		t.Growing, t.Grew = o.Growing, o.Grew
	}
	if t.Totals[UnitsKnown] > 0 || t.Totals[BytesKnown] > 0 || o.Totals[UnitsKnown] == 0 {
		return
	}
	for _, c := range []Counter{UnitsKnown, ReadMilli, WriteMilli, Bytes, BytesKnown} {
		t.Totals[c] = o.Totals[c]
	}
	t.Bytes, t.Untold.Cost = o.Bytes, o.Untold.Cost
	for i := range t.Panes {
		p, from := &t.Panes[i], &o.Panes[i]
		for _, c := range []PaneCounter{PaneBytes, PaneReadMilli, PaneWriteMilli} {
			p.Totals[c] = from.Totals[c]
		}
		p.Untold.Cost = from.Untold.Cost
	}
	for _, k := range t.Keys {
		i := slices.IndexFunc(o.Keys, func(x *KeyView) bool { return bytes.Equal(x.Key, k.Key) })
		if i < 0 {
			k.Cost.High = max(k.Cost.High, o.Untold.Cost)
			continue
		}
		k.borrow(o.Keys[i])
	}
}

// borrow takes the cost of a key as another witness tells it.
func (k *KeyView) borrow(o *KeyView) {
	k.Cost, k.CostSecond = o.Cost, o.CostSecond
	own := k.fill
	k.fill = func() []KeyPane {
		panes := own()
		for i, p := range o.Series() {
			panes[i].Cost, panes[i].Reads, panes[i].Writes = p.Cost, p.Reads, p.Writes
		}
		return panes
	}
	if k.Exact == nil || o.Exact == nil {
		k.Exact = nil // half of it would be bounds, and half counts
		return
	}
	x := *k.Exact
	panes, seconds := []ExactPane{}, []ExactSecond{}
	for _, p := range o.Exact.Panes {
		panes = append(panes, ExactPane{Start: p.Start, Cost: p.Cost, ReadMilli: p.ReadMilli, WriteMilli: p.WriteMilli})
	}
	for _, s := range o.Exact.Seconds {
		seconds = append(seconds, ExactSecond{Second: s.Second, ReadMilli: s.ReadMilli, WriteMilli: s.WriteMilli})
	}
	x.Panes = joinSorted(slices.Clone(x.Panes), panes, func(a, b ExactPane) int { return cmp.Compare(a.Start, b.Start) }, (*ExactPane).add)
	x.Seconds = joinSorted(slices.Clone(x.Seconds), seconds, func(a, b ExactSecond) int { return cmp.Compare(a.Second, b.Second) }, (*ExactSecond).add)
	for _, c := range []Counter{UnitsKnown, ReadMilli, WriteMilli, Bytes, BytesKnown} {
		x.Totals[c] = o.Exact.Totals[c]
	}
	k.Exact = &x
}
