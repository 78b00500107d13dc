package model

import "example.com/rollcall/harness/verdict"

// A Claim is what a run shows of a seed claim in one mode, by the deciding rules of all scenarios that cover it.
type Claim struct {
	ID        string               `json:"id"`
	Mode      string               `json:"mode"`
	Outcome   ClaimOutcome         `json:"outcome"`
	Truth     string               `json:"truth,omitempty"`    // what was shown instead, where the outcome is refuted
	Measured  []string             `json:"measured,omitempty"` // the same in numbers of this run
	DecidedBy []Decision           `json:"decided_by"`         // empty: it was not decided
	Evidence  verdict.EvidenceKind `json:"evidence,omitempty"` // the weakest kind that a deciding rule rests on
	Because   string               `json:"because,omitempty"`  // what was not shown and why, or what failed
	Stretch   int                  `json:"stretch,omitempty"`  // how many times as long its times are here, where it is about times
	Parts     []ClaimPart          `json:"parts,omitempty"`    // of a claim whose sentence has several: it holds if all of them do
}

// A ClaimPart is what a run shows of one part of a seed claim.
type ClaimPart struct {
	ID        string       `json:"id"` // such as "C5.before"
	Outcome   ClaimOutcome `json:"outcome"`
	DecidedBy []Decision   `json:"decided_by"` // empty: it was not decided
	Because   string       `json:"because,omitempty"`

	Evidence verdict.EvidenceKind `json:"-"` // the weakest kind that a deciding rule rests on
	Measured []string             `json:"-"` // what the deciding rules found, where all hold
	Stretch  int                  `json:"-"` // as for the claim
}

// A ClaimOutcome is what became of a claim.
type ClaimOutcome string

// What becomes of claims, the worst first.
const (
	Violated ClaimOutcome = "violated"  // it, or what is true instead of it, did not hold on this cluster
	NotShown ClaimOutcome = "not-shown" // no rule that could have failed decided all of it
	Skipped  ClaimOutcome = "skipped"   // what decides it is not for this cluster, or did not run
	Refuted  ClaimOutcome = "refuted"   // the article's sentence is false, and what is true instead was shown
	Holds    ClaimOutcome = "holds"
)

// ClaimOutcomes lists all outcomes of claims, the worst first.
func ClaimOutcomes() []ClaimOutcome {
	return []ClaimOutcome{Violated, NotShown, Skipped, Refuted, Holds}
}

// Shown reports whether all of the claim was decided, and as expected.
func (o ClaimOutcome) Shown() bool { return o == Holds || o == Refuted }

// A Decision is a rule of a scenario that decided a claim.
type Decision struct {
	Scenario string `json:"scenario"` // with its suite
	Rule     string `json:"rule"`
}
