package sketch

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// HashName names the one hash that all summaries share. It stands in every serialised header, and
// summaries made with another hash are refused.
const HashName = "xxh3-64/6b657968656174"

const hashSeed = 0x6b657968656174

// Hash gives the published 64-bit hash of a key or of a group's name. The seed is no secret: whoever
// knows it can make keys collide. Tables stay right and fast then; samples and distinct counts are estimates.
func Hash(key []byte) uint64 { return xxh3.HashSeed(key, hashSeed) }

// Combine gives the hash of a key within a group, from Hash of the key and Hash of the group's name.
// For one group it is a bijection, so it adds no collisions.
func Combine(keyHash, groupHash uint64) uint64 {
	x := (keyHash ^ bits.RotateLeft64(groupHash, 23)) * 0x9e3779b97f4a7c15
	return x ^ x>>32
}
