// Package regressions asks for behaviour that Kubernetes once had, or promises, and that some of its releases lack: each scenario
// says what is right, and which bug it shows if it fails. README.md has what was seen on releases with and without each bug.
package regressions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/verdict"
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
	kubelet           = string(kube.Kubelet)
	kubeProxy         = string(kube.KubeProxy)
	controllerManager = string(kube.ControllerManager)
)

// byFact returns the bug, shown by a fact that is not as it should be.
func byFact(name string, bug evidence.Bug) *evidence.Bug { return shownBy(verdict.Fact(name), bug) }

// shownBy returns the bug, shown by what the expectation is about.
func shownBy(x evidence.Expectation, bug evidence.Bug) *evidence.Bug {
	bug.Rule, bug.Fact = x.Rule, x.Fact
	return &bug
}

// all is the value of a fact about several things that are all as they should be.
const all = "all"

// allBut returns all, or names the things out of n that are not as they should be.
func allBut(n int, others []string) string {
	if len(others) == 0 {
		return all
	}
	return fmt.Sprintf("all of %d but %s", n, strings.Join(others, ", "))
}

// tally returns all, or how many of the requests have the wanted outcome and what the others have, such as "3 of 10 refused, 7
// timeout".
func tally(requests []harness.Request, want string) string {
	times := map[string]int{}
	for _, r := range requests {
		times[r.Outcome]++
	}
	if times[want] == len(requests) && len(requests) > 0 {
		return all
	}
	text := fmt.Sprintf("%d of %d %s", times[want], len(requests), want)
	for _, outcome := range slices.Sorted(maps.Keys(times)) {
		if outcome != want {
			text += fmt.Sprintf(", %d %s", times[outcome], outcome)
		}
	}
	return text
}

// since returns the requests that were sent at a moment or later, by the clock of their node.
func since(requests []harness.Request, from time.Time) []harness.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r harness.Request) bool { return r.At.Before(from) })
}
