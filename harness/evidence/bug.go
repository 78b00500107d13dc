package evidence

import "fmt"

// A Bug is a defect of Kubernetes that a scenario shows where a cluster has it.
type Bug struct {
	Issue     int        `json:"issue"`           // number in github.com/kubernetes/kubernetes
	Component string     `json:"component"`       // the program with the bug, such as "kube-proxy"
	Modes     []string   `json:"modes,omitempty"` // modes of kube-proxy in which it shows; empty: all
	Affected  []Releases `json:"affected"`        // releases of the component that are known to have it
	Fixed     string     `json:"fixed"`           // first release after all that have it, such as "1.37.0"
	// Rule and Fact name the expectation that fails by the bug's mechanism, not because clients lose requests.
	Rule string `json:"rule"`
	Fact string `json:"fact,omitempty"`
}

// Releases is a range of releases: from Since on, and before Before, such as "1.35.0" and "1.36.0". An empty end is not a limit.
type Releases struct {
	Since  string `json:"since,omitempty"`
	Before string `json:"before,omitempty"`
	// Setting is the text of the change of the cluster without which these releases do not have the bug; empty: they need none.
	Setting string `json:"setting,omitempty"`
}

// Name returns the bug's name as Kubernetes' developers write it, such as "k/k#139515".
func (b Bug) Name() string { return fmt.Sprintf("k/k#%d", b.Issue) }

// URL returns the address of the issue.
func (b Bug) URL() string {
	return fmt.Sprintf("https://github.com/kubernetes/kubernetes/issues/%d", b.Issue)
}
