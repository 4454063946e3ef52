package main

import (
	"strings"
	"testing"
)

func TestMasks(t *testing.T) {
	secretFrom := func(e *env, f maskFlags) string {
		mask, note, err := f.masker(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(mask([]byte("CUSTOMER#42"))) + " " + note
	}
	file := testEnv()
	file.readFile = func(string) ([]byte, error) { return []byte("s3cret\n"), nil }
	variable := testEnv()
	variable.getenv = func(name string) string { return map[string]string{maskVariable: "s3cret"}[name] }
	other := testEnv()
	other.random = func(p []byte) { p[0] = 7 }

	// printf 'CUSTOMER#42' | openssl dgst -sha256 -hmac s3cret | cut -c1-16
	const known = "b00e4a3a07911a16 keys are masked"
	if got := secretFrom(file, maskFlags{keys: true, secret: "f"}); got != known {
		t.Errorf("with a secret in a file: got %q, want %q", got, known)
	}
	if got := secretFrom(variable, maskFlags{keys: true}); got != known {
		t.Errorf("with a secret in the environment: got %q, want %q", got, known)
	}
	a, b := secretFrom(testEnv(), maskFlags{keys: true}), secretFrom(other, maskFlags{keys: true})
	if a == b || !strings.Contains(a, "secret of this run") {
		t.Errorf("without a secret: got %q and %q, want two masks and a note", a, b)
	}
}

func TestAnEmptySecretIsRefused(t *testing.T) {
	e := testEnv()
	e.readFile = func(string) ([]byte, error) { return []byte("\n"), nil }
	_, _, err := (&maskFlags{keys: true, secret: "f"}).masker(e)
	if codeOf(err) != exitUsage {
		t.Errorf("got %v, want a usage error", err)
	}
}
