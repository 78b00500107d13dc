package page

import (
	"math"
	"slices"
	"strconv"
)

// A layer has the paths of a drawing that are painted alike, one for each class, in the order in which they were begun.
type layer struct {
	Of    string // areas, lines or points
	Paths []*path
}

// A path has all that a layer has of a class.
type path struct {
	Class string
	data  []byte
}

// path returns the path of a class.
func (l *layer) path(class string) *path {
	i := slices.IndexFunc(l.Paths, func(p *path) bool { return p.Class == class })
	if i < 0 {
		i = len(l.Paths)
		l.Paths = append(l.Paths, &path{Class: class})
	}
	return l.Paths[i]
}

// D returns the path as SVG has it.
func (p *path) D() string { return string(p.data) }

// draw adds a command of SVG, with its numbers to a thousandth.
func (p *path) draw(command string, numbers ...float64) *path {
	p.data = append(p.data, command...)
	for i, n := range numbers {
		if i > 0 {
			p.data = append(p.data, ' ')
		}
		p.data = strconv.AppendFloat(p.data, math.Round(n*1000)/1000, 'f', -1, 64)
	}
	return p
}

// area adds a rectangle.
func (p *path) area(from, to, top, height float64) {
	p.draw("M", from, top).draw("H", to).draw("v", height).draw("H", from).draw("z")
}

// bar adds a bar of a shape, in a row with a middle.
func (p *path) bar(s shape, from, to, middle float64) {
	p.area(from, to, middle+s.Below-s.Tall/2, s.Tall)
}
