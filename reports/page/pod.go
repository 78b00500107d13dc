package page

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A pod is one row of the timeline: when a pod came into which phase, and when nodes stopped routing to it.
type pod struct {
	Name    string     `json:"name"`
	Version string     `json:"version"`
	Node    string     `json:"node"`
	Steps   []step     `json:"steps"` // by time
	Rules   []ruleGone `json:"rules"` // by time

	moments map[evidence.EventKind][]time.Duration
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

// podsOf lists the pods that were seen, by version, in the order in which they came. It leaves out pods that are not rolled out and never
// were behind the Service, such as the targets of control lanes.
func podsOf(tl timeline.Timeline) []pod {
	events := map[string][]evidence.Event{} // by pod
	for _, e := range tl.Events {
		events[e.By.Pod] = append(events[e.By.Pod], e)
	}
	var pods []pod
	for _, p := range tl.Pods {
		rolled := p.Version == tl.Old || p.Version == tl.New
		behind := func(e evidence.Event) bool { return e.Kind == evidence.EndpointReady || e.Kind == evidence.RuleAdded }
		if len(p.Steps) == 0 || !rolled && !slices.ContainsFunc(events[p.Pod], behind) {
			continue
		}
		row := pod{Name: p.Pod, Version: p.Version, Node: p.Node, Rules: []ruleGone{}, moments: map[evidence.EventKind][]time.Duration{}}
		for _, s := range p.Steps {
			row.Steps = append(row.Steps, step{s.At.Microseconds(), int(s.Phase), s.Phase.String()})
		}
		for _, e := range events[p.Pod] {
			row.moments[e.Kind] = append(row.moments[e.Kind], e.At)
			if e.Kind == evidence.RuleGone {
				row.Rules = append(row.Rules, ruleGone{e.At.Microseconds(), e.Object})
			}
		}
		pods = append(pods, row)
	}
	order := byAge(tl)
	slices.SortStableFunc(pods, func(a, b pod) int {
		return cmp.Or(order(a.Version, b.Version), cmp.Compare(a.Steps[0].At, b.Steps[0].At), cmp.Compare(a.Name, b.Name))
	})
	return pods
}

// podColumns has the columns of the table of pods that come after the pod itself.
var podColumns = []struct {
	Title string
	kinds []evidence.EventKind
}{
	{"ready", []evidence.EventKind{evidence.PodReady}},
	{"deletion seen", []evidence.EventKind{evidence.PodDeleting}},
	{"endpoint not ready", []evidence.EventKind{evidence.EndpointNotReady, evidence.EndpointGone}},
	{"rules gone", []evidence.EventKind{evidence.RuleGone}},
	{"SIGTERM", []evidence.EventKind{evidence.PodSigterm}},
	{"exited", []evidence.EventKind{evidence.PodExited, evidence.PodKilled}},
	{"gone", []evidence.EventKind{evidence.PodGone}},
}

// When returns a cell for each of the columns: the first time of the first of its kinds that happened, and how many times more; for rules,
// the first and the last node's time.
func (p pod) When() []string {
	cells := make([]string, len(podColumns))
	for i, column := range podColumns {
		for _, kind := range column.kinds {
			at := p.moments[kind]
			switch {
			case len(at) == 0:
				continue
			case kind == evidence.RuleGone && len(at) > 1:
				cells[i] = phrase.Seconds(at[0]) + " to " + phrase.Seconds(at[len(at)-1])
			case len(at) > 1:
				cells[i] = phrase.Seconds(at[0]) + " and " + phrase.Count(len(at)-1, "time") + " more"
			default:
				cells[i] = phrase.Seconds(at[0])
			}
			break
		}
	}
	return cells
}

// Short returns a pod's name without what it shares with others of its ReplicaSet.
func (p pod) Short() string { return p.Name[strings.LastIndexByte(p.Name, '-')+1:] }
