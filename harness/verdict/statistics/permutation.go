// Package statistics infers from a few of a kind to all, tests whether two sides differ, and says which difference a test could have
// found. It compares sides within strata, such as scenarios, between which values may differ. It does not know what the values mean.
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

// A Stratum has the values measured on both sides of one thing. Values are independent draws.
type Stratum struct{ A, B []float64 }

// A Difference says how two sides differ, by a permutation test of their means: if the sides are alike, every way to deal the values to
// the sides is equally likely within each stratum.
type Difference struct {
	A, B   float64 // means, with a weight of nA nB / (nA+nB) for each stratum
	Effect float64 // B less A
	Error  float64 // standard deviation of the effect if the sides are alike
	NA, NB int

	Greater, Less float64 // p that B is not greater, and not less
	Least         float64 // p of the most extreme way to deal the values: a test of so few values cannot give less
}

// Numbers of deals of a permutation test.
const (
	mostDeals = 24_999 // the most, so that no p is below 4e-5
	fewDeals  = 1_999  // the most if no p below 0.01 is asked for
	enough    = 20     // so many deals that are at least as extreme settle p (Besag and Clifford 1991)
)

// A pool has a stratum's values less their mean, in ascending order, and how many belong to the smaller side: it is the same whichever
// side is A.
type pool struct {
	values []float64
	fewer  int     // number of values on the smaller side
	sign   float64 // 1 if the smaller side is B, else -1
	sum    float64 // of the values on the smaller side
}

// Permute tests the strata that have both sides. If none has, nothing is known and every p is 1.
func Permute(strata []Stratum) Difference { return permute(strata, mostDeals) }

// Refuted reports whether a test at p, of 0.01 or more, refutes that B is greater than A by so much or more.
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

// Sees returns the least effect that a test at p would have found in nine of ten cases, by the normal approximation. It is infinite if
// so few values cannot give that p.
func (d Difference) Sees(p float64) float64 {
	if d.Least > p {
		return math.Inf(1)
	}
	return (distuv.UnitNormal.Quantile(1-p) + distuv.UnitNormal.Quantile(Power)) * d.Error
}

// Power is the probability that a test finds a difference of the size that Sees returns.
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

// deal deals values to the sides at random, always the same way, and returns how often B got at least as much, and at most as much.
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
