package propose

import (
	"hash/crc32"
	"strconv"
	"time"

	"github.com/keyheat/keyheat/ingest"
)

// Why a request could not be replayed, and what is said of the column that it lacks.
const (
	whySelected   = "a record of bad requests only, which is no traffic"
	whyKey        = "no partition key in the record"
	whyScan       = "a read without a partition key, which asks every partition whatever the key is"
	whySeveral    = "one request to several partitions, whose keys the record does not tell"
	whyTime       = "no time, which the bucket needs"
	whyTimeColumn = "its %s is no time"
	whyColumn     = "without %s"
	whyRead       = "read without %s, which would ask every partition"
)

// A placement finds the partition, or partitions, that an event belongs to under a key. It is used by one
// goroutine; what it holds is that of the last event.
type placement struct {
	key   *CandidateKey
	parts [][]byte // by term; of a term that is spread: not set
	fans  []fan    // the terms that are spread
	all   uint64   // partitions that the event is spread over
	text  []byte   // owns what parts do not take from the event
	loose bool     // which bucket the event belongs to is not known: that of its own time is taken
	whole ingest.Key
}

// A fan is a term that the event does not bind: it is spread over all its shards.
type fan struct {
	term   int
	shards uint64
}

// reads and spread tell apart the ways in which an event meets shards that it does not bind.
func (p *placement) place(e *ingest.Event) (why, name string) {
	p.parts, p.fans, p.all, p.text, p.loose = p.parts[:0], p.fans[:0], 1, p.text[:0], false
	p.whole = ingest.Key{}
	for i := range p.key.terms {
		if p.key.terms[i].column.From == FromPart && e.KeyKnown {
			p.whole = ingest.ParseKey(e.Key)
			break
		}
	}
	for i := range p.key.terms {
		p.parts = append(p.parts, nil)
		if why, name = p.term(i, e); why != "" {
			return why, name
		}
	}
	return "", ""
}

// term finds the value of one term.
func (p *placement) term(i int, e *ingest.Event) (why, name string) {
	t := &p.key.terms[i]
	value, bound := t.column.value(e, &p.whole)
	reads := e.Op.Reads()
	switch {
	case t.kind == randomTerm && !reads && e.Count() == 1:
		p.number(i, mix(e.At.Byte)%t.shards)
	case t.kind == randomTerm, t.kind == hashedTerm && !bound && reads:
		p.fans = append(p.fans, fan{i, t.shards})
		p.all *= t.shards
	case t.kind == hashedTerm && bound:
		p.number(i, uint64(crc32.ChecksumIEEE(value))%t.shards)
	case t.kind == bucketTerm:
		return p.bucket(i, e, value, bound)
	case !bound:
		return missing(t, e)
	default:
		p.parts[i] = value
	}
	return "", ""
}

// missing says why a request that lacks a column is not replayed.
func missing(t *term, e *ingest.Event) (why, name string) {
	switch {
	case e.Partitions > 1:
		return whySeveral, ""
	case t.column.From <= FromPart && e.Op == ingest.OpScan:
		return whyScan, ""
	case t.column.From <= FromPart && !e.KeyKnown:
		return whyKey, ""
	case e.Op.Reads():
		return whyRead, t.name
	}
	return whyColumn, t.name
}

// bucket finds the bucket of an event: that of the column's value, else that of the request's time. An
// insert belongs there; of a read, an update or a delete this is a guess.
func (p *placement) bucket(i int, e *ingest.Event, value []byte, bound bool) (why, name string) {
	t := &p.key.terms[i]
	nanos, timed := e.UnixNano()
	switch {
	case bound:
		at, cause := ingest.ParseTime(value, nil)
		if cause != "" {
			return whyTimeColumn, t.name
		}
		nanos = at
	case t.column.From != FromTime && !e.Op.Reads():
		return missing(t, e)
	case !timed:
		return whyTime, ""
	default:
		p.loose = e.Op != ingest.OpWrite
	}
	from := len(p.text)
	p.text = appendBucket(p.text, t.unit, nanos)
	p.parts[i] = p.text[from:]
	return "", ""
}

// number makes a shard's number the value of a term.
func (p *placement) number(i int, shard uint64) {
	from := len(p.text)
	p.text = strconv.AppendUint(p.text, shard, 10)
	p.parts[i] = p.text[from:]
}

// appendKey appends the partition key of shard number n of the p.all that the event is spread over.
func (p *placement) appendKey(dst []byte, n uint64) []byte {
	for _, f := range p.fans {
		p.number(f.term, n%f.shards)
		n /= f.shards
	}
	return ingest.AppendKey(dst, p.parts...)
}

// appendBucket appends the name of the bucket that holds a time, in UTC.
func appendBucket(dst []byte, unit string, nanos int64) []byte {
	at := time.Unix(0, nanos).UTC()
	switch unit {
	case "hour":
		return at.AppendFormat(dst, "2006-01-02T15")
	case "day":
		return at.AppendFormat(dst, time.DateOnly)
	case "month":
		return at.AppendFormat(dst, "2006-01")
	}
	year, week := at.ISOWeek()
	dst = strconv.AppendInt(dst, int64(year), 10)
	return append(dst, '-', 'W', byte('0'+week/10), byte('0'+week%10))
}

// unitSeconds gives the length of a bucket in seconds, of a month its usual one.
func unitSeconds(unit string) uint64 {
	return map[string]uint64{"hour": 3600, "day": 86400, "week": 7 * 86400, "month": 30 * 86400}[unit]
}

// mix scatters a number over 64 bits (splitmix64, Steele, Lea and Flood 2014): the place of a record
// chooses its random shard, so that a replay gives the same every time.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
