package page

import (
	"slices"
	"unicode/utf8"

	"example.com/rollcall/harness/verdict/phrase"
)

// A label stands above the charts, beside its moment; that of a disruption stands over its band. The script moves it.
type label struct {
	Class, Text string
	At          float64 // place in a layer
	Until       float64 // of a disruption: when the cluster was whole again; 0 of a moment
	X, Y        float64 // of its moment
	End         bool    // it ends at its moment
	// Zoom is how many times as wide as drawn the time axis has to be for the label to be legible beside the others; 0: it never is.
	Zoom float64
	row  int
}

// long returns how wide a label is, with some room.
func (l label) long() float64 { return float64(utf8.RuneCountInString(l.Text))*letterWidth + 8 }

// ends returns where a label begins and ends, from its moment.
func (l label) ends() (from, to float64) {
	if l.End {
		return -l.long(), 0
	}
	return 0, l.long()
}

// Hidden reports whether the label is not legible as drawn.
func (l label) Hidden() bool { return l.Zoom > 1 }

// Left returns where the text begins or, if the label ends at its moment, where it ends.
func (l label) Left() float64 {
	if l.End {
		return tenth(l.X - 3)
	}
	return tenth(l.X + 3)
}

// head returns how much room the labels of marks, disruptions and steps take.
func (c *chart) head() float64 {
	rows := markRows
	if len(c.Bands) > 0 {
		rows++
	}
	if len(c.Steps) > 0 {
		rows += stepRows
	}
	return float64(rows*labelHeight + 6)
}

// marks draws the marks, and below their labels those of disruptions and of steps.
func (d *drawing) marks(c *chart) {
	d.moments(c, markLine, c.Marks, 0, markRows, narrow)
	top := markRows
	for _, b := range c.Bands {
		d.band(c, b, float64(top*labelHeight))
	}
	if len(c.Bands) > 0 {
		top++
	}
	of := stepLine
	if len(c.Steps) > manySteps {
		of = manyLine
	}
	d.moments(c, of, c.Steps, top, stepRows, 1)
}

// moments draws a line for each of some moments, by time, and its label in one of so many rows if there is room.
func (d *drawing) moments(c *chart, of shape, all []mark, top, rows int, least float64) {
	var labels []label
	for _, m := range all {
		if m.At >= c.From && m.At <= c.To {
			l := label{Class: of.Class, Text: cut(m.Name), At: d.ms(m.At), X: d.x(m.At), row: rows - 1}
			l.End = l.X+l.long() > d.Plot+margin
			labels = append(labels, l)
		}
	}
	place(labels, rows, least)
	for _, l := range labels {
		l.Y = float64((top + l.row + 1) * labelHeight)
		d.lines.path(of.Class).draw("M", l.At, l.Y-8).draw("V", d.Bottom)
		if l.Zoom > 0 {
			d.Labels = append(d.Labels, l)
		}
	}
}

// place gives each label a row: first those that are legible beside the others on an axis that is the least times as wide as drawn, then
// those that are legible beside them on an ever wider one.
func place(labels []label, rows int, least float64) {
	for zoom := least; zoom <= 1<<16; zoom *= 2 {
		for i, l := range labels {
			for row := range rows {
				if l.row = row; labels[i].Zoom == 0 && l.legible(labels, zoom) {
					l.Zoom = zoom
					labels[i] = l
				}
			}
		}
	}
}

// legible reports whether a label overlaps none of those in its row.
func (l label) legible(labels []label, zoom float64) bool {
	from, to := l.ends()
	return !slices.ContainsFunc(labels, func(other label) bool {
		begin, end := other.ends()
		apart := (l.X - other.X) * zoom
		return other.Zoom > 0 && other.row == l.row && apart+from < end && apart+to > begin
	})
}

// band draws a disruption down to the bottom.
func (d *drawing) band(c *chart, b band, top float64) {
	from, to := max(b.From, c.From), min(b.To, c.To)
	middle := min(max(b.Undone, c.From), c.To)
	for _, part := range []struct {
		shape
		from, to int64
	}{{done, from, middle}, {undone, middle, to}} {
		if part.to > part.from {
			d.behind.path(part.Class).area(d.ms(part.from), d.ms(part.to), top, d.Bottom-top)
		}
	}
	l := label{Class: "band", Text: b.Name, At: d.ms(b.From), Until: d.ms(b.To), Y: top + labelHeight - 3}
	l.X = max(0, min(d.x(b.From), d.Plot-l.long()))
	d.Labels = append(d.Labels, l)
}

// cut keeps the beginning of a name: a step's says where it was, and a disruption's may be a whole command.
func cut(name string) string { return phrase.Cut(name, 44) }
