package evidence

import "fmt"

// A Bug is a defect of Kubernetes that a scenario shows where a cluster has it.
type Bug struct {
	Issue     int        `json:"issue"`           // its number in github.com/kubernetes/kubernetes
	Component string     `json:"component"`       // program that has it, such as "kube-proxy"
	Modes     []string   `json:"modes,omitempty"` // of kube-proxy in which it shows; empty: all
	Affected  []Releases `json:"affected"`        // those of the component that are known to have it
	Fixed     string     `json:"fixed"`           // first release after the last one that has it, such as "1.37.0"
	// Rule and Fact are of the expectation that fails by the bug's mechanism, not by what clients lose for it.
	Rule string `json:"rule"`
	Fact string `json:"fact,omitempty"`
}

// Releases are those from one on and before another, such as "1.35.0" and "1.36.0"; an empty one is no limit.
type Releases struct {
	Since  string `json:"since,omitempty"`
	Before string `json:"before,omitempty"`
	// Setting is the change of the cluster with which alone they have the bug, by its words; empty: they have it as they are.
	Setting string `json:"setting,omitempty"`
}

// Name is as Kubernetes' developers write it, such as "k/k#139515".
func (b Bug) Name() string { return fmt.Sprintf("k/k#%d", b.Issue) }

// URL is where it is discussed.
func (b Bug) URL() string {
	return fmt.Sprintf("https://github.com/kubernetes/kubernetes/issues/%d", b.Issue)
}
