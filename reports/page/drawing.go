package page

import (
	"math"
	"slices"
	"strconv"

	"example.com/rollcall/harness/verdict/phrase"
)

// A drawing is a chart as SVG: rows of charts on one time axis, which begins at x = 0 and y = 0. Left of it are names of rows. The
// layers are in milliseconds from left to right: the page's script shows a part of them by another viewBox. All else is in units of the
// drawing, so that it keeps its size: the script moves it.
type drawing struct {
	X, Y          float64 // of the upper left corner
	Width, Height float64
	Plot          float64 // width of the time axis
	Bottom        float64 // of the rows
	Span          int64   // milliseconds that the axis spans
	Rows          []text  // titles of charts, names of rows and values
	Labels        []label
	Ticks         []text

	Requests  layer
	LanesTop  float64 // of the row of the first lane
	LaneTall  float64 // height of a row
	behind    layer   // waits, disruptions and shades
	grid      layer
	areas     layer
	lines     layer
	firstTime int64 // microseconds
}

// A text stands at a place.
type text struct {
	Class  string
	X, Y   float64
	Text   string
	Anchor string // start, middle or end
}

// newDrawing returns an empty drawing of a chart whose time axis has a width.
func newDrawing(c *chart, plot float64) *drawing {
	return &drawing{Plot: plot, Span: max(1, (c.To-c.From)/1000), firstTime: c.From, behind: layer{Of: "areas"}, grid: layer{Of: "lines"},
		areas: layer{Of: "areas"}, lines: layer{Of: "lines"}, Requests: layer{Of: "points"}}
}

// Layers returns what is drawn over time, from behind.
func (d *drawing) Layers() []layer { return []layer{d.behind, d.grid, d.areas, d.lines} }

// FontSize returns the size of all text.
func (d *drawing) FontSize() int { return fontSize }

// Drawing draws the chart.
func (c *chart) Drawing() *drawing { return c.draw(drawnWidth, true) }

// Small draws the rollout of a run alone, without latencies.
func (c *chart) Small() *drawing { return c.cropped().draw(glanceWidth, false) }

// draw draws the rows from the top: all of them, or those of a picture.
func (c *chart) draw(width float64, all bool) *drawing {
	d := newDrawing(c, width-gutter-margin)
	d.X, d.Width = -gutter, width
	y := d.replies(c, c.head()) + gap
	y = d.requests(c, y) + gap
	if all {
		y = d.latency(c, y) + gap
	}
	y = d.nodes(c, y) + gap
	d.Bottom = d.pods(c, y)
	d.waits(c)
	d.marks(c)
	d.ticks(c, d.Bottom+14)
	d.Height = d.Bottom + 20
	return d
}

func (d *drawing) title(y float64, said string) {
	d.Rows = append(d.Rows, text{"title", d.X, y - 8, said, "start"})
}

func (d *drawing) value(y float64, said string) {
	d.Rows = append(d.Rows, text{"value", -6, y + 3.5, said, "end"})
}

// level draws a value of an axis, with a line.
func (d *drawing) level(y float64, said string) {
	d.value(y, said)
	d.grid.path(grid.Class).draw("M", 0, y).draw("H", float64(d.Span))
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
		p := d.areas.path(versionShape(i).Class)
		p.draw("M", d.edge(c, 0), bottom)
		last := bottom
		for bucket, n := range heights {
			y := tenth(bottom - replyHeight*float64(n)*1000/float64(c.Series.Width)/full)
			if y != last {
				p.draw("H", d.edge(c, bucket)).draw("V", y)
			}
			last = y
		}
		p.draw("H", d.edge(c, len(heights))).draw("V", bottom).draw("z")
	}
	d.title(top, "replies per second")
	for _, part := range []float64{1, .5, 0} {
		d.level(bottom-replyHeight*part, amountText(full*part))
	}
	return bottom
}

// amountText formats a number that may have a fraction.
func amountText(n float64) string {
	if n == math.Trunc(n) {
		return phrase.Number(int(n))
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
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

// requests draws every point in the row of its lane. The script draws them again for a part of the time, from the same columns and shapes.
func (d *drawing) requests(c *chart, top float64) float64 {
	d.LanesTop, d.LaneTall = top, laneHeight
	if len(c.Points.At) == 0 {
		d.LaneTall = emptyHeight
	}
	d.title(top, "requests that failed or were sent again")
	for i, lane := range c.Lanes {
		y := top + float64(i)*d.LaneTall
		d.value(y+d.LaneTall/2, shorten(lane))
		if i%2 == 0 {
			d.behind.path(shade.Class).area(0, float64(d.Span), y, d.LaneTall)
		}
	}
	type place struct {
		class string
		x, y  float64
	}
	drawn := map[place]bool{}
	at := int64(0)
	for i, since := range c.Points.At {
		at += since
		lane, kind := c.Points.Lane[i], c.Points.Kind[i]
		if lane < 0 || kind < 0 || at < c.From || at > c.To {
			continue
		}
		of := requestShape(c.Kinds[kind])
		x, y := math.Round(d.x(at)), top+(float64(lane)+.5)*d.LaneTall+of.Below
		put := func(s shape) {
			if here := (place{s.Class, x, y}); !drawn[here] { // two at the same place look like one
				drawn[here] = true
				d.Requests.path(s.Class).draw("M", x, y).draw(s.Symbol)
			}
		}
		put(of)
		if c.Points.Attempts[i] > 1 || c.Points.Arrivals[i] > 1 {
			put(requestShape(again))
		}
	}
	slices.SortFunc(d.Requests.Paths, func(a, b *path) int { return requestOrder(a.Class) - requestOrder(b.Class) })
	return top + float64(len(c.Lanes))*d.LaneTall
}

// latency draws the median, the 99th percentile and the slowest on a logarithmic axis.
func (d *drawing) latency(c *chart, top float64) float64 {
	bottom := top + tookHeight
	low, high := c.Series.tookRange()
	y := func(micros int) float64 {
		return tenth(bottom - tookHeight*(math.Log10(float64(max(1, micros)))-low)/(high-low))
	}
	for i, level := range [][]*int{c.Series.Max, c.Series.P99, c.Series.P50} {
		p := d.lines.path(levelShapes[i].Class)
		drawing := false
		for bucket, took := range level {
			switch {
			case took == nil:
			case drawing:
				p.draw("V", y(*took)).draw("H", d.edge(c, bucket+1))
			default:
				p.draw("M", d.edge(c, bucket), y(*took)).draw("H", d.edge(c, bucket+1))
			}
			drawing = took != nil
		}
	}
	d.title(top, "how long replies took: slowest, 99 %, half")
	for power := low; power <= high; power++ {
		d.level(bottom-tookHeight*(power-low)/(high-low), ms(math.Pow(10, power-3)))
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
