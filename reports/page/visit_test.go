package page_test

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A visit is a page open in a real browser, and what the page did that it should not have.
type visit struct {
	t    *testing.T
	ctx  context.Context
	from string // server that the page may ask and get no answer from; empty: none

	mu         sync.Mutex
	complaints []string
}

// newVisit starts a headless browser with a window so many pixels wide, and skips the test if there is none. Whatever the page asks the
// network for, logs or throws fails the test at its end.
func newVisit(t *testing.T, width int64) *visit {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser(t)), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	// For a browser that hangs: beside builds, printing the page alone has taken a minute.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	v := &visit{t: t, ctx: ctx}
	v.do(chromedp.EmulateViewport(width, 1000))
	if err := chromedp.Listen(ctx, v.checkEvent); err != nil {
		t.Fatal(err)
	}
	call(v, network.Enable, network.EnableParams{})
	call(v, log.Enable, cdp.Empty{})
	call(v, runtime.Enable, cdp.Empty{})
	t.Cleanup(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, complaint := range v.complaints {
			t.Error(complaint)
		}
	})
	return v
}

// browser returns the path of a browser.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no browser: apt-get install chromium")
	return ""
}

// checkEvent notes what a page that loads nothing must not do.
func (v *visit) checkEvent(event any) {
	said := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		ofFile := strings.HasPrefix(e.Request.URL, "file:") && e.Type == network.ResourceTypeDocument
		if !ofFile && (v.from == "" || !strings.HasPrefix(e.Request.URL, v.from+"/")) {
			said = "it asked the network for " + e.Request.URL
		}
	case *log.EventEntryAdded:
		if v.from == "" || e.Entry.Source != log.EntrySourceNetwork {
			said = "it logged " + e.Entry.Text
		}
	case *runtime.EventConsoleAPICalled:
		said = "it called console." + string(e.Type)
	case *runtime.EventExceptionThrown:
		said = "it threw " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += ": " + e.ExceptionDetails.Exception.Description
		}
	}
	if said != "" {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.complaints = append(v.complaints, said)
	}
}

func (v *visit) open(file, fragment string) {
	v.t.Helper()
	v.visit((&url.URL{Scheme: "file", Path: file, Fragment: fragment}).String())
}

func (v *visit) visit(address string) {
	v.t.Helper()
	v.do(chromedp.Navigate(address))
}

func (v *visit) do(steps ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, steps...); err != nil {
		v.t.Fatal(err)
	}
}

// click clicks into the middle of the first element that a CSS selector finds.
func (v *visit) click(selector string) {
	v.t.Helper()
	v.await(selector)
	at := ask[[]float64](v, `(e => {
		e.scrollIntoView({ block: "center" });
		const box = e.getClientRects()[0];
		return [box.left + box.width / 2, box.top + box.height / 2];
	})(`+one(selector)+`)`)
	v.do(chromedp.MouseClickXY(at[0], at[1]))
}

// await waits until an element can be seen.
func (v *visit) await(selector string) {
	v.t.Helper()
	ask[bool](v, `new Promise(done => {
		const look = () => `+one(selector)+`?.checkVisibility() ? done(true) : requestAnimationFrame(look);
		look();
	})`)
}

// awaitText waits until an element has a text.
func (v *visit) awaitText(selector, text string) {
	v.t.Helper()
	ask[bool](v, `new Promise(done => {
		const look = () => `+one(selector)+`?.textContent === "`+text+`" ? done(true) : requestAnimationFrame(look);
		look();
	})`)
}

// settle waits until the last change is painted.
func (v *visit) settle() {
	v.t.Helper()
	ask[bool](v, `new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))`)
}

// keep writes a file for a person to look at.
func (v *visit) keep(name string, data []byte) {
	v.t.Helper()
	if err := os.WriteFile(filepath.Join(v.t.ArtifactDir(), name), data, 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// shoot keeps a picture of the page from top to bottom.
func (v *visit) shoot(name string) {
	v.t.Helper()
	v.keep(name, get(v, chromedp.FullScreenshot(100)))
}

func get[T any](v *visit, action chromedp.Action[T]) T {
	v.t.Helper()
	value, err := chromedp.Run(v.ctx, action)
	if err != nil {
		v.t.Fatal(err)
	}
	return value
}

// ask evaluates an expression, or a promise of one.
func ask[T any](v *visit, expression string) T {
	v.t.Helper()
	return get(v, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

func call[P, R any](v *visit, command cdp.Command[P, R], params P) {
	v.t.Helper()
	if _, err := chromedp.Call(v.ctx, command, params); err != nil {
		v.t.Fatal(err)
	}
}
