package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/keyheat/keyheat/report"
)

const wide = 1200

func TestThePlantedKeyIsHotWhereAndWhenItIs(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	b := p.canvas(0)
	p.look("planted")
	dark := func(row, pane int) int {
		x, y := cell(b, row, pane, panes)
		c := p.colour(0, x, y)
		return 3*255 - c[0] - c[1] - c[2]
	}
	for pane := range panes {
		if got, hot := dark(1, pane) > 300, pane >= 20 && pane < 30; got != hot {
			t.Errorf("pane %d of the planted key is hot: %v, want %v", pane, got, hot)
		}
	}
	for row := range 4 {
		if row != 1 && dark(row, 25) > 200 {
			t.Errorf("row %d looks hot", row)
		}
	}
}

func TestTheTooltipTellsExactValuesAndBounds(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	b := p.canvas(0)
	at := func(row, pane int) []string {
		x, y := cell(b, row, pane, panes)
		return p.tip(0, x, y)
	}
	total := func(y float64) []string {
		x, _ := cell(b, 0, 7, panes)
		return p.tip(0, x, b.Y+y)
	}
	for _, tt := range []struct {
		name      string
		got, want []string
	}{
		{"an exact cell", at(0, 0), []string{"tenant-1", "00:00 → 00:01", "5 requests", "0.5 % of the table"}},
		{"a cell with bounds", at(1, 20), []string{"tenant-42", "00:20 → 00:21", "600–640 requests", "60.0–64.0 % of the table"}},
		{"a cell that may be nothing", at(1, 40), []string{"tenant-42", "00:40 → 00:41", "at most 50 requests", "0.0–5.0 % of the table"}},
		{"the totals above", total(20), []string{"all keys", "00:07 → 00:08", "1,000 requests"}},
		{"the other keys", total(firstRow + 4*rowHeight + 20), []string{"other keys", "00:07 → 00:08", "200–300 requests", "20.0–30.0 % of the table"}},
		{"the right edge", p.tip(0, b.X+b.Width-30, b.Y+firstRow+10), []string{"tenant-1", "300 requests in all"}},
	} {
		if diff := cmp.Diff(tt.got, tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, diff)
		}
	}
}

func TestAnotherMeasureShowsItsOwnNumbers(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	p.click(`#m0 [data-measure=writes]`)
	b := p.canvas(0)
	x, y := cell(b, 1, 25, panes)
	if diff := cmp.Diff(p.tip(0, x, y), []string{"tenant-42", "00:25 → 00:26", "not known"}); diff != "" {
		t.Errorf("a key without the measure (-got +want):\n%s", diff)
	}
	if got := p.tip(0, x, b.Y+20); len(got) < 3 || got[2] != "2.5 write units" {
		t.Errorf("total %q, want 2.5 write units", got)
	}
	if got := eval[string](p, `document.querySelector('#m0 [aria-pressed=true]').textContent`); got != "writes" {
		t.Errorf("the pressed measure is %s", got)
	}
}

func TestDraggingZoomsAndEscapeShowsAllAgain(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	b := p.canvas(0)
	from, y := cell(b, 0, 20, panes)
	to, _ := cell(b, 0, 29, panes)
	p.tip(0, from, y)
	p.mouse(chromedp.MousePressed, from, y)
	p.mouse(chromedp.MouseMoved, to, y)
	p.mouse(chromedp.MouseReleased, to, y)
	x, _ := cell(b, 0, 0, 10)
	if got := p.tip(0, x, y); len(got) < 2 || got[1] != "00:20 → 00:21" {
		t.Errorf("the first column after the zoom is %q, want 00:20", got)
	}
	p.look("zoomed")
	p.press(kb.Escape)
	x, _ = cell(b, 0, 0, panes)
	if got := p.tip(0, x, y); len(got) < 2 || got[1] != "00:00 → 00:01" {
		t.Errorf("the first column after Escape is %q, want 00:00", got)
	}
}

func TestBrightnessChangesTheColourOfLittle(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	b := p.canvas(0)
	x, y := cell(b, 0, 5, panes)
	before := p.colour(0, x, y)
	eval[bool](p, `(() => { const i = document.querySelector('#m0 input'); i.value = 100; return i.dispatchEvent(new Event('input')); })()`)
	after := p.colour(0, x, y)
	if after[2] >= before[2] {
		t.Errorf("little is %v, was %v: want it to stand out more", after, before)
	}
}

func TestAClickCopiesTheKeyAndListsItsFindings(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		allow := browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted}
		if _, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, allow); err != nil {
			t.Fatal(err)
		}
	}
	b := p.canvas(0)
	x, y := cell(b, 1, 5, panes)
	p.mouse(chromedp.MousePressed, x, y)
	p.mouse(chromedp.MouseReleased, x, y)
	p.waitFor(`#m0 .status a`)
	if got, want := eval[string](p, `document.querySelector('#m0 .status').textContent`), "copied: tenant-42 · high: one key takes more than its share"; got != want {
		t.Errorf("status %q, want %q", got, want)
	}
	if got := eval[string](p, `navigator.clipboard.readText()`); got != "tenant-42" {
		t.Errorf("the clipboard holds %q", got)
	}
	p.click(`#m0 .status a`)
	p.waitFor(`#f0.flash`)
}

func TestAFindingIsFramedInTheMap(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	p.click(`#f0 .locate`)
	if got := eval[string](p, `document.querySelector('#m0 .status').textContent`); got != "framed: high: one key takes more than its share" {
		t.Errorf("status %q", got)
	}
	b := p.canvas(0)
	p.look("framed")
	left, y := cell(b, 1, 20, panes)
	half := (b.Width - labelWidth(b) - rightEdge) / panes / 2
	want := [3]int{0x0b, 0x57, 0xb0}
	if got := p.colour(0, left-half-1, y); got != want {
		t.Errorf("left edge of the frame is %v, want %v", got, want)
	}
}

func TestTheMapIsReadWithTheKeyboard(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	p.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowRight)
	if got, want := eval[string](p, `document.querySelector('#m0 .status').textContent`), "tenant-42, 00:01 → 00:02, 5 requests, 0.5 % of the table"; got != want {
		t.Errorf("status %q, want %q", got, want)
	}
	p.press("+")
	if eval[bool](p, `document.querySelector('#m0 .reset').disabled`) {
		t.Error("+ does not zoom")
	}
}

func TestEveryCellStandsInATable(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	p.click(`#m0 .cells summary`)
	p.waitFor(`#m0 .cells td`)
	row := eval[[]string](p, `[...document.querySelectorAll('#m0 .cells tbody tr')].find(r => r.cells[0].textContent === 'tenant-42').textContent.match(/600–640/g)`)
	if len(row) != 10 {
		t.Errorf("%d hot cells in the row of the planted key, want 10", len(row))
	}
	if got := eval[int](p, `document.querySelectorAll('#m0 .cells tbody tr').length`); got != 6 {
		t.Errorf("%d rows, want all keys, 4 keys and other keys", got)
	}
}

func TestTwoHundredFindingsAreShownAndFound(t *testing.T) {
	page := rendered(t, many())
	if len(page) > 1<<20 {
		t.Errorf("%d bytes, want under a megabyte", len(page))
	}
	p := open(t, page, wide, "light")
	if got := eval[int](p, `document.querySelectorAll('.card').length`); got != 200 {
		t.Errorf("%d cards", got)
	}
	eval[int](p, `(() => { const f = document.getElementById('f23'); f.open = true; f.querySelector('.locate').click(); return 0; })()`)
	if got := eval[string](p, `document.querySelector('#m0 .status').textContent`); !strings.HasPrefix(got, "framed: critical") {
		t.Errorf("status %q", got)
	}
	p.look("many")
}

func TestOutsideTextStaysText(t *testing.T) {
	p := open(t, rendered(t, hostile()), wide, "light")
	p.look("hostile")
	if eval[bool](p, `'owned' in window`) {
		t.Error("a key ran as a script")
	}
	if got := eval[int](p, `document.querySelectorAll('img, iframe, object, embed, svg[onload], script:not(#data):not(:last-of-type)').length`); got != 0 {
		t.Errorf("%d foreign elements", got)
	}
	if got := eval[int](p, `document.querySelectorAll('a[href]:not([href^="#"]):not([href^="https:"])').length`); got != 0 {
		t.Errorf("%d links lead elsewhere", got)
	}
	text := eval[string](p, `document.body.textContent`)
	if strings.ContainsAny(text, "\u202e\u2066\x1b\x00") {
		t.Error("the page holds characters that hide text")
	}
	shown := eval[[]string](p, `[...document.querySelectorAll('.card .key')].map(e => e.textContent)`)
	if !slices.Contains(shown, evil) {
		t.Errorf("the key %q is not shown as it is", evil)
	}
	b := p.canvas(0)
	x, y := cell(b, 0, 3, panes)
	if got := p.tip(0, x, y); len(got) == 0 || got[0] != evil {
		t.Errorf("tooltip %q, want the key as text", got)
	}
	if got := eval[int](p, `document.documentElement.scrollWidth`); got > wide {
		t.Errorf("the page is %d pixels wide", got)
	}
}

func TestThePolicyStopsForeignScripts(t *testing.T) {
	p := open(t, rendered(t, quiet("a")), wide, "light")
	eval[bool](p, `(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s);
		const i = document.createElement('div'); i.innerHTML = '<b onclick="window.owned=1">x</b>'; document.body.append(i); i.firstChild.click(); return true; })()`)
	if eval[bool](p, `'owned' in window`) {
		t.Error("a script that is not the page's own ran")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.errors) == 0 {
		t.Error("the browser does not say that it refused a script")
	}
	p.errors = nil
}

func TestAPhoneScrollsDownAlone(t *testing.T) {
	for name, r := range map[string]*report.Report{"planted": planted(), "hostile": hostile(), "many": many()} {
		p := open(t, rendered(t, r), 390, "light")
		p.canvas(0)
		p.look("phone-" + name)
		if got := eval[int](p, `document.documentElement.scrollWidth`); got > 390 {
			t.Errorf("%s is %d pixels wide on a screen of 390", name, got)
		}
	}
}

// contrasts gives the texts whose contrast with their ground is under 4.5, as WCAG 2.1 AA asks.
const contrasts = `(() => {
	const lum = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
	const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
	const bad = new Set();
	for (const e of document.querySelectorAll('body *')) {
		if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.disabled) continue;
		const a = lum(rgb(getComputedStyle(e).color).slice(0, 3)), b = lum(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) bad.add(e.className + ' ' + e.tagName + ' ' + ratio.toFixed(2));
	}
	return [...bad];
})()`

func TestTextsStandOutInLightAndDark(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			p := open(t, rendered(t, many()), wide, scheme)
			p.canvas(0)
			p.look(scheme)
			if bad := eval[[]string](p, contrasts); len(bad) > 0 {
				t.Errorf("too little contrast: %q", bad)
			}
			p = open(t, rendered(t, planted()), wide, scheme)
			b := p.canvas(0)
			x, y := cell(b, 0, 3, panes)
			c := p.colour(0, x, y)
			if got := c[0]+c[1]+c[2] < 300; got != (scheme == "dark") {
				t.Errorf("a cell of little is %v", c)
			}
		})
	}
}

func TestEverythingHasANameForThoseWhoDoNotSee(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "light")
	for what, query := range map[string]string{
		"buttons without text":        `button:empty`,
		"pictures without a name":     `[role=img]:not([aria-label])`,
		"cells of heads without use":  `th:not([scope])`,
		"fields without a label":      `label:not(:has(input)), input:not(label input)`,
		"canvases that Tab misses":    `canvas:not([tabindex="0"])`,
		"a page without its language": `html:not([lang])`,
	} {
		if got := eval[int](p, fmt.Sprintf(`document.querySelectorAll('%s').length`, query)); got != 0 {
			t.Errorf("%s: %d", what, got)
		}
	}
	levels := eval[[]int](p, `[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))`)
	for i := 1; i < len(levels); i++ {
		if levels[i] > levels[i-1]+1 {
			t.Errorf("heading %d jumps from level %d to %d", i, levels[i-1], levels[i])
		}
	}
}

func TestThePagePrintsWhole(t *testing.T) {
	p := open(t, rendered(t, planted()), wide, "dark")
	eval[int](p, `(() => { window.printed = null; addEventListener('beforeprint', () => { window.printed = {closed: document.querySelectorAll('details:not([open]):not(.cells, .numbers, .more)').length,
		dark: document.querySelector('canvas').getContext('2d').getImageData(400, 64, 1, 1).data[0] < 128}; }); return 0; })()`)
	pdf, err := chromedp.Run(p.ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF")) || len(pdf) < 5000 {
		t.Errorf("a print of %d bytes", len(pdf))
	}
	printed := eval[*struct {
		Closed int
		Dark   bool
	}](p, `window.printed`)
	if printed == nil || printed.Closed > 0 || printed.Dark {
		t.Errorf("when printing %+v: want nothing folded, on light ground", printed)
	}
	if got := eval[bool](p, `document.getElementById('f1').open || document.documentElement.classList.contains('print')`); got {
		t.Error("after printing the page is not as it was")
	}
}

// demo gives the page of the demo, made by the command itself.
func demo(t *testing.T) []byte {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "keyheat")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../../../cmd/keyheat").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := exec.CommandContext(t.Context(), tool, "analyze", "--quiet", "--format", "html", "../../../fixtures/demo").Output()
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestTheDemoShowsItsHotKey(t *testing.T) {
	need(t)
	page := demo(t)
	if len(page) > 1<<20 {
		t.Errorf("%d bytes, want under a megabyte", len(page))
	}
	p := open(t, page, wide, "light")
	p.look("demo")
	at := eval[int](p, `Number([...document.querySelectorAll('figure.map')].find(f => f.querySelector('h3').textContent === 'carts').id.slice(1))`)
	eval[int](p, `([...document.querySelectorAll('.card.critical')].find(c => c.querySelector('.table').textContent === 'carts').querySelector('.locate').click(), 0)`)
	b := p.canvas(at)
	p.look("demo-map")
	var data struct {
		Panes [][2]int64
		Maps  []struct{ Keys []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(eval[string](p, `document.getElementById('data').textContent`)), &data); err != nil {
		t.Fatal(err)
	}
	if got := data.Maps[at].Keys[0].Name; got != "user-137" {
		t.Fatalf("the first row is of %s", got)
	}
	hot := 0
	for pane, span := range data.Panes {
		x, y := cell(b, 0, pane, len(data.Panes))
		if c := p.colour(at, x, y); c[0]+c[1]+c[2] < 350 {
			hot++
			if at := span[0] % 86400; at < 8*3600+30*60 || at >= 8*3600+37*60 {
				t.Errorf("pane %d is hot, outside 08:30 to 08:37", pane)
			}
		}
	}
	if hot < 5 {
		t.Errorf("%d hot panes, want those from 08:30 to 08:37", hot)
	}
}
