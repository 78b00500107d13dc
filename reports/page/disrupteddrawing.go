package page

import (
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// A strip is a rectangle of a drawing, down to its bottom.
type strip struct {
	X, Y, Width, Height float64
	Kind                string // done: not undone yet; undone: not whole yet; or wait
}

// Sizes, in the drawing's own units.
const (
	stepRows   = 4  // for the names of steps; a step whose name fits into none has a line alone
	manySteps  = 40 // with more of them the lines are faint
	nodeHeight = 14
)

// head returns how much room the names of marks, disruptions and steps take.
func (c *chart) head() float64 {
	rows := 3
	if len(c.Bands) > 0 {
		rows++
	}
	if len(c.Steps) > 0 {
		rows += stepRows
	}
	return float64(rows*markHeight + 6)
}

// disruptions draws the bands and the steps, whose names stand below those of the marks.
func (d *drawing) disruptions(c *chart) {
	y := float64(4 * markHeight)
	for _, b := range c.Bands {
		from, undone, to := d.x(c, max(b.From, c.From)), d.x(c, min(max(b.Undone, c.From), c.To)), d.x(c, min(b.To, c.To))
		top := y - markHeight + 2
		for _, s := range []strip{{X: from, Width: undone - from, Kind: "done"}, {X: undone, Width: to - undone, Kind: "undone"}} {
			if s.Width > 0 {
				s.Y, s.Width, s.Height = top, tenth(s.Width), tenth(d.Bottom-top)
				d.Bands = append(d.Bands, s)
			}
		}
		d.Rows = append(d.Rows, label{max(d.Left, min(from+3, d.Right-float64(len(b.Name))*perLetter)), y - 1, b.Name, "band"})
	}
	if len(c.Bands) > 0 {
		y += markHeight
	}
	ends := make([]float64, stepRows)
	d.Faint = len(c.Steps) > manySteps
	for _, s := range c.Steps {
		if s.At < c.From || s.At > c.To {
			continue
		}
		l := line{X: d.x(c, s.At), Text: cut(s.Name)}
		if row, end := d.beside(&l, ends); row >= 0 {
			ends[row], l.Y = end, y+float64(row)*markHeight
		} else {
			l.Y, l.Text = y+stepRows*markHeight-markHeight+4, ""
		}
		d.Steps = append(d.Steps, l)
	}
}

// cut keeps the beginning of a name: a step's says where it was, and a disruption's may be a whole command.
func cut(name string) string { return phrase.Cut(name, 44) }

// The shapes of nodes' rows.
const (
	nodeLine = iota
	nodeUnready
	nodeCordoned
	nodeChanged
)

// nodes draws a row for each node, and returns where the last one ends.
func (d *drawing) nodes(c *chart, top float64) float64 {
	if len(c.Nodes) == 0 {
		return top - gap
	}
	d.title(top-8, "nodes")
	var paths [nodeChanged + 1]strings.Builder
	bar := func(kind int, spans [][2]int64, y float64) {
		for _, s := range spans {
			if from, to := max(s[0], c.From), min(s[1], c.To); to > from {
				fmt.Fprintf(&paths[kind], "M%g %gH%g", d.x(c, from), y, d.x(c, to))
			}
		}
	}
	for i, n := range c.Nodes {
		y := tenth(top + (float64(i)+.5)*nodeHeight)
		d.value(y, shorten(n.Name))
		bar(nodeLine, [][2]int64{{c.From, c.To}}, y)
		bar(nodeUnready, n.Unready, y-1.5)
		bar(nodeCordoned, n.Cordoned, y+4)
		for _, m := range n.Changes {
			if m.At >= c.From && m.At <= c.To {
				fmt.Fprintf(&paths[nodeChanged], "M%g %gv%d", d.x(c, m.At), y-nodeHeight/2, nodeHeight)
			}
		}
	}
	for kind := range paths {
		if paths[kind].Len() > 0 {
			d.Nodes = append(d.Nodes, shape{Path: paths[kind].String(), Of: kind})
		}
	}
	return top + float64(len(c.Nodes))*nodeHeight
}

// A nodeKey says what a shape in a node's row means.
type nodeKey struct {
	Of   int
	Path string // around the middle of its symbol
	Name string
}

// NodeKeys returns the keys of the shapes that nodes' rows have.
func (c *chart) NodeKeys() []nodeKey {
	var there [nodeChanged + 1]int
	for _, n := range c.Nodes {
		there[nodeUnready] += len(n.Unready)
		there[nodeCordoned] += len(n.Cordoned)
		there[nodeChanged] += len(n.Changes)
	}
	all := []nodeKey{{nodeUnready, "m-9 0h18", "not ready"}, {nodeCordoned, "m-9 0h18", "cordoned"},
		{nodeChanged, "m0-6v12", "booted or another version"}}
	return slices.DeleteFunc(all, func(k nodeKey) bool { return there[k.Of] == 0 })
}
