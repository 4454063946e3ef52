package render

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestKeysHaveOneNameEverywhere(t *testing.T) {
	long := strings.Repeat("x", 2000)
	tests := []struct {
		name     string
		form     []byte
		json     string
		encoding string
		visible  string
	}{
		{"text", []byte("CUSTOMER#42"), "CUSTOMER#42", "text", "CUSTOMER#42"},
		{"no bytes", nil, "", "text", `""`},
		{"bytes that are no text", []byte{0xff, 0xfe}, "fffe", "hex", "0xfffe"},
		{"one component that begins with the mark", ingest.AppendKey(nil, []byte{0xff, 1}), "ff01", "hex", "0xff01"},
		{"several components", ingest.AppendKey(nil, []byte("eu"), []byte("2026-06-04")), "(eu, 2026-06-04)", "text", "(eu, 2026-06-04)"},
		{"components that look like several", ingest.AppendKey(nil, []byte("a, b"), nil), "(a, b, )", "text", `("a, b", "")`},
		{"a component that is no text", ingest.AppendKey(nil, []byte("a"), []byte{0xff}), "(61, ff)", "hex", "(a, 0xff)"},
		{"commands", []byte("\x1b[31m\u202e"), "\x1b[31m\u202e", "text", `\x1b[31m\u202e`},
		{"over 1 KiB", ingest.AppendKey(nil, []byte(long)), long[:1024] + "…", "text", long[:1024] + "…"},
		{"cut inside a rune", ingest.AppendKey(nil, []byte("x"+strings.Repeat("é", 1000))), "x" + strings.Repeat("é", 511) + "…", "text", "x" + strings.Repeat("é", 511) + "…"},
		{"components over 1 KiB", ingest.AppendKey(nil, []byte("tenant"), []byte(long)), "(tenant, " + long[:1024-11] + "…)", "text", "(tenant, " + long[:1024-11] + "…)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := nameKey(tt.form)
			if diff := cmp.Diff([]string{n.text, n.encoding, visibleKey(tt.form)}, []string{tt.json, tt.encoding, tt.visible}); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestKeysOver1KiBAreToldApartByTheirHash(t *testing.T) {
	a := nameKey(ingest.AppendKey(nil, []byte(strings.Repeat("x", 2000)+"a")))
	b := nameKey(ingest.AppendKey(nil, []byte(strings.Repeat("x", 2000)+"b")))
	if a.text != b.text || a.hash == b.hash || a.length != 2001 || !a.cut {
		t.Errorf("hashes %s and %s, length %d, cut %v; want two hashes, 2001, true", a.hash, b.hash, a.length, a.cut)
	}
}

func TestVisibleTextIsOneHarmlessLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"a\nb\r\tc":            `a\nb\r\tc`,
		"\x1b]0;t\x07":         `\x1b]0;t\x07`,
		"\u009b31m":            `\u009b31m`,
		"\u2066x\u2069":        `\u2066x\u2069`,
		"zero\u200bwidth":      `zero\u200bwidth`,
		"\U000e0041":           `\U000e0041`,
		"bad\xff\xc3":          `bad\xff\xc3`,
		"表 👍":                  "表 👍",
		"e\u0301\u0301\u0301e": "e\u0301\u0301\\u0301e",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextIsCutByWhatTerminalsShow(t *testing.T) {
	for _, tt := range []struct {
		in   string
		w    int
		want string
	}{
		{"short", 5, "short"},
		{"CUSTOMER#0000042", 10, "CUSTOM…042"},
		{"注文キュー", 10, "注文キュー"},
		{"注文キューの表", 9, "注文 … 表"},
		{"abcdef", 3, "abc"},
	} {
		got := fit(tt.in, tt.w)
		if widthOf(got) > tt.w {
			t.Errorf("fit(%q, %d) = %q is %d wide", tt.in, tt.w, got, widthOf(got))
		}
		if tt.want != "注文 … 表" && got != tt.want {
			t.Errorf("fit(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}

func TestWrappedTextLosesNothing(t *testing.T) {
	text := "one two " + strings.Repeat("長", 30) + " three"
	for w := range 40 {
		lines := wrap(text, w)
		for _, l := range lines {
			if widthOf(l) > max(w, 2) {
				t.Errorf("width %d: %q is %d wide", w, l, widthOf(l))
			}
		}
		if got, want := strings.Join(strings.Fields(strings.Join(lines, "")), ""), strings.ReplaceAll(text, " ", ""); got != want && strings.ReplaceAll(got, " ", "") != want {
			t.Errorf("width %d: got %q", w, got)
		}
	}
}

func TestNumbersAreShortAndNoMoreThanKnown(t *testing.T) {
	tests := map[string]struct{ got, want string }{
		"all digits below a million": {count(812_331), "812,331"},
		"millions":                   {count(1_204_001), "1.2 M"},
		"nearly a billion":           {count(999_990_000), "1.0 G"},
		"the largest":                {count(math.MaxUint64), "18.4 E"},
		"bytes":                      {size(1023), "1,023 B"},
		"gibibytes":                  {size(38 << 30), "38.0 GiB"},
		"a fraction":                 {amount(1_280), "1.28"},
		"a large fraction":           {amount(1_311_400), "1,311"},
		"a share":                    {percent(631), "63.1 %"},
		"an even share":              {percent(630), "63 %"},
		"bounds":                     {bounded{630, 610, 650, false, "share"}.String(), "63 % (61–65 %)"},
		"bounds that meet":           {bounded{630, 630, 630, false, "share"}.String(), "63 %"},
		"a tiny share":               {bounded{0, 0, 1, false, "share"}.String(), "≤ 0.1 %"},
		"an exact share":             {bounded{697, 697, 698, false, "share"}.String(), "69.7 %"},
		"narrow bounds":              {bounded{1_200_000_000, 1_198_800_000, 1_201_200_000, false, ""}.String(), "1.2 M ±0.1 %"},
		"no upper bound":             {bounded{5000, 5000, 0, true, "reads"}.String(), "at least 5 reads"},
		"no lower bound":             {bounded{2000, 0, 4000, false, "reads"}.String(), "at most 4 reads"},
		"nothing":                    {bounded{0, 0, 0, false, ""}.String(), "0"},
		"nearly all understood":      {understoodShare(999_999, 1_000_000), "99.99 %"},
		"half understood":            {understoodShare(1, 2), "50 %"},
		"an unknown peak":            {peakText(0, true), "?"},
		"the unit once":              {measured("requests_per_second", "requests/s", "5 requests/s"), "5 requests/s"},
		"the unit in the measure":    {measured("aborted_reads", "reads", "at least 5 reads"), "at least 5 aborted reads"},
		"the unit beside":            {measured("write_units_per_second", "WCU/s", "5 WCU/s"), "write units 5 WCU/s"},
	}
	for name, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", name, tt.got, tt.want)
		}
	}
}

func TestDecimalsAreExactAndShort(t *testing.T) {
	for in, want := range map[detect.Milli]string{0: "0", 1: "0.001", 410: "0.41", 1000: "1", 1_840_500: "1840.5", math.MaxUint64: "18446744073709551.615"} {
		if got := decimal(in); got != want {
			t.Errorf("decimal(%d) = %s, want %s", in, got, want)
		}
	}
}

func TestSparklinesTellNothingFromLittle(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []uint64
		w      int
		want   string
	}{
		{"eight heights", []uint64{1, 2, 3, 4, 5, 6, 7, 8}, 10, "▁▂▃▄▅▆▇█"},
		{"nothing is a dot", []uint64{0, 1, 1000}, 10, "·▁█"},
		{"all alike", []uint64{5, 5}, 10, "██"},
		{"nothing at all", []uint64{0, 0}, 10, "··"},
		{"a peak survives squeezing", []uint64{1, 1, 1, 800, 1, 1, 1, 1}, 4, "▁█▁▁"},
	} {
		if got := sparkline(tt.values, tt.w); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestWidthsAreThoseOfTheTablesOfUnicode(t *testing.T) {
	for _, s := range append(strings.Split(narrow, ""), "", "plain ~", "a→b…", "tab\t", "ключ", "日本", "e\u0301", "👩‍👧", "\x7f", "a\xff") {
		if got, want := widthOf(s), columns().StringWidth(s); got != want {
			t.Errorf("%q: %d columns, want %d", s, got, want)
		}
	}
}
