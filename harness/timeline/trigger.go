package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Trigger is the change since which requests were lost. The set is closed.
type Trigger string

// The triggers.
const (
	TriggerUnknown      Trigger = "unknown"
	TriggerNothing      Trigger = "nothing" // they were lost at one pace before, during and after every change
	TriggerRollout      Trigger = "rollout"
	TriggerDrain        Trigger = "drain"           // of a node that was cordoned
	TriggerEviction     Trigger = "eviction"        // of a pod, without a cordon
	TriggerDeletion     Trigger = "deletion"        // of a pod, which its workload replaced
	TriggerScaleIn      Trigger = "scale-in"        // the workload was to have fewer pods
	TriggerService      Trigger = "service-changed" // or its EndpointSlices were edited by hand
	TriggerOtherStarted Trigger = "other-started"   // a pod of another workload became an endpoint
	TriggerOther        Trigger = "other-restarted" // pods of another workload of the namespace ended
	TriggerProxy        Trigger = "proxy-restarted" // kube-proxy, perhaps in another mode
	TriggerDNS          Trigger = "dns-restarted"   // CoreDNS
	TriggerNode         Trigger = "node-changed"    // not ready, booted, gone, or of another version
	TriggerCertificate  Trigger = "certificate"     // the server showed another one
	TriggerName         Trigger = "name-changed"    // the name resolves otherwise
	TriggerDisruption   Trigger = "disruption"      // what the scenario, or a user's mark, did to the cluster
)

// A Change is something that happened to the app or the cluster, and that may be why requests were lost.
type Change struct {
	At      time.Duration
	Trigger Trigger
	Node    string // it happened there; empty: it concerns the app or the cluster
	What    string // such as "the drain of worker" or "selector app=a to app=b"

	pod string // of the app, that ended
}

// changes are by time.
type changes []Change

// happened lists the changes of a recording.
func (t *Timeline) happened() (all changes) {
	for i := range t.Pods {
		for _, e := range t.Pods[i].All(evidence.PodDeleting) {
			all = append(all, t.ending(&t.Pods[i], e))
		}
	}
	for _, e := range t.events {
		if c := t.changed(e); c.Trigger != "" {
			all = append(all, c)
		}
	}
	for _, s := range t.steps {
		if trigger := stepTriggers[s.Kind]; trigger != "" && (trigger != TriggerDisruption || !t.UserApp || s.Kind == evidence.Step) {
			all = append(all, Change{At: s.At, Trigger: trigger, Node: s.Node, What: s.String()})
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	return all
}

// stepTriggers has the triggers of steps, by the kind of their event.
var stepTriggers = map[evidence.EventKind]Trigger{
	evidence.NodeUnready: TriggerNode, evidence.NodeChanged: TriggerNode, evidence.CertificateSeen: TriggerCertificate,
	evidence.NameChanged: TriggerName, evidence.Step: TriggerDisruption, evidence.DisruptionBegun: TriggerDisruption,
}

// changed returns the change that an event is; the zero Change for an event that is none by itself.
func (t *Timeline) changed(e evidence.Event) Change {
	c := Change{At: e.At, Node: e.By.Node}
	switch e.Kind {
	case evidence.ServiceChanged, evidence.SliceEdited:
		c.Trigger, c.What = TriggerService, changeOf(e)
	case evidence.OtherPodDeleting:
		c.Trigger, c.What = TriggerOther, "the end of pod "+e.By.Pod
	case evidence.SystemPodDeleting, evidence.SystemPodReady:
		if e.Kind == evidence.SystemPodDeleting || e.Detail != "" { // a pod that is ready breaks nothing, but for a mode
			c.Trigger, c.What = systemTriggers[e.Object], e.By.Node+": "+changeOf(e)
		}
	case evidence.EndpointReady:
		if p := t.pod(e.By.Pod); p != nil && t.ofOther(p) {
			c.Trigger, c.What = TriggerOtherStarted, "pod "+p.Pod+" became an endpoint"
			if p.Controller != "" {
				c.What = fmt.Sprintf("pod %s of %s became an endpoint", p.Pod, p.Controller)
			}
		}
	default:
	}
	return c
}

// systemTriggers has the triggers of restarts, by the component of kube-system.
var systemTriggers = map[string]Trigger{"kube-proxy": TriggerProxy, "coredns": TriggerDNS}

// The reasons of the condition DisruptionTarget (core/v1 types.go; pkg/controller/tainteviction and pkg/controller/podgc, v1.37).
const (
	evicted       = "EvictionByEvictionAPI"
	offItsNode    = "DeletionByTaintManager"
	collected     = "DeletionByPodGC"
	endedByItself = "TerminationByKubelet"
)

// ending returns why a pod of the app was deleted, as far as the events show that.
func (t *Timeline) ending(p *Pod, e evidence.Event) Change {
	c := Change{At: e.At, Node: p.Node, pod: p.Pod}
	cordoned := slices.ContainsFunc(t.node(p.Node).history.Cordoned, func(w Window) bool { return w.From <= e.At && e.At <= w.To })
	fewer, more := t.resized(p, e.At)
	rolled := e.By.Version != "" && (e.By.Version == t.Old) == (t.Old != t.New) // an old pod, or one of a version that did not stay
	switch {
	case cordoned && (e.Detail == evicted || e.Detail == "" && !fewer):
		c.Trigger, c.What = TriggerDrain, "the drain of "+p.Node
	case e.Detail == evicted:
		c.Trigger, c.What = TriggerEviction, "the eviction of pod "+p.Pod
	case slices.Contains([]string{offItsNode, collected, endedByItself}, e.Detail):
		c.Trigger, c.What = TriggerNode, fmt.Sprintf("node %s: pod %s was taken away (%s)", p.Node, p.Pod, e.Detail)
	case fewer && !more && e.By.Version == t.Old:
		c.Trigger, c.What = TriggerScaleIn, "the scale-in"
	case t.OnDelete && !fewer:
		c.Trigger, c.What = TriggerDeletion, "the deletion of pod "+p.Pod
	case rolled, fewer, e.At >= t.begun() && !t.UserApp && t.Disruption == nil:
		c.Trigger, c.What = TriggerRollout, "the rollout"
	default:
		c.Trigger, c.What = TriggerDeletion, "the deletion of pod "+p.Pod
	}
	return c
}

// resized reports whether the workload of a pod was to have fewer pods like it just before it was deleted, and whether it was to have more
// of another version at some time since the rollout began.
func (t *Timeline) resized(p *Pod, at time.Duration) (fewer, more bool) {
	set, sizes := p.Pod[:strings.LastIndex(p.Pod, "-")+1], map[string]int{}
	for _, e := range t.events {
		before := e.At <= at+noticed
		switch {
		case before && e.Kind == evidence.WorkloadChanged && e.Count < t.staying(e.At) && strings.HasPrefix(e.Object, "StatefulSet/"):
			fewer = true // a Deployment's ReplicaSets show it
		case e.Kind != evidence.ReplicaSetScaled:
		case e.Object+"-" == set:
			fewer, sizes[e.Object] = fewer || before && e.Count < sizes[e.Object], e.Count
		default:
			more = more || e.At >= t.begun() && e.Count > sizes[e.Object]
			sizes[e.Object] = e.Count
		}
	}
	return fewer, more
}

// readyAt counts the pods that were ready at a moment, and not being deleted.
func (t *Timeline) readyAt(at time.Duration) (n int) {
	for i := range t.Pods {
		if t.Pods[i].at(at).Phase == PodServing {
			n++
		}
	}
	return n
}

// staying counts the pods that were there at a moment and not being deleted.
func (t *Timeline) staying(at time.Duration) (n int) {
	for i := range t.Pods {
		if phase := t.Pods[i].at(at).Phase; PodStarting <= phase && phase < PodDeleting {
			n++
		}
	}
	return n
}

// before returns the change since which a request was lost: the end or start of the pod that it went to, else the last change of those that
// may be the reason at its stage, before the lane's outage began.
func (all changes) before(l *lost) Change {
	if l.pod != nil {
		switch l.condition {
		case ConditionTerminating, ConditionKilled:
			if c, ended := all.last(func(c Change) bool { return c.pod == l.pod.Pod && c.At <= l.told() }); ended {
				return c
			}
		case ConditionStarting, ConditionNotAble:
			if c, known := all.started(l); known {
				return c
			}
		default:
		}
	}
	if l.tooFew() || l.pod == nil && l.condition == ConditionTerminating {
		if c, ended := all.last(func(c Change) bool { return c.pod != "" && c.At <= l.told() }); ended {
			return c
		}
	}
	from := l.Sent
	for _, o := range l.lane.Summary.Outages {
		if o.From <= l.Sent && l.Sent < o.To {
			from = o.From
		}
	}
	may := func(until time.Duration) (Change, bool) {
		return all.last(func(c Change) bool { return slices.Contains(l.row.triggers, c.Trigger) && c.At <= until })
	}
	last, is := may(from + noticed)
	if earlier, was := may(from); was && from-earlier.At < last.At-from { // what was noted later happened later
		return earlier
	}
	if is {
		return last
	}
	return Change{Trigger: TriggerUnknown}
}

// last returns the last change that satisfies a condition.
func (all changes) last(is func(Change) bool) (Change, bool) {
	for _, c := range slices.Backward(all) {
		if is(c) {
			return c, true
		}
	}
	return Change{}, false
}

// started returns why the pod was made that a request went to: as a part of a rollout, or in place of one that had ended.
func (all changes) started(l *lost) (Change, bool) {
	created, seen := l.pod.first(evidence.PodCreated, nil)
	if version := l.version(); seen && version != "" && version != l.t.Old { // perhaps one that did not stay
		return l.t.rollout(), true
	}
	return all.last(func(c Change) bool { return seen && c.pod != "" && c.pod != l.pod.Pod && c.At <= created.At+noticed })
}

func (t *Timeline) rollout() Change {
	return Change{At: t.begun(), Trigger: TriggerRollout, What: "the rollout"}
}
