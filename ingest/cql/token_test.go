package cql

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTokenOfKeysInCaptures(t *testing.T) {
	for _, c := range []struct {
		typ, key string // of composite keys joined by |
		token    int64
	}{
		{"text", "mail-out", -723131647711362390},
		{"text", "q:dead letters", 10896412354538932},
		{"int", "4242", -2574513601773748469},
		{"int", "1", -4069959284402364209},
		{"uuid", "7b2f3c5e-0000-4000-8000-00000000beef", 3811142480018370915},
		{"bigint", "77001", -6685456381018782181},
		{"text", "naïve-日本-🔑", 5996641563118482997},
		{"text", strings.Repeat("k", 700), 2140331732356811885},
		{"text", "u-000137", -4848457319722819037},
		{"text|date", "eu-west|2026-11-20", -6914847022816440704},
		{"text|date", "us-east|2026-11-20", 8248886431827021689},
		{"text|date", "eu-west|2026-11-21", 1690418703979385602},
		{"text|date", "ap-south|2026-10-03", -9016990383785983592},
	} {
		var values [][]byte
		for part := range strings.SplitSeq(c.key, "|") {
			values = append(values, []byte(part))
		}
		got, err := TokenOf(strings.Split(c.typ, "|"), values)
		if err != nil || got != c.token {
			t.Errorf("token of %s %.40q: got %d, %v, want %d", c.typ, c.key, got, err, c.token)
		}
	}
}

func TestTokenAtEveryTailLength(t *testing.T) {
	// The plain algorithm, byte by byte, as MurmurHash.hash3_x64_128 has it.
	random := rand.New(rand.NewPCG(1, 2))
	for length := range 100 {
		key := make([]byte, length)
		for i := range key {
			key[i] = byte(random.Uint32())
		}
		if got, want := Token(key), plainToken(key); got != want {
			t.Errorf("%x: got %d, want %d", key, got, want)
		}
	}
}

func plainToken(key []byte) int64 {
	if len(key) == 0 {
		return math.MinInt64
	}
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	rotate := func(v uint64, n uint) uint64 { return v<<n | v>>(64-n) }
	var h1, h2, k1, k2 uint64
	i := 0
	for ; i+16 <= len(key); i += 16 {
		k1, k2 = 0, 0
		for j := range 8 {
			k1 |= uint64(key[i+j]) << (8 * j)
			k2 |= uint64(key[i+8+j]) << (8 * j)
		}
		h1 ^= rotate(k1*c1, 31) * c2
		h1 = (rotate(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= rotate(k2*c2, 33) * c1
		h2 = (rotate(h2, 31)+h1)*5 + 0x38495ab5
	}
	k1, k2 = 0, 0
	for j, c := range key[i:] {
		if signed := uint64(int64(int8(c))); j < 8 {
			k1 ^= signed << (8 * j)
		} else {
			k2 ^= signed << (8 * (j - 8))
		}
	}
	h2 ^= rotate(k2*c2, 33) * c1
	h1 ^= rotate(k1*c1, 31) * c2
	h1, h2 = h1^uint64(len(key)), h2^uint64(len(key))
	h1 += h2
	h2 += h1
	mix := func(k uint64) uint64 {
		k = (k ^ k>>33) * 0xff51afd7ed558ccd
		k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
		return k ^ k>>33
	}
	return int64(mix(h1) + mix(h2))
}

func TestHexComponentsAreSplitOrRefused(t *testing.T) {
	for raw, want := range map[string][]string{
		"":                     {},
		"\x00\x01a":            {"a"},
		"\x00\x01a\x00\x02bc":  {"a", "bc"},
		"\x00\x00":             {""},
		"\x00\x01a\x00":        nil,
		"\x00\x02a":            nil,
		"\xff\xff and no more": nil,
	} {
		parts, ok := AppendHexComponents(nil, []byte(raw))
		got := []string{}
		for _, p := range parts {
			got = append(got, string(p))
		}
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", raw, got, ok, want)
		}
	}
}
