package sketch

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// HashName names the one hash that all summaries share. It stands in every serialised header, and
// summaries made with another hash are refused.
const HashName = "xxh3-64/6b657968656174"

const hashSeed = 0x6b657968656174

// Hash gives the published 64-bit hash of a key or of a group's name.
func Hash(key []byte) uint64 { return xxh3.HashSeed(key, hashSeed) }

// Combine gives the hash of a key within a group, from Hash of the key and Hash of the group's name.
// It is not symmetric: a key and a group of the same bytes do not cancel out.
func Combine(keyHash, groupHash uint64) uint64 {
	hi, lo := bits.Mul64(keyHash^0x9e3779b97f4a7c15, bits.RotateLeft64(groupHash, 32)|1)
	return hi ^ lo ^ keyHash
}
