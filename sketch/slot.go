package sketch

import (
	"bytes"
	"encoding/binary"
	"math"
)

const (
	slotSize  = 128 // bytes of a slot: two cache lines, of which an update without a time touches one
	inlineKey = 24  // longest key held in the slot itself
)

// A slot is one tracked key: count <= true amount <= count+err.
type slot struct {
	hash  uint64
	key   [inlineKey]byte // of a longer key, where it begins in the arena (8 bytes)
	count Vector
	group uint32
	size  uint32 // bytes of the key
	err   Vector
	mark  uint64
	clock clock
}

// A clock finds the busiest second of a key: weight 0 and weight 1 in the second seen last, and the
// largest such amounts so far. Amounts saturate; all are lower bounds, for a second that comes back counts anew.
type clock struct {
	second   uint32
	n, cost  uint32
	at, peak uint32
	costAt   uint32
	costPeak uint32
}

func (c *clock) tick(second uint32, n, cost uint64) {
	if second != c.second {
		c.second, c.n, c.cost = second, 0, 0
	}
	c.n = add32(c.n, n)
	// The larger wins, of equals the earlier second. In a stream in order of time the second test is never true.
	if c.n > c.peak || second < c.at && c.n == c.peak {
		c.peak, c.at = c.n, second
	}
	if cost == 0 {
		return // nothing of what follows would change
	}
	c.cost = add32(c.cost, cost)
	if c.cost > c.costPeak || second < c.costAt && c.cost == c.costPeak {
		c.costPeak, c.costAt = c.cost, second
	}
}

func add32(a uint32, b uint64) uint32 {
	if b > uint64(math.MaxUint32-a) {
		return math.MaxUint32
	}
	return a + uint32(b)
}

// keyOf gives the key of s, which aliases the table.
func (t *Table) keyOf(s *slot) []byte {
	if s.size <= inlineKey {
		return s.key[:s.size]
	}
	start := binary.LittleEndian.Uint64(s.key[:])
	return t.arena[start : start+uint64(s.size)]
}

// setKey copies key into s or the arena.
func (t *Table) setKey(s *slot, key []byte) {
	s.size = uint32(len(key))
	if len(key) <= inlineKey {
		copy(s.key[:], key)
		return
	}
	binary.LittleEndian.PutUint64(s.key[:], uint64(len(t.arena)))
	t.arena = append(t.arena, key...)
}

// holds reports whether s, which has the key's hash, is the slot of the key.
func (t *Table) holds(s *slot, group uint32, key []byte) bool {
	if s.group != group || int(s.size) != len(key) {
		return false
	}
	if n := len(key); 8 <= n && n <= inlineKey {
		// Words that overlap cover the key: at its start, at 8 where there are more than 16 bytes, at its end.
		if load64(s.key[:], n-8) != load64(key, n-8) || load64(s.key[:], 0) != load64(key, 0) {
			return false
		}
		return n <= 16 || load64(s.key[:], 8) == load64(key, 8)
	}
	return bytes.Equal(t.keyOf(s), key)
}

func load64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at : at+8]) }

// longSize gives the bytes of the arena that a key of n bytes takes.
func longSize(n int) int {
	if n <= inlineKey {
		return 0
	}
	return n
}
