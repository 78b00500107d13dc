package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
)

// A Claim is the outcome of a seed claim, or of a part of one, by the expectations of a scenario that decide it.
type Claim struct {
	ID          string       `json:"id"` // such as "C5" or, of a part, "C5.before"
	Outcome     Outcome      `json:"outcome"`
	Rules       []string     `json:"rules,omitzero"`       // the rules that decided it; empty: it was not decided
	Evidence    EvidenceKind `json:"evidence,omitzero"`    // the weakest evidence of these rules
	Because     string       `json:"because,omitzero"`     // why it was not decided, or what failed
	Measured    []string     `json:"measured,omitzero"`    // what each finding that decided it says, if all of them hold
	Stretch     int          `json:"stretch,omitzero"`     // how many times as long its times are; above 1 it is undecided; 0: it has none
	Falsifiable bool         `json:"falsifiable,omitzero"` // one of these rules could have failed: preconditions alone show nothing
}

// claimsOf judges the claims that the findings decide, in the order in which they first appear. A claim holds if every rule that
// decides it holds. A rule for other modes or versions only counts if no other rule decides the claim.
func claimsOf(findings []Finding) []Claim {
	var claims []Claim
	for _, f := range findings {
		for _, id := range f.Decides {
			if !slices.ContainsFunc(claims, func(c Claim) bool { return c.ID == id }) {
				claims = append(claims, claimOf(id, findings))
			}
		}
	}
	return claims
}

func claimOf(id string, findings []Finding) Claim {
	of := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !slices.Contains(f.Decides, id) })
	if here := slices.DeleteFunc(slices.Clone(of), func(f Finding) bool { return f.OtherMode }); len(here) > 0 {
		of = here
	}
	c := Claim{ID: id}
	for _, f := range of {
		c.Stretch = max(c.Stretch, f.Stretch)
	}
	if c.Stretch > 1 {
		c.Because = fmt.Sprintf("the times of the scenario's pods are %d times as long here as it says, and the claim is about these times", c.Stretch)
		return c
	}
	of = decisive(of)
	c.Outcome = of[0].Outcome
	switch c.Outcome {
	case Inconclusive, Skipped:
		c.Because = fmt.Sprintf("%s was %s: %s", of[0].Rule, c.Outcome, of[0].Because)
		return c
	case Fail:
		c.Because = of[0].Because
	case Pass:
	}
	for _, f := range of {
		if !slices.Contains(c.Rules, f.Rule) {
			c.Rules = append(c.Rules, f.Rule)
		}
		if c.Evidence == "" || f.Evidence.Weaker(c.Evidence) {
			c.Evidence = f.Evidence
		}
		c.Falsifiable = c.Falsifiable || !f.Precondition
		if c.Outcome == Pass && !slices.Contains(c.Measured, f.Headline) {
			c.Measured = append(c.Measured, f.Headline)
		}
	}
	return c
}

// decisive returns the findings that decide the outcome of all, of at least one: those that failed, else those that are
// inconclusive, else those that are skipped.
func decisive(findings []Finding) []Finding {
	for _, outcome := range []Outcome{Fail, Inconclusive, Skipped} {
		of := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Outcome != outcome })
		if len(of) > 0 {
			return of
		}
	}
	return findings
}

// withClaims fills in the claims of a verdict. A scenario that leaves one of them undecided does not pass: it is skipped if the
// rule is not for this cluster, and inconclusive if the rule could not tell. That the times are longer here than a claim says is no
// reason: the scenario shows what it says of the longer ones.
func withClaims(v Verdict) Verdict {
	v.Claims = claimsOf(v.Findings)
	nothing := v.Outcome == Inconclusive && !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Outcome != Skipped })
	if v.Outcome != Pass && !nothing || v.Distrusted {
		return v
	}
	var ids []string
	because := "" // why the first of them was not decided
	for _, c := range v.Claims {
		if len(c.Rules) == 0 && c.Stretch <= 1 {
			ids, because = append(ids, c.ID), cmp.Or(because, c.Because)
		}
	}
	if len(ids) == 0 {
		return v.withSkipped()
	}
	v.Outcome, v.Facts = Skipped, []Detail{{"not decided", strings.Join(ids, ", ")}}
	v.Because = fmt.Sprintf("%s not decided: %s", strings.Join(ids, " and "), because)
	v.Headline = phrase.Headline(v.Because)
	return v
}

// withSkipped adds to a pass which rules were not judged because the cluster lacks something.
func (v Verdict) withSkipped() Verdict {
	var names []string
	because, read := "", false // read: a finding rests on node rules
	for _, f := range v.Findings {
		read = read || f.Evidence == NodeRules
		if f.Outcome == Skipped && !f.OtherMode {
			names, because = append(names, f.Rule), f.Because
		}
	}
	if len(names) == 0 || v.Outcome != Pass {
		return v
	}
	not := strings.Join(slices.Compact(names), ", ")
	v.Facts = append(v.Facts, Detail{"not judged", not})
	v.Because += fmt.Sprintf("; not judged: %s, for %s", not, because)
	if !read {
		v.Headline = phrase.Headline(v.Headline+"; no node's rules were read", v.Headline)
	}
	return v
}
