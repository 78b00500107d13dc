package statistics

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestDraws(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		chances     []float64
		least, most int
	}{
		{"nothing is drawn", nil, 0, 0},
		{"what is certain comes true", []float64{1, 1, 0}, 2, 2},
		{"of 100 coins, 37 to 63 are heads in 99 of 100 tries", slices.Repeat([]float64{.5}, 100), 37, 63},
		{"certain ones beside the coins", slices.Concat(slices.Repeat([]float64{.5}, 100), []float64{1, 1, 0}), 39, 65},
	} {
		if least, most := Draws(row.chances, .99); least != row.least || most != row.most {
			t.Errorf("%s: %d to %d, want %d to %d", row.sentence, least, most, row.least, row.most)
		}
	}
}

// With the same chance for all it is the binomial distribution.
func TestDrawsOfOneChance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(1, 200).Draw(t, "n"), rapid.Float64Range(.01, .99).Draw(t, "p")
		least, most := Draws(slices.Repeat([]float64{p}, n), .99)
		b := distuv.Binomial{N: float64(n), P: p}
		const tail, near = .005, 1e-9
		if b.CDF(float64(least-1)) > tail+near || b.CDF(float64(least)) < tail-near || 1-b.CDF(float64(most)) > tail+near ||
			1-b.CDF(float64(most-1)) < tail-near {
			t.Errorf("%d to %d", least, most)
		}
	})
}
