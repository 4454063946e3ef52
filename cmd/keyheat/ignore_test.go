package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/ingest"
)

func TestAnIgnoreFileIsReadLineByLine(t *testing.T) {
	text := "# all of it\n\nhot-partition orders CUSTOMER#42  # known, ticket 7\r\nhot-partition shop.carts tenant 7 north\nskewed-key *\t\n"
	list, err := parseIgnore(text, []string{"hot-partition", "skewed-key"})
	if err != nil {
		t.Fatal(err)
	}
	got := []suppression{}
	for _, s := range list {
		got = append(got, *s)
	}
	want := []suppression{
		{line: 3, rule: "hot-partition", table: "orders", key: "CUSTOMER#42"},
		{line: 4, rule: "hot-partition", table: "shop.carts", key: "tenant 7 north"},
		{line: 5, rule: "skewed-key", table: "*"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(suppression{})); diff != "" {
		t.Errorf("suppressions (-want +got):\n%s", diff)
	}
}

func TestAnIgnoreFileReportsEveryFaultyLine(t *testing.T) {
	_, err := parseIgnore("hot-partitio orders\n\nskewed-key\n", []string{"hot-partition", "skewed-key"})
	want := "line 1: unknown rule \"hot-partitio\": did you mean hot-partition?\nline 3: must be: rule table [key]  # reason"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSuppressionsLeaveOutWhatTheyFitAndSayWhatNeverFitted(t *testing.T) {
	key := func(rule, table, index string, parts ...string) detect.Finding {
		f := detect.Finding{Rule: rule, Subject: detect.Subject{Target: detect.Target{Table: table, Index: index}}}
		raw := [][]byte{}
		for _, p := range parts {
			raw = append(raw, []byte(p))
		}
		if len(parts) > 0 {
			f.Subject.Key, f.Subject.HasKey = ingest.AppendKey(nil, raw...), true
		}
		return f
	}
	found := []detect.Finding{
		key("r", "orders", "", "a"), key("r", "orders", "", "b"), key("r", "orders", "by-day", "a"),
		key("r", "carts", "", "eu", "1"), key("r", "carts", "", "\xff\x00"), key("r", "plain", ""), key("q", "orders", "", "a"),
	}
	list, err := parseIgnore("r orders a\nr orders/by-day\nr carts (eu, 1)\nr carts 0xff00\nr * never\nr plain x\n", []string{"r"})
	if err != nil {
		t.Fatal(err)
	}
	kept, notes := suppress(found, list, "f")
	if diff := cmp.Diff([]detect.Finding{found[1], found[5], found[6]}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	want := []string{
		"findings left out by --ignore f: 4",
		"line 5 of --ignore f fits no finding: r * never",
		"line 6 of --ignore f fits no finding: r plain x",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
