// Package browser opens the pages of reports in a real browser. It knows no renderer's insides: it looks
// at what a person sees, and at what the browser says of the page.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/keyheat/keyheat/report"
	"github.com/keyheat/keyheat/report/render"
)

// allocator is the one browser of the package; a test has a tab of it.
var allocator context.Context

func TestMain(m *testing.M) {
	stop := func() {}
	if path := chromium(); path != "" {
		dir, err := os.MkdirTemp("", "keyheat-browser")
		if err != nil {
			panic(err)
		}
		flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(dir),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("no-first-run", true),
			chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-gpu", true))
		var stopFlags, stopBrowser context.CancelFunc
		allocator, stopFlags = chromedp.NewExecAllocator(context.Background(), flags...)
		allocator, stopBrowser = chromedp.NewContext(allocator)
		if err := chromedp.Do(allocator); err != nil { // the browser lives as long as the context of its first use
			panic(err)
		}
		stop = func() { stopBrowser(); stopFlags(); os.RemoveAll(dir) }
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// chromium gives the browser of this machine, "" when there is none.
func chromium() string {
	for _, name := range []string{os.Getenv("KEYHEAT_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// A page is an open page, and what the browser complains of it.
type page struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	errors   []string
	requests []string
}

// open shows HTML in a tab of a width, on light or on dark ground; the test fails on any error of the
// console and any request.
func open(t *testing.T, html []byte, width int64, scheme string) *page {
	t.Helper()
	need(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	ctx, cancelTime := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancelTime)
	p.ctx = ctx
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, e := range p.errors {
			t.Errorf("the console says: %s", e)
		}
		for _, url := range p.requests {
			if url != "file://"+file {
				t.Errorf("the page asks for %s", url)
			}
		}
	})
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	call(p, runtime.Enable, cdp.Empty{})
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	p.do(chromedp.Navigate("file://"+file), chromedp.WaitReady(chromedp.CSS("body")))
	return p
}

// need skips, or fails where everything must be there, when there is no browser.
func need(t *testing.T) {
	t.Helper()
	const missing = "no browser: install the Debian package chromium, or name one in KEYHEAT_CHROMIUM"
	switch {
	case testing.Short():
		t.Skip("needs a browser")
	case allocator == nil && os.Getenv("CI") == "true":
		t.Fatal(missing)
	case allocator == nil:
		t.Skip(missing)
	}
}

func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description))
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		if !strings.Contains(e.Entry.Text, "willReadFrequently") { // the tests read the picture, the page does not
			p.errors = append(p.errors, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// call runs a command of the browser's protocol.
func call[P, R any](p *page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	result, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

func (p *page) click(selector string) { p.do(chromedp.Click(chromedp.CSS(selector))) }

func (p *page) waitFor(selector string) { p.do(chromedp.WaitVisible(chromedp.CSS(selector))) }

// press gives the keyboard to the map and presses keys.
func (p *page) press(keys ...string) {
	p.do(chromedp.Focus(chromedp.CSS("#m0 canvas")))
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// eval gives the value of an expression of the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise, func(e *runtime.EvaluateParams) { e.UserGesture = new(true) }))
	if err != nil {
		p.t.Fatalf("%v in %s", err, expression)
	}
	return v
}

// A box is where an element stands in the window, in CSS pixels.
type box struct{ X, Y, Width, Height float64 }

// canvas scrolls to the picture of a map and gives its place.
func (p *page) canvas(number int) box {
	p.t.Helper()
	return eval[box](p, fmt.Sprintf(`(() => { const c = document.querySelector('#m%d canvas'); c.scrollIntoView({block: 'center', behavior: 'instant'});
		const r = c.getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height}; })()`, number))
}

// The layout of a map on a wide screen: what a person measures with a ruler.
const (
	firstRow  = 54.0 // top of the first key
	rowHeight = 20.0
	rightEdge = 120.0
)

func labelWidth(b box) float64 { return min(250, max(96, b.Width*0.24)) }

// cell gives the middle of a cell in the window.
func cell(b box, row, pane, panes int) (x, y float64) {
	label := labelWidth(b)
	return b.X + label + (b.Width-label-rightEdge)*(float64(pane)+0.5)/float64(panes), b.Y + firstRow + rowHeight*(float64(row)+0.5)
}

func (p *page) mouse(kind input.DispatchMouseEventType, x, y float64) {
	p.t.Helper()
	event := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1}
	if kind == chromedp.MouseMoved {
		event.Buttons, event.ClickCount = 1, 0
	}
	call(p, input.DispatchMouseEvent, event)
}

// tip moves the mouse to a place and gives the lines of the tooltip.
func (p *page) tip(number int, x, y float64) []string {
	p.t.Helper()
	call(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: chromedp.MouseMoved, X: x, Y: y})
	return eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll('#m%d .tip:not([hidden]) p')].map(e => e.textContent)`, number))
}

// colour gives red, green and blue of the picture at a place in the window.
func (p *page) colour(number int, x, y float64) [3]int {
	p.t.Helper()
	return [3]int(eval[[]int](p, fmt.Sprintf(`(() => { const c = document.querySelector('#m%d canvas'), r = c.getBoundingClientRect();
		return [...c.getContext('2d').getImageData(%f - r.x, %f - r.y, 1, 1).data].slice(0, 3); })()`, number, x, y)))
}

// look keeps a picture of the window for a person, where KEYHEAT_SCREENSHOTS names a folder.
func (p *page) look(name string) {
	p.t.Helper()
	dir := os.Getenv("KEYHEAT_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func rendered(t *testing.T, r *report.Report) []byte {
	t.Helper()
	for _, out := range render.Catalogue() {
		if out.Name == "html" {
			var b strings.Builder
			if err := out.Render(&b, r, render.Options{}); err != nil {
				t.Fatal(err)
			}
			return []byte(b.String())
		}
	}
	t.Fatal("no html renderer")
	return nil
}
