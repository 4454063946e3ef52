package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Partition keys are bytes. A key of one component stands for itself, so that the usual key costs
// nothing; the first byte 0xFF marks the other two forms:
//
//	0xFF 0x00 uvarint(length) hash[8] prefix[MaxKey]   a key longer than MaxKey
//	0xFF n    n times: uvarint(length) component       n components, 1 <= n <= 254 (n = 1: the component begins with 0xFF)
//
// Each key has exactly one form, so equal keys have equal bytes.
const (
	keyMark = 0xFF
	keyCut  = 0x00

	// MaxKey is the longest key in bytes that is held whole; of a longer one are held its first MaxKey
	// bytes, its length and a hash of the whole.
	MaxKey = 1024
	// MaxKeyParts is the largest number of components of a key.
	MaxKeyParts = 254
)

// PlainKey reports whether a key of this one component stands for itself.
func PlainKey(part []byte) bool {
	return len(part) <= MaxKey && (len(part) == 0 || part[0] != keyMark)
}

// AppendKey appends the form of a key with these components to dst. At most MaxKeyParts components
// are allowed; more are joined into the last.
func AppendKey(dst []byte, parts ...[]byte) []byte {
	if len(parts) == 1 && PlainKey(parts[0]) {
		return append(dst, parts[0]...)
	}
	start := len(dst)
	if len(parts) > MaxKeyParts {
		parts = append(slices.Clone(parts[:MaxKeyParts-1]), slices.Concat(parts[MaxKeyParts-1:]...))
	}
	dst = append(dst, keyMark, byte(len(parts)))
	for _, p := range parts {
		dst = binary.AppendUvarint(dst, uint64(len(p)))
		dst = append(dst, p...)
	}
	whole := dst[start:]
	if len(parts) == 1 {
		whole = parts[0]
	}
	if len(whole) <= MaxKey {
		return dst
	}
	sum := sha256.Sum256(whole)
	cut := make([]byte, 0, MaxKey+24)
	cut = append(cut, keyMark, keyCut)
	cut = binary.AppendUvarint(cut, uint64(len(whole)))
	cut = append(cut, sum[:8]...)
	cut = append(cut, whole[:MaxKey]...)
	return append(dst[:start], cut...)
}

// A Key is the readable form of a partition key.
type Key struct {
	Parts  [][]byte // components; of a cut key one component, its first MaxKey bytes
	Length uint64   // bytes of the whole key
	Cut    bool     // only the first MaxKey bytes are held
	Hash   uint64   // the first 8 bytes of SHA-256 of the whole key, big endian; 0 unless Cut
}

// ParseKey reads the form that AppendKey writes. Bytes that are no such form are a key of one component.
func ParseKey(form []byte) Key {
	if len(form) >= 2 && form[0] == keyMark {
		if k, ok := parseMarked(form); ok {
			return k
		}
	}
	return Key{Parts: [][]byte{form}, Length: uint64(len(form))}
}

func parseMarked(form []byte) (Key, bool) {
	rest := form[2:]
	if form[1] == keyCut {
		length, n := binary.Uvarint(rest)
		if n <= 0 || len(rest) < n+8 {
			return Key{}, false
		}
		return Key{Parts: [][]byte{rest[n+8:]}, Length: length, Cut: true, Hash: binary.BigEndian.Uint64(rest[n:])}, true
	}
	var k Key
	for range form[1] {
		size, n := binary.Uvarint(rest)
		if n <= 0 || uint64(len(rest)-n) < size {
			return Key{}, false
		}
		part := rest[n : n+int(size)]
		k.Parts, k.Length = append(k.Parts, part), k.Length+size
		rest = rest[n+int(size):]
	}
	return k, len(rest) == 0
}
