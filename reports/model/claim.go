package model

import "rollcall/harness/verdict"

// A Claim is what a run shows of a seed claim in one mode: over all of its scenarios that cover the claim, by the rules that
// decide it there.
type Claim struct {
	ID        string               `json:"id"`
	Mode      string               `json:"mode"`
	Outcome   verdict.Outcome      `json:"outcome"`
	DecidedBy []Decision           `json:"decided_by"`         // empty: it was not decided
	Evidence  verdict.EvidenceKind `json:"evidence,omitempty"` // the weakest that a deciding rule rests on
	Because   string               `json:"because,omitempty"`  // why it was not decided, or what failed
}

// A Decision is a rule of a scenario that decided a claim.
type Decision struct {
	Scenario string `json:"scenario"` // with its suite
	Rule     string `json:"rule"`
}
