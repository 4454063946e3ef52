package propose

import (
	"fmt"
	"math"

	"github.com/keyheat/keyheat/detect"
)

// size gives the effect on what a partition holds. Of rows each goes to a shard of its own; of DynamoDB no item is larger
// than its limit; how large a row of CQL may be nobody knows.
func (x *sharding) size(e detect.Evidence) detect.Effect {
	parts, ok := x.stored(e)
	if !ok {
		out := x.guessed(e)
		out.After = over(x.n)(e.Value)
		return out
	}
	of := func(m detect.Milli) load { return parts.drawn(float64(m), float64(x.n), 1, 1) }
	out := between(e.Measure, e.Unit, e.Value, over(x.n)(e.Low), over(x.n)(e.Value), detect.Milli(math.Ceil(of(max(e.High, e.Value)).high)))
	out.Open = e.Open
	return out
}

// stored gives what a measure of a partition is made of, in its thousandths.
func (x *sharding) stored(e detect.Evidence) (of parts, ok bool) {
	switch e.Measure {
	case "partition_rows":
		return parts{1000, 1000}, true
	case "collection_bytes":
		most := float64(x.v.Limits.Of(detect.DynamoItemBytes).Value)
		return parts{most, most}, true
	}
	return parts{}, false
}

// basisOfSize says what the effects on a partition's size rest on.
func (x *sharding) basisOfSize() string {
	if _, ok := measured(x.f, "collection_bytes"); ok {
		return "estimated for shards of hashed sort keys, of items of at most 400 KiB: the bound holds for 9,999 of 10,000 ways to spread them"
	}
	return fmt.Sprintf("not simulated: how large single rows are is not known (sstabledump FILE -k KEY lists them; nodetool getsstables %s KEY names the files); the upper bound holds if one of them has all of it", dotted(x.f.Subject.Target.Table))
}
