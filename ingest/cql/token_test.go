package cql

import "testing"

func TestTokenOfKeysInCaptures(t *testing.T) {
	for _, c := range []struct {
		typ, key string
		token    int64
	}{
		{"text", "mail-out", -723131647711362390},
		{"text", "q:dead letters", 10896412354538932},
		{"int", "4242", -2574513601773748469},
		{"int", "1", -4069959284402364209},
		{"uuid", "7b2f3c5e-0000-4000-8000-00000000beef", 3811142480018370915},
		{"bigint", "77001", -6685456381018782181},
		{"text", "naïve-日本-🔑", 5996641563118482997},
	} {
		got, err := TokenOf([]string{c.typ}, [][]byte{[]byte(c.key)})
		if err != nil || got != c.token {
			t.Errorf("token of %s %q: got %d, %v, want %d", c.typ, c.key, got, err, c.token)
		}
	}
}
