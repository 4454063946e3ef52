package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

func TestADigestReadFromJSONIsTheReportsOwn(t *testing.T) {
	for name, r := range map[string]*report.Report{"incident": incident(), "hostile": hostileNight()} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := renderJSON(&out, r, Options{}); err != nil {
				t.Fatal(err)
			}
			got, err := report.ReadDigest(out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, r.Digest(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(detect.Finding{}, "MechanismConfidence"), cmp.Comparer(sameText), cmp.Comparer(sameSubject)); d != "" {
				t.Errorf("got (-), want (+):\n%s", d)
			}
		})
	}
}

// sameText compares texts of which JSON holds invalid UTF-8 in escapes.
func sameText(a, b string) bool { return validText(a) == validText(b) }

// sameSubject compares keys as they are shown: of a cut key the report shows whole runes only.
func sameSubject(a, b detect.Subject) bool {
	return sameText(tableName(a.Target), tableName(b.Target)) && a.HasKey == b.HasKey && visibleKey(a.Key) == visibleKey(b.Key) &&
		nameKey(a.Key).hash == nameKey(b.Key).hash && sameText(a.Shape, b.Shape) && sameText(a.Node, b.Node)
}

func compared() *report.Comparison {
	was, is := incident().Digest(), incident().Digest()
	is.Findings[1].Severity = detect.Low
	is.Findings = is.Findings[1:]
	c := report.Compare(was, is)
	c.Before.Name, c.After.Name = "mon\x1bday.json", "tuesday.json"
	return c
}

func TestAComparisonAsText(t *testing.T) {
	var out bytes.Buffer
	if err := renderCompareText(&out, compared(), Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"keyheat compare · 1 better · 1 gone", `mon\x1bday.json`, "\nBETTER    ", "\nGONE      ", " → low"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		if widthOf(line) > 80 {
			t.Errorf("%d columns: %s", widthOf(line), line)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestAComparisonMasksItsKeys(t *testing.T) {
	c := compared()
	mask := func([]byte) []byte { return []byte("MASK") }
	for _, o := range CompareCatalogue() {
		var out bytes.Buffer
		if err := o.Render(&out, c, Options{Mask: mask}); err != nil {
			t.Fatal(err)
		}
		keys := 0
		for i := range c.Changes {
			s := &c.Changes[i].Finding.Subject
			if s.HasKey && bytes.Contains(out.Bytes(), []byte(nameKey(s.Key).text)) {
				t.Errorf("%s shows the key %q", o.Name, s.Key)
			}
			if s.HasKey {
				keys++
			}
		}
		if keys == 0 || !bytes.Contains(out.Bytes(), []byte("MASK")) {
			t.Errorf("%s: %d keys, or no mask", o.Name, keys)
		}
	}
}

func TestAComparisonAsJSONCountsAllChanges(t *testing.T) {
	var out bytes.Buffer
	if err := renderCompareJSON(&out, compared(), Options{MinSeverity: detect.Critical}); err != nil {
		t.Fatal(err)
	}
	plain := struct {
		Schema string
		Counts map[string]int
	}{}
	if err := json.Unmarshal(out.Bytes(), &plain); err != nil {
		t.Fatal(err)
	}
	if plain.Schema != "keyheat.comparison/1" || plain.Counts["gone"] != 1 || plain.Counts["better"] != 1 {
		t.Errorf("got %+v", plain)
	}
}
