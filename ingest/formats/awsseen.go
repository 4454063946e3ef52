package formats

import "github.com/keyheat/keyheat/ingest"

// An awsSeen holds the names of the records that a decoder has read: those of a chunk, so that what is left out depends
// on the chunk alone, whoever reads it, and in both passes. Records that come again in another chunk are counted again,
// which a Profile's sample of names tells.
type awsSeen struct {
	slots []uint64 // hashes, 0: free; their number is a power of two, at most half of them taken
	n     int
}

// mostSeen bounds the names that are held: 2 MiB. A chunk has about as many records of half a kilobyte.
const mostSeen = 1 << 17

// again reports whether a record of this name and content came before, and holds it.
func (s *awsSeen) again(name, content []byte) bool {
	hash := ingest.HashID(name) ^ (ingest.HashID(content)*0x9E3779B97F4A7C15)>>1
	hash = max(hash, 1)
	if 2*(s.n+1) > len(s.slots) && s.n < mostSeen {
		s.grow()
	}
	at := s.find(hash)
	if s.slots[at] == hash {
		return true
	}
	if s.n < mostSeen {
		s.slots[at] = hash
		s.n++
	}
	return false
}

// find gives the slot of a hash, or the free one where it belongs.
func (s *awsSeen) find(hash uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	at := hash & mask
	for s.slots[at] != 0 && s.slots[at] != hash {
		at = (at + 1) & mask
	}
	return at
}

func (s *awsSeen) grow() {
	old := s.slots
	s.slots = make([]uint64, max(64, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			s.slots[s.find(hash)] = hash
		}
	}
}
