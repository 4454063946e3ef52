package propose

import (
	"fmt"

	"github.com/keyheat/keyheat/detect"
)

// OwnTable moves the few keys that are much larger than all others to a table of their own.
var OwnTable = detect.Remedy{
	Kind:  "own-table",
	Title: "Give the few largest keys a table of their own",
	Rules: []string{"hot-partition"},
	Doc: `Where one to three keys, tenants mostly, have half of a table's traffic and the others are many and even, the few can
be served from a table of their own, with a key that fits them, and the table stays as it is for all others.

**Gate.** A certain finding of at least *medium*; the first key, two or three together have at least
own-table.share of the requests, the next key less than a tenth of the last of them, the key is no single item as far as is known, and there are at least
own-table.keys keys.

**Formula.** Share of the largest key left in the table: requests of the next key / (all requests - those of the moved
keys). Source: ScyllaDB University, "Hot partitions".

**Caveats.** The application must know which keys go where; the new table needs a key that spreads them, or they are as
hot as before.`,
	Propose: proposeOwnTable,
}

func proposeOwnTable(v *detect.View, f *detect.Finding) []detect.Proposal {
	t := targetOf(v, f)
	share, ok := measured(f, "share")
	if !worthIt(f) || !ok || t == nil || f.Subject.Target.Index != "" || t.Distinct.Low < v.Limits.Count(detect.OwnTableKeys) {
		return nil
	}
	known := t.Totals[detect.Requests] - min(t.Totals[detect.Requests], t.Totals[detect.KeyUnknown])
	whales := uint64(0)
	for n := 1; n <= 3 && n < len(t.Keys); n++ {
		whales += t.Keys[n-1].Requests.Low
		next := t.Keys[n].Requests.High
		if detect.Ratio(whales, known) < v.Limits.Of(detect.OwnTableShare).Value || next > t.Keys[n-1].Requests.Low/10 {
			continue
		}
		if s := spreadOf(v, f); string(t.Keys[0].Key) != string(f.Subject.Key) || s.item >= 500 || s.readOnly(t.Keys[0]) || s.counter(t.Keys[0]) {
			return nil // told once, with the largest key; one hot item is as hot anywhere
		}
		after := detect.Ratio(next, known-min(known, whales))
		return []detect.Proposal{{
			Kind:    "own-table",
			Title:   fmt.Sprintf("move the %s to another table: the next key has %d.%d %% of what is left", plural(n, "largest key"), after/10, after%10),
			Change:  fmt.Sprintf("what keyheat keys --table %s --limit %d lists goes to a table whose key spreads it", word(f.Subject.Target.Table, "TABLE"), n),
			Effects: []detect.Effect{between("share", "share", share.Value, detect.Ratio(t.Keys[n].Requests.Low, known-min(known, whales)), after, after)},
			Costs:   []string{"a second table, and a look-up which keys are in it"},
			Risks:   []string{"moved as they are, the keys are as hot there: their table needs another key, by shards or by entity", "a request over all keys asks two tables"},
			Steps: []string{
				"list the keys in the application's settings; read and write them in the new table, all others in the old one",
				"write both, copy, compare, switch reads, stop writing the old table for them; undo until then: take them off the list",
			},
			Verify: fmt.Sprintf("run keyheat analyze on traffic after the change: no key of the old table should have more than about %d.%d %%", after/10, after%10),
		}}
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
