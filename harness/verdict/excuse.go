package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Breach is one thing that broke a rule, and who could have caused it by getting no processor.
type Breach struct {
	Kind BreachKind
	By   []timeline.Actor
	In   timeline.Window // in which they had to act
	Late time.Duration   // beyond what is allowed, all of which has to be explained
}

// A BreachKind says what broke a rule: which of the excuses may be one for it.
type BreachKind uint8

// The kinds.
const (
	AFailure  BreachKind = iota // a request failed
	ALatency                    // a good reply came late
	ALag                        // a node's rules, or its clients' new connections, followed late
	ADuration                   // something else that controllers or kubelets do came late
	ACount                      // there were fewer pods than expected
)

// An Excuse is for which breaches a host that is slow is to blame, and not the cluster.
type Excuse struct {
	What string // broke a rule
	When string // it is excused
	// Period is what waiting can cost on top of itself: who comes late to a loop misses its turn and waits for the next.
	Period time.Duration
}

// leastWait is the least that somebody has to have waited to be excused at all: as little as a client may be late by until that
// counts as having waited (timeline, noteLate).
const leastWait = 100 * time.Millisecond

// Excuses is the table, by kind. A breach is excused if its actors waited, in its time, for as long as it was late, or for that long but
// for the period. Starved is who waits for most of the time.
func Excuses() []Excuse {
	return []Excuse{
		AFailure: {"a request failed", "it timed out, and its client, its pod or the host's packets waited", 0},
		ALatency: {"a good reply was late", "its client, its pod or the host's packets waited", 0},
		ALag: {"a node's rules followed late",
			"its kube-proxy or the control plane was starved; so is a request excused that was led to a pod which had ended", 0},
		// The slowest loop of a kubelet has a period of 1 s (Kubernetes v1.37.2, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
		ADuration: {"something took too long", "the control plane, the node's programs or the pod were starved, whoever had to act", time.Second},
		// The app's readiness probe has a period of 1 s (fixtures, App.podSpec).
		ACount: {"pods were missing", "a pod turned unready that nobody had deleted, and it or its kubelet was starved for as long as its " +
			"probe may take", time.Second},
	}
}

// A Retry says whether another recording may do better, and what has to be different about it.
type Retry uint8

// The retries; a later one includes what those before it ask for.
const (
	NoRetry   Retry = iota
	LowerRate       // the clients themselves were late
	FewerJobs       // processes of the cluster got no processor
)

// excuse makes a failure inconclusive if each of its breaches is excused, and says who waited. It is the only place where that
// is done.
func excuse(f Finding, tl timeline.Timeline) Finding {
	if f.Uncertain { // which a watch is while the API server has no time
		whole := timeline.Window{To: tl.End()}
		if waited, wait := tl.Waited(whole, timeline.ControlPlane()...); waited >= leastWait {
			f.Excused, f.Retry = []timeline.Wait{wait}, FewerJobs
		}
	}
	if f.Outcome != Fail || len(f.Breaches) == 0 {
		return f
	}
	waits, retry := excuseAll(f.Breaches, tl)
	if retry == NoRetry {
		return f
	}
	f.Excused, f.Retry = waits, retry
	worst := slices.MaxFunc(waits, func(a, b timeline.Wait) int { return cmp.Compare(a.Waited, b.Waited) })
	f.Outcome, f.Grounds = Inconclusive, Whole
	f.Facts = append(f.Facts, Detail{"who waited", worst.String()})
	brief := cmp.Or(f.Headline, f.Because)
	f.Headline = phrase.Headline(fmt.Sprintf("%s; but %s", brief, worst), brief+"; but the host was too slow to tell",
		"the host was too slow to tell: "+worst.String())
	f.Because += ", but " + worst.String()
	return f
}

// excuseAll says for each of some breaches who waited longest, if all of them are excused.
func excuseAll(breaches []Breach, tl timeline.Timeline) (waits []timeline.Wait, retry Retry) {
	for _, b := range breaches {
		wait, again := b.excused(tl)
		if again == NoRetry {
			return nil, NoRetry
		}
		retry = max(retry, again)
		waits = append(waits, wait)
	}
	return waits, retry
}

// excused says who waited longest where what they all waited explains the breach.
func (b Breach) excused(tl timeline.Timeline) (longest timeline.Wait, retry Retry) {
	waited, longest := tl.Waited(b.In, b.By...)
	if b.Kind >= ALag { // who has little to do most of the time is not late by what it waited now and then
		waited, longest = tl.Starved(b.In, b.By...)
	}
	if waited < leastWait || waited+Excuses()[b.Kind].Period < b.Late {
		return longest, NoRetry
	}
	if longest.Program == timeline.Client {
		return longest, LowerRate
	}
	return longest, FewerJobs
}

// answerTime is what a pod may take for an answer beyond what it usually takes: what no-slow-replies allows.
const answerTime = time.Second

// failures are the breaches of failed requests; none if one of them cannot be the fault of somebody who was late, because it neither
// timed out nor was led to a pod that had ended.
func failures(a asked, failed []timeline.Hit) (all []Breach) {
	tl := a.tl
	for _, h := range failed {
		b := Breach{Kind: AFailure, In: timeline.Window{From: h.Sent, To: h.End()}, Late: h.Took - answerTime}
		if late, since, ok := tl.Misrouted(h); ok {
			b.Kind, b.By, b.In.From, b.Late = ALag, tl.Routers(h), since, late
		} else if h.Fault == evidence.Timeout {
			b.By = tl.ServedBy(h)
		} else {
			return nil
		}
		all = append(all, b)
	}
	return all
}

// latencies are the breaches of replies that took longer than allowed.
func latencies(slow []timeline.Hit, allowed func(timeline.Hit) time.Duration, tl timeline.Timeline) []Breach {
	var all []Breach
	for _, h := range slow {
		all = append(all, Breach{Kind: ALatency, By: tl.ServedBy(h), In: timeline.Window{From: h.Sent, To: h.End()}, Late: h.Took - allowed(h)})
	}
	return all
}

// unready are the breaches of pods that turned unready without a deletion.
func unready(pods []timeline.Unready) []Breach {
	var all []Breach
	for _, p := range pods {
		from := p.From
		if p.Report.Kind != "" { // the kubelet may write it to the API a while after
			from = min(from, p.Report.At)
		}
		all = append(all, Breach{Kind: ACount, By: []timeline.Actor{{Pod: p.Pod}, {Node: p.Node, Program: timeline.Kubelet}},
			In: timeline.Window{From: from - timeline.ProbeTimeout - time.Second, To: p.From}, Late: timeline.ProbeTimeout})
	}
	return all
}

// apiTimeout is for how long the API server may say nothing before a watch counts as blind (harness/observe, defaultAPITimeout).
const apiTimeout = 2 * time.Second

// blind is the breach of an API server that did not answer in time.
func blind(until time.Duration) []Breach {
	return late(timeline.Window{From: until - apiTimeout - time.Second, To: until}, apiTimeout, timeline.ControlPlane()...)
}

// lateSince is the breach of what came later after a moment than the expectation allows, whoever had to act.
func (a asked) lateSince(from, length time.Duration) []Breach {
	if length <= a.Max {
		return nil
	}
	return late(timeline.Window{From: from, To: from + length}, length-a.Max, append(timeline.ControlPlane(), timeline.OnNode("")...)...)
}

// late is the breach of something that lasted too long.
func late(in timeline.Window, by time.Duration, actors ...timeline.Actor) []Breach {
	return []Breach{{Kind: ADuration, By: actors, In: in, Late: by}}
}
