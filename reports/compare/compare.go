package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
	"rollcall/reports/metric"
	"rollcall/reports/model"
	"rollcall/reports/trend"
)

// A Comparison is what run B says otherwise than run A.
type Comparison struct {
	A, B     model.Run
	Missing  []string // what of the two runs could not be had, a sentence each
	Notes    []string // what was not compared, and why
	Clusters []ClusterChange
	Outcomes []OutcomeChange
	New      []OutcomeChange // only B has them
	Gone     []OutcomeChange // only A has them
	Numbers  []NumberChange
	Compared int // scenarios that both have
	Measured int // numbers that were compared
}

// A ClusterChange is a fact of the clusters that is not the same.
type ClusterChange struct{ Modes, What, A, B string }

// An OutcomeChange is a scenario with another outcome.
type OutcomeChange struct {
	Scenario, Modes    string
	A, B               verdict.Outcome
	BecauseA, BecauseB string
	Effect             Effect
}

// A NumberChange is a number that differs by more than two runs of the same do.
type NumberChange struct {
	Scenario, Modes string
	Metric          metric.Metric
	A, B            float64
	metric.Difference
	Effect Effect
}

// An Effect is what a change is to clients.
type Effect string

// The effects. Neutral is what is neither: less is known, or more, or it is about the machine.
const (
	Worse   Effect = "worse"
	Better  Effect = "better"
	Neutral Effect = "other"
)

// Worse says whether an outcome or a number got worse.
func (c Comparison) Worse() bool {
	return slices.ContainsFunc(c.Outcomes, func(o OutcomeChange) bool { return o.Effect == Worse }) ||
		slices.ContainsFunc(c.Numbers, func(m NumberChange) bool { return m.Effect == Worse })
}

// Changed says whether there is anything to tell.
func (c Comparison) Changed() bool {
	return len(c.Clusters)+len(c.Outcomes)+len(c.New)+len(c.Gone)+len(c.Numbers) > 0
}

// Compare compares each mode of a with that of b it is paired with; without pairs, every mode that both have. The
// error, one line, is for runs that have nothing to compare. The history may be empty.
func Compare(a, b Side, pairs []Pair, history trend.History) (Comparison, error) {
	c := Comparison{A: a.Report.Run, B: b.Report.Run}
	c.noteSides(a, b)
	switch a, b := paceText(c.A), paceText(c.B); {
	case !c.samePace():
		c.note("They went at different paces, %s and %s: of the numbers only counts of pods are compared.", a, b)
	case !c.sameRate():
		c.note("A sent %s, B %s: how many failed, were sent again or lost their reply is compared where the load was the same.", a, b)
	}
	modesA, modesB := a.Modes(), b.Modes()
	if len(pairs) == 0 {
		for _, mode := range modesA {
			if slices.Contains(modesB, mode) {
				pairs = append(pairs, Pair{mode, mode})
			} else {
				c.note("Mode %s is only in A, and is not compared.", mode)
			}
		}
		for _, mode := range modesB {
			if !slices.Contains(modesA, mode) {
				c.note("Mode %s is only in B, and is not compared.", mode)
			}
		}
	}
	for _, p := range pairs {
		if !slices.Contains(modesA, p.A) || !slices.Contains(modesB, p.B) {
			return c, fmt.Errorf("compare: modes %s: A has %v and B has %v: name one of each", p, modesA, modesB)
		}
		c.add(p, a.in(p.A), b.in(p.B), history)
	}
	c.noteProfiles()
	if c.Compared == 0 {
		return c,
			fmt.Errorf("compare: runs %s, with modes %v, and %s, with %v, have no scenario and mode in common: to compare two modes: --modes iptables:nftables",
				a.Report.Run.ID, modesA, b.Report.Run.ID, modesB)
	}
	return c, nil
}

func (c *Comparison) note(form string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(form, args...))
}

func (c *Comparison) noteSides(a, b Side) {
	for _, side := range []struct {
		name  string
		notes []string
	}{{"A", a.Notes}, {"B", b.Notes}} {
		for _, note := range side.notes {
			c.Missing = append(c.Missing, fmt.Sprintf("%s: %s.", side.name, note))
		}
	}
	if c.A.Version != c.B.Version {
		c.note("They were recorded by two builds of Rollcall, %s and %s, in which a scenario may not do the same.", c.A.Version, c.B.Version)
	}
}

func (c *Comparison) add(p Pair, a, b view, history trend.History) {
	c.addClusters(p, a, b)
	for _, name := range slices.Sorted(maps.Keys(a.scenarios)) {
		if _, both := b.scenarios[name]; !both {
			was := a.scenarios[name]
			c.Gone = append(c.Gone, OutcomeChange{Scenario: name, Modes: p.A, A: was.Outcome, BecauseA: was.Because, Effect: Neutral})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.scenarios)) {
		was, both := a.scenarios[name]
		is := b.scenarios[name]
		if !both {
			c.New = append(c.New, OutcomeChange{Scenario: name, Modes: p.B, B: is.Outcome, BecauseB: is.Because, Effect: Neutral})
			continue
		}
		c.Compared++
		if was.Outcome != is.Outcome {
			c.Outcomes = append(c.Outcomes,
				OutcomeChange{name, p.String(), was.Outcome, is.Outcome, was.Because, is.Because, effectOf(was.Outcome, is.Outcome)})
		}
		if was.Decided() && is.Decided() {
			c.addNumbers(name, p, a, b, history)
		}
	}
}

// effectOf an outcome: a fail is worse than whatever is none, and what passed was best.
func effectOf(was, is verdict.Outcome) Effect {
	switch {
	case is == verdict.Fail || was == verdict.Pass && is == verdict.Inconclusive:
		return Worse
	case is == verdict.Pass && was != verdict.Skipped:
		return Better
	default:
		return Neutral
	}
}

func (c *Comparison) addClusters(p Pair, a, b view) {
	for _, fact := range []struct{ what, a, b string }{
		{"kube-proxy mode", a.cluster.Mode, b.cluster.Mode},
		{"provider", a.cluster.Provider, b.cluster.Provider},
		{"Kubernetes", a.cluster.Kubernetes, b.cluster.Kubernetes},
		{"kernel", a.cluster.Kernel, b.cluster.Kernel},
		{"CNI", a.cluster.CNI, b.cluster.CNI},
		{"nodes", fmt.Sprint(a.cluster.Nodes), fmt.Sprint(b.cluster.Nodes)},
	} {
		if fact.a != fact.b {
			c.Clusters = append(c.Clusters, ClusterChange{p.String(), fact.what, fact.a, fact.b})
		}
	}
}

// addNumbers compares what both measured. Requests that were not sent cannot be compared with some that were: with
// another load, counts of them are left out.
func (c *Comparison) addNumbers(name string, p Pair, a, b view, history trend.History) {
	lineA, lineB := a.lines[name], b.lines[name]
	sameLoad := lineA.Load == lineB.Load
	if !sameLoad && c.samePace() && c.sameRate() {
		c.note("%s in %s had another load, %s and then %s: how many requests failed, were sent again or lost their reply is not compared.",
			name, p, orNone(lineA.Load), orNone(lineB.Load))
	}
	was, is := metric.ComparedOf(a.scenarios[name]), metric.ComparedOf(b.scenarios[name])
	baselineA, baselineB := history.Baselines(lineA.Conditions(), c.A.ID, c.B.ID), history.Baselines(lineB.Conditions(), c.A.ID, c.B.ID)
	changed := len(a.scenarios[name].ClusterChanges)+len(b.scenarios[name].ClusterChanges) > 0
	var onlyA, onlyB, unknown []string
	for _, n := range metric.Compared() {
		key := n.Key()
		valueA, inA := was[key]
		valueB, inB := is[key]
		switch {
		case n.Unit == metric.Requests && !sameLoad, n.Unit != metric.Pods && !c.samePace():
			continue
		case inA && inB && !baselineA[key].EnoughAlone() && !baselineB[key].EnoughAlone() &&
			(!n.ToleranceKnown(was, changed) || !n.ToleranceKnown(is, changed)):
			unknown = append(unknown, n.Title)
			continue
		case !inA || !inB:
			if inA {
				onlyA = append(onlyA, n.Title)
			} else if inB {
				onlyB = append(onlyB, n.Title)
			}
			continue
		}
		c.Measured++
		d := n.Compare(valueA, valueB, baselineA[key], baselineB[key])
		if !d.Significant {
			continue
		}
		effect := Neutral
		switch {
		case n.Direction.Worse(valueA.Value, valueB.Value):
			effect = Worse
		case n.Direction.Worse(valueB.Value, valueA.Value):
			effect = Better
		}
		c.Numbers = append(c.Numbers, NumberChange{name, p.String(), n, valueA.Value, valueB.Value, d, effect})
	}
	if len(unknown) > 0 {
		c.note("%s in %s: by how much two runs of it differ only a history of 10 of them tells; not compared: %s.", name, p,
			strings.Join(unknown, "; "))
	}
	for _, alone := range []struct {
		side  string
		names []string
	}{{"A", onlyA}, {"B", onlyB}} {
		if len(alone.names) > 0 {
			c.note("%s in %s: measured in %s alone: %s.", name, p, alone.side, strings.Join(alone.names, "; "))
		}
	}
}

// samePace says whether times of the two runs can be compared.
func (c *Comparison) samePace() bool { return paceOf(c.A) == paceOf(c.B) }

// sameRate says whether the two runs sent as often, as far as both know.
func (c *Comparison) sameRate() bool { return c.A.Rate == c.B.Rate || c.A.Rate == 0 || c.B.Rate == 0 }

func paceText(r model.Run) string {
	if r.Rate > 0 {
		return fmt.Sprintf("at most %d requests per second and lane", r.Rate)
	}
	return string(paceOf(r))
}

func paceOf(r model.Run) evidence.Pace { return cmp.Or(r.Pace, evidence.NormalPace) }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
