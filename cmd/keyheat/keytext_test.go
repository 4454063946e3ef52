package main

import (
	"testing"

	"github.com/keyheat/keyheat/ingest"
)

func TestTheTextOfAKeyMeansTheKey(t *testing.T) {
	for _, tt := range []struct {
		text  string
		parts []string
		want  bool
	}{
		{"CUSTOMER#42", []string{"CUSTOMER#42"}, true},
		{"(eu-west, 2026-06-04)", []string{"eu-west", "2026-06-04"}, true},
		{"(eu-west, 2026-06-04)", []string{"(eu-west, 2026-06-04)"}, true},
		{"0xff00", []string{"\xff\x00"}, true},
		{"ff00", []string{"\xff\x00"}, true},
		{"(0xff, 0x41)", []string{"\xff", "A"}, true},
		{"(ff, 41)", []string{"\xff", "A"}, true},
		{"", []string{""}, true},
		{`""`, []string{""}, true},
		{"(a, 0xff)", []string{"a", "\xff"}, true},
		{`("a, b", "")`, []string{"a, b", ""}, true},
		{"(a, b, )", []string{"a", "b", ""}, true},
		{`(",", x)`, []string{",", "x"}, true},
		{`\x1b[31m\u202e`, []string{"\x1b[31m\u202e"}, true},
		{`a\b\q`, []string{`a\b\q`}, true},
		{`é\n`, []string{"é\n"}, true},
		{"(é, 2)", []string{"é", "2"}, true},
		{"\xff\xfe", []string{"\xff\xfe"}, true},
		{"()", []string{""}, false},
		{"CUSTOMER#4", []string{"CUSTOMER#42"}, false},
		{"0xff0", []string{"\xff\x00"}, false},
		{"(eu-west)", []string{"eu-west", ""}, false},
	} {
		parts := [][]byte{}
		for _, p := range tt.parts {
			parts = append(parts, []byte(p))
		}
		if got := isKey(ingest.AppendKey(nil, parts...), tt.text); got != tt.want {
			t.Errorf("%q means %q: got %v, want %v", tt.text, tt.parts, got, tt.want)
		}
	}
}
