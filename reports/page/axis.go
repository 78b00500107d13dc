package page

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// marks draws the marks, each text in the first row in which it fits beside those before it, or in the last.
func (d *drawing) marks(c *chart) {
	ends := make([]float64, 3)
	for _, m := range c.Marks {
		l := line{X: d.x(c, m.At), Text: m.Name}
		row, end := d.beside(&l, ends)
		if row < 0 {
			row = len(ends) - 1
		}
		ends[row] = end
		l.Y = float64(row+1) * markHeight
		d.Lines = append(d.Lines, l)
	}
}

const perLetter = 5.4

// beside places the text of a line to its right, or to its left if there is no room. It returns the first row in which it fits after
// the texts that end at ends, or -1, and where it ends.
func (d *drawing) beside(l *line, ends []float64) (row int, end float64) {
	long := float64(len(l.Text))*perLetter + 8
	begin, end := l.X, l.X+long
	if l.End = end > d.Right; l.End {
		begin, end = l.X-long, l.X
	}
	return slices.IndexFunc(ends, func(taken float64) bool { return taken <= begin }), end
}

func (d *drawing) ticks(c *chart) {
	step := round(float64(c.To-c.From)/1e6/12, 1, 2, 5) * 1e6
	said := func(at int64) string { return fmt.Sprintf("%g s", float64(at)/1e6) }
	if c.long() {
		step = wholeMinutes(c.To-c.From) * 60e6
		said = func(at int64) string { return clock(time.Duration(at) * time.Microsecond) }
	}
	for n := math.Ceil(float64(c.From) / step); n*step <= float64(c.To); n++ {
		at := int64(n * step)
		x := min(d.x(c, at), float64(d.Width)-float64(len(said(at)))*perLetter/2) // the middle of the text
		d.Ticks = append(d.Ticks, label{X: x, Y: d.Bottom + 14, Text: said(at)})
	}
}

// wholeMinutes returns how many minutes apart the ticks of a span in microseconds are.
func wholeMinutes(span int64) float64 {
	for _, minutes := range []int64{1, 2, 5, 10, 15, 30, 60, 120, 240, 480} {
		if span/(minutes*60e6) <= 12 {
			return float64(minutes)
		}
	}
	return 24 * 60
}

// round rounds x up to one of some numbers from 1 to 10, times a power of ten.
func round(x float64, to ...float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, times := range to {
		if times*power >= x {
			return times * power
		}
	}
	return 10 * power
}

func tenth(x float64) float64 { return math.Round(x*10) / 10 }

// shorten keeps the end of a name, which tells it from others.
func shorten(name string) string {
	const most = 24
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return "…" + string(runes[len(runes)-most+1:])
}
