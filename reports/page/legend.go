package page

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A count is how many requests there are of a kind.
type count struct {
	Kind string
	N    int
}

// A key is what a legend says of one shape; one without a symbol is a remark.
type key struct {
	Head  string // of this and the following keys; empty but for the first of them
	Layer string // areas, lines or points
	shape
	Text string
}

// Path returns the symbol as an SVG path around its middle.
func (k key) Path() string {
	if k.Tall > 0 {
		return fmt.Sprintf("m-%d%gh%dv%gh-%dz", symbolWidth/2, -k.Tall/2, symbolWidth, k.Tall, symbolWidth)
	}
	return k.Symbol
}

// Wide returns how wide the symbol is.
func (k key) Wide() int {
	if k.Tall > 0 {
		return symbolWidth
	}
	return symbolWidth / 2
}

// Middle returns where its middle is.
func (k key) Middle() int { return k.Wide() / 2 }

// Keys returns the legend of all that is drawn of a chart.
func (c *chart) Keys() (all []key) {
	add := func(head, layer string, s shape, said string) {
		if slices.ContainsFunc(all, func(k key) bool { return k.Head == head }) {
			head = ""
		}
		all = append(all, key{head, layer, s, said})
	}
	for i, version := range c.Series.Versions {
		add("replies", "areas", versionShape(i), version)
	}
	for _, of := range c.Legend {
		s := requestShape(of.Kind)
		add("", "points", s, phrase.Number(of.N)+" "+of.Kind)
	}
	if len(c.Legend) == 0 {
		all = append(all, key{Text: "no request failed, none was sent again"})
	}
	for phase, s := range phaseShapes {
		in := func(s step) bool { return s.Phase == phase }
		if s.Tall > 0 && slices.ContainsFunc(c.Pods, func(p pod) bool { return slices.ContainsFunc(p.Steps, in) }) {
			add("pods", "areas", s, timeline.PodPhase(phase).String())
		}
	}
	if len(c.Pods) > 0 {
		add("", "lines", rule, rule.Legend)
	}
	for _, look := range c.connectionKeys() {
		add("connections", "lines", look, look.Legend)
	}
	for _, of := range []struct {
		layer string
		shape
		there func(node) bool
	}{
		{"areas", unready, func(n node) bool { return len(n.Unready) > 0 }},
		{"areas", cordoned, func(n node) bool { return len(n.Cordoned) > 0 }},
		{"lines", changed, func(n node) bool { return len(n.Changes) > 0 }},
	} {
		if slices.ContainsFunc(c.Nodes, of.there) {
			add("nodes", of.layer, of.shape, of.Legend)
		}
	}
	if len(c.Waits) > 0 {
		add("", "areas", waiting, waiting.Legend)
	}
	switch {
	case len(c.Bands) == 0:
	case c.HostAlone:
		add("", "areas", done, "maintenance")
	default:
		add("", "areas", done, done.Legend)
		add("", "areas", undone, undone.Legend)
	}
	return all
}

// A placedKey is a key in a picture.
type placedKey struct {
	key
	X, Y float64 // of the middle of its symbol
	Left float64 // where its text begins
}

// placeKeys puts keys into lines below a drawing, and makes it as much higher.
func (d *drawing) placeKeys(keys []key) (all []placedKey) {
	x, y := d.X, d.Height+legendHeight/2
	for _, k := range keys {
		if k.Head != "" {
			k.Text = k.Head + ": " + k.Text
		}
		long := symbolWidth + 6 + float64(len(k.Text))*letterWidth + 12
		if x+long > d.X+d.Width && x > d.X {
			x, y = d.X, y+legendHeight
		}
		all = append(all, placedKey{k, x + symbolWidth/2, y, x + symbolWidth + 6})
		x += long
	}
	d.Height = y + legendHeight/2 + 4
	return all
}
