package formats

import "github.com/keyheat/keyheat/ingest"

// An awsSeen holds the hashes of the records that a decoder has read: those of a chunk, so that what is left out depends
// on the chunk alone, whoever reads it, and in both passes. Records that come again in another chunk are counted again,
// which a Profile's sample of names tells.
type awsSeen map[uint64]struct{}

// mostSeen bounds the hashes that are held, to some 2 MiB. A chunk has about as many records of half a kilobyte.
const mostSeen = 1 << 17

// again reports whether a record of this name and content came before, and holds it.
func (s *awsSeen) again(name, content []byte) bool {
	hash := ingest.HashID(name) ^ (ingest.HashID(content)*0x9E3779B97F4A7C15)>>1
	if _, ok := (*s)[hash]; ok || len(*s) >= mostSeen {
		return ok
	}
	if *s == nil {
		*s = awsSeen{}
	}
	(*s)[hash] = struct{}{}
	return false
}
