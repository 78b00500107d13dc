package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A Comparison is how the runs of side B differ from those of side A.
type Comparison struct {
	A        []model.Run     `json:"a"`
	B        []model.Run     `json:"b"`
	Missing  []string        `json:"missing,omitempty"` // what was missing from the runs, a sentence each
	Notes    []string        `json:"notes,omitempty"`   // what was not compared, and why
	Clusters []ClusterChange `json:"clusters,omitempty"`
	Outcomes []OutcomeChange `json:"outcomes,omitempty"`
	New      []OutcomeChange `json:"new,omitempty"`     // only B has them
	Gone     []OutcomeChange `json:"gone,omitempty"`    // only A has them
	Numbers  []Number        `json:"numbers,omitempty"` // one for every test
	Compared int             `json:"compared"`          // scenarios that both have

	pairs []Pair // that were compared
}

// A ClusterChange is a fact about the clusters that differs.
type ClusterChange struct {
	Modes string `json:"modes"`
	What  string `json:"what"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// An OutcomeChange is a scenario whose outcome differs.
type OutcomeChange struct {
	Scenario string           `json:"scenario"`
	Modes    string           `json:"modes"`
	A        *verdict.Outcome `json:"a,omitempty"` // absent: A does not have the scenario
	B        *verdict.Outcome `json:"b,omitempty"` // absent: B does not have it
	BecauseA string           `json:"because_a,omitempty"`
	BecauseB string           `json:"because_b,omitempty"`
	Effect   Effect           `json:"effect"`
}

// An Effect is what a change means for clients.
type Effect string

// The effects. A neutral change is neither worse nor better: less is known, or more, or it is about the machine.
const (
	Worse      Effect = "worse"
	Better     Effect = "better"
	NoWorse    Effect = "no worse"    // within the margin
	CannotTell Effect = "cannot tell" // nothing was shown: neither a difference nor that there is none
	Neutral    Effect = "other"
)

// Scope says what is compared, and with what.
type Scope struct {
	Pairs    []Pair                                   // of modes; none: every mode that both sides have
	History  History                                  // earlier runs, which count as further ones of side A; may be empty
	LeaveOut func(scenario, mode, number string) bool // what the tests of a mode as a whole leave out; nil: nothing
}

// Worse reports whether an outcome or a number got worse.
func (c Comparison) Worse() bool {
	return slices.ContainsFunc(c.Outcomes, func(o OutcomeChange) bool { return o.Effect == Worse }) ||
		slices.ContainsFunc(c.Numbers, func(n Number) bool { return n.Effect == Worse })
}

// Compare compares each mode of a with the mode of b that it is paired with. The error, one line, says that the runs have nothing to
// compare.
func Compare(a, b Runs, scope Scope) (Comparison, error) {
	c := Comparison{A: a.runs(), B: b.runs()}
	c.noteSides(a, b)
	c.noteRates()
	pairs, modesA, modesB := scope.Pairs, a.Modes(), b.Modes()
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
	c.pairs = pairs
	for _, p := range pairs {
		if !slices.Contains(modesA, p.A) || !slices.Contains(modesB, p.B) {
			return c, fmt.Errorf("--modes=%s:%s: A has %s and B has %s: name one of each", p.A, p.B,
				cmp.Or(strings.Join(modesA, ", "), "none"), cmp.Or(strings.Join(modesB, ", "), "none"))
		}
		c.add(p, a.in(p.A), b.in(p.B), scope)
	}
	c.judgeNumbers()
	c.noteProfiles()
	if c.Compared == 0 {
		return c,
			fmt.Errorf("runs %s (%s) and %s (%s): they have no scenario and mode in common: to compare two modes: --modes=iptables:nftables",
				strings.Join(a.IDs(), ","), strings.Join(modesA, ", "), strings.Join(b.IDs(), ","), strings.Join(modesB, ", "))
	}
	return c, nil
}

func (c *Comparison) note(form string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(form, args...))
}

func (c *Comparison) noteSides(a, b Runs) {
	for _, of := range []struct {
		name string
		runs Runs
	}{{"A", a}, {"B", b}} {
		for _, side := range of.runs {
			name := of.name
			if len(of.runs) > 1 {
				name += ", run " + side.Report.Run.ID
			}
			for _, note := range side.Notes {
				c.Missing = append(c.Missing, fmt.Sprintf("%s: %s.", name, note))
			}
		}
	}
	if versions := c.all(func(r model.Run) string { return r.Version }); len(versions) > 1 {
		c.note("They were recorded by %d builds of Rollcall, %s, in which a scenario may not do the same.", len(versions),
			strings.Join(versions, " and "))
	}
}

// all returns the different values that the runs of both sides have.
func (c *Comparison) all(of func(model.Run) string) []string {
	return model.Distinct(slices.Concat(c.A, c.B), of)
}

func (c *Comparison) noteRates() {
	if !c.sameRate() {
		c.note("They sent %s: how many failed, were sent again or lost their reply is compared where the load was the same.",
			strings.Join(c.all(rateText), " and "))
	}
}

// noteProfiles notes that the runs had different profiles. What one side alone has is then neither gone nor new, because the other may not
// have been meant to run it: it is only counted.
func (c *Comparison) noteProfiles() {
	if a, b := c.A[0].ProfileName(), c.B[0].ProfileName(); a != b {
		c.note("A ran profile %s and B profile %s: what one side alone has is not compared: %s of A, %d of B. --profile=%s runs all in both.", a, b,
			phrase.Count(len(c.Gone), "scenario"), len(c.New), model.FullProfile)
		c.Gone, c.New = nil, nil
	}
}

func (c *Comparison) add(p Pair, a, b view, scope Scope) {
	c.addClusters(p, a, b)
	for _, name := range slices.Sorted(maps.Keys(a.scenarios)) {
		if _, both := b.scenarios[name]; !both {
			was := a.scenarios[name].worst()
			c.Gone = append(c.Gone, OutcomeChange{Scenario: name, Modes: p.A, A: new(was.Outcome), BecauseA: was.Brief(), Effect: Neutral})
		}
	}
	var both []string
	for _, name := range slices.Sorted(maps.Keys(b.scenarios)) {
		is := b.scenarios[name].worst()
		if _, inA := a.scenarios[name]; !inA {
			c.New = append(c.New, OutcomeChange{Scenario: name, Modes: p.B, B: new(is.Outcome), BecauseB: is.Brief(), Effect: Neutral})
			continue
		}
		was := a.scenarios[name].worst()
		c.Compared++
		if was.Outcome != is.Outcome {
			c.Outcomes = append(c.Outcomes,
				OutcomeChange{name, p.String(), new(was.Outcome), new(is.Outcome), was.Brief(), is.Brief(), effectOf(was.Outcome, is.Outcome)})
		}
		both = append(both, name)
	}
	c.addNumbers(both, p, a, b, scope)
}

// effectOf returns the effect of a change of outcome: a fail is the worst outcome, and a pass the best.
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
	for _, fact := range []struct {
		what string
		of   func(evidence.Cluster) string
	}{
		{"kube-proxy mode", func(c evidence.Cluster) string { return c.Mode }},
		{"provider", func(c evidence.Cluster) string { return c.Provider }},
		{"Kubernetes", func(c evidence.Cluster) string { return c.Kubernetes }},
		{"kernel", func(c evidence.Cluster) string { return c.Kernel }},
		{"CNI", func(c evidence.Cluster) string { return c.CNI }},
		{"nodes", func(c evidence.Cluster) string { return fmt.Sprint(c.Nodes) }},
	} {
		if was, is := a.fact(fact.of), b.fact(fact.of); was != is {
			c.Clusters = append(c.Clusters, ClusterChange{p.String(), fact.what, was, is})
		}
	}
}

// sameRate reports whether the runs sent at the same rate, as far as that is known.
func (c *Comparison) sameRate() bool {
	rates := c.all(func(r model.Run) string { return fmt.Sprint(r.Rate) })
	return len(rates) == 1 || slices.Contains(rates, "0")
}

func rateText(r model.Run) string {
	return fmt.Sprintf("at most %d requests per second and lane", r.Rate)
}
