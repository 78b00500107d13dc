package page

import "example.com/rollcall/harness/timeline"

// leastBand is the least of its time, in percent, that a pod waits for a processor where a band shows it.
const leastBand = 50

// waits adds when a pod of the app or the control pod waited for a processor for most of the time.
func (c *chart) waits(tl timeline.Timeline) {
	for _, w := range tl.Waits() {
		if w.Pod == "" || w.Program == timeline.Client || 100*w.Waited < leastBand*w.Length() {
			continue
		}
		from, to := max(c.From, w.From.Microseconds()), min(c.To, w.To.Microseconds())
		last := len(c.Waits) - 1
		switch {
		case from >= to:
		case last >= 0 && from <= c.Waits[last][1]:
			c.Waits[last][1] = max(c.Waits[last][1], to)
		default:
			c.Waits = append(c.Waits, [2]int64{from, to})
		}
	}
}

// waitBands draws them below everything else.
func (d *drawing) waitBands(c *chart) {
	for _, w := range c.Waits {
		from, to := d.x(c, w[0]), d.x(c, w[1])
		top := c.head()
		d.Bands = append(d.Bands, strip{X: from, Y: top, Width: tenth(max(1, to-from)), Height: tenth(d.Bottom - top), Kind: "wait"})
	}
}
