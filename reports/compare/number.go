package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/statistics"
	"example.com/rollcall/reports/model"
)

// A Number is one number of one scenario, or of all scenarios of a mode, tested for a difference between the sides.
type Number struct {
	Scenario string       `json:"scenario,omitempty"` // empty: all scenarios that both sides have, each compared with itself
	Modes    string       `json:"modes"`
	Metric   model.Metric `json:"metric"`
	Test     string       `json:"test"`
	A        float64      `json:"a"` // the mean; of counts, the share
	B        float64      `json:"b"`
	NA       int          `json:"values_a"` // how many independent values
	NB       int          `json:"values_b"`
	Effect   Effect       `json:"effect"`
	P        float64      `json:"p"`             // the probability that chance does as much
	Sees     float64      `json:"sees,omitzero"` // the least change that it finds in nine of ten cases; infinite, and left out: none

	outcome outcome
}

// MarshalJSON leaves out an infinite Sees, for which JSON has no number.
func (n Number) MarshalJSON() ([]byte, error) {
	type number Number
	if math.IsInf(n.Sees, 0) {
		n.Sees = 0
	}
	return json.Marshal(number(n))
}

// An outcome is what the test of a number shows in either direction, before it is judged among all tests.
type outcome struct {
	worse, better     float64 // p
	least             float64 // the least p that the test can have
	noWorse, noBetter bool
	sees              func(p float64) float64
}

// The tests.
const (
	permutation = "permutation"
	fisher      = "Fisher"
)

// How sure a test has to be.
const (
	falseRate  = 0.01 // at most this share of what is called worse is not worse
	confidence = 0.95 // of "no worse"
)

// Moved reports whether the test shows a difference.
func (n Number) Moved() bool { return n.Effect == Worse || n.Effect == Better || n.Effect == Neutral }

// Beyond reports whether the sides differ by more than the margin, whatever the test shows.
func (n Number) Beyond() bool {
	return n.Metric.Sample.Margin > 0 && math.Abs(n.B-n.A) > n.Metric.Sample.Margin
}

// A sample is what both sides measured of one number in one scenario.
type sample struct {
	scenario string
	stratum  statistics.Stratum
	table    statistics.Table
}

// addNumbers tests what both sides measured, for each scenario that both decided and for all of them together. It leaves out the counts of
// requests of a scenario whose loads differ: they cannot be compared.
func (c *Comparison) addNumbers(names []string, p Pair, a, b view, scope Scope) {
	names = slices.DeleteFunc(ownRecordings(names, a, b),
		func(name string) bool { return len(a.decided(name)) == 0 || len(b.decided(name)) == 0 })
	otherLoad := make(map[string]bool)
	for _, name := range names {
		loads := slices.Concat(a.decided(name), b.decided(name)).loads()
		if len(loads) > 1 {
			if otherLoad[name] = true; c.sameRate() {
				c.note("%s in %s had different loads, %s: how many requests failed, were sent again or lost their reply is not compared.", name, p,
					strings.Join(loads, " and "))
			}
		}
	}
	alone := make(map[[2]string][]string)
	for _, m := range model.ComparedMetrics() {
		var samples []sample
		for _, name := range names {
			if m.Unit == model.InRequests && otherLoad[name] {
				continue
			}
			s, inA, inB := sampleOf(m, name, a.decided(name), b.decided(name), scope.History, c)
			switch {
			case inA && inB:
				samples = append(samples, s)
			case inA:
				alone[[2]string{name, "A"}] = append(alone[[2]string{name, "A"}], m.Title)
			case inB:
				alone[[2]string{name, "B"}] = append(alone[[2]string{name, "B"}], m.Title)
			}
		}
		c.testNumber(m, p, samples, scope)
	}
	for _, name := range names {
		for _, side := range []string{"A", "B"} {
			if titles := alone[[2]string{name, side}]; len(titles) > 0 {
				c.note("%s in %s: measured in %s alone: %s.", name, p, side, strings.Join(titles, "; "))
			}
		}
	}
}

// ownRecordings leaves out all but the first, by name, of scenarios that share a recording, whichever it was recorded for: what it measured
// would count twice.
func ownRecordings(names []string, a, b view) []string {
	shared := make(map[string]bool)
	for _, name := range names {
		for _, s := range slices.Concat(a.scenarios[name], b.scenarios[name]) {
			if s.RecordedFor != "" && slices.Contains(names, s.RecordedFor) {
				shared[max(name, s.RecordedFor)] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return shared[name] })
}

// sampleOf returns the sample of a metric in a scenario, and which sides have values.
func sampleOf(m model.Metric, name string, a, b attempts, h History, c *Comparison) (s sample, inA, inB bool) {
	s.scenario = name
	if m.Sample.Count != nil {
		s.table = statistics.Table{A: a.count(m), B: b.count(m)}
		return s, s.table.A.All > 0, s.table.B.All > 0
	}
	s.stratum = statistics.Stratum{A: a.values(m), B: b.values(m)}
	if !m.Sample.PerTermination() {
		ids := c.all(func(r model.Run) string { return r.ID })
		s.stratum.A = append(s.stratum.A, h.Values(m.Key(), a[0].line.Conditions(), ids)...)
	}
	return s, len(s.stratum.A) > 0, len(s.stratum.B) > 0
}

func (a attempts) values(m model.Metric) (all []float64) {
	for _, s := range a {
		all = append(all, m.Values(s.Scenario)...)
	}
	return all
}

func (a attempts) count(m model.Metric) (n statistics.Count) {
	for _, s := range a {
		if t := m.Sample.Count(s.Scenario); t != nil {
			n.Of, n.All = n.Of+t.Lost, n.All+t.Count
		}
	}
	return n
}

// testNumber tests all samples of a number together, and each alone.
func (c *Comparison) testNumber(m model.Metric, p Pair, samples []sample, scope Scope) {
	together := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool {
		return scope.LeaveOut != nil && scope.LeaveOut(s.scenario, p.B, m.Key())
	})
	if len(together) > 0 {
		c.Numbers = append(c.Numbers, test(m, p, "", together))
	}
	if len(samples) == 1 && len(together) == 1 {
		return
	}
	for _, s := range samples {
		c.Numbers = append(c.Numbers, test(m, p, s.scenario, []sample{s}))
	}
}

func test(m model.Metric, p Pair, scenario string, samples []sample) Number {
	n := Number{Scenario: scenario, Modes: p.String(), Metric: m}
	if m.Sample.Count != nil {
		n.fisher(samples)
	} else {
		n.permutation(samples)
	}
	if m.Direction == model.HigherIsBetter {
		o := &n.outcome
		o.worse, o.better, o.noWorse, o.noBetter = o.better, o.worse, o.noBetter, o.noWorse
	}
	return n
}

func (n *Number) fisher(samples []sample) {
	var tables []statistics.Table
	for _, s := range samples {
		tables = append(tables, s.table)
	}
	f := statistics.Fisher(tables)
	n.Test, n.A, n.B, n.NA, n.NB = fisher, f.A.Share(), f.B.Share(), f.A.All, f.B.All
	n.outcome = outcome{worse: f.Greater, better: f.Less, least: f.Least, sees: f.Sees}
	if margin := n.Metric.Sample.Margin; margin > 0 {
		n.outcome.noWorse = f.UpperDifference(confidence) <= margin
		n.outcome.noBetter = statistics.Shares{A: f.B, B: f.A}.UpperDifference(confidence) <= margin
	}
}

func (n *Number) permutation(samples []sample) {
	var strata []statistics.Stratum
	for _, s := range samples {
		strata = append(strata, s.stratum)
	}
	d := statistics.Permute(strata)
	n.Test, n.A, n.B, n.NA, n.NB = permutation, d.A, d.B, d.NA, d.NB
	n.outcome = outcome{worse: d.Greater, better: d.Less, least: d.Least, sees: d.Sees}
	if margin := n.Metric.Sample.Margin; margin > 0 && d.Least <= 1-confidence {
		n.outcome.noWorse = statistics.Refuted(strata, margin, 1-confidence)
		n.outcome.noBetter = statistics.Refuted(swapped(strata), margin, 1-confidence)
	}
}

func swapped(strata []statistics.Stratum) (all []statistics.Stratum) {
	for _, s := range strata {
		all = append(all, statistics.Stratum{A: s.B, B: s.A})
	}
	return all
}

// judgeNumbers sets the effect of every number by its test among all tests, so that at most 1 % of those called worse are not.
func (c *Comparison) judgeNumbers() {
	var worse, better, neutral []statistics.P
	for _, n := range c.Numbers {
		o := n.outcome
		if n.Metric.Direction == model.Neutral {
			neutral = append(neutral, statistics.P{Value: o.either(), Least: 2 * o.least})
		} else {
			worse = append(worse, statistics.P{Value: o.worse, Least: o.least})
			better = append(better, statistics.P{Value: o.better, Least: o.least})
		}
	}
	atWorse, atBetter := statistics.Threshold(worse, falseRate), statistics.Threshold(better, falseRate)
	atNeutral := statistics.Threshold(neutral, falseRate)
	for i := range c.Numbers {
		n := &c.Numbers[i]
		o := n.outcome
		n.Effect, n.P, n.Sees = CannotTell, o.worse, o.sees(atWorse)
		switch {
		case n.Metric.Direction == model.Neutral:
			n.P, n.Sees = o.either(), o.sees(atNeutral/2)
			if n.P <= atNeutral {
				n.Effect = Neutral
			}
		case o.worse <= atWorse && !o.noWorse:
			n.Effect = Worse
		case o.better <= atBetter && !o.noBetter:
			n.Effect, n.P, n.Sees = Better, o.better, o.sees(atBetter)
		case o.noWorse:
			n.Effect = NoWorse
		}
	}
}

// either returns p of a difference in any direction.
func (o outcome) either() float64 { return min(1, 2*min(o.worse, o.better)) }

// String returns, for example, "rule lag, median: 612 ms in the baseline, 1.23 s in the candidate; p 0.0001 by permutation of 30 and 28".
func (n Number) String() string {
	return fmt.Sprintf("%s: %s in the baseline, %s in the candidate; p %.2g by %s of %d and %d", n.Metric.Title,
		n.text(n.A, n.NA), n.text(n.B, n.NB), n.P, n.Test, n.NA, n.NB)
}

// text formats a value of a side for people.
func (n Number) text(x float64, of int) string {
	if n.Metric.Sample.Count != nil {
		return fmt.Sprintf("%.0f of %d", x*float64(of), of)
	}
	return n.Metric.Unit.Text(x)
}

// sees formats the least change that the test would have found; of counts, Sees is B's share.
func (n Number) sees() string {
	if n.Metric.Sample.Count != nil && !math.IsInf(n.Sees, 0) {
		return n.change(n.Sees - n.A)
	}
	return n.change(n.Sees)
}

// margin formats the margin within which a number is no worse; empty without one.
func (n Number) margin() string {
	switch margin := n.Metric.Sample.Margin; {
	case margin == 0:
		return ""
	case n.Metric.Sample.Count != nil:
		return fmt.Sprintf("%.0f%%", 100*margin)
	default:
		return n.Metric.Unit.Text(margin)
	}
}

// change formats a difference with its sign; of counts, in percent of all.
func (n Number) change(x float64) string {
	x = math.Round(x*1e6)/1e6 + 0 // sums of the same in another order differ by less; and no -0
	switch {
	case math.IsInf(x, 0):
		return "none"
	case n.Metric.Sample.Count != nil:
		return fmt.Sprintf("%+.1f%%", 100*x)
	case x < 0:
		return "-" + n.Metric.Unit.Text(-x)
	default:
		return "+" + n.Metric.Unit.Text(x)
	}
}
