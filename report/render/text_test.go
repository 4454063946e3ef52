package render

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/detect"
	"github.com/keyheat/keyheat/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("%s differs (-got +want); -update writes it anew:\n%s", path, diff)
	}
}

func rendered[T any](t *testing.T, o *Output[T], v T, opts Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := o.Render(&b, v, opts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTextLooksAsReviewed(t *testing.T) {
	for name, r := range reports() {
		for _, width := range []int{80, 100, 120} {
			golden(t, fmt.Sprintf("%s.%d.txt", name, width), rendered(t, textReport, r, Options{Width: width}))
		}
		golden(t, name+".100.color.txt", rendered(t, textReport, r, Options{Width: 100, Color: true}))
	}
	golden(t, "incident.heat.80.txt", rendered(t, textReport, incident(), Options{Width: 80, HeatMap: "requests"}))
	golden(t, "incident.heat.120.txt", rendered(t, textReport, incident(), Options{Width: 120, HeatMap: "tombstones"}))
	golden(t, "hostile.heat.60.txt", rendered(t, textReport, hostileNight(), Options{Width: 60, HeatMap: "requests"}))
	golden(t, "incident.60.txt", rendered(t, textReport, incident(), Options{Width: 60}))
	golden(t, "incident.all.txt", rendered(t, textReport, incident(), Options{Width: 100, MinSeverity: detect.Low}))
	golden(t, "incident.critical.txt", rendered(t, textReport, incident(), Options{Width: 100, MinSeverity: detect.Critical}))
	golden(t, "incident.masked.txt", rendered(t, textReport, incident(), Options{Width: 100, Mask: testMask}))
}

func testMask(key []byte) []byte { return fmt.Appendf(nil, "#%d", len(key)) }

// ansi is what the palette may print.
var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkPage reports lines that a terminal could take for more than text, or that are too wide.
func checkPage(t *testing.T, page []byte, width int) {
	t.Helper()
	if !utf8.Valid(page) {
		t.Error("the page is not valid UTF-8")
	}
	for i, line := range strings.Split(ansi.ReplaceAllString(string(page), ""), "\n") {
		if w := widthOf(line); w > width {
			t.Errorf("line %d is %d columns wide, want at most %d: %s", i+1, w, width, line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("line %d holds %U: %q", i+1, r, line)
				break
			}
		}
	}
}

func TestTextFitsItsWidthAndPrintsNoCommand(t *testing.T) {
	for name, r := range reports() {
		for width := MinWidth; width <= 130; width += 7 {
			t.Run(fmt.Sprint(name, width), func(t *testing.T) {
				checkPage(t, rendered(t, textReport, r, Options{Width: width, Color: width%2 == 0, MinSeverity: detect.Low, HeatMap: "requests"}), width)
			})
		}
	}
	seed := uint64(1)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		checkPage(t, rendered(t, textReport, randomReport(rng), Options{Width: 80}), 80)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestColourAddsNothingButColour(t *testing.T) {
	for name, r := range reports() {
		bare := rendered(t, textReport, r, Options{Width: 90, HeatMap: "requests"})
		coloured := ansi.ReplaceAll(rendered(t, textReport, r, Options{Width: 90, HeatMap: "requests", Color: true}), nil)
		if diff := cmp.Diff(string(coloured), string(bare)); diff != "" {
			t.Errorf("%s without its colours differs from the plain page:\n%s", name, diff)
		}
	}
}

func TestMaskedReportsShowNoKey(t *testing.T) {
	for _, o := range Catalogue() {
		page := string(rendered(t, o, incident(), Options{Mask: testMask, MinSeverity: detect.Low}))
		for _, key := range []string{"tenant-42", "tenant-9", "eu-west", "ReadStage", nameKey([]byte("tenant-42")).hash, incident().Findings[1].ID} {
			if strings.Contains(page, key) {
				t.Errorf("%s shows %q", o.Name, key)
			}
		}
	}
}

func TestLowFindingsAreFoldedOnlyUnderWorseOnes(t *testing.T) {
	tests := []struct {
		name string
		r    *report.Report
		o    Options
		want int // cards of low findings
	}{
		{"under a critical one", incident(), Options{}, 0},
		{"asked for", incident(), Options{MinSeverity: detect.Low}, 1},
		{"nothing worse", allLow(), Options{}, 1},
		{"nothing worse, but left out", allLow(), Options{MinSeverity: detect.High}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := string(rendered(t, textReport, tt.r, tt.o))
			if got := strings.Count(page, "LOW       shop."); got != tt.want {
				t.Errorf("%d cards, want %d:\n%s", got, tt.want, page)
			}
			if got, want := strings.Contains(page, "also    tenant-9"), tt.want > 0; got != want {
				t.Errorf("the second under the first: %v, want %v:\n%s", got, want, page)
			}
			if got, want := strings.Contains(page, "run with --min-severity low"), tt.want == 0; got != want {
				t.Errorf("folded line: %v, want %v", got, want)
			}
		})
	}
}
