package model

// A FindingState is what load says to a finding of manifests.
type FindingState string

// States of findings.
const (
	FindingConfirmed FindingState = "confirmed" // what it says was seen
	FindingRefuted   FindingState = "refuted"   // what it is about was done under load, and clients lost nothing
	FindingUnseen    FindingState = "not-seen"  // it could not be seen
)

// A TestedFinding is a finding of manifests that were rolled out afterwards, and what that says to it.
type TestedFinding struct {
	Code    string       `json:"code"`
	ID      string       `json:"id"`      // of the advice that the code is of
	Certain bool         `json:"certain"` // it follows from the manifests; false: it is a question
	Object  string       `json:"object"`  // such as Deployment shop/web
	Field   string       `json:"field,omitempty"`
	File    string       `json:"file"`    // as it was named
	Line    int          `json:"line"`    // from 1
	Says    string       `json:"says"`    // what will happen and to whom, a clause
	Rolled  bool         `json:"rolled"`  // it is of the app that was rolled out
	State   FindingState `json:"state"`   // empty before that
	Because string       `json:"because"` // likewise, a clause
}
