package page

import (
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

// A shape is how one kind of thing looks in every chart and in the legends. All that says so is in
// this file: sizes, shapes, colours and styles. Other files say where things are.
type shape struct {
	Class  string
	Colour colour
	// Symbol is an SVG path around the middle of the shape in a legend; a request is drawn as its symbol. Bars have none.
	Symbol string
	Tall   float64 // height of a bar, in units of the drawing
	Below  float64 // how far below the middle of its row it is drawn, so that none hides another
	Style  string  // CSS in addition to the colour
	Legend string  // what it means, where the data do not say it
}

// A colour is for a light and for a dark screen; dark is empty if it is the same.
type colour struct{ light, dark string }

// Colours of the page, which are light or dark by themselves.
var (
	ink          = colour{light: "var(--ink)"}
	quiet        = colour{light: "var(--quiet)"}
	faint        = colour{light: "var(--rule)"}
	link         = colour{light: "var(--link)"}
	bad          = colour{light: "var(--fail)"}
	inconclusive = colour{light: "var(--inconclusive)"}
)

var (
	orange = colour{"#d55e00", "#ff8f4d"}
	pink   = colour{"#b0508a", "#e08fc0"}
	blue   = colour{"#0072b2", "#56b4e9"}
	green  = colour{"#00805d", "#3cc79d"}
	yellow = colour{"#a87400", "#f0c14b"}
	sky    = colour{"#2a8fc4", "#9fd8f7"}
)

// Sizes in units of a drawing, which are pixels where the page's script shows it.
const (
	drawnWidth    = 1000
	glanceWidth   = 660 // of a drawing at the head of the page, of which two stand side by side
	pictureWidth  = 860
	gutter        = 150 // left of the time axis
	margin        = 8   // right of it
	gap           = 24  // between two charts
	replyHeight   = 120
	tookHeight    = 90
	laneHeight    = 24
	emptyHeight   = 14 // of a lane where no requests are drawn
	nodeHeight    = 16
	podHeight     = 14
	labelHeight   = 13 // of a row of labels above the charts
	markRows      = 3
	stepRows      = 4
	narrow        = .25 // of the width drawn: marks have rows enough for their labels to be legible on a telephone
	tickWidth     = 80  // the least between two times on the axis
	stripWidth    = 1000
	stripHeight   = 50
	fontSize      = 11
	letterWidth   = 6
	manySteps     = 40 // with more of them their lines are faint
	legendHeight  = 18 // of a line
	symbolWidth   = 24
	pictureMargin = 8
)

// tickSteps are how many seconds may lie between two times on the axis.
var tickSteps = []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400,
	28800, 86400}

// Kinds of requests that are not a fault.
const (
	goodReply = "reply"
	again     = "again"
)

const square = "m-6-5h12v10h-12z"

// versionShapes are of replies and pods, the oldest version first; the last is of all others.
var versionShapes = []shape{
	{Class: "v0", Colour: colour{"#0072b2", "#3a9bd9"}, Symbol: square},
	{Class: "v1", Colour: colour{"#e69f00", ""}, Symbol: square},
	{Class: "v2", Colour: colour{"#009e73", "#1fb88c"}, Symbol: square},
	{Class: "v3", Colour: colour{"#cc79a7", ""}, Symbol: square},
	{Class: "v4", Colour: colour{"#56b4e9", "#7cc8f2"}, Symbol: square},
	{Class: "v5", Colour: colour{"#999", "#888"}, Symbol: square},
}

// phaseShapes are of pods. The colour is only the legend's: a pod has that of its version.
var phaseShapes = [timeline.PodGone + 1]shape{
	timeline.PodStarting: {Class: "starting", Colour: quiet, Tall: 2},
	timeline.PodServing:  {Class: "serving", Colour: quiet, Tall: 10},
	timeline.PodDeleting: {Class: "deleting", Colour: quiet, Tall: 10, Style: "fill-opacity: .55"},
	timeline.PodLeaving:  {Class: "leaving", Colour: quiet, Tall: 7, Style: "fill-opacity: .55"},
	timeline.PodSignaled: {Class: "signaled", Colour: quiet, Tall: 4, Style: "fill-opacity: .55"},
	timeline.PodExited:   {Class: "exited", Colour: quiet, Tall: 1},
}

// requestShapes are of requests, whose class is the fault; the last is of those that were sent again and of faults that this build
// does not know.
var requestShapes = []shape{
	{Class: goodReply, Colour: ink, Symbol: "m0-4l4 4-4 4-4-4z", Style: "fill: none"},
	{Class: string(evidence.Refused), Colour: orange, Symbol: "m-3-3l6 6m-6 0l6-6", Below: -7.5},
	{Class: string(evidence.Reset), Colour: pink, Symbol: "m0-4l4 7h-8z", Below: -2.5},
	{Class: string(evidence.Closed), Colour: blue, Symbol: "m-3-3h6v6h-6z", Below: 2.5},
	{Class: string(evidence.Timeout), Colour: ink, Symbol: "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", Below: 7.5},
	{Class: string(evidence.Unreachable), Colour: green, Symbol: "m0-4l4 4-4 4-4-4z", Below: -7.5},
	{Class: string(evidence.BadStatus), Colour: yellow, Symbol: "m0-4v8m-4-4h8", Below: -2.5},
	{Class: string(evidence.WrongServer), Colour: sky, Symbol: "m0 4l4-7h-8z", Below: 2.5},
	{Class: string(evidence.Truncated), Colour: blue, Symbol: "m3-3h-6v6h6", Below: -7.5, Style: "fill: none"},
	{Class: string(evidence.StreamReset), Colour: pink, Symbol: "m-4 0l8-4v8z", Below: -2.5, Style: "fill: none"},
	{Class: string(evidence.HandshakeFailed), Colour: ink, Symbol: "m-4 0h8", Below: 7.5},
	{Class: string(evidence.CertExpired), Colour: orange, Symbol: "m0-4v8", Below: -7.5},
	{Class: string(evidence.CertUnknownAuthority), Colour: pink, Symbol: "m-4-2h8m-8 4h8", Below: -2.5},
	{Class: string(evidence.CertWrongName), Colour: blue, Symbol: "m-2-4v8m4-8v8", Below: 2.5},
	{Class: string(evidence.PlainHTTP), Colour: green, Symbol: "m-3 3l6-6", Below: 7.5},
	{Class: string(evidence.Unresolved), Colour: yellow, Symbol: "m-3-3l6 6", Below: -7.5},
	{Class: string(evidence.NoLocalPort), Colour: sky, Symbol: "m-4-3h8l-4 7z", Below: -2.5, Style: "fill: none"},
	{Class: string(evidence.NoRoute), Colour: orange, Symbol: "m-3 4v-8h6v8", Below: 2.5, Style: "fill: none"},
	{Class: again, Colour: ink, Symbol: "m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z", Style: "fill: none", Legend: inspect.Again},
}

// levelShapes are of how long the slowest, 99 % and half of the replies took.
var levelShapes = []shape{
	{Class: "slowest", Colour: colour{"#a9b1ba", "#59636e"}},
	{Class: "most", Colour: colour{"#cc79a7", ""}},
	{Class: "half", Colour: blue, Style: "stroke-width: 1.4"},
}

var (
	shade   = shape{Class: "shade", Colour: ink, Style: "fill-opacity: .05"} // behind every second lane
	grid    = shape{Class: "grid", Colour: faint}
	times   = shape{Class: "times", Colour: faint}
	waiting = shape{Class: "wait", Colour: inconclusive, Symbol: square, Style: "fill-opacity: .3",
		Legend: "a pod waited for a CPU of the host"}
	done     = shape{Class: "done", Colour: quiet, Symbol: square, Style: "fill-opacity: .26", Legend: "a disruption"}
	undone   = shape{Class: "undone", Colour: quiet, Symbol: square, Style: "fill-opacity: .1", Legend: "until the cluster was whole"}
	rule     = shape{Class: "rule", Colour: ink, Symbol: "m0-6v12", Legend: "a node's rules no longer route to it"}
	markLine = shape{Class: "mark", Colour: ink, Style: "stroke-width: .8; stroke-dasharray: 3 2"}
	stepLine = shape{Class: "step", Colour: link, Style: "stroke-width: .8"}
	manyLine = shape{Class: "steps", Colour: link, Style: "stroke-width: .8; stroke-opacity: .3"}
	nodeLine = shape{Class: "node", Colour: quiet, Style: "stroke-width: .6"}
	unready  = shape{Class: "unready", Colour: bad, Tall: 6, Below: -1.5, Legend: "not ready"}
	cordoned = shape{Class: "cordoned", Colour: inconclusive, Tall: 3, Below: 4, Legend: "cordoned"}
	keptLine = shape{Class: "kept", Colour: quiet, Symbol: "m-6 0h12", Style: "stroke-width: .7", Legend: "one that a client kept"}
	cutLine  = shape{Class: "cut", Colour: bad, Symbol: "m-6 0h12", Style: "stroke-width: .9",
		Legend: "one that was cut and not told, or a stream"}
	toldMark = shape{Class: "told", Colour: link, Symbol: "m0-4v8", Style: "stroke-width: 1.2", Legend: "its client was told to go"}
	changed  = shape{Class: "changed", Colour: ink, Symbol: "m0-6v12", Style: "stroke-width: 1.5", Legend: "booted or another version"}

	// of the strip that shows the whole of a long recording
	answered = shape{Class: "answered", Colour: versionShapes[0].Colour, Style: "fill-opacity: .4"}
	failures = shape{Class: "failures", Colour: bad}
)

// textStyle is of what is written, and of what all shapes of a layer have in common.
const textStyle = `.drawing text, .overview text { fill: var(--quiet); font-family: system-ui, sans-serif; }
.drawing text.title { fill: var(--ink); font-weight: 600; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.drawing text.mark { fill: var(--ink); }
.drawing text.band { fill: var(--ink); font-weight: 600; }
.drawing text.step, .drawing text.steps { fill: var(--link); }
.areas path { fill: var(--colour); fill-opacity: 1; stroke: none; }
.lines path { fill: none; stroke: var(--colour); }
.points path { fill: var(--colour); stroke: var(--colour); stroke-width: 1.3; }
rect.dim { fill: var(--paper); fill-opacity: .65; }
rect.shown { fill: none; stroke: var(--link); stroke-width: 1.5; }
`

// chartStyle returns the CSS of all charts. Paper is light.
func chartStyle() string {
	var light, dark strings.Builder
	for _, s := range slices.Concat(phaseShapes[timeline.PodStarting:timeline.PodGone], versionShapes, requestShapes, levelShapes,
		[]shape{shade, grid, times, waiting, done, undone, rule, markLine, stepLine, manyLine, nodeLine, unready, cordoned, keptLine, cutLine,
			toldMark, changed, answered, failures}) {
		fmt.Fprintf(&light, "path.%s { --colour: %s; %s }\n", s.Class, s.Colour.light, s.Style)
		if s.Colour.dark != "" {
			fmt.Fprintf(&dark, "path.%s { --colour: %s; }\n", s.Class, s.Colour.dark)
		}
	}
	return textStyle + light.String() + "@media screen and (prefers-color-scheme: dark) {\n" + dark.String() + "}\n"
}

// versionShape returns the shape of the version with a number; of a number below 0 that of all others.
func versionShape(number int) shape {
	last := len(versionShapes) - 1
	if number < 0 || number > last {
		number = last
	}
	return versionShapes[number]
}

// requestShape returns the shape of a kind of requests.
func requestShape(kind string) shape { return requestShapes[requestOrder(kind)] }

// requestOrder returns the place of a kind in the table: a later one is drawn over those before it.
func requestOrder(kind string) int {
	if i := slices.IndexFunc(requestShapes, func(s shape) bool { return s.Class == kind }); i >= 0 {
		return i
	}
	return len(requestShapes) - 1
}
