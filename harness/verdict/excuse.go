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

// A Breach is one thing that broke a rule, and the actors that could have caused it by getting no processor.
type Breach struct {
	Kind BreachKind
	By   []timeline.Actor
	In   timeline.Window // in which they had to act
	Late time.Duration   // by how much it was over the limit, all of which their waits have to explain
}

// A BreachKind says what broke a rule, and so which of the [Excuses] applies.
type BreachKind uint8

// The kinds.
const (
	AFailure  BreachKind = iota // a request failed
	ALatency                    // a good reply came late
	ALag                        // a node's rules, or its clients' new connections, followed late
	ADuration                   // something else that controllers or kubelets do took too long
	ACount                      // there were fewer pods than expected
)

// An Excuse says when a slow host, and not the cluster, is to blame for a kind of breach.
type Excuse struct {
	What string // what broke the rule
	When string // when that is excused
	// Period is what a wait may cost on top of its own length: an actor that is late for one turn of a loop has to wait for the next.
	Period time.Duration
}

// Excuses returns the table of excuses, by kind. A breach is excused if its actors waited in its window for as long as it was late, less
// the period. An actor is starved while it waits for half of the time or more.
func Excuses() []Excuse {
	return []Excuse{
		AFailure: {"a request failed", "it timed out, and its client, its pod or the host's packets waited", 0},
		ALatency: {"a good reply was late", "its client, its pod or the host's packets waited", 0},
		ALag: {"a node's rules followed late",
			"its kube-proxy or the control plane was starved; this also excuses a request that was routed to a pod that had ended", 0},
		ADuration: {"something took too long", "the control plane, the node's programs or the pod were starved, whoever had to act",
			timeline.KubeletDelay},
		// The app's readiness probe has a period of 1 s. A test of package harness compares them.
		ACount: {"pods were missing", "a pod became unready without being deleted, and it or its kubelet was starved for as long as its " +
			"probe may take", time.Second},
	}
}

// A Retry says whether another recording may do better, and what has to be different about it.
type Retry uint8

// The retries; each includes what the ones before it ask for.
const (
	NoRetry   Retry = iota
	LowerRate       // the clients themselves were late
	FewerJobs       // processes of the cluster got no processor
)

// excuse makes a failure inconclusive if all its breaches are excused, and says who waited. Nothing else excuses a failure. One that could
// not be told from what is usual may be told by another recording, too.
func excuse(f Finding, tl timeline.Timeline) Finding {
	if f.Uncertain { // a watch is uncertain while the API server waits for a processor
		whole := timeline.Window{To: tl.End()}
		if waited, wait := tl.Waited(whole, timeline.ControlPlane()...); waited >= timeline.LeastWait {
			f.Excused, f.Retry = []timeline.Wait{wait}, FewerJobs
		}
	}
	if f.Outcome == Pass || len(f.Breaches) == 0 {
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

// excuseAll returns who waited longest for each breach, if all of them are excused.
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

// excused returns who waited longest, and which retry may help, if what its actors waited explains the breach.
func (b Breach) excused(tl timeline.Timeline) (longest timeline.Wait, retry Retry) {
	waited, longest := tl.Waited(b.In, b.By...)
	if b.Kind >= ALag { // an actor that is mostly idle is not late because of short waits now and then
		waited, longest = tl.Starved(b.In, b.By...)
	}
	if waited < timeline.LeastWait || waited+Excuses()[b.Kind].Period < b.Late {
		return longest, NoRetry
	}
	if longest.Program == timeline.Client {
		return longest, LowerRate
	}
	return longest, FewerJobs
}

// answerTime is how much longer than usual an answer may take.
const answerTime = timeline.SYNTimer

// failures returns the breaches of failed requests; none if a late actor cannot have caused one of them, because it neither timed out nor
// was routed to a pod that had exited, or was so no longer than rules usually take.
func failures(a args, failed []timeline.Hit) (all []Breach) {
	tl := a.tl
	for _, h := range failed {
		awaited := tl.Awaited(h)
		b := Breach{Kind: AFailure, In: awaited, Late: awaited.Length() - answerTime}
		switch late, since, misrouted := tl.Misrouted(h); {
		case misrouted && late > 0:
			b.Kind, b.By, b.In.From, b.Late = ALag, tl.Routers(h), since, late
		case !misrouted && h.Fault == evidence.Timeout:
			b.By = tl.ServedBy(h)
		default:
			return nil
		}
		all = append(all, b)
	}
	return all
}

func latencies(slow []timeline.Hit, allowed func(timeline.Hit) time.Duration, tl timeline.Timeline) []Breach {
	var all []Breach
	for _, h := range slow {
		all = append(all, Breach{Kind: ALatency, By: tl.ServedBy(h), In: timeline.Window{From: h.Sent, To: h.End()}, Late: h.Took - allowed(h)})
	}
	return all
}

func unready(pods []timeline.Unready) []Breach {
	var all []Breach
	for _, p := range pods {
		from := p.From
		if p.Report.Kind != "" { // the kubelet may write unreadiness to the API a while after the probe failed
			from = min(from, p.Report.At)
		}
		all = append(all, Breach{Kind: ACount, By: []timeline.Actor{{Pod: p.Pod}, {Node: p.Node, Program: timeline.Kubelet}},
			In: timeline.Window{From: from - timeline.ProbeTimeout - time.Second, To: p.From}, Late: timeline.ProbeTimeout})
	}
	return all
}

// blind returns the breach of an API server that did not answer in time.
func blind(until time.Duration) []Breach {
	return late(timeline.Window{From: until - evidence.APITimeout - time.Second, To: until}, evidence.APITimeout, timeline.ControlPlane()...)
}

// lateSince returns the breach of something that came later after a moment than the expectation allows, whoever had to act.
func (a args) lateSince(from, length time.Duration) []Breach {
	if length <= a.Max {
		return nil
	}
	return late(timeline.Window{From: from, To: from + length}, length-a.Max, append(timeline.ControlPlane(), timeline.OnNode("")...)...)
}

func late(in timeline.Window, by time.Duration, actors ...timeline.Actor) []Breach {
	return []Breach{{Kind: ADuration, By: actors, In: in, Late: by}}
}
