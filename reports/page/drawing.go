package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A drawing is a chart as SVG: the same rows, on one axis, for a page whose scripts may not run and for paper.
type drawing struct {
	Width, Height int
	Left, Right   float64 // ends of the time axis
	Bottom        float64
	Rows          []label // names of what is drawn, and of the values on the axes
	Shades        []strip // behind every second lane
	Lines         []line
	Areas         []shape // replies by version, from the top
	Levels        []shape // latencies
	Points        []shape // by kind
	Bars          []shape // pods, by version and phase
	Ticks         []label

	Bands []strip // disruptions
	Steps []line
	Faint bool    // the lines of steps are faint
	Nodes []shape // by what they mean
}

// A label is a text at a place.
type label struct {
	X, Y float64
	Text string
	Kind string // title, value or empty
}

// A line is a mark or a step, drawn from the top to the bottom.
type line struct {
	X, Y float64
	Text string
	End  bool // the text ends at the line
}

// A shape is a path, with the number of the version, the kind or the phase that it shows.
type shape struct {
	Path   string
	Of     int
	Phase  int
	Stroke float64 // width
}

// Sizes, in the drawing's own units.
const (
	drawnWidth  = 1000
	gutter      = 150
	markHeight  = 12
	replyHeight = 110
	tookHeight  = 80
	laneHeight  = 20
	podHeight   = 12
	gap         = 24
)

// Drawing draws the chart.
func (c *chart) Drawing() *drawing {
	d := &drawing{Width: drawnWidth, Left: gutter, Right: drawnWidth - 8}
	d.draw(c, true)
	d.Height = int(d.Bottom) + 20
	return d
}

// draw draws the rows from the top: all of them, or those of a picture.
func (d *drawing) draw(c *chart, all bool) {
	y := d.replies(c, c.head()) + gap
	y = d.points(c, y) + gap
	if all {
		y = d.latency(c, y) + gap
	}
	y = d.nodes(c, y) + gap
	d.Bottom = d.pods(c, y)
	if all {
		d.waitBands(c)
	}
	d.marks(c)
	d.disruptions(c)
	d.ticks(c)
}

// x returns the place of a moment, in microseconds.
func (d *drawing) x(c *chart, at int64) float64 {
	return tenth(d.Left + (d.Right-d.Left)*float64(at-c.From)/float64(max(1, c.To-c.From)))
}

// edge returns the place where a bucket begins.
func (d *drawing) edge(c *chart, bucket int) float64 {
	return min(d.Right, d.x(c, (c.Series.From+int64(bucket)*c.Series.Width)*1000))
}

func (d *drawing) title(y float64, text string) {
	d.Rows = append(d.Rows, label{0, y, text, "title"})
}

func (d *drawing) value(y float64, text string) {
	d.Rows = append(d.Rows, label{d.Left - 6, y + 3, text, "value"})
}

// replies draws the replies per second, stacked by version with the last version at the bottom.
func (d *drawing) replies(c *chart, top float64) float64 {
	bottom := top + replyHeight
	stacked := c.Series.stacked()
	most := 0
	for _, heights := range stacked {
		for _, n := range heights {
			most = max(most, n)
		}
	}
	full := round(float64(most)*1000/float64(c.Series.Width), 1, 1.5, 2, 3, 4, 5, 6, 8)
	for i, heights := range stacked {
		var p strings.Builder
		fmt.Fprintf(&p, "M%g %g", d.edge(c, 0), bottom)
		last := bottom
		for bucket, n := range heights {
			y := tenth(bottom - replyHeight*float64(n)*1000/float64(c.Series.Width)/full)
			if y != last {
				fmt.Fprintf(&p, "H%gV%g", d.edge(c, bucket), y)
			}
			last = y
		}
		fmt.Fprintf(&p, "H%gV%gZ", d.edge(c, len(heights)), bottom)
		d.Areas = append(d.Areas, shape{Path: p.String(), Of: i})
	}
	d.title(top-8, "replies per second")
	d.value(top, fmt.Sprintf("%g", full))
	d.value(bottom, "0")
	return bottom
}

// stacked returns, by version and bucket, the replies of the version and of those after it.
func (s series) stacked() [][]int {
	sums := make([][]int, len(s.Replies))
	for i := len(s.Replies) - 1; i >= 0; i-- {
		sums[i] = make([]int, len(s.Replies[i]))
		for bucket, n := range s.Replies[i] {
			sums[i][bucket] = n
			if i+1 < len(sums) {
				sums[i][bucket] += sums[i+1][bucket]
			}
		}
	}
	return sums
}

// points draws every point in the row of its lane.
func (d *drawing) points(c *chart, top float64) float64 {
	d.title(top-8, "requests that failed or were sent again")
	for i, lane := range c.Lanes {
		d.value(top+(float64(i)+.5)*laneHeight, shorten(lane))
		if i%2 == 0 {
			d.Shades = append(d.Shades, strip{X: d.Left, Y: top + float64(i)*laneHeight, Width: d.Right - d.Left, Height: laneHeight})
		}
	}
	paths := make([]strings.Builder, len(c.Kinds)+1)
	drawn := map[string]bool{}
	at := int64(0)
	for i, since := range c.Points.At {
		at += since
		lane, kind := c.Points.Lane[i], c.Points.Kind[i]
		if lane < 0 || kind < 0 || at < c.From || at > c.To {
			continue
		}
		x, y := d.x(c, at), tenth(top+(float64(lane)+.5+c.Tracks[kind])*laneHeight)
		draw := func(kind int, glyph string) {
			path := fmt.Sprintf("M%g %g%s", x, y, glyph)
			if key := fmt.Sprint(kind, path); !drawn[key] { // two at the same place look like one
				drawn[key] = true
				paths[kind].WriteString(path)
			}
		}
		draw(kind, glyphs[kind])
		if c.Points.Attempts[i] > 1 || c.Points.Arrivals[i] > 1 {
			draw(len(c.Kinds), ring)
		}
	}
	for kind := range paths {
		if paths[kind].Len() > 0 {
			d.Points = append(d.Points, shape{Path: paths[kind].String(), Of: kind})
		}
	}
	return top + float64(len(c.Lanes))*laneHeight
}

// glyphs are the shapes of points by kind, drawn around the place they are at; the first is of a good reply.
var glyphs = [...]string{
	"m0-4l4 4-4 4-4-4z",
	"m-3-3l6 6m-6 0l6-6",
	"m0-4l4 7h-8z",
	"m-3-3h6v6h-6z",
	"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
	"m0-4l4 4-4 4-4-4z",
	"m0-4v8m-4-4h8",
	"m0 4l4-7h-8z",
	"m-4 0h8", "m0-4v8", "m-4-2h8m-8 4h8", "m-2-4v8m4-8v8", "m-3 3l6-6", "m-3-3l6 6", "m-4-3h8l-4 7z", "m-3 4v-8h6v8",
}

const ring = "m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z"

// tracks returns the place of each of so many kinds in a row, so that none hides another.
func tracks(kinds int) []float64 {
	all := make([]float64, kinds)
	for kind := 1; kind < len(all); kind++ {
		all[kind] = (float64((kind-1)%4) - 1.5) / 6.5
	}
	return all
}

// latency draws the median, the 99th percentile and the slowest on a logarithmic axis.
func (d *drawing) latency(c *chart, top float64) float64 {
	bottom := top + tookHeight
	low, high := c.Series.tookRange()
	y := func(micros int) float64 {
		return tenth(bottom - tookHeight*(math.Log10(float64(max(1, micros)))-low)/(high-low))
	}
	for i, level := range [][]*int{c.Series.Max, c.Series.P99, c.Series.P50} {
		var p strings.Builder
		drawing := false
		for bucket, took := range level {
			if took == nil {
				drawing = false
				continue
			}
			if drawing {
				fmt.Fprintf(&p, "V%gH%g", y(*took), d.edge(c, bucket+1))
			} else {
				fmt.Fprintf(&p, "M%g %gH%g", d.edge(c, bucket), y(*took), d.edge(c, bucket+1))
			}
			drawing = true
		}
		d.Levels = append(d.Levels, shape{Path: p.String(), Of: i})
	}
	d.title(top-8, "how long replies took: slowest, 99 %, half")
	for power := low; power <= high; power++ {
		d.value(bottom-tookHeight*(power-low)/(high-low), ms(math.Pow(10, power-3)))
	}
	return bottom
}

// tookRange returns the powers of ten between which the latencies are, in microseconds.
func (s series) tookRange() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, took := range s.P50 {
		if took != nil {
			low = min(low, math.Floor(math.Log10(float64(max(1, *took)))))
			high = max(high, math.Ceil(math.Log10(float64(max(1, *s.Max[i])))))
		}
	}
	if low > high {
		return 2, 4
	}
	return low, max(high, low+1)
}

func (d *drawing) pods(c *chart, top float64) float64 {
	if len(c.Pods) == 0 {
		return top - gap
	}
	height := min(podHeight, max(2, 600/float64(len(c.Pods))))
	d.title(top-8, "pods")
	bars := map[[2]int]*strings.Builder{}
	var rules strings.Builder
	for i, p := range c.Pods {
		y := tenth(top + (float64(i)+.5)*height)
		if height >= 9 {
			d.value(y, shorten(p.Version+" "+p.Short()))
		}
		for n, s := range p.Steps {
			end := c.To
			if n+1 < len(p.Steps) {
				end = p.Steps[n+1].At
			}
			begin := max(s.At, c.From)
			if end = min(end, c.To); end <= begin || thickness[s.Phase] == 0 {
				continue
			}
			at := [2]int{c.versionOf(p), s.Phase}
			if bars[at] == nil {
				bars[at] = new(strings.Builder)
			}
			fmt.Fprintf(bars[at], "M%g %gH%g", d.x(c, begin), y, d.x(c, end))
		}
		for _, gone := range p.Rules {
			if gone.At >= c.From && gone.At <= c.To {
				fmt.Fprintf(&rules, "M%g %gv%g", d.x(c, gone.At), tenth(y-height/2), height)
			}
		}
	}
	for version := range len(c.Series.Versions) + 1 {
		for phase := range thickness {
			if p := bars[[2]int{version, phase}]; p != nil {
				d.Bars = append(d.Bars, shape{p.String(), version, phase, thickness[phase] * height / podHeight})
			}
		}
	}
	if rules.Len() > 0 {
		d.Bars = append(d.Bars, shape{Path: rules.String(), Of: -1, Stroke: 1})
	}
	return top + float64(len(c.Pods))*height
}

// versionOf returns the number of a pod's version; for a version that never replied, one more than the last.
func (c *chart) versionOf(p pod) int {
	if i := slices.Index(c.Series.Versions, p.Version); i >= 0 {
		return i
	}
	return len(c.Series.Versions)
}
