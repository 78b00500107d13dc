package statistics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/verdict/statistics"
)

func near(got, want, by float64) bool { return scalar.EqualWithinAbs(got, want, by) }

func TestPermute(t *testing.T) {
	for _, row := range []struct {
		sentence      string
		strata        []statistics.Stratum
		effect        float64
		greater, less float64
		least         float64
	}{
		{"nothing", nil, 0, 1, 1, 1},
		{"a stratum of one side alone tells nothing", []statistics.Stratum{{A: []float64{1, 2}}}, 0, 1, 1, 1},
		{"one of each side is as often the other way round", []statistics.Stratum{{A: []float64{1}, B: []float64{2}}}, 1, 0.5, 1, 0.5},
		{"three of three greater is one in 20", []statistics.Stratum{{A: []float64{1, 2, 3}, B: []float64{4, 5, 6}}}, 3, 0.05, 1, 0.05},
		{"and one in 400 twice", []statistics.Stratum{{A: []float64{1, 2, 3}, B: []float64{4, 5, 6}}, {A: []float64{101, 102, 103}, B: []float64{104, 105, 106}}},
			3, 0.0025, 1, 0.0025},
		{"all alike", []statistics.Stratum{{A: []float64{5, 5}, B: []float64{5, 5}}}, 0, 1, 1, 1.0 / 6},
		{"strata differ by much, their sides do not", []statistics.Stratum{{A: []float64{1, 2}, B: []float64{2, 1}},
			{A: []float64{1001, 1002}, B: []float64{1002, 1001}}}, 0, 0.75, 0.75, 1.0 / 36},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			d := statistics.Permute(row.strata)
			rounding := func(p float64) float64 { return 5 * math.Sqrt(p*p/20) } // p is settled by 20 deals at least
			if !near(d.Effect, row.effect, 1e-9) ||
				!near(d.Greater, row.greater, rounding(row.greater)) || !near(d.Less, row.less, rounding(row.less)) ||
				!near(d.Least, row.least, 1e-9) {
				t.Errorf("%+v", d)
			}
		})
	}
}

// Swapping the sides gives the same for the other direction, to the last digit.
func TestPermuteBothWays(t *testing.T) {
	values := rapid.SliceOfN(rapid.Float64Range(-1e4, 1e4), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		var there, back []statistics.Stratum
		for range rapid.IntRange(0, 4).Draw(t, "strata") {
			a, b := values.Draw(t, "a"), values.Draw(t, "b")
			there, back = append(there, statistics.Stratum{A: a, B: b}), append(back, statistics.Stratum{A: b, B: a})
		}
		x, y := statistics.Permute(there), statistics.Permute(back)
		if x.Greater != y.Less || x.Less != y.Greater || x.Least != y.Least || !near(x.Effect, -y.Effect, 1e-6) {
			t.Fatalf("%+v, and back %+v", x, y)
		}
	})
}

// If the sides are alike, a p below any value is no more frequent than that value.
func TestPermuteIsRarelyWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	draw := func(n int) (all []float64) {
		for range n {
			all = append(all, math.Exp(random.NormFloat64()))
		}
		return all
	}
	const pairs = 1000
	small := 0
	for range pairs {
		if statistics.Permute([]statistics.Stratum{{A: draw(5), B: draw(7)}, {A: draw(3), B: draw(3)}}).Greater <= 0.05 {
			small++
		}
	}
	if small > 71 { // 50 are expected, and 71 are three standard deviations more
		t.Errorf("%d of %d are at 0.05 or below", small, pairs)
	}
}

func TestFisher(t *testing.T) {
	table := func(ofA, a, ofB, b int) statistics.Table {
		return statistics.Table{A: statistics.Count{Of: ofA, All: a}, B: statistics.Count{Of: ofB, All: b}}
	}
	for _, row := range []struct {
		sentence             string
		tables               []statistics.Table
		greater, less, least float64
	}{
		{"nothing", nil, 1, 1, 1},
		{"the lady tasting tea had three of four", []statistics.Table{table(1, 4, 3, 4)}, 17.0 / 70, 69.0 / 70, 1.0 / 70},
		{"none at all", []statistics.Table{table(0, 66, 0, 66)}, 1, 1, 1},
		{"six of six after none", []statistics.Table{table(0, 6, 6, 6)}, 1.0 / 924, 1, 1.0 / 924},
		{"twice", []statistics.Table{table(0, 6, 6, 6), table(0, 6, 6, 6)}, 1.0 / 924 / 924, 1, 1.0 / 924 / 924},
		{"a stratum in which all lose hides no other", []statistics.Table{table(6, 6, 6, 6), table(0, 6, 6, 6)}, 1.0 / 924, 1, 1.0 / 924},
	} {
		f := statistics.Fisher(row.tables)
		if !near(f.Greater, row.greater, 1e-9) || !near(f.Less, row.less, 1e-9) || !near(f.Least, row.least, 1e-9) {
			t.Errorf("%s: %+v", row.sentence, f)
		}
	}
}

func TestUpperDifference(t *testing.T) {
	for _, row := range []struct {
		sentence       string
		ofA, a, ofB, b int
		want           float64
	}{
		{"none of 59 after none of 59", 0, 59, 0, 59, 1 - math.Pow(0.05, 1.0/59)},
		{"none of six", 0, 66, 0, 6, 1 - math.Pow(0.05, 1.0/6)},
		{"none seen", 0, 66, 0, 0, 1},
		{"all of both may still be one less in A", 6, 6, 6, 6, 1 - math.Pow(0.05, 1.0/6)},
	} {
		s := statistics.Shares{A: statistics.Count{Of: row.ofA, All: row.a}, B: statistics.Count{Of: row.ofB, All: row.b}}
		if got := s.UpperDifference(0.95); !near(got, row.want, 1e-6) {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

// A test finds an effect of the size that Sees returns in nine of ten cases.
func TestSees(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	const p, trials = 0.01, 300
	t.Run("permutation", func(t *testing.T) {
		draw := func(shift float64) (all []float64) {
			for range 30 {
				all = append(all, shift+1000*random.Float64())
			}
			return all
		}
		sees := statistics.Permute([]statistics.Stratum{{A: draw(0), B: draw(0)}}).Sees(p)
		found := 0
		for range trials {
			if statistics.Permute([]statistics.Stratum{{A: draw(0), B: draw(sees)}}).Greater <= p {
				found++
			}
		}
		if share := float64(found) / trials; share < 0.8 || share > 0.98 {
			t.Errorf("a change of %.0f is found in %.0f %%", sees, 100*share)
		}
	})
	t.Run("Fisher", func(t *testing.T) {
		none := statistics.Shares{A: statistics.Count{All: 66}, B: statistics.Count{All: 66}}
		sees := none.Sees(p)
		found := 0
		for range trials {
			lost := 0
			for range 66 {
				if random.Float64() < sees {
					lost++
				}
			}
			if statistics.Fisher([]statistics.Table{{A: none.A, B: statistics.Count{Of: lost, All: 66}}}).Greater <= p {
				found++
			}
		}
		if share := float64(found) / trials; share < 0.85 || share > 0.95 {
			t.Errorf("a share of %.2f is found in %.0f %%", sees, 100*share)
		}
	})
	if d := statistics.Permute([]statistics.Stratum{{A: []float64{1}, B: []float64{2}}}); !math.IsInf(d.Sees(p), 1) {
		t.Errorf("one value of each side sees %v", d.Sees(p))
	}
}

func TestThreshold(t *testing.T) {
	all := func(values ...float64) (family []statistics.P) {
		for _, p := range values {
			family = append(family, statistics.P{Value: p})
		}
		return family
	}
	for _, row := range []struct {
		sentence string
		family   []statistics.P
		want     float64
	}{
		{"one alone has the whole rate", all(0.5), 0.05},
		{"nothing is found: what one would have needed", all(0.5, 0.6, 0.9, 0.02), 0.0125},
		{"the smallest alone", all(0.01, 0.5, 0.6, 0.9), 0.0125},
		{"company helps: the third is under three quarters of the rate", all(0.035, 0.02, 0.013, 0.9), 0.0375},
		{"what can find nothing is none of the family", append(all(0.04), statistics.P{Value: 0.5, Least: 0.5}), 0.05},
		{"nothing can find anything", []statistics.P{{Value: 1, Least: 0.5}}, 0.05},
	} {
		if got := statistics.Threshold(row.family, 0.05); !near(got, row.want, 1e-12) {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

func ExampleFisher() {
	f := statistics.Fisher([]statistics.Table{{A: statistics.Count{Of: 0, All: 66}, B: statistics.Count{Of: 6, All: 66}}})
	fmt.Printf("p %.3f; at most %.1f %% more at 95 %%\n", f.Greater, 100*f.UpperDifference(0.95))
	// Output: p 0.014; at most 17.2 % more at 95 %
}
