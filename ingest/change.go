package ingest

import (
	"encoding/binary"
	"hash/crc64"
	"time"
)

// A Change is a new value of an attribute.
type Change struct {
	Name  []byte
	Value uint64 // HashValue of the value as it stands in the record
	Bytes uint64 // of it
}

// HashValue tells values of attributes apart: the CRC-64 (ECMA-182) of what stands in a record.
func HashValue(value []byte) uint64 { return crc64.Checksum(value, crc64.MakeTable(crc64.ECMA)) }

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
