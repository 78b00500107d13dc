// Package regressions asks for what Kubernetes once did right, or promises, and some of its releases do not: each scenario says what is
// right, and which bug it shows where that fails. README.md has what was seen of each on releases with and without it.
package regressions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/nodeimage"
	"rollcall/harness/verdict"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(
		[]harness.Scenario{
			longServiceName(), udpWithoutEndpoints(), udpTargetPort(), reusedAddress(), execProbe(), kubeletRestart(), sidecar(), parallelSet(),
			storedRevision(), onDelete(), setAvailable(),
		},
		environments(),
	)
}

// Components that have the bugs.
const (
	kubelet           = string(nodeimage.Kubelet)
	kubeProxy         = string(nodeimage.KubeProxy)
	controllerManager = string(nodeimage.ControllerManager)
)

// byFact is the bug, shown by a fact that is not what it should be.
func byFact(name string, bug evidence.Bug) *evidence.Bug { return shownBy(verdict.Fact(name), bug) }

// shownBy is the bug, shown by what an expectation is about.
func shownBy(x evidence.Expectation, bug evidence.Bug) *evidence.Bug {
	bug.Rule, bug.Fact = x.Rule, x.Fact
	return &bug
}

// all is what is noted of a number of things that are all as they should be.
const all = "all"

// tally is all, or how many of the answers have the outcome and what the others have, such as "3 of 10 refused, 7 timeout".
func tally(answers []harness.Answer, want string) string {
	others := map[string]int{}
	for _, a := range answers {
		if a.Outcome != want {
			others[a.Outcome]++
		}
	}
	if len(others) == 0 && len(answers) > 0 {
		return all
	}
	missing := 0
	var counts []string
	for _, outcome := range slices.Sorted(maps.Keys(others)) {
		missing += others[outcome]
		counts = append(counts, fmt.Sprintf("%d %s", others[outcome], outcome))
	}
	return strings.Join(append([]string{fmt.Sprintf("%d of %d %s", len(answers)-missing, len(answers), want)}, counts...), ", ")
}

// since are the answers to questions that were sent at a moment or later, by the clock of their node.
func since(answers []harness.Answer, from time.Time) []harness.Answer {
	return slices.DeleteFunc(slices.Clone(answers), func(a harness.Answer) bool { return a.At.Before(from) })
}
