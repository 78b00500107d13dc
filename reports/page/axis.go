package page

import (
	"fmt"
	"math"
	"time"
)

// marks puts each text into the first row in which it fits beside those before it.
func (d *drawing) marks(c *chart) {
	var ends [3]float64
	for _, m := range c.Marks {
		l := line{X: d.x(c, m.At), Text: m.Name}
		begin, end, atEnd := d.room(l.X, m.Name)
		l.End = atEnd
		row := 0
		for row < len(ends)-1 && ends[row] > begin {
			row++
		}
		ends[row] = end
		l.Y = float64(row+1) * markHeight
		d.Lines = append(d.Lines, l)
	}
}

const perLetter = 5.4

// room is what a name beside its line takes, to the left of it where there is none to the right.
func (d *drawing) room(x float64, name string) (begin, end float64, atEnd bool) {
	long := float64(len(name))*perLetter + 8
	if x+long > d.Right {
		return x - long, x, true
	}
	return x, x + long, false
}

func (d *drawing) ticks(c *chart) {
	if c.long() {
		d.clockTicks(c)
		return
	}
	step := round(float64(c.To-c.From)/1e6/12, 1, 2, 5) * 1e6
	for at := math.Ceil(float64(c.From)/step) * step; at <= float64(c.To); at += step {
		d.Ticks = append(d.Ticks, label{X: d.x(c, int64(at)), Y: d.Bottom + 14, Text: fmt.Sprintf("%gs", at/1e6)})
	}
}

// clockTicks are at whole minutes or hours.
func (d *drawing) clockTicks(c *chart) {
	step := int64(24 * 60)
	for _, minutes := range []int64{1, 2, 5, 10, 15, 30, 60, 120, 240, 480} {
		if (c.To-c.From)/(minutes*60e6) <= 12 {
			step = minutes
			break
		}
	}
	for at := (c.From + step*60e6 - 1) / (step * 60e6) * step * 60e6; at <= c.To; at += step * 60e6 {
		said := clock(time.Duration(at) * time.Microsecond)
		x := min(d.x(c, at), float64(d.Width)-float64(len(said))*perLetter/2) // the middle of the text
		d.Ticks = append(d.Ticks, label{X: x, Y: d.Bottom + 14, Text: said})
	}
}

// round is the least of some numbers from 1 to 10, times a power of ten, that is not below x.
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
