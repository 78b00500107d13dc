package page

import (
	"fmt"
	"math"
)

// marks puts each text into the first row in which it fits beside those before it.
func (d *drawing) marks(c *chart) {
	const perLetter = 5.4
	var ends [3]float64
	for _, m := range c.Marks {
		l := line{X: d.x(c, m.At), Text: m.Name}
		long := float64(len(m.Name))*perLetter + 8
		l.End = l.X+long > d.Right
		begin, end := l.X, l.X+long
		if l.End {
			begin, end = l.X-long, l.X
		}
		row := 0
		for row < len(ends)-1 && ends[row] > begin {
			row++
		}
		ends[row] = end
		l.Y = float64(row+1) * markHeight
		d.Lines = append(d.Lines, l)
	}
}

func (d *drawing) ticks(c *chart) {
	step := round(float64(c.To-c.From)/1e6/12, 1, 2, 5) * 1e6
	for at := math.Ceil(float64(c.From)/step) * step; at <= float64(c.To); at += step {
		d.Ticks = append(d.Ticks, label{X: d.x(c, int64(at)), Y: d.Bottom + 14, Text: fmt.Sprintf("%gs", at/1e6)})
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
