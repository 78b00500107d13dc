package page

import (
	"math"
)

// Overview draws the whole of a long recording as a strip: how many requests were answered and failed when, and what was done to the
// cluster. Nil of a short one, whose charts show as much.
func (c *chart) Overview() *drawing {
	if !c.long() {
		return nil
	}
	d := newDrawing(c, stripWidth)
	d.Width, d.Bottom = stripWidth, stripHeight
	for _, b := range c.Bands {
		d.behind.path(done.Class).area(d.ms(b.From), d.ms(b.Undone), 0, stripHeight)
		d.behind.path(undone.Class).area(d.ms(b.Undone), d.ms(b.To), 0, stripHeight)
	}
	d.answered(c)
	of := stepLine
	if len(c.Steps) > manySteps {
		of = manyLine
	}
	for _, s := range c.Steps {
		d.lines.path(of.Class).draw("M", d.ms(s.At), 0).draw("V", stripHeight)
	}
	d.failures(c)
	d.ticks(c, stripHeight+12)
	for i, t := range d.Ticks {
		switch long := float64(len(t.Text)) * letterWidth; { // the letters of a narrow strip are as wide as those of a wide one
		case t.X < long:
			d.Ticks[i].Anchor = "start"
		case t.X > d.Plot-long:
			d.Ticks[i].Anchor = "end"
		}
	}
	d.Height = stripHeight + 14
	return d
}

// answered draws all replies, in columns that are not narrower than can be seen.
func (d *drawing) answered(c *chart) {
	if len(c.Series.Replies) == 0 {
		return
	}
	replies := c.Series.stacked()[0]
	each := (len(replies) + stripWidth - 1) / stripWidth // buckets of a column
	var columns []int
	most := 1
	for i, n := range replies {
		if i%each == 0 {
			columns = append(columns, 0)
		}
		columns[i/each] += n
		most = max(most, columns[i/each])
	}
	p := d.areas.path(answered.Class).draw("M", 0, stripHeight)
	for i, n := range columns {
		p.draw("H", d.edge(c, i*each)).draw("V", tenth(stripHeight-.6*stripHeight*float64(n)/float64(most)))
	}
	p.draw("H", d.edge(c, len(replies))).draw("V", stripHeight).draw("z")
}

// failures draws how many requests failed, on a logarithmic scale.
func (d *drawing) failures(c *chart) {
	const columns = stripWidth / 2
	var failed [columns + 1]int
	at, worst := int64(0), 9
	for i, since := range c.Points.At {
		at += since
		if c.Points.Kind[i] > 0 && at >= c.From && at <= c.To {
			column := int(d.x(at) / stripWidth * columns)
			failed[column]++
			worst = max(worst, failed[column])
		}
	}
	wide := float64(d.Span) / columns
	for column, n := range failed {
		if n > 0 {
			tall := tenth(stripHeight * math.Log1p(float64(n)) / math.Log1p(float64(worst)))
			d.areas.path(failures.Class).area(wide*float64(column), wide*float64(column+1), stripHeight-tall, tall)
		}
	}
}

// Percent returns a place on the axis as a part of it.
func (d *drawing) Percent(x float64) float64 { return tenth(100 * x / d.Plot) }
