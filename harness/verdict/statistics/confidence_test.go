package statistics_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/rollcall/harness/verdict/statistics"
)

func TestUpperShare(t *testing.T) {
	for _, row := range []struct {
		sentence string
		lost, n  int
		percent  float64
	}{
		{"none of 66 is at most 4.4 %", 0, 66, 4.437},
		{"59 are the fewest that show 5 %", 0, 59, 4.951},
		{"58 show less", 0, 58, 5.034},
		{"none of 6 shows little", 0, 6, 39.304},
		{"1 of 10, as tables of Clopper and Pearson have it", 1, 10, 39.416},
		{"5 of 100, likewise", 5, 100, 10.225},
		{"all may lose where all did", 6, 6, 100},
		{"of none nothing is known", 0, 0, 100},
	} {
		if got := 100 * statistics.UpperShare(row.lost, row.n); math.Abs(got-row.percent) > 0.001 {
			t.Errorf("%s: %.4f %%, want %.3f", row.sentence, got, row.percent)
		}
	}
}

func TestExceeds(t *testing.T) {
	for _, row := range []struct {
		sentence                       string
		failed, n, ofBase, base, tests int
		want                           bool
	}{
		{"200 and 1 of as many", 200, 10_000, 1, 10_000, 1, true},
		{"1 and 1", 1, 10_000, 1, 10_000, 1, false},
		{"5 and 0: 1 in 32", 5, 100, 0, 100, 1, true},
		{"4 and 0: 1 in 16", 4, 100, 0, 100, 1, false},
		{"5 and 0 in one of two tests, each of which may be wrong in 2.5 %", 5, 100, 0, 100, 2, false},
		{"10 times as many of 10 times as many", 100, 10_000, 10, 1000, 1, false},
		{"fewer", 1, 100, 9, 100, 1, false},
		{"none", 0, 100, 0, 100, 1, false},
		{"of no base nothing is known", 200, 100, 0, 0, 1, false},
	} {
		if got := statistics.Exceeds(row.failed, row.n, row.ofBase, row.base, row.tests); got != row.want {
			t.Errorf("%s: %v", row.sentence, got)
		}
	}
}

// If two rates are the same, a test finds one larger in at most 5 % of cases.
func TestExceedsRarelyByChance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, n := rapid.IntRange(1, 500).Draw(t, "base"), rapid.IntRange(1, 500).Draw(t, "n")
		all := rapid.IntRange(0, 60).Draw(t, "failures")
		wrong, chance, p := 0.0, math.Pow(float64(base)/float64(base+n), float64(all)), float64(n)/float64(base)
		for failed := range all + 1 { // each failure is one of either, by their shares of all requests
			if statistics.Exceeds(failed, n, all-failed, base, 1) {
				wrong += chance
			}
			chance *= float64(all-failed) / float64(failed+1) * p
		}
		if wrong > 0.05+1e-9 {
			t.Fatalf("%.4f", wrong)
		}
	})
}

func TestRank(t *testing.T) {
	for _, row := range []struct {
		sentence string
		n, rank  int // 0: none
	}{
		{"58 are too few for 95 %", 58, 0},
		{"of 59 the longest", 59, 59},
		{"of 92 still the longest", 92, 92},
		{"of 93 the second longest", 93, 92},
		{"of none no one", 0, 0},
	} {
		if got, ok := statistics.Rank(0.95, row.n); got != row.rank || ok != (row.rank > 0) {
			t.Errorf("%s: %d, %v", row.sentence, got, ok)
		}
	}
}

// The bound is never below the observed share, more losses never lower it, more terminations never raise it.
func TestUpperShareIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "n")
		lost := rapid.IntRange(0, n).Draw(t, "lost")
		bound := statistics.UpperShare(lost, n)
		if bound < float64(lost)/float64(n) || bound > 1 {
			t.Fatalf("%v where %d of %d did", bound, lost, n)
		}
		if lost > 0 && statistics.UpperShare(lost-1, n) > bound {
			t.Fatalf("%d of %d is worse than %d", lost-1, n, lost)
		}
		if statistics.UpperShare(lost, n+1) > bound {
			t.Fatalf("%d of %d is worse than of %d", lost, n+1, n)
		}
	})
}

// The bound holds in at least 95 % of cases: no share above it would have shown so few losses with a probability above 5 %.
func TestUpperShareHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "n")
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "share")
		missed, chance := 0.0, math.Pow(1-p, float64(n)) // of k losses
		for k := range n + 1 {
			if statistics.UpperShare(k, n) < p {
				missed += chance
			}
			chance *= float64(n-k) / float64(k+1) * p / (1 - p)
		}
		if missed > 0.05+1e-6 {
			t.Fatalf("of %d terminations that lose with %v the bound is too low in %.2f %%", n, p, 100*missed)
		}
	})
}

// A value of that rank is at least the quantile with the stated confidence: of n values drawn evenly from 0 to 1 the r-th is below p
// only if at least r of them are.
func TestRankCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		share := rapid.Float64Range(0.5, 0.99).Draw(t, "share")
		rank, ok := statistics.Rank(share, n)
		if covered := statistics.CoveredShare(n); ok != (covered >= share-1e-12) {
			t.Fatalf("rank %d, %v where the longest covers %v of %v", rank, ok, covered, share)
		}
		if ok && rank < n && slices.Max([]int{rank, int(share * float64(n))}) != rank {
			t.Fatalf("rank %d of %d is below the quantile %v itself", rank, n, share)
		}
	})
}
