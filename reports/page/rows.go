package page

import (
	"slices"
)

// pods draws a row for each pod: in the colour of its version, as thick as its phase says, with its connections below.
func (d *drawing) pods(c *chart, top float64) float64 {
	if len(c.Pods) == 0 {
		return top - gap
	}
	height := min(podHeight, max(2, 600/float64(len(c.Pods))))
	d.title(top, "pods")
	for i, p := range c.Pods {
		y := top + height/2
		if height >= 9 {
			d.value(y, shorten(p.Version+" "+p.Short()))
		}
		version := versionShape(slices.Index(c.Series.Versions, p.Version)).Class
		for n, s := range p.Steps {
			end := c.To
			if n+1 < len(p.Steps) {
				end = p.Steps[n+1].At
			}
			phase := phaseShapes[s.Phase]
			phase.Tall *= height / podHeight
			if begin, end := max(s.At, c.From), min(end, c.To); end > begin && phase.Tall > 0 {
				d.areas.path(version+" "+phase.Class).bar(phase, d.ms(begin), d.ms(end), y)
			}
		}
		for _, gone := range p.Rules {
			if gone.At >= c.From && gone.At <= c.To {
				d.lines.path(rule.Class).draw("M", d.ms(gone.At), y-height/2).draw("v", height)
			}
		}
		top += height
		top += d.connections(c, i, top)
	}
	return tenth(top)
}

// nodes draws a row for each node, and returns where the last one ends.
func (d *drawing) nodes(c *chart, top float64) float64 {
	if len(c.Nodes) == 0 {
		return top - gap
	}
	d.title(top, "nodes")
	for i, n := range c.Nodes {
		y := top + (float64(i)+.5)*nodeHeight
		d.value(y, shorten(n.Name))
		d.lines.path(nodeLine.Class).draw("M", 0, y).draw("H", float64(d.Span))
		for _, of := range []struct {
			shape
			spans [][2]int64
		}{{unready, n.Unready}, {cordoned, n.Cordoned}} {
			for _, s := range of.spans {
				if from, to := max(s[0], c.From), min(s[1], c.To); to > from {
					d.areas.path(of.Class).bar(of.shape, d.ms(from), d.ms(to), y)
				}
			}
		}
		for _, m := range n.Changes {
			if m.At >= c.From && m.At <= c.To {
				d.lines.path(changed.Class).draw("M", d.ms(m.At), y-nodeHeight/2).draw("v", nodeHeight)
			}
		}
	}
	return top + float64(len(c.Nodes))*nodeHeight
}

// waits draws the times in which a pod waited for a processor, behind everything else.
func (d *drawing) waits(c *chart) {
	top := c.head()
	for _, w := range c.Waits {
		d.behind.path(waiting.Class).area(d.ms(w[0]), d.ms(w[1]), top, d.Bottom-top)
	}
}
