package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

const (
	noPodChange = "no pod was seen to change from when the rollout began until it ended"
	noOldPod    = "no old pod was seen"
)

func podChanges(a args) int { return a.tl.PodChanges() }

func oldPods(a args) int { return a.tl.OldPods() }

// takesCount returns why a rule about a number of pods cannot judge; empty if it can.
func takesCount(a args) string {
	if a.Count < 1 {
		return fmt.Sprintf("the rule takes at least 1 pod, got %d", a.Count)
	}
	return ""
}

// pods returns a row with the number of pods at the worst moment and when that first was, if it is known.
func pods(n int, at string, breaches []Breach, ok bool) []row {
	if !ok {
		return nil
	}
	return []row{{amount: amount{value: float64(n)}, facts: []Detail{{"first at", at}}, breaches: breaches}}
}

// MinAvailable expects at least n available pods throughout the rollout. A pod that becomes unready without a
// deletion is excused if it or its kubelet got no processor (see [Excuses]).
func MinAvailable(n int) Expectation { return Expectation{Rule: minAvailable.ID, Count: n} }

var minAvailable = Rule{
	ID: "min-available", Claim: "clients always have the expected number of available pods",
	Unit: "change of pods", Untested: noPodChange, exposed: podChanges, needs: ofRollout, lack: takesCount,
	question: bound{in: inNumbers, limits: atLeastCount, says: "{pods} available at the worst moment", rows: func(a args) []row {
		lowest, ok := a.tl.MinAvailable()
		short, _ := a.tl.Shortfall(a.Count, a.at(evidence.RolloutBegun), a.tl.RolloutEnd())
		return pods(lowest.Available, phrase.Seconds(lowest.At), unready(short.Because), ok)
	}},
}

// MaxPods expects at most n pods throughout the rollout, terminating ones included.
func MaxPods(n int) Expectation { return Expectation{Rule: maxPods.ID, Count: n} }

var maxPods = Rule{
	ID: "max-pods", Claim: "clients are served by no more pods than allowed, terminating ones included",
	Unit: "change of pods", Untested: noPodChange, exposed: podChanges, needs: ofRollout, lack: takesCount,
	question: bound{in: inNumbers, limits: atMostCount, says: "{pods} at once, terminating ones included", rows: func(a args) []row {
		highest, ok := a.tl.MaxPods()
		return pods(highest.Total, phrase.Seconds(highest.At), nil, ok)
	}},
}

// MaxActive expects that ReplicaSets never ask for more than n pods together.
func MaxActive(n int) Expectation { return Expectation{Rule: maxActive.ID, Count: n} }

var maxActive = Rule{
	ID: "max-active", Claim: "ReplicaSets never ask for more pods than allowed",
	Unit: "scaling", Untested: noScaling, exposed: scalings, needs: seeing(evidence.AboutAPI), lack: takesCount,
	question: bound{in: inNumbers, limits: atMostCount, says: "{pods} asked for by all ReplicaSets at once", rows: func(a args) []row {
		most, ok := a.tl.MaxActive()
		return pods(most, "", nil, ok)
	}},
}

// OldAtStatus expects that at least n old pods are still there when the API server says that the rollout is done.
func OldAtStatus(n int) Expectation { return Expectation{Rule: oldAtStatus.ID, Count: n} }

var oldAtStatus = Rule{
	ID: "old-at-status", Claim: "clients may still reach old pods when the API server says that the rollout is done",
	Unit: "old pod", Untested: noOldPod, exposed: oldPods, marks: []evidence.EventKind{evidence.StatusDone},
	needs: seeing(evidence.AboutAPI, evidence.AboutMarks, evidence.AboutPodSteps),
	question: some{did: "still there when the rollout was said to be done", least: expectedCount, fails: true, rows: func(a args) found {
		done := a.at(evidence.StatusDone)
		return found{count: a.tl.OldPodsAt(done), whole: true, facts: []Detail{{string(evidence.StatusDone), phrase.Seconds(done)}}}
	}},
}

// MaxStatusGap expects that the old version gives its last reply no later than d after the API server said that the rollout is
// done. An old pod that serves while it terminates does so until its preStop hook and its drain are over.
func MaxStatusGap(d time.Duration) Expectation { return Expectation{Rule: maxStatusGap.ID, Max: d} }

var maxStatusGap = Rule{
	ID: "max-status-gap", Claim: "clients are answered by the old version for no longer than allowed after the rollout was said to be done",
	Lanes: ServiceLanes, Unit: "reply",
	Untested: "the old version gave no reply, or no request sent after the rollout was said to be done got one",
	exposed:  func(a args) int { return replies(a.tl.RepliesSince(evidence.StatusDone, a.lanes)) },
	marks:    []evidence.EventKind{evidence.StatusDone},
	needs: needs{marks: []evidence.EventKind{evidence.LoadEnded},
		subjects: []evidence.Subject{evidence.AboutReplies, evidence.AboutLatencies, evidence.AboutMarks}},
	question: bound{limits: atMost, says: "{old} gave its last reply {since} the rollout was said to be done", rows: func(a args) []row {
		gap, ok := a.tl.StatusGap(a.lanes...)
		rows := oneRow(gap, ok)
		for i := range rows {
			rows[i].breaches = a.lateSince(a.at(evidence.StatusDone), gap.Length)
		}
		return rows
	}},
}

// DoneAfter expects that the API server does not say that the rollout is done before a mark, since something that the rollout needs is
// missing until then. A new pod created after the last step before the mark shows that it was needed; without one the rule cannot judge.
func DoneAfter(mark evidence.EventKind) Expectation {
	return Expectation{Rule: doneAfter.ID, From: mark}
}

var doneAfter = Rule{
	ID: "done-after", Claim: "the rollout is not said to be done before the named moment",
	Unit: "rollout", Untested: "that moment or the end of the rollout was not recorded", marks: []evidence.EventKind{evidence.StatusDone},
	lack: allMade, needs: seeing(evidence.AboutMarks),
	exposed: func(a args) int {
		_, reached := a.tl.Mark(a.From)
		_, done := a.tl.Mark(evidence.StatusDone)
		return oneIf(reached && done)
	},
	question: none{did: "{were} said to be done before {from}", rows: func(a args) found {
		done := a.at(evidence.StatusDone)
		return found{count: oneIf(done < a.at(a.From)), facts: []Detail{{string(evidence.StatusDone), phrase.Seconds(done)}}}
	}},
}

// allMade returns that no new pod was created after the last step before the expectation's mark; empty if one was.
func allMade(a args) string {
	var step timeline.Step
	for _, s := range a.tl.MarkedSteps() {
		if s.At < a.at(a.From) {
			step = s
		}
	}
	if slices.ContainsFunc(a.tl.Pods, func(p timeline.Pod) bool {
		i := slices.IndexFunc(p.Steps, func(s timeline.PodStep) bool { return s.Phase >= timeline.PodStarting })
		return p.Version == a.tl.New && i >= 0 && p.Steps[i].At > step.At
	}) {
		return ""
	}
	return "no new pod was created after " + cmp.Or(step.String(), "the recording began")
}

// OldEndsFirst expects that no pod of the new version is created before the process of the last old one has ended.
func OldEndsFirst() Expectation { return Expectation{Rule: oldEndsFirst.ID} }

var oldEndsFirst = Rule{
	ID: "old-ends-first", Claim: "no pod of the new version is there before the last old one has ended",
	Unit: "old pod", Untested: "an end of every old pod and the creation of a new one were not seen", exposed: oldPods,
	needs: seeing(evidence.AboutAPI, evidence.AboutPodSteps),
	question: bound{limits: upTo(0), measured: "there together for",
		says: "the first pod of {new} was created {-since} the last one of {old} had ended",
		rows: func(a args) []row {
			gap, ok := a.tl.OldToNew()
			gap.Length = -gap.Length
			return oneRow(gap, ok)
		}},
}

// VersionsOverlap expects that it takes min to max from when the first new pod is ready until the last old one is deleted: for so long
// pods of both versions serve that nobody has told to end. How long old ones drain after that is not part of it.
func VersionsOverlap(min, max time.Duration) Expectation {
	return Expectation{Rule: versionsOverlap.ID, Min: min, Max: max}
}

var versionsOverlap = Rule{
	ID: "versions-overlap", Claim: "pods of both versions serve together, none of them being deleted, for as long as expected",
	Unit: "old pod", Untested: "the readiness of a new pod and the deletion of every old one were not seen", exposed: oldPods,
	needs: seeing(evidence.AboutAPI),
	question: bound{limits: ranging, says: "the last pod of {old} was deleted {since} the first of {new} was ready",
		before: "the last pod of {old} was deleted {-since} the first of {new} was ready",
		rows: func(a args) []row {
			ready, overlap, ok := a.tl.VersionsOverlap()
			rows := oneRow(overlap, ok)
			for i := range rows {
				rows[i].breaches = a.lateSince(ready, overlap.Length)
			}
			return rows
		}},
}

// Between expects that each pod's first event of kind to comes from min to max after its first event of kind from; negative times are
// before it. With a min of 0 or more, earlier events do not count: a pod that has just got ready may show as not ready once
// more. It judges the pods that have the event from. Both may be any kind about a pod; EndpointNotReady includes an
// endpoint that goes at once. See afterStep for a kubelet that was starved.
func Between(from, to evidence.EventKind, min, max time.Duration) Expectation {
	return Expectation{Rule: between.ID, From: from, To: to, Min: min, Max: max}
}

var between = Rule{
	ID: "between", Claim: "the time between two termination steps of a pod is within bounds",
	Unit: "pod", Untested: "no pod was seen to take both steps", needs: seeing(),
	exposed: func(a args) int {
		intervals, _ := a.tl.Intervals(a.From, a.To, a.Min >= 0)
		return len(intervals)
	},
	question: bound{limits: ranging, says: "{to} of {pod} came {since} {from}", rows: func(a args) (rows []row) {
		intervals, lacking := a.tl.Intervals(a.From, a.To, a.Min >= 0)
		if len(lacking) > 0 { // every pod that took the first step has to take the second too
			return []row{{amount: amount{value: unlimited}, facts: []Detail{{"pods", strings.Join(lacking, ", ")}},
				broken: fmt.Sprintf("%s never came after %s of %s", a.To, a.From, phrase.Count(len(lacking), "pod"))}}
		}
		for _, i := range intervals {
			rows = append(rows, afterStep(i, a))
		}
		return rows
	}},
}

// kubeletBegins is the longest that a kubelet with nothing to wait for takes to begin with a deletion: until the current relist
// has ended, and one more for its pod worker (Kubernetes v1.37.2, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
const kubeletBegins = 2 * time.Second

// afterStep returns the row of an interval, with who can have made it too long or too short. One from the deletion that is too long counts
// from when the kubelet began to stop the pod, if it keeps the limit then.
func afterStep(i timeline.PodInterval, a args) row {
	r := row{amount: took(i.Elapsed), pod: i.Pod}
	in := timeline.Window{From: min(i.Began.At, i.Ended.At), To: max(i.Began.At, i.Ended.At)}
	by := i.Length - a.Max
	if by <= 0 { // too short
		if a.From != evidence.PodReady && a.From != evidence.PodUnready {
			return r
		}
		by = a.Min - i.Length // the event of readiness came late
		in.From -= by
	}
	r.breaches = late(in, by, append(append(timeline.ControlPlane(), timeline.OnNode(i.Node)...), timeline.Actor{Pod: i.Pod},
		timeline.Actor{Pod: i.Pod, Program: timeline.Kubelet})...)
	own, ok := a.tl.Stopping(i)
	kept := own.AtMost(a.Max)
	if i.Length > a.Max && ok && i.Length-own.Length <= kubeletBegins && kept != timeline.No &&
		ranging(a.Expectation, r).keeps(r.amount) == Fail {
		r.facts = []Detail{{"from the pod's deletion", phrase.Elapsed(i.Elapsed)}, {"counted from", "when the kubelet began to stop it"}}
		own.Length = max(own.Length, a.Min)
		if kept == timeline.Yes {
			own.Uncertainty = 0
		}
		r.amount, r.breaches = took(own), nil
	}
	return r
}

const noScaling = "no ReplicaSet was given a size once the rollout had begun"

func scalings(a args) int {
	sizes, _ := a.tl.Scalings()
	return len(sizes)
}

// Scaling expects that, after the rollout began, ReplicaSets are given these sizes in this order, each
// written "v2:1", and others only afterwards. Sizes do not count after an autoscaler gave the Deployment another size: it and
// the Deployment controller do not wait for each other.
func Scaling(sizes ...string) Expectation { return Expectation{Rule: scaling.ID, Values: sizes} }

var scaling = Rule{
	ID: "scaling", Claim: "ReplicaSets are scaled in the expected order",
	Unit: "scaling", Untested: noScaling, exposed: scalings, marks: []evidence.EventKind{evidence.RolloutBegun},
	needs: seeing(evidence.AboutAPI), lack: func(a args) string { return namesNone(a.Values, "sizes") },
	question: sequence{},
}

// sequence is the question whether sizes came in the expected order, until an autoscaler changes the size of the Deployment.
type sequence struct{}

func (sequence) answer(a args) Finding {
	got, _ := a.tl.Scalings()
	sizes := make([]string, len(got))
	for i, s := range got {
		sizes[i] = fmt.Sprintf("%s:%d", s.Version, s.Size)
	}
	given := []Detail{{"sizes", strings.Join(sizes, " ")}, {"expected first", strings.Join(a.Values, " ")}}
	i := 0 // the first size that is not as expected
	for i < min(len(sizes), len(a.Values)) && sizes[i] == a.Values[i] {
		i++
	}
	switch {
	case i == len(sizes) && i < len(a.Values):
		return Finding{Outcome: Fail}.withTexts([]string{fmt.Sprintf("ReplicaSets were given only %s, %d expected",
			phrase.Count(len(sizes), "size"), len(a.Values))}, given...)
	case i == len(a.Values):
		return Finding{Outcome: Pass}.withTexts([]string{"ReplicaSets were scaled as expected: " + strings.Join(sizes, " "),
			"ReplicaSets were scaled as expected"})
	}
	if by, ok := rescaled(got[i], a.tl); ok {
		resized := fmt.Sprintf("an autoscaler gave the Deployment %s", phrase.Count(by.Size, "pod"))
		if i == 0 {
			return Finding{}.withTexts([]string{resized + " before its ReplicaSets were given a size"}, given...)
		}
		return Finding{Outcome: Pass}.withTexts([]string{"ReplicaSets were scaled as expected, until " + resized}, given...)
	}
	begun := a.at(evidence.RolloutBegun)
	// The number of available pods decides how large the steps to a size are.
	return Finding{Outcome: Fail, Breaches: unready(a.tl.UnreadyBetween(begun, got[i].At))}.withTexts(
		[]string{fmt.Sprintf("scaling %d of the ReplicaSets was to %s, expected %s", i+1, sizes[i], a.Values[i])}, given...)
}

// saidAfter is how long after an autoscaler's write its Event may be seen. Our own choice: 0.01 to 0.2 s were seen.
const saidAfter = 5 * time.Second

// rescaled returns the size that an autoscaler had given the Deployment before a ReplicaSet was given its size: its Event came before, or
// soon after and with the same size.
func rescaled(s timeline.Scaling, tl timeline.Timeline) (by timeline.Rescale, ok bool) {
	all := tl.Rescales()
	i := slices.IndexFunc(all, func(by timeline.Rescale) bool {
		return by.At <= s.At || by.At <= s.At+saidAfter && by.Size == s.Size
	})
	if i < 0 {
		return timeline.Rescale{}, false
	}
	return all[i], true
}
