package page

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/inspect"
)

// A pod is one row of the timeline: when a pod came into which phase, and when nodes stopped routing to it.
type pod struct {
	Name    string     `json:"name"`
	Version string     `json:"version"`
	Node    string     `json:"node"`
	Steps   []step     `json:"steps"` // by time
	Rules   []ruleGone `json:"rules"` // by time

	life inspect.Life
}

// A step is a moment, in microseconds, from which a pod was in a phase.
type step struct {
	At    int64  `json:"at"`
	Phase int    `json:"phase"` // a timeline.PodPhase
	Name  string `json:"-"`
}

// A ruleGone is the moment, in microseconds, at which a node's rules stopped routing to a pod.
type ruleGone struct {
	At   int64  `json:"at"`
	Node string `json:"node"`
}

// podsOf lists the lives of pods as rows.
func podsOf(tl timeline.Timeline) []pod {
	var pods []pod
	for _, life := range inspect.Lives(tl) {
		row := pod{Name: life.Pod.Pod, Version: life.Version, Node: life.Node, Rules: []ruleGone{}, life: life}
		for _, s := range life.Steps {
			row.Steps = append(row.Steps, step{s.At.Microseconds(), int(s.Phase), s.Phase.String()})
		}
		for _, e := range life.All(evidence.RuleGone) {
			row.Rules = append(row.Rules, ruleGone{e.At.Microseconds(), e.Object})
		}
		pods = append(pods, row)
	}
	return pods
}

// When returns a cell for each of the columns of the table of pods.
func (p pod) When() []string { return p.life.When(phrase.Seconds) }

// Short returns a pod's name without what it shares with others of its ReplicaSet.
func (p pod) Short() string { return inspect.Short(p.Name) }
