package ingest

import (
	"bytes"
	"testing"
)

func TestKeyFormIsReadBack(t *testing.T) {
	long := bytes.Repeat([]byte("k"), MaxKey+1)
	for name, parts := range map[string][][]byte{
		"text":                       {[]byte("CUSTOMER#42")},
		"nothing":                    {{}},
		"the mark itself":            {{0xFF}},
		"bytes that look like parts": {{0xFF, 0x01, 0x01, 'a'}},
		"bytes that look cut":        {{0xFF, 0x00, 0x01, 1, 2, 3, 4, 5, 6, 7, 8}},
		"two components":             {[]byte("a"), []byte("b")},
		"an empty component":         {{}, []byte("b")},
		"the longest that is held":   {long[:MaxKey]},
		"as many as there may be":    bytes.SplitAfter(bytes.Repeat([]byte("a"), MaxKeyParts), []byte("a"))[:MaxKeyParts],
	} {
		k := ParseKey(AppendKey(nil, parts...))
		if k.Cut || !equalParts(k.Parts, parts) {
			t.Errorf("%s: got %q", name, k.Parts)
		}
	}
}

func equalParts(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func TestLongKeysAreCutAndStayApart(t *testing.T) {
	long := bytes.Repeat([]byte("k"), 5000)
	other := append(bytes.Clone(long[:4999]), 'x')
	a, b := AppendKey(nil, long), AppendKey(nil, other)
	if bytes.Equal(a, b) {
		t.Error("two long keys with the same beginning have one form")
	}
	k := ParseKey(a)
	if !k.Cut || k.Length != 5000 || len(k.Parts) != 1 || !bytes.Equal(k.Parts[0], long[:MaxKey]) {
		t.Errorf("cut %v, length %d", k.Cut, k.Length)
	}
	if k.Hash == ParseKey(b).Hash {
		t.Error("equal hashes")
	}
	if c := ParseKey(AppendKey(nil, long, long)); !c.Cut || c.Hash == k.Hash {
		t.Errorf("of two components: cut %v", c.Cut)
	}
}

func TestTooManyComponentsAreJoined(t *testing.T) {
	var parts [][]byte
	for range MaxKeyParts + 3 {
		parts = append(parts, []byte("a"))
	}
	k := ParseKey(AppendKey(nil, parts...))
	if len(k.Parts) != MaxKeyParts || string(k.Parts[MaxKeyParts-1]) != "aaaa" {
		t.Errorf("%d parts, the last %q", len(k.Parts), k.Parts[len(k.Parts)-1])
	}
}

// FuzzKey holds that distinct components have distinct forms, by reading the form back, and that bytes
// that are no form are harmless.
func FuzzKey(f *testing.F) {
	f.Add([]byte("a"), []byte("b"))
	f.Add([]byte{0xFF, 2, 1, 'a', 1, 'b'}, []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		ParseKey(a)
		for _, parts := range [][][]byte{{a}, {a, b}, {b, a, b}} {
			k := ParseKey(AppendKey([]byte("before"), parts...)[len("before"):])
			if !k.Cut && !equalParts(k.Parts, parts) {
				t.Errorf("%q is read back as %q", parts, k.Parts)
			}
		}
	})
}
