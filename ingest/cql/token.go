package cql

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
)

// Token is the token that Cassandra's Murmur3Partitioner and ScyllaDB give to a serialised partition
// key: the first half of MurmurHash3 x64 128 with seed 0, whose tail bytes are sign-extended as in
// Cassandra's utils/MurmurHash.java; the least value is moved to the greatest
// (dht/Murmur3Partitioner.java). An empty key has the least token.
func Token(key []byte) int64 {
	if len(key) == 0 {
		return math.MinInt64
	}
	var h1, h2 uint64
	rest := key
	for ; len(rest) >= 16; rest = rest[16:] {
		h1 ^= mixFirst(binary.LittleEndian.Uint64(rest))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= mixSecond(binary.LittleEndian.Uint64(rest[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	if len(rest) > 8 {
		h2 ^= mixSecond(signedTail(rest[8:]))
		rest = rest[:8]
	}
	if len(rest) > 0 {
		h1 ^= mixFirst(signedTail(rest))
	}
	h1 ^= uint64(len(key))
	h2 ^= uint64(len(key))
	h1 += h2
	h2 += h1
	h1 = avalanche(h1) + avalanche(h2)
	if h1 == 1<<63 {
		return math.MaxInt64
	}
	return int64(h1)
}

func mixFirst(k uint64) uint64 { return bits.RotateLeft64(k*murmurC1, 31) * murmurC2 }

func mixSecond(k uint64) uint64 { return bits.RotateLeft64(k*murmurC2, 33) * murmurC1 }

// signedTail joins up to 8 bytes, each sign-extended: what sets Cassandra's hash apart.
func signedTail(b []byte) uint64 {
	var k uint64
	for i, c := range b {
		k ^= uint64(int64(int8(c))) << (8 * i)
	}
	return k
}

func avalanche(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}

// AppendPartitionKey appends the serialised partition key with these stored component values: a single
// component stands for itself, several each get their length (2 bytes) before and a zero byte behind.
// A component longer than 65,535 bytes has no such form and is cut.
func AppendPartitionKey(dst []byte, components ...[]byte) []byte {
	if len(components) == 1 {
		return append(dst, components[0]...)
	}
	for _, c := range components {
		c = c[:min(len(c), math.MaxUint16)]
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(c)))
		dst = append(append(dst, c...), 0)
	}
	return dst
}

// SplitPartitionKey is the inverse of AppendPartitionKey for a key of n components, which are parts of key.
func SplitPartitionKey(key []byte, n int) (components [][]byte, ok bool) {
	if n == 1 {
		return [][]byte{key}, true
	}
	for range n {
		if len(key) < 3 {
			return nil, false
		}
		size := int(binary.BigEndian.Uint16(key))
		if len(key) < size+3 || key[size+2] != 0 {
			return nil, false
		}
		components = append(components, key[2:2+size])
		key = key[size+3:]
	}
	return components, len(key) == 0
}

// TokenOf is the token of the partition key whose components have these CQL types and are printed so.
func TokenOf(types []string, literals [][]byte) (int64, error) {
	if len(types) != len(literals) || len(types) == 0 {
		return 0, ErrValue
	}
	parts := make([][]byte, len(types))
	for i, t := range types {
		part, err := AppendValue(nil, t, literals[i])
		if err != nil {
			return 0, err
		}
		parts[i] = part
	}
	return Token(AppendPartitionKey(nil, parts...)), nil
}

// AppendHexComponents appends the components of a key that ScyllaDB prints in hex: of each two bytes of length
// and its bytes (keys/compound.hh), with nothing behind. raw is what the hex stood for, of which they are parts;
// ok is false when it is no such key.
func AppendHexComponents(dst [][]byte, raw []byte) (components [][]byte, ok bool) {
	for len(raw) > 0 {
		if len(raw) < 2 {
			return dst, false
		}
		end := 2 + int(binary.BigEndian.Uint16(raw))
		if len(raw) < end {
			return dst, false
		}
		dst = append(dst, raw[2:end])
		raw = raw[end:]
	}
	return dst, true
}
