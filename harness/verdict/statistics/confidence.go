package statistics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence of every statement about all terminations by a few: how large a share may lose something, and which share is
// covered by a drain that was enough for the observed ones. Each termination counts as an independent draw.
const Level = 0.95

// UpperShare returns the largest share of terminations that may lose something, given that lost of n did: the one-sided upper bound
// of Clopper and Pearson. Without a loss it is 1-0.05^(1/n). With no terminations at all it is 1: nothing is known.
func UpperShare(lost, n int) float64 { return upper(Count{lost, n}, Level) }

// CoveredShare returns the share of terminations for which the longest of n needed drains is enough, at least: the largest of n values
// covers the p-quantile with confidence 1-p^n.
func CoveredShare(n int) float64 {
	if n <= 0 {
		return 0
	}
	return math.Pow(1-Level, 1/float64(n))
}

// Rank returns which of n values, counted from 1 in ascending order, is the first that covers a share of all. If n is too small,
// none does: for 95 % it takes 59.
func Rank(share float64, n int) (rank int, ok bool) {
	for rank = max(1, int(share*float64(n))); rank <= n; rank++ { // below that the chance is less than a half
		if atMost(rank-1, n, share) >= Level {
			return rank, true
		}
	}
	return 0, false
}

// Exceeds reports whether failed of n requests show a larger share of failures than ofBase of base requests, by the exact one-sided test
// of two rates: if these are the same, each failure is one of the base with a probability that is the base's share of all
// requests. It is one of a number of tests, which together are wrong in at most 5 % of cases.
func Exceeds(failed, n, ofBase, base, tests int) bool {
	return atMost(ofBase, failed+ofBase, float64(base)/float64(max(1, base+n))) <= (1-Level)/float64(tests)
}

// atMost returns the probability that at most k of n are drawn, each with probability p.
func atMost(k, n int, p float64) float64 { return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k)) }
