package model

// A FindingObject is the object of an app that has to be changed.
type FindingObject string

// The objects of an app.
const (
	OnWorkload FindingObject = "workload"
	OnService  FindingObject = "service"
	OnBudget   FindingObject = "budget"
)

// A Finding is what manifests alone say about a rollout or a drain: a mistake, or a question that only load can answer.
type Finding struct {
	Code    string        `json:"code"`
	ID      string        `json:"id"`      // of the advice that the code is of
	Certain bool          `json:"certain"` // it follows from the manifests; false: it is a question
	On      FindingObject `json:"-"`
	Drains  bool          `json:"-"`               // a question about drains, not rollouts
	Field   string        `json:"field,omitempty"` // of the object, such as spec.strategy; a container is given by its name in brackets
	Says    string        `json:"says"`            // what will happen and to whom, a clause
	Do      string        `json:"do"`              // what to change, a clause; of a question: what load will tell
	Patch   string        `json:"patch,omitempty"` // strategic merge patch that follows it; absent: a manifest cannot
	Shown   string        `json:"shown,omitempty"` // what showed it on a cluster, <suite>/<scenario> or case <name>
	Twin    string        `json:"twin,omitempty"`  // the same without the mistake, which lost nothing
}
