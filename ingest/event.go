// Package ingest turns bytes into observations of key traffic: it opens inputs, undoes compression
// and envelopes, cuts them into chunks of whole records and hands each record to the decoder of its
// format. It must not know what is done with an observation, nor which formats there are.
package ingest

// A Store is the database that a request was made to.
type Store uint8

// The stores keyheat judges. StoreUnknown is a generic record that names none.
const (
	StoreUnknown Store = iota
	DynamoDB
	Cassandra
	Scylla
)

// String gives the name used in reports; it is empty for StoreUnknown.
func (s Store) String() string {
	return [...]string{"", "dynamodb", "cassandra", "scylla"}[min(s, Scylla)]
}

// An Op is the kind of a request.
type Op uint8

// The operations that are told apart. A Scan is a read without a bound partition key.
const (
	OpUnknown Op = iota
	OpRead       // get, or a query of one partition
	OpScan
	OpWrite // put or insert
	OpUpdate
	OpDelete
	Ops // number of operations
)

// String gives the name used in reports.
func (o Op) String() string {
	return [...]string{"unknown", "read", "scan", "write", "update", "delete"}[min(o, OpDelete)]
}

// Reads reports whether the operation reads.
func (o Op) Reads() bool { return o == OpRead || o == OpScan }

// Writes reports whether the operation writes.
func (o Op) Writes() bool { return o >= OpWrite && o <= OpDelete }

// A Throttle is the reason for which the store refused a request for rate.
type Throttle uint8

// The reasons, from DynamoDB's ThrottlingReasons; ThrottledUnknown is a refusal whose record names none.
const (
	NotThrottled Throttle = iota
	ThrottledUnknown
	ThrottledKeyRange
	ThrottledTable
	ThrottledIndex
	ThrottledAccount
	ThrottledMaximum // the on-demand maximum that the owner of a table or index has set
	Throttles        // number of reasons, NotThrottled included
)

// String gives the name used in reports.
func (t Throttle) String() string {
	return [...]string{"", "unknown", "key-range", "table", "index", "account", "on-demand-maximum"}[min(t, ThrottledMaximum)]
}

// A Consistency is how many replicas a request waits for.
type Consistency uint8

// The consistencies. Strong requests wait for a majority of replicas or more: LOCAL_QUORUM and above,
// DynamoDB's ConsistentRead. Two and three replicas are a majority or not, so they are unknown.
const (
	ConsistencyUnknown Consistency = iota
	Eventual
	Strong
)

// String gives the name used in reports; it is empty for ConsistencyUnknown.
func (c Consistency) String() string { return [...]string{"", "eventual", "strong"}[min(c, Strong)] }

// ConsistencyOf reads a level of CQL, whatever its case, or the boolean of DynamoDB's ConsistentRead.
func ConsistencyOf(level []byte) Consistency {
	var lower [len("local_quorum")]byte
	if len(level) > len(lower) {
		return ConsistencyUnknown
	}
	for i, c := range level {
		if c-'A' < 26 {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(level)]) {
	case "any", "one", "local_one", "eventual", "false":
		return Eventual
	case "quorum", "local_quorum", "each_quorum", "all", "serial", "local_serial", "strong", "true":
		return Strong
	}
	return ConsistencyUnknown
}

// A Witness is what made the record of a request. Those of one witness are of different requests, wherever they
// stand; two witnesses of a table may both tell of the same ones.
type Witness uint8

// The witnesses that are told apart.
const (
	AnyWitness Witness = iota // records of requests that do not say what made them
	AuditLog
	AuditCopy // entries of the audit log in debug.log, which system.log has too
	QueryLog
	Traces
	ChangeStream // records of a DynamoDB stream: writes that changed an item, and no others
	TrailChanges // CloudTrail's events of writes that may have changed an item
	TrailOthers  // CloudTrail's other events: reads, and writes that were refused or whose condition failed
	Witnesses    // number of witnesses
)

// String gives the name used in reports; it is empty for AnyWitness.
func (w Witness) String() string {
	return [...]string{"", "the audit log", "the audit log in debug.log", "the full query log", "traces",
		"the stream", "CloudTrail (changes)", "CloudTrail (reads and what changed nothing)"}[min(w, TrailOthers)]
}

// Apart reports whether no request is told by both witnesses: a stream has nothing but changes, so what CloudTrail
// tells beside changes is not in it.
func (w Witness) Apart(o Witness) bool {
	changes := func(w Witness) bool { return w == ChangeStream || w == TrailChanges }
	return w == TrailOthers && changes(o) || changes(w) && o == TrailOthers
}

// An Event is one observed request against one partition, or a record that stands for several.
// Its slices point into the reader's buffers and are valid only during the call that hands it over.
// The zero value is a request of unknown store, table, time and key.
type Event struct {
	Store    Store
	Op       Op
	Throttle Throttle
	Failed   bool // timed out or aborted; throttled requests are not Failed
	KeyKnown bool // Key is the partition key; false when the record does not tell it

	Witness Witness // what made the record of the request; of traffic, and of changes

	// Coverage and Role are set where records of a format differ in them; zero: those of the input.
	Coverage Coverage
	Role     string // which of a node's files tells of it, or RoleSampler and the number of its window
	Warned   bool   // the store warned of the tombstones of this read
	Aborted  bool   // the store ended the read for its tombstones: the true number is higher
	TimedOut bool
	Slow     bool // slower than the store's own limit

	Consistency Consistency // that the request asks for

	// ID is HashID of what the store calls the record, set for one event of each record: what has it again is the
	// same record, read once more. 0: the record has no such name.
	ID uint64

	Requests   uint64 // how many requests the record stands for; 0 counts as 1
	Partitions uint64 // partitions that one request touches; 0 counts as 1
	Error      uint64 // of a sampler's list: Requests may be too high by so much
	// Retries are the attempts at the same request before this one: of traffic each has a record of its own, of
	// selected records they have none.
	Retries uint64

	Table   []byte // with keyspace where there is one: ks.table
	Index   []byte // secondary index, empty for the base table
	Key     []byte // partition key in the form of AppendKey
	SortKey []byte // empty when unknown
	Node    []byte // replica or coordinator that logged it, empty when unknown
	Shape   []byte // normalised statement, empty when unknown
	Entity  []byte // type of the item, as an attribute of it names it; empty when unknown, or where its key may tell it
	// Inventory is the time that a stored item is of, in Unix nanoseconds, where its input holds all items of
	// the table as they were then; 0: not told. Changed is set for records of state coverage that tell of an
	// item that has changed, not of all that is stored.
	Inventory int64
	Changed   bool
	// Derived is set for what an index does with the item of the event before: no record tells of it alone.
	Derived bool
	// Columns are the values of DecodeOptions.Columns, in their order, of formats that have further
	// fields; nil: the record does not tell it. Empty unless asked for.
	Columns [][]byte
	// Changes are the values that a write of one item gives to attributes that it had before, or names, as far as
	// the record tells them. Empty unless asked for.
	Changes []Change

	At Position

	has        measure
	unixNano   int64
	bytes      uint64
	readMilli  uint64
	writeMilli uint64
	rows       uint64
	tombstones uint64
	micros     uint64
	growth     int64
	window     uint64
}

type measure uint16

const (
	hasTime measure = 1 << iota
	hasBytes
	hasReadUnits
	hasWriteUnits
	hasRows
	hasTombstones
	hasLatency
	hasGrowth
	hasWindow
)

// Reset makes e the zero Event, for reuse by a decoder.
func (e *Event) Reset() { *e = Event{} }

// Count gives the number of requests that e stands for, at least 1.
func (e *Event) Count() uint64 { return max(e.Requests, 1) }

// SetTime sets when the request was made, in Unix nanoseconds UTC.
func (e *Event) SetTime(unixNano int64) { e.unixNano, e.has = unixNano, e.has|hasTime }

// UnixNano gives the time of the request and whether it is known.
func (e *Event) UnixNano() (int64, bool) { return e.unixNano, e.has&hasTime != 0 }

// SetBytes sets the bytes read or written, of all requests that the record stands for.
func (e *Event) SetBytes(n uint64) { e.bytes, e.has = n, e.has|hasBytes }

// Bytes gives the bytes read or written and whether they are known.
func (e *Event) Bytes() (uint64, bool) { return e.bytes, e.has&hasBytes != 0 }

// SetReadUnits sets DynamoDB read capacity in thousandths of a unit, of all requests of the record.
func (e *Event) SetReadUnits(milli uint64) { e.readMilli, e.has = milli, e.has|hasReadUnits }

// ReadUnits gives read capacity in thousandths of a unit and whether it is known.
func (e *Event) ReadUnits() (uint64, bool) { return e.readMilli, e.has&hasReadUnits != 0 }

// SetWriteUnits sets DynamoDB write capacity in thousandths of a unit, of all requests of the record.
func (e *Event) SetWriteUnits(milli uint64) { e.writeMilli, e.has = milli, e.has|hasWriteUnits }

// WriteUnits gives write capacity in thousandths of a unit and whether it is known.
func (e *Event) WriteUnits() (uint64, bool) { return e.writeMilli, e.has&hasWriteUnits != 0 }

// SetRows sets the live rows that the read returned, of all requests of the record.
func (e *Event) SetRows(n uint64) { e.rows, e.has = n, e.has|hasRows }

// Rows gives the live rows read and whether they are known.
func (e *Event) Rows() (uint64, bool) { return e.rows, e.has&hasRows != 0 }

// SetTombstones sets the tombstones that the read scanned, of all requests of the record.
func (e *Event) SetTombstones(n uint64) { e.tombstones, e.has = n, e.has|hasTombstones }

// Tombstones gives the tombstones scanned and whether they are known.
func (e *Event) Tombstones() (uint64, bool) { return e.tombstones, e.has&hasTombstones != 0 }

// SetLatency sets the latency of one request in microseconds.
func (e *Event) SetLatency(micros uint64) { e.micros, e.has = micros, e.has|hasLatency }

// Latency gives the latency of one request in microseconds and whether it is known.
func (e *Event) Latency() (uint64, bool) { return e.micros, e.has&hasLatency != 0 }

// SetGrowth sets by how many bytes a write made its item larger; negative: smaller. Of a new item it is
// the whole size, of a deleted one less its size.
func (e *Event) SetGrowth(n int64) { e.growth, e.has = n, e.has|hasGrowth }

// Growth gives by how many bytes a write made its item larger, and whether that is known.
func (e *Event) Growth() (int64, bool) { return e.growth, e.has&hasGrowth != 0 }

// SetWindow sets the time that a read asks for, in seconds: from its lower bound on a time to its upper one, or to the
// time of the request.
func (e *Event) SetWindow(seconds uint64) { e.window, e.has = seconds, e.has|hasWindow }

// Window gives the seconds that a read asks for, and whether they are known.
func (e *Event) Window() (uint64, bool) { return e.window, e.has&hasWindow != 0 }

// A Position names a place in an input. Byte counts from 0 in the decompressed input; Line counts
// from 1, and 0 means that the line is not known. Input is the number of the input in its Profile.
type Position struct {
	Input uint32
	Byte  uint64
	Line  uint64
}

// A Problem says why a record says nothing: it was recognised as a record, and could not be read.
type Problem struct {
	Cause string // constant text, the same for all problems of a kind
	Text  string // what was found there, at most MaxProblemText bytes
	At    Position
}

// MaxProblemText bounds Problem.Text in bytes.
const MaxProblemText = 200

// RoleSampler begins the Role of events that are lines of a sampler's list. Each window of a sampler
// (a print-out may hold several) has a Role of its own: RoleSampler + "2".
const RoleSampler = "sampler "

// RoleContention begins the Role of events of a sampler's list of contentions: Requests are rounds that lightweight
// transactions of the key lost to each other.
const RoleContention = RoleSampler + "contention "

// RoleTrace is the Role of reads that traces tell of beside their request, or without it.
const RoleTrace = "trace"
