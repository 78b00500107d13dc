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
	*drawing
	Style  template.CSS
	Title  string
	Legend []placedKey
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
	cropped := r.Chart.cropped()
	p := picture{drawing: cropped.draw(pictureWidth, false), Style: template.CSS(paletteStyle + chartStyle())}
	p.Legend = p.placeKeys(cropped.Keys())
	p.X, p.Y = p.X-pictureMargin, -pictureMargin
	p.Width, p.Height = p.Width+2*pictureMargin, p.Height+2*pictureMargin
	p.Title = fmt.Sprintf("%s/%s (%s): replies per second by version, requests that failed, and each pod's life", rec.Run.Suite,
		rec.Run.Scenario, rec.Run.Mode)
	if err := form.Execute(w, p); err != nil {
		return fmt.Errorf("page: write picture: %w", err)
	}
	return nil
}

// cropped returns a chart of the time from 2 s before the rollout until 3 s after it, without what the host did.
func (c *chart) cropped() *chart {
	part := *c
	part.Waits = nil
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
