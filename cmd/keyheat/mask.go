package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/keyheat/keyheat/report"
)

// maskFlags say whether keys are replaced by a keyed hash.
type maskFlags struct {
	keys   bool
	secret string
}

// maskVariable holds the secret when no file is given.
const maskVariable = "KEYHEAT_MASK_SECRET"

// maskBytes is the length of a mask before hex: 64 bits keep a million keys apart.
const maskBytes = 8

func (f *maskFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.keys, "mask-keys", false, "show a keyed hash in place of each key")
	flags.StringVar(&f.secret, "mask-secret", "", "`FILE` with the secret of --mask-keys; else "+maskVariable+", else one of this run")
}

func (f *maskFlags) fault() error {
	if f.secret != "" && !f.keys {
		return fmt.Errorf("--mask-secret %s: needs --mask-keys", f.secret)
	}
	return nil
}

// masker gives the mask of keys, nil when they are shown, and a note for the reader.
func (f *maskFlags) masker(e *env) (report.Masker, string, error) {
	if !f.keys {
		return nil, "", nil
	}
	secret := []byte(e.getenv(maskVariable))
	if f.secret != "" {
		text, err := e.readFile(f.secret)
		if err != nil {
			return nil, "", failed(fmt.Errorf("reading --mask-secret: %w", err))
		}
		if secret = bytes.TrimRight(text, "\r\n"); len(secret) == 0 {
			return nil, "", usage(fmt.Errorf("--mask-secret %s: %w", f.secret, errors.New("must not be empty")))
		}
	}
	note := "keys are masked"
	if len(secret) == 0 {
		secret = make([]byte, sha256.Size)
		e.random(secret)
		note += " with a secret of this run: the same key has another mask in another report"
	}
	return keyedMask(secret), note, nil
}

// keyedMask gives the first bytes of HMAC-SHA256 over the key's form, in hex.
func keyedMask(secret []byte) report.Masker {
	return func(key []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(key)
		return []byte(hex.EncodeToString(mac.Sum(nil)[:maskBytes]))
	}
}
