package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/zeebo/xxh3"
)

// A Change is a new value of an attribute.
type Change struct {
	Name  []byte
	Value uint64 // HashValue of the value as it stands in the record
	Bytes uint64 // of it
}

// HashValue tells values of attributes apart: the first 64 bits of SHA-256 of what stands in a record. Captures hold
// it, and no value: one that nobody can guess cannot be got back from it.
func HashValue(value []byte) uint64 {
	sum := sha256.Sum256(value)
	return binary.BigEndian.Uint64(sum[:])
}

// HashID gives Event.ID for what a store calls a record, never 0: its XXH3. Equal names have equal hashes, in any run;
// of n unlike ones about n² / 2^65 pairs have.
func HashID(name []byte) uint64 { return max(xxh3.Hash(name), 1) }

// IsStamp reports whether a value is about the time of its request, as text, number or the eight bytes that CQL stores:
// many writes of a second have the same one without being copies of each other.
func IsStamp(value []byte, unixNano int64) bool {
	const near = int64(48 * time.Hour)
	at, cause := ParseTime(value, nil)
	if cause != "" && len(value) == 8 {
		at, cause = int64(binary.BigEndian.Uint64(value))*int64(time.Millisecond), ""
	}
	return cause == "" && at > unixNano-near && at < unixNano+near
}
