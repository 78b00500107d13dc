package page_test

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

const (
	undrained = "iptables.recorded.undrained"
	within    = `[id="` + undrained + `"] `
	link      = `.matrix a[href="#` + undrained + `"]`
)

func TestAPersonFindsTheRequestsThatFailed(t *testing.T) {
	v := newVisit(t, 1440)
	v.open(written(t, recordedFolder(t)), "")
	paint := ask[float64](v, firstPaint)
	t.Logf("first paint after %.0f ms; the bar is 1000 on an idle machine", paint)
	v.shoot("summary.png")

	if n := v.unfolded(); n != 2 {
		t.Errorf("%d scenarios are unfolded before anybody asked, not the 2 that need a look", n)
	}
	v.await(within + ".plots")
	tops := ask[[]float64](v, `[".headline", ".details", ".timeline", ".rules"].map(part => document.querySelector("`+escaped(within)+`" + part)).filter(Boolean).map(e => e.getBoundingClientRect().top)`)
	if len(tops) < 3 || !slices.IsSorted(tops) {
		t.Errorf("headline, facts, timeline and rules begin at %v, want them in this order", tops)
	}
	if first := ask[float64](v, all("main article")+`.findIndex(a => a.matches(".fail, .inconclusive"))`); first != 0 {
		t.Errorf("the first scenario that needs a look is number %g on the page", first+1)
	}
	if passing := ask[string](v, one(".matrix td.pass")+`.innerText`); !strings.Contains(passing, "failed") || !strings.Contains(passing, "rule lag") && !strings.Contains(passing, "status gap") {
		t.Errorf("a cell that passed has no numbers: %q", passing)
	}
	if n := ask[int](v, all(within+".drawing .title")+`.length`); n != 4 {
		t.Errorf("its timeline has %d charts, not 4", n)
	}

	ask[bool](v, all(within+"details.more")+`.every(d => d.open = true)`)
	v.click(within + ".witnesses a")
	v.await(within + ".request")
	card := ask[string](v, one(within+".request")+`.innerText`)
	for _, cell := range ask[[]string](v,
		`[...`+one(within+".witnesses tbody tr")+`.cells].slice(0, 7).map(c => c.firstChild.textContent.trim())`) {
		if !strings.Contains(card, cell) {
			t.Errorf("the request shown lacks %q, which its row has:\n%s", cell, card)
		}
	}
	v.shoot("witness.png")

	v.click(`[id="scenario.recorded.undrained"] > summary`)
	if n := v.unfolded(); n != 1 {
		t.Error("a click on its title did not fold the scenario")
	}
}

func TestATimelineIsZoomed(t *testing.T) {
	v := newVisit(t, 1440)
	v.open(written(t, recordedFolder(t)), "")
	v.click(link)
	v.await(within + ".plots")
	v.settle()
	whole := v.drawn(within)
	zoomed := func(how string) {
		t.Helper()
		v.settle()
		if v.drawn(within) == whole {
			t.Errorf("%s did not change the charts", how)
		}
	}
	unzoomed := func(how string) {
		t.Helper()
		v.settle()
		if v.drawn(within) != whole {
			t.Errorf("%s did not show the whole run again", how)
		}
	}

	ask[bool](v, `(`+one(within+".plots")+`.scrollIntoView({block: "center"}), true)`) // what it returns differs between browsers
	box := ask[[]float64](v, `(({left, top, width, height}) => [left, top, width, height])(`+one(within+".plots")+`.getBoundingClientRect())`)
	x, y := func(part float64) float64 { return box[0] + part*box[2] }, box[1]+box[3]/2
	v.do(
		chromedp.MouseEvent(chromedp.MouseMoved, x(.25), y),
		chromedp.MouseEvent(chromedp.MousePressed, x(.25), y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, x(.35), y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, x(.5), y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseReleased, x(.5), y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	)
	zoomed("dragging")
	if said := ask[string](v, one(within+".readout")+`.textContent`); !strings.Contains(said, "/s") {
		t.Errorf("the pointer told %q", said)
	}
	v.shoot("zoomed.png")
	for clicks := range 2 {
		v.do(chromedp.MouseClickXY(x(.5), y, chromedp.ClickCount(clicks+1)))
	}
	unzoomed("a double click")

	ask[bool](v, `(`+one(within+".plots")+`.focus(), true)`)
	v.do(chromedp.KeyEvent("+"))
	zoomed("the plus key")
	v.do(chromedp.KeyEvent("\u001b"))
	unzoomed("Escape")
	t.Logf("a zoom is painted after %.0f ms at most; the bar is 100 on an idle machine", ask[float64](v, zoomTimeOf(within+".plots")))
}

// firstPaint evaluates to when something could be seen, in milliseconds after the page was requested.
const firstPaint = `new Promise(done => new PerformanceObserver(seen => {
	for (const paint of seen.getEntriesByName("first-contentful-paint")) done(paint.startTime);
}).observe({ type: "paint", buffered: true }))`

// drawn returns what the charts of a timeline show.
func (v *visit) drawn(of string) string {
	v.t.Helper()
	return ask[string](v, one(of+".drawing")+`.outerHTML`)
}

// unfolded returns how many scenarios show more than their title.
func (v *visit) unfolded() int {
	v.t.Helper()
	return ask[int](v, all("details.scenario[open]")+`.length`)
}

func one(selector string) string { return "document.querySelector(`" + selector + "`)" }

func escaped(selector string) string { return strings.ReplaceAll(selector, `"`, `\"`) }

func all(selector string) string { return "[...document.querySelectorAll(`" + selector + "`)]" }

// zoomTimeOf returns an expression for how long a zoom takes until it is painted, in milliseconds: the longest of ten.
func zoomTimeOf(board string) string {
	return `(async () => {
	const board = ` + one(board) + `;
	let worst = 0;
	for (const key of ["+", "+", "ArrowLeft", "+", "-", "ArrowRight", "-", "+", "-", "Escape"]) {
		const begin = performance.now();
		board.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
		worst = Math.max(worst, performance.now() - begin);
	}
	return worst;
})()`
}

func TestNobodyWasAnswered(t *testing.T) {
	dir := recordedFolder(t)
	folder := placeOf(dir, "iptables", "recorded", "undrained")
	ev, err := store.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := ev.Hits.All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range hits {
		hits[i].Fault, hits[i].Status, hits[i].By = evidence.Refused, 0, evidence.Server{}
	}
	ev.Hits, ev.Arrivals, ev.Events = evidence.Hits(hits), nil, nil
	if err := errors.Join(os.RemoveAll(folder), store.Write(folder, ev)); err != nil {
		t.Fatal(err)
	}
	v := newVisit(t, 1440)
	v.open(written(t, dir), undrained)
	v.await(within + ".plots")
	v.settle()
	v.shoot("unanswered.png")
}

func TestThePageIsReadableInAnyForm(t *testing.T) {
	file := written(t, recordedFolder(t))
	prefers := func(scheme string) emulation.SetEmulatedMediaParams {
		return emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	}
	for name, width := range map[string]int64{"light": 1440, "dark": 1440, "narrow": 400} {
		t.Run(name, func(t *testing.T) {
			v := newVisit(t, width)
			scheme := "light"
			if name == "dark" {
				scheme = "dark"
			}
			call(v, emulation.SetEmulatedMedia, prefers(scheme))
			v.open(file, "")
			v.click(link)
			v.await(within + ".plots")
			v.settle()
			v.shoot(name + ".png")
			if over := ask[float64](v, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("the page is %g pixels wider than the window", over)
			}
		})
	}
	t.Run("paper", func(t *testing.T) {
		v := newVisit(t, 1440)
		v.open(file, "")
		v.click(link)
		v.await(within + ".plots")
		v.keep("paper.pdf", get(v, chromedp.PrintToPDF(chromedp.PDFPrintBackground())))
		call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		v.shown(map[string]bool{".drawing": true, ".plots": false, ".tools": false, ".lanes": true})
		v.shoot("paper.png")
	})
	t.Run("without scripts", func(t *testing.T) {
		v := newVisit(t, 1200)
		call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		v.open(file, undrained)
		v.shoot("without-scripts.png")
	})
}

// shown checks which parts of the timeline's run can be seen.
func (v *visit) shown(want map[string]bool) {
	v.t.Helper()
	for _, part := range slices.Sorted(maps.Keys(want)) {
		if got := ask[bool](v, one(within+part)+`.checkVisibility()`); got != want[part] {
			v.t.Errorf("%s is to be seen: %t", part, got)
		}
	}
}

// What the script draws again for each part of the time is what is drawn without it.
func TestTheScriptDrawsWhatIsDrawnWithoutIt(t *testing.T) {
	dir := recordedFolder(t)
	drawn, _, _ := strings.Cut(article(t, string(write(t, dir)), undrained), "</figure>")
	var want [][]string
	for _, part := range []string{`<path class="(\w+)" d="([^"]+)"/>`, `<text (x)="[^"]*" y="[^"]*">([^<]*)</text>`} {
		_, drawn, _ := strings.Cut(drawn, `<g class="requests"`)
		for _, found := range regexp.MustCompile(part).FindAllStringSubmatch(drawn, -1) {
			want = append(want, found[1:])
		}
	}
	v := newVisit(t, 1440)
	v.open(written(t, dir), undrained)
	v.await(within + ".plots")
	got := ask[[][]string](v, `(figure => {
		const { drawing } = live.get(figure), all = selector => [...figure.querySelectorAll(selector)];
		drawing.resize(drawing.drawn.width);
		return [...all(".requests path").map(path => [path.getAttribute("class"), path.getAttribute("d")]),
			...all(".ticks text").map(text => ["x", text.textContent])];
	})(`+one(within+".charts > svg")+`.closest("figure"))`)
	if len(want) < 10 {
		t.Fatalf("found only %v", want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-without script +with it):\n%s", diff)
	}
}
