package statistics

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Count is how many of all on one side did something, such as failing.
type Count struct{ Of, All int }

// Share returns the share of all that did; of none it is 0.
func (c Count) Share() float64 {
	if c.All == 0 {
		return 0
	}
	return float64(c.Of) / float64(c.All)
}

// A Table is the counts of both sides of one stratum.
type Table struct{ A, B Count }

// Shares says how the shares of two sides differ, by Fisher's exact test; over several strata by the exact test of Birch:
// of the counts of all strata together, given the sums of each.
type Shares struct {
	A, B          Count
	Greater, Less float64 // p that B's share is not greater, and not less
	Least         float64 // p if B had as much as it could have of what both have together
}

// Fisher tests the strata that have both sides. If none has, every p is 1.
func Fisher(tables []Table) Shares {
	s := Shares{Greater: 1, Less: 1, Least: 1}
	ways := []float64{1} // probability of each count of B, from the least possible
	could := 0
	for _, t := range tables {
		if t.A.All == 0 || t.B.All == 0 {
			continue
		}
		s.A, s.B = Count{s.A.Of + t.A.Of, s.A.All + t.A.All}, Count{s.B.Of + t.B.Of, s.B.All + t.B.All}
		low, chances := hypergeometric(t)
		could += low
		ways = convolve(ways, chances)
	}
	if s.A.All == 0 {
		return s
	}
	s.Greater, s.Less, s.Least = 0, 0, ways[len(ways)-1]
	for i, chance := range ways {
		if could+i >= s.B.Of {
			s.Greater += chance
		}
		if could+i <= s.B.Of {
			s.Less += chance
		}
	}
	s.Greater, s.Less = min(1, s.Greater), min(1, s.Less)
	return s
}

// Sees returns the least share of B that a test at p would have found in nine of ten cases, with A as it was; infinite if none.
func (s Shares) Sees(p float64) float64 {
	for of := range s.B.All + 1 {
		if f := Fisher([]Table{{s.A, Count{of, s.B.All}}}); f.B.Share() > f.A.Share() && f.Greater <= p {
			return distuv.Beta{Alpha: float64(of), Beta: float64(s.B.All - of + 1)}.Quantile(Power)
		}
	}
	return math.Inf(1)
}

// UpperDifference returns the most by which B's share may be greater than A's, at a confidence: the bounds of Clopper and Pearson of
// both, combined after Newcombe. If both shares are 0, it is the upper bound of B.
func (s Shares) UpperDifference(confidence float64) float64 {
	if s.A.All == 0 || s.B.All == 0 {
		return 1
	}
	a, b := s.A.Share(), s.B.Share()
	return b - a + math.Hypot(upper(s.B, confidence)-b, a-lower(s.A, confidence))
}

func upper(c Count, confidence float64) float64 {
	if c.Of == c.All {
		return 1
	}
	return distuv.Beta{Alpha: float64(c.Of + 1), Beta: float64(c.All - c.Of)}.Quantile(confidence)
}

func lower(c Count, confidence float64) float64 {
	return 1 - upper(Count{c.All - c.Of, c.All}, confidence)
}

// hypergeometric returns the probability of each count of B, from the least possible, given the sums of a table.
func hypergeometric(t Table) (low int, chances []float64) {
	of := t.A.Of + t.B.Of
	low = max(0, of-t.A.All)
	choose := func(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }
	for b := low; b <= min(of, t.B.All); b++ {
		chances = append(chances, math.Exp(choose(t.B.All, b)+choose(t.A.All, of-b)-choose(t.A.All+t.B.All, of)))
	}
	return low, chances
}

func convolve(a, b []float64) []float64 {
	all := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			all[i+j] += x * y
		}
	}
	return all
}
