package page

import (
	"fmt"
	"math"
	"time"
)

// x returns the place of a moment, in microseconds, in units of the drawing.
func (d *drawing) x(at int64) float64 { return d.Plot * d.ms(at) / float64(d.Span) }

// ms returns the place of a moment, in microseconds, in a layer.
func (d *drawing) ms(at int64) float64 { return float64(at-d.firstTime) / 1000 }

// edge returns the place where a bucket begins, in a layer.
func (d *drawing) edge(c *chart, bucket int) float64 {
	return min(float64(d.Span), d.ms((c.Series.From+int64(bucket)*c.Series.Width)*1000))
}

// ticks draws times below the charts, and a line for each.
func (d *drawing) ticks(c *chart, y float64) {
	step := tickSteps[len(tickSteps)-1]
	for _, seconds := range tickSteps {
		if d.Plot*seconds*1000/float64(d.Span) >= tickWidth {
			step = seconds
			break
		}
	}
	said := func(at int64) string { return fmt.Sprintf("%g s", float64(at)/1e6) }
	if c.long() {
		said = func(at int64) string { return clock(time.Duration(at) * time.Microsecond) }
	}
	for n := math.Ceil(float64(c.From) / 1e6 / step); n*step*1e6 <= float64(c.To); n++ {
		at := int64(math.Round(n * step * 1e6))
		half := float64(len(said(at))) * letterWidth / 2
		d.Ticks = append(d.Ticks, text{"", tenth(min(d.x(at), d.Plot+margin-half)), y, said(at), "middle"})
		d.grid.path(times.Class).draw("M", d.ms(at), 0).draw("V", d.Bottom)
	}
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
	const most = 22
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return "…" + string(runes[len(runes)-most+1:])
}
