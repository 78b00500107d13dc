package page

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/model"
)

//go:embed picture.svg.tmpl
var pictureMarkup string

// A picture is a timeline as a file of its own, small enough for a guide.
type picture struct {
	Drawing *drawing
	Style   template.CSS
	Title   string
	Legend  []legendKey
}

// A legendKey says what a colour, a shape or a stroke of the picture means.
type legendKey struct {
	X, Y  float64 // where its symbol begins, and the base line of its text
	Class string
	Path  string  // drawn around the middle of its symbol
	Width float64 // of the stroke
	Text  string
}

// Picture writes the timeline of one scenario, without its latencies, as an SVG file that is light or dark as its reader's screen is. The
// folder has the scenario's evidence.
func Picture(w io.Writer, folder string) error {
	var t *replyCounter
	rec, err := kept.Read(folder, func(run evidence.Run) func(evidence.Hit, error) {
		t = newReplyCounter(run)
		return t.count
	})
	if err != nil {
		return err
	}
	r := newRecording(model.Scenario{}, rec, t)
	if r.Chart == nil {
		return fmt.Errorf("it has no timeline: %s", cmp.Or(strings.Join(r.Missing, "; "), "nothing was under load"))
	}
	form := template.Must(template.New("picture.svg").Funcs(funcs()).Parse(shapesMarkup + pictureMarkup))
	small := r.Chart.cropped()
	d := small.smallDrawing(smallWidth)
	d.Height += legendLines * legendHeight
	p := picture{Drawing: d, Style: template.CSS(drawingStyle), Legend: d.legend(small)}
	if len(r.Chart.Bands)+len(r.Chart.Steps) > 0 {
		p.Style += template.CSS(disruptedStyle)
	}
	p.Title = fmt.Sprintf("%s/%s (%s): replies per second by version, requests that failed, and each pod's life", rec.Run.Suite,
		rec.Run.Scenario, rec.Run.Mode)
	if err := form.Execute(w, p); err != nil {
		return fmt.Errorf("page: write picture: %w", err)
	}
	return nil
}

// cropped returns a chart of the time from 2 s before the rollout until 3 s after it.
func (c *chart) cropped() *chart {
	part := *c
	from, to := c.From, c.To
	for _, m := range c.Marks {
		switch m.Name {
		case markName(evidence.RolloutBegun):
			from = max(from, m.At-2e6)
		case markName(evidence.OldGone), markName(evidence.Barrier):
			to = min(c.To, m.At+3e6)
		}
	}
	first := (from/1000 - c.Series.From) / c.Series.Width
	last := min(int64(len(c.Series.P50)), (to/1000-c.Series.From)/c.Series.Width)
	part.Series.Replies = nil
	for _, replies := range c.Series.Replies {
		part.Series.Replies = append(part.Series.Replies, replies[first:last])
	}
	part.Series.From += first * c.Series.Width
	part.From, part.To = part.Series.From*1000, (part.Series.From+(last-first)*c.Series.Width)*1000
	part.Marks = slices.DeleteFunc(slices.Clone(c.Marks), func(m mark) bool { return m.At < part.From || m.At > part.To })
	return &part
}

// Sizes of the picture, in its own units.
const (
	smallWidth   = 860
	legendHeight = 18
	legendLines  = 2
)

// smallDrawing draws a chart without its latencies.
func (c *chart) smallDrawing(width int) *drawing {
	d := &drawing{Width: width, Left: gutter, Right: float64(width) - 16}
	d.draw(c, false)
	d.Height = int(d.Bottom) + 28
	return d
}

// legend returns the keys of the picture: versions and failures in the first line, phases of pods in the second.
func (d *drawing) legend(c *chart) []legendKey {
	const perLetter, symbol = 5.6, 24
	var keys []legendKey
	x, y := -4.0, d.Bottom+24+legendHeight/2
	add := func(class, path string, width float64, text string) {
		keys = append(keys, legendKey{x, y, class, path, width, text})
		x += symbol + float64(len(text))*perLetter + 18
	}
	for i, version := range c.Series.Versions {
		add(fmt.Sprintf("v%d", i), "m-6-5h12v10h-12z", 0, "reply by "+version)
	}
	for _, entry := range c.Legend {
		add(fmt.Sprintf("k%d", entry.Of), entry.Glyph, 1, fmt.Sprintf("%d %s", entry.Count, entry.Name))
	}
	x, y = -4, y+legendHeight
	for _, p := range c.Drawn() {
		add(fmt.Sprintf("bar p%d", p.Of), "m-9 0h18", p.Thickness, p.Name)
	}
	add("rule", "m0-6v12", 1, "a node's rules no longer route to it")
	for _, k := range c.NodeKeys() {
		add(fmt.Sprintf("n%d", k.Of), k.Path, 1, "node "+k.Name)
	}
	return keys
}
