package statistics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence of every statement about a few terminations: how large a share of all may lose something, and what a drain that
// was enough for those seen covers. Each termination counts as drawn anew.
const Level = 0.95

// UpperShare is the largest share of terminations that may lose something where so many of n did: the upper bound of Clopper
// and Pearson, one-sided. Without a loss it is 1-0.05^(1/n). Of none at all nothing is known: 1.
func UpperShare(lost, n int) float64 { return upper(Count{lost, n}, Level) }

// CoveredShare is the share of terminations for which the longest of n drains needed is enough, at least: the largest of n covers
// the p-quantile with confidence 1-p^n.
func CoveredShare(n int) float64 {
	if n <= 0 {
		return 0
	}
	return math.Pow(1-Level, 1/float64(n))
}

// Rank is which of n values, counted from 1 in ascending order, covers a share of all: the first that does. For that n may be
// too small, as any below 59 is for 95 %.
func Rank(share float64, n int) (rank int, ok bool) {
	for rank = max(1, int(share*float64(n))); rank <= n; rank++ { // below that the chance is less than a half
		if atMost(rank-1, n, share) >= Level {
			return rank, true
		}
	}
	return 0, false
}

// Exceeds reports whether failed of n requests shows that a larger share of them fails than of those of which so many of base did. By
// the exact one-sided test of two rates: where they are the same, each failure is one of the base with the base's share of all
// requests. That is one of so many tests, which together are wrong in 5 % of cases at most.
func Exceeds(failed, n, ofBase, base, tests int) bool {
	return atMost(ofBase, failed+ofBase, float64(base)/float64(max(1, base+n))) <= (1-Level)/float64(tests)
}

// atMost is how likely no more than k of n are drawn, each with probability p.
func atMost(k, n int, p float64) float64 { return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k)) }
