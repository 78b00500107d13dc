// Package statistics says what a few of a kind show of all, tests whether two sides differ, and says what it could have seen. Sides are
// compared within strata, such as scenarios, between which values need not be alike. It knows nothing of what the values are.
package statistics

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Stratum is what was measured on both sides of one thing. Each value was drawn by itself: what comes of one chance is one value.
type Stratum struct{ A, B []float64 }

// A Difference of two sides, by a permutation test of their means: within each stratum every way to deal the values to the
// sides is as likely, if the sides are alike.
type Difference struct {
	A, B   float64 // means, a stratum weighing as much as it has to tell: nA nB / (nA+nB)
	Effect float64 // B less A
	Error  float64 // standard deviation of the effect between sides that are alike
	NA, NB int

	Greater, Less float64 // p that B is not greater, and not less
	Least         float64 // p of the most extreme way to deal the values: no test of so few can give less
}

// What a permutation test takes.
const (
	mostDeals = 24_999 // at most, so that no p is below 4e-5
	fewDeals  = 1_999  // where no p below 0.01 is asked for
	enough    = 20     // deals at least as extreme settle p (Besag and Clifford 1991)
)

// A pool is a stratum's values less their mean, in ascending order, and the side of fewer: it is the same whichever is A.
type pool struct {
	values []float64
	fewer  int
	sign   float64 // 1 if the side of fewer is B
	sum    float64 // over the side of fewer
}

// Permute tests the strata that have both sides; without any, nothing is known and every p is 1.
func Permute(strata []Stratum) Difference { return permute(strata, mostDeals) }

// Refuted says whether B being greater than A by so much, or by more, is refuted at a p of 0.01 or more.
func Refuted(strata []Stratum, by, p float64) bool {
	return permute(shifted(strata, -by), fewDeals).Less <= p
}

func permute(strata []Stratum, most float64) Difference {
	d := Difference{Greater: 1, Less: 1, Least: 1}
	var pools []pool
	var weights, observed, scale, variance, least float64
	for _, s := range strata {
		nA, nB := len(s.A), len(s.B)
		if nA == 0 || nB == 0 {
			continue
		}
		p := newPool(s)
		pools = append(pools, p)
		n := float64(nA + nB)
		weight := float64(nA) * float64(nB) / n
		weights += weight
		d.A += weight * stat.Mean(s.A, nil)
		d.NA, d.NB = d.NA+nA, d.NB+nB
		observed += p.sign * p.sum
		for _, x := range p.values {
			scale += math.Abs(x)
		}
		variance += weight * stat.Variance(p.values, nil)
		least -= combin.LogGeneralizedBinomial(n, float64(min(nA, nB)))
	}
	if len(pools) == 0 {
		return d
	}
	d.A /= weights
	d.Effect = observed / weights
	d.B = d.A + d.Effect
	d.Error = math.Sqrt(variance) / weights
	d.Least = max(math.Exp(least), 1.0/(mostDeals+1))
	d.Greater, d.Less = deal(pools, observed, 1e-9*scale, most)
	return d
}

// shifted is the strata with all of B greater by x.
func shifted(strata []Stratum, x float64) []Stratum {
	all := make([]Stratum, len(strata))
	for i, s := range strata {
		all[i].A = s.A
		for _, value := range s.B {
			all[i].B = append(all[i].B, value+x)
		}
	}
	return all
}

// Sees is the least effect that a test at p would have found in nine of ten cases, by the normal approximation. Where so few
// values cannot give that p it is infinite.
func (d Difference) Sees(p float64) float64 {
	if d.Least > p {
		return math.Inf(1)
	}
	return (distuv.UnitNormal.Quantile(1-p) + distuv.UnitNormal.Quantile(Power)) * d.Error
}

// Power is how often what a test says it could have seen would have been found.
const Power = 0.9

func newPool(s Stratum) pool {
	values := slices.Concat(s.A, s.B)
	slices.Sort(values)
	mean := stat.Mean(values, nil)
	for i := range values {
		values[i] -= mean
	}
	fewer, sign := s.B, 1.0
	if order := cmp.Or(cmp.Compare(len(s.A), len(s.B)), slices.Compare(sorted(s.A), sorted(s.B))); order < 0 {
		fewer, sign = s.A, -1
	}
	p := pool{values: values, fewer: len(fewer), sign: sign}
	for _, x := range sorted(fewer) {
		p.sum += x - mean
	}
	return p
}

// deal deals values to the sides at random, always the same way, and says how often B got as much, and as little.
func deal(pools []pool, observed, rounding, most float64) (greater, less float64) {
	random := rand.New(rand.NewPCG(1, 1))
	var atLeast, atMost, deals float64
	for atLeast < enough || atMost < enough {
		if deals == most {
			return (atLeast + 1) / (deals + 1), (atMost + 1) / (deals + 1)
		}
		deals++
		dealt := 0.0
		for _, p := range pools {
			sum := 0.0
			for i := range p.fewer {
				j := i + random.IntN(len(p.values)-i)
				p.values[i], p.values[j] = p.values[j], p.values[i]
				sum += p.values[i]
			}
			dealt += p.sign * sum
		}
		if dealt >= observed-rounding {
			atLeast++
		}
		if dealt <= observed+rounding {
			atMost++
		}
	}
	return atLeast / deals, atMost / deals
}

func sorted(values []float64) []float64 { return slices.Sorted(slices.Values(values)) }
