package page

import (
	"slices"
	"testing"
)

func TestLabelsAreLegible(t *testing.T) {
	const text = "it is 140 units wide.." // 22 letters and some room
	for _, row := range []struct {
		sentence string
		x        []float64
		rows     int
		zoom     []float64 // from which on each is shown; 0: never
		row      []int     // in which each is
	}{
		{"one alone is shown on any screen", []float64{100}, 1, []float64{.25}, []int{0}},
		{"two far apart share a row", []float64{0, 600}, 2, []float64{.25, .25}, []int{0, 0}},
		{"two of one moment have a row each", []float64{100, 100}, 2, []float64{.25, .25}, []int{0, 1}},
		{"a second waits for room", []float64{100, 170}, 1, []float64{.25, 2}, []int{0, 0}},
		{"one that waits takes no room from one that does not", []float64{100, 170, 240}, 1, []float64{.25, 2, 1}, []int{0, 0, 0}},
		{"a second of one moment without a row of its own is never shown", []float64{100, 100}, 1, []float64{.25, 0}, []int{0, 0}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var labels []label
			for _, x := range row.x {
				labels = append(labels, label{X: x, Text: text})
			}
			place(labels, row.rows, .25)
			var zoom []float64
			var in []int
			for _, l := range labels {
				zoom, in = append(zoom, l.Zoom), append(in, l.row)
			}
			if !slices.Equal(zoom, row.zoom) || !slices.Equal(in, row.row) {
				t.Errorf("shown from %v on, in rows %v; want %v and %v", zoom, in, row.zoom, row.row)
			}
		})
	}
}
