package nightly

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

// storied gives five nights: a finding comes, goes and cannot be looked for; the fourth has no report.
func storied() []*Night {
	target := detect.Target{Table: "t<script>alert(1)</script>"}
	hot := report.Finding{ID: "a", Finding: detect.Finding{Rule: "hot-partition", Severity: detect.High, Message: "<img src=x onerror=alert(1)>",
		Subject: detect.Subject{Target: target, Key: []byte("k\u202e\"><b>"), HasKey: true}}}
	nights := sized(1<<30, 1<<20, 2<<20, 3<<20, 4<<20, 5<<20)
	for i, n := range nights {
		n.Folder, n.Files = n.Date+".1", []string{"report.json", "report.txt"}
		n.Digest = &report.Digest{Targets: []detect.Target{target}}
		switch i {
		case 1:
			n.Digest.Findings = []report.Finding{hot}
		case 3:
			n.Failed, n.Digest, n.Files = "broken <i>", nil, nil
		case 4:
			n.Digest.Targets = nil
		}
	}
	return nights
}

func TestTheHistoryHasACellForEachNight(t *testing.T) {
	var got []string
	for _, r := range rows(storied()) {
		for _, c := range r.Cells {
			got = append(got, c.Mark+" "+c.Link)
		}
		if r.Nights != 1 || r.First != "2026-06-02" || r.Last != "2026-06-02" {
			t.Errorf("row %+v", r)
		}
	}
	if d := cmp.Diff(got, []string{"· ", "H 2026-06-02.1/report.txt", "· ", "× ", "? "}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestTheHistoryShowsHostileTextAsText(t *testing.T) {
	page, err := history("job", storied())
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, bad := range []string{"<script", "<img", "<b>", "<i>", "\u202e", "http://", "https://", "onerror=\"", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(text)[1]
	sum := sha256.Sum256([]byte(style))
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(text, want) {
		t.Errorf("the policy does not allow the style: want %s", want)
	}
	for _, want := range []string{"2026-06-04: no report: broken", "<polyline points=\"0.0,", "1 MiB → 5 MiB over 5 nights"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestATrendTellsTheSameWeekdayToo(t *testing.T) {
	j := &Job{Name: "job"}
	at := func(date string, s detect.Severity) *Night {
		n := aNight(date)
		n.Nodes = []string{"n1"}
		target := detect.Target{Table: "t"}
		n.Digest.Targets = []detect.Target{target}
		n.Digest.Findings = []report.Finding{{ID: "a", Finding: detect.Finding{Rule: "hot-partition", Severity: s, Subject: detect.Subject{Target: target}}}}
		return n
	}
	nights := []*Night{at("2026-06-01", detect.Critical), {Date: "2026-06-06", Failed: "broken"}, at("2026-06-07", detect.Low), at("2026-06-08", detect.Medium)}
	nights[3].Nodes = nil
	got := trendOf(j, nights).Text()
	want := `keyheat nightly · job · 2026-06-08 · 1 worse
WORSE     t: hot-partition, low → medium, first seen 2026-06-01, at 3 of 3 nights, better since 2026-06-01
not seen tonight: no records of node n1
`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
