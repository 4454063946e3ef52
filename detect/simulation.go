package detect

// A Simulation is what the recorded traffic of one table or index would be under other partition keys.
type Simulation struct {
	Target   Target
	Span     Span        // of the traffic; zero: no record has a time
	Requests uint64      // of traffic, replayed or not
	Reads    uint64      // of them
	Keys     []Simulated // today's key first
	// WriteLimit and ReadLimit are what one partition can serve, units a second; 0: the store has no units.
	WriteLimit Milli
	ReadLimit  Milli
	Auto       bool     // the keys were proposed, not given
	Best       int      // index in Keys of the key that removes most and costs least; 0: none removes anything
	Notes      []string // what holds for all keys
}

// A Simulated is what one key makes of the traffic. Requests are those to partitions: a read that asks
// eight partitions counts in each of them.
type Simulated struct {
	Key      string // as it is written: tenant_id, shard(8)
	Distinct Bounds // number of partitions
	TopShare Bounds // of the busiest partition
	TopTen   Bounds
	// Effective and Gini are those of Skew; Effective 0: not known.
	Effective Milli
	Gini      Milli

	Peak        Bounds // requests a second to the busiest partition, in its busiest second
	PeakWrite   Bounds // write units likewise; like all that follows not known of stores without units
	PeakRead    Bounds
	SecondsOver Bounds // seconds in which a partition is over what it can serve

	Largest   Bounds // bytes of the largest partition: stored ones where the input holds items, else those written
	Stored    bool   // Largest is of stored items
	Growth    Bounds // bytes a day of the partition that grows most
	Projected Bounds // bytes of that partition after ProjectedDays, or when its bucket ends

	SingleReads Bounds // share of reads that ask one partition
	FanoutMean  Bounds // partitions that a read asks
	FanoutP99   Bounds
	ReadUnits   Bounds // a read
	Rows        Bounds // live rows a read
	Tombstones  Bounds // a read

	Replayed    uint64
	NotReplayed []NotReplayed // most first
	Assumed     []string      // what was assumed in the replay
	Removes     []string      // rules that have a finding of today's traffic and none of this one's
	Lowers      []string      // rules whose finding is less severe
	Keeps       []string      // rules whose finding stays
	Adds        []string      // rules that have a finding of this traffic alone
}

// ProjectedDays is how far ahead the size of a partition is projected.
const ProjectedDays = 90

// Bounds is an amount in thousandths with its bounds; the zero Bounds is not known.
type Bounds struct {
	Value, Low, High Milli
	Known            bool
	Open             bool // there is no upper bound; High is ignored
}

// Exactly gives an amount that is known.
func Exactly(m Milli) Bounds { return Bounds{Value: m, Low: m, High: m, Known: true} }

// Within gives an amount between bounds.
func Within(value, low, high Milli) Bounds {
	return Bounds{Value: value, Low: min(low, value), High: max(high, value), Known: true}
}

// A NotReplayed is a number of requests that could not be put under a key.
type NotReplayed struct {
	Why      string
	Requests uint64
}

// SumNotReplayed gives the requests that could not be put under the key.
func (s *Simulated) SumNotReplayed() uint64 {
	sum := uint64(0)
	for _, n := range s.NotReplayed {
		sum = AddSat(sum, n.Requests)
	}
	return sum
}
