package page

import "example.com/rollcall/harness/timeline"

// leastBand is how much of a time, in percent, a pod has to have waited for a processor for a band to show it.
const leastBand = 50

// waits adds the times in which a pod of the app or the control pod mostly waited for a processor.
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
