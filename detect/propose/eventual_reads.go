package propose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

// EventualReads lets any replica answer reads that need no more.
var EventualReads = detect.Remedy{
	Kind:  "eventual-reads",
	Title: "Let any replica answer reads that need no more",
	Rules: []string{"hot-partition", "throttling"},
	Doc: `A strongly consistent read of DynamoDB costs twice the units and asks the one leader; an eventually consistent one may
be answered by any of three replicas. In CQL a quorum asks a majority of replicas, LOCAL_ONE one.

**Gate.** A certain finding of at least *medium*, and a quarter of the table's reads whose consistency is told are
strong. DynamoDB: the finding is about read units.

**Formula.** DynamoDB: read units / (1 + s), where s is the share of reads that are strong, of items of one size; of a key that the second
pass counted, read units less half of those of its strong reads. Source: AWS, "DynamoDB read consistency". CQL: answers a read
waits for, (strong x majority + eventual) / reads, which needs the replication factor: the majority is factor / 2 + 1; after: 1.

**Caveats.** A read may miss the last second's write. Reads that follow one's own write keep their consistency. Indexes
of DynamoDB are eventually consistent already.`,
	Propose: proposeEventual,
}

func proposeEventual(v *detect.View, f *detect.Finding) []detect.Proposal {
	t := targetOf(v, f)
	if !worthIt(f) || t == nil {
		return nil
	}
	strong, known := strongOf(t)
	share := detect.Ratio(strong, known)
	if share < 250 {
		return nil
	}
	if isCQL(f.Subject.Target.Store) {
		return fewerReplicas(v, f, share)
	}
	e, ok := rateOf(f, "read_units_per_second")
	if !ok {
		return nil
	}
	eventual := func(units uint64) uint64 { return mulDiv(units, 1000, uint64(1000+share)) }
	rate := becomes(e, func(m detect.Milli) detect.Milli { return detect.Milli(eventual(uint64(m))) })
	if k := keyOf(v, f); k != nil && k.Exact != nil && k.Exact.ConsistencyKnown > 0 {
		rate = eventualOf(e, k.Exact)
	}
	after := rate.After
	p := detect.Proposal{
		Kind:    "eventual-reads",
		Title:   fmt.Sprintf("read eventually where that is enough: %d.%d %% of reads are strongly consistent", share/10, share%10),
		Change:  "ConsistentRead=false",
		Effects: []detect.Effect{rate},
		Costs:   []string{"none: each such read costs half"},
		Risks:   []string{"a read may miss the last second's write: keep those strong that follow one's own write"},
		Steps:   []string{"find the reads of the table with ConsistentRead=true: keyheat patterns names them", "set it to false where the last second does not matter; undo: set it back"},
		Verify:  "run keyheat analyze on traffic after the change: read units should fall to about " + amount(after) + " a second",
	}
	reads := t.Totals[detect.ReadMilli]
	p.Effects = append(p.Effects, unitsAMonth(v, f, "read_units_per_month", reads, eventual(reads))...)
	return []detect.Proposal{p}
}

// eventualOf gives the effect on the rate of a key of which strong reads were counted: theirs halves. A single second may
// have others than the whole.
func eventualOf(e detect.Evidence, k *detect.ExactKey) detect.Effect {
	half := mulDiv(uint64(e.Value), k.Strong/2, k.Totals[detect.ReadMilli])
	return between(e.Measure, e.Unit, e.Value, e.Low/2, e.Value-detect.Milli(half), max(e.High, e.Value))
}

// fewerReplicas gives what a read in CQL waits for where that is a majority of the replicas, and one after. Where data
// centres have different numbers of replicas, which of them reads wait for is not known.
func fewerReplicas(v *detect.View, f *detect.Finding, share detect.Milli) []detect.Proposal {
	value, _ := v.Fact(f.Subject.Target, ingest.FactReplicas)
	low, high := detect.Milli(0), detect.Milli(0)
	for i, text := range strings.Split(value, ",") {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			keyspace, _, _ := strings.Cut(f.Subject.Target.Table, ".")
			return lacking("let any replica answer", "the replication factor, which says how many replicas a quorum asks", "cqlsh -e 'DESCRIBE KEYSPACE "+word(keyspace, "KEYSPACE")+"'")
		}
		waits := detect.Whole(1) + detect.Whole(n/2).Scaled(share)
		if low, high = min(low, waits), max(high, waits); i == 0 {
			low, high = waits, waits
		}
	}
	if high < detect.Whole(1)+share { // a single replica is the majority
		return nil
	}
	p := detect.Proposal{
		Kind:    "eventual-reads",
		Title:   fmt.Sprintf("let one replica answer where that is enough: %d.%d %% of reads wait for a majority", share/10, share%10),
		Change:  "consistency LOCAL_ONE",
		Effects: []detect.Effect{{Measure: "replicas_per_read", Unit: "replicas", Before: high, After: detect.Whole(1), Low: detect.Whole(1), High: detect.Whole(1), How: detect.Inferred}},
		Costs:   []string{"none: each such read waits for fewer replicas"},
		Risks:   []string{"a read may miss a write that has not reached the replica yet: keep those at a majority that follow one's own write, and conditional ones"},
		Steps:   []string{"find the reads of the table at QUORUM or LOCAL_QUORUM: keyheat patterns names them", "set LOCAL_ONE where the last second does not matter; undo: set it back"},
		Verify:  "run keyheat patterns on traffic after the change: the share of strong reads should have fallen; and nodetool proxyhistograms",
	}
	if low < high {
		p.Risks = append(p.Risks, "data centres have "+strings.ReplaceAll(value, ",", " or ")+" replicas: before is of the most")
	}
	return []detect.Proposal{p}
}
