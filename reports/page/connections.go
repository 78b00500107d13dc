package page

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

// A connection is a line on the pod at its end: one that a client kept, or that of a stream which was cut. Times are microseconds.
type connection struct {
	from, to int64
	told     int64 // when its client was told to go; 0: it was not
	cut      bool  // its client would have kept it, and was not told
}

// connectionsOf returns the connections whose pods are known, by the place of the pod, in the order in which they were opened. One that was
// open when its lane ended lasts for as long as its lane.
func connectionsOf(tl timeline.Timeline, pods []pod) map[int][]connection {
	all := map[int][]connection{}
	add := func(name string, c connection) {
		if i := slices.IndexFunc(pods, func(p pod) bool { return p.Name == name }); i >= 0 && name != "" {
			all[i] = append(all[i], c)
		}
	}
	for _, lane := range tl.Lanes {
		for _, c := range lane.Connections {
			line := connection{from: c.Opened.Microseconds(), to: lane.Summary.LastEnd.Microseconds()}
			if c.ToldBy != "" {
				line.told = c.Told.Microseconds()
			}
			if c.End != "" {
				line.to, line.cut = c.Ended.Microseconds(), c.Cut() && c.ToldBy == ""
			}
			if c.Number > 0 {
				add(cmp.Or(c.By.Pod, c.Routed.Pod), line)
			}
		}
		for _, h := range lane.Failed {
			if h.FirstMicros > 0 && h.Fault != evidence.Timeout && h.Connection == 0 {
				add(inspect.NewRequest(h, tl).Pod.Pod, connection{from: h.Sent.Microseconds(), to: h.End().Microseconds(), cut: true})
			}
		}
	}
	for i, of := range all {
		slices.SortFunc(of, func(a, b connection) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
		all[i] = thinned(of)
	}
	return all
}

// mostConnections is how many connections of a pod are drawn, beside those that were cut: more are drawn over each other.
const mostConnections = 300

// thinned returns every so many of the connections that were not cut, if they are too many.
func thinned(all []connection) []connection {
	n, each := -1, (len(all)+mostConnections-1)/mostConnections
	return slices.DeleteFunc(all, func(c connection) bool {
		n++
		return !c.cut && n%each != 0
	})
}

// Heights of a connection below its pod, and of all of them at most, in units of a drawing.
const (
	connectionTall  = 2
	connectionsTall = 30
)

// connections draws those of a pod below it, and returns how tall they are together.
func (d *drawing) connections(c *chart, pod int, top float64) float64 {
	all := c.Connections[pod]
	if len(all) == 0 {
		return 0
	}
	tall := min(connectionsTall, connectionTall*float64(len(all)))
	for i, line := range all {
		y := tenth(top + (float64(i)+.5)*tall/float64(len(all)))
		look := keptLine
		if line.cut {
			look = cutLine
		}
		if from, to := max(line.from, c.From), min(line.to, c.To); to > from {
			d.lines.path(look.Class).draw("M", d.ms(from), y).draw("H", d.ms(to))
		}
		if line.told > c.From && line.told <= c.To {
			d.lines.path(toldMark.Class).draw("M", d.ms(line.told), y-1).draw("v", 2)
		}
	}
	return tall
}

// connectionKeys returns the legend of connections: of those looks that there are.
func (c *chart) connectionKeys() (looks []shape) {
	var kept, cut, told bool
	for _, of := range c.Connections {
		for _, line := range of {
			kept, cut, told = kept || !line.cut, cut || line.cut, told || line.told > 0
		}
	}
	for _, of := range []struct {
		shape
		there bool
	}{{keptLine, kept}, {cutLine, cut}, {toldMark, told}} {
		if of.there {
			looks = append(looks, of.shape)
		}
	}
	return looks
}
