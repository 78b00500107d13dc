package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// An Actor is a process that had to act in time: a pod, or a program of a node or of the control plane.
type Actor struct {
	Pod     string `json:"pod,omitzero"`     // with a program: only what the program has to do for this pod
	Node    string `json:"node,omitzero"`    // empty: whichever node the program is on
	Program string `json:"program,omitzero"` // such as "kubelet"; empty: the actor is the pod
}

// Programs of nodes and of the control plane, and the one that sends the load.
const (
	Kubelet           = "kubelet"
	Containerd        = "containerd"
	KubeProxy         = "kube-proxy"
	APIServer         = "kube-apiserver"
	Etcd              = "etcd"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	SoftIRQ           = "ksoftirqd" // of the host: hands on packets
	Client            = "agent"
)

// outside is the node of clients outside the cluster.
const outside = "outside"

// A Wait is a time in which an actor had to wait for a processor, for a part of it.
type Wait struct {
	Actor
	Window
	Waited time.Duration `json:"waited"`
	AnyPod bool          `json:"any_pod,omitzero"` // it counts for every pod: the pod of a control lane was late
	Shown  bool          `json:"shown,omitzero"`   // not measured: the actor was late, which it also is when it is stopped
}

func (w Wait) String() string {
	who := cmp.Or(w.Pod, w.Program)
	switch {
	case w.Pod != "" && w.Program == Kubelet:
		who = "the kubelet for " + w.Pod
	case w.AnyPod:
		who = "a pod that is not rolled out"
	case w.Pod == "" && w.Node != "":
		who += " of " + w.Node
	}
	did := fmt.Sprintf("waited %.3f s for a processor", w.Waited.Seconds())
	if w.Shown {
		did = fmt.Sprintf("was %.3f s late", w.Waited.Seconds())
	}
	return fmt.Sprintf("%s %s between %.3f s and %.3f s", who, did, w.From.Seconds(), w.To.Seconds())
}

// within returns the part of a wait in a window, as if the waiting was spread evenly.
func (w Wait) within(in Window) (part Wait, ok bool) {
	part = w
	part.From, part.To = max(w.From, in.From), min(w.To, in.To)
	if part.From >= part.To {
		return Wait{}, false
	}
	part.Waited = time.Duration(float64(w.Waited) * float64(part.Length()) / float64(w.Length()))
	return part, part.Waited > 0
}

func (w Wait) of(a Actor) bool {
	switch {
	case w.AnyPod:
		return a.Program == ""
	case a.Program == "":
		return w.Pod == a.Pod
	default:
		return w.Program == a.Program && (a.Node == "" || w.Node == a.Node) && (w.Pod == a.Pod || w.Program == Client)
	}
}

// Waited returns how long some actors waited in a window altogether, at most its length, and the longest wait of one of them in it.
func (t Timeline) Waited(in Window, actors ...Actor) (sum time.Duration, longest Wait) {
	return t.sumOf(in, actors, func(Wait) bool { return true })
}

// Starved is [Timeline.Waited] of those waits alone in which an actor waited for at least half of the time.
func (t Timeline) Starved(in Window, actors ...Actor) (sum time.Duration, longest Wait) {
	return t.sumOf(in, actors, func(w Wait) bool { return 2*w.Waited >= w.Length() })
}

func (t Timeline) sumOf(in Window, actors []Actor, counts func(Wait) bool) (sum time.Duration, longest Wait) {
	by := map[Actor]Wait{}
	first, _ := slices.BinarySearchFunc(t.waits, in.From-t.longestWait, func(w Wait, at time.Duration) int { return cmp.Compare(w.From, at) })
	for _, w := range t.waits[first:] {
		if w.From >= in.To {
			break
		}
		part, ok := w.within(in)
		if !ok || !counts(w) || !slices.ContainsFunc(actors, w.of) {
			continue
		}
		all, seen := by[w.Actor]
		if seen {
			part.From, part.To, part.Waited = min(all.From, part.From), max(all.To, part.To), all.Waited+part.Waited
		}
		by[w.Actor] = part
	}
	for _, w := range by {
		sum += w.Waited
		if w.Waited > longest.Waited || w.Waited == longest.Waited && w.String() < longest.String() {
			longest = w
		}
	}
	return min(sum, in.Length()), longest
}

// CPUWaits returns how often, how long in all and how long at most processes of a pod waited for a processor, or were kept
// from one by a CPU limit.
func (t Timeline) CPUWaits(pod string) (n int, total, longest time.Duration) {
	for _, e := range slices.Concat(t.waited, t.throttled) {
		if e.By.Pod != pod {
			continue
		}
		waited := time.Duration(e.Count) * time.Millisecond
		if e.Kind == evidence.PodWaited {
			waited = e.For
		}
		n, total, longest = n+1, total+waited, max(longest, waited)
	}
	return n, total, longest
}

// End returns when the last event came.
func (t Timeline) End() time.Duration {
	if len(t.events) == 0 {
		return 0
	}
	return max(0, t.events[len(t.events)-1].At)
}

// PodWait returns the longest wait of a pod of the app in one second of the load in which it served: ready and not being deleted.
func (t Timeline) PodWait() (longest Wait) {
	type second struct {
		Actor
		at int
	}
	begun, ended := t.marks[evidence.LoadBegun], t.marks[evidence.LoadEnded]
	sums := map[second]time.Duration{}
	for _, w := range t.waits {
		if w.Pod == "" || w.AnyPod || w.Program == Client {
			continue
		}
		for at := int(max(w.From, begun) / time.Second); at <= int(min(w.To, ended)/time.Second); at++ {
			in := Window{From: time.Duration(at) * time.Second, To: time.Duration(at+1) * time.Second}
			if part, ok := w.within(in); ok && t.servedAll(w.Pod, in) {
				sums[second{w.Actor, at}] += part.Waited
				if sum := sums[second{w.Actor, at}]; sum > longest.Waited {
					longest = Wait{Actor: w.Actor, Window: in, Waited: sum}
				}
			}
		}
	}
	return longest
}

// servedAll reports whether a pod of the app was ready throughout a window and the second before it.
func (t Timeline) servedAll(pod string, in Window) bool {
	p := t.pod(pod)
	return p != nil && p.at(in.From-time.Second).Phase == PodServing && p.at(in.To).Phase == PodServing
}

// Waits lists by time who waited when: measured waits, or else what shows that an actor was late.
func (t Timeline) Waits() []Wait { return t.waits }

// Measured reports whether the recording measured how long processes waited for a processor.
func (t Timeline) Measured() bool { return t.measured }

// ServedBy lists the actors that take part in a request: its client, the host, which forwards the packets, and the pod that it was
// sent to, if that is known.
func (t Timeline) ServedBy(h Hit) []Actor {
	actors := []Actor{{Node: cmp.Or(t.lane(h.Lane).Node, outside), Program: Client}, {Program: SoftIRQ}}
	if pod, ok := t.podOf(h); ok {
		actors = append(actors, Actor{Pod: pod})
	}
	return actors
}

// Awaited returns for how long a client waited in vain for the reply to a failed request: since it sent that or, of a stream that timed
// out, since its last token.
func (t Timeline) Awaited(h Hit) Window {
	w := Window{From: h.Sent, To: h.End()}
	if h.Tokens > 0 && h.Fault == evidence.Timeout && t.timeout > 0 {
		w.From = max(w.From, w.To-t.timeout)
	}
	return w
}

// podOf returns the pod that a request was sent to. All requests of a control lane are sent to the same pod.
func (t Timeline) podOf(h Hit) (name string, ok bool) {
	if l := t.lane(h.Lane); l.Kind().IsControl() {
		for by := range l.lastTo {
			return by.Pod, len(l.lastTo) == 1
		}
	}
	if p, served := t.Served(h); served {
		return p.Pod, true
	}
	name = reached(h).Pod
	return name, name != ""
}

// podStarting reports whether any pod on a node was not ready yet at any time of a window.
func (t Timeline) podStarting(node string, in Window) bool {
	return slices.ContainsFunc(t.Pods, func(p Pod) bool {
		return p.Node == node && (p.at(in.From).Phase == PodStarting ||
			slices.ContainsFunc(p.Steps, func(s PodStep) bool { return s.Phase == PodStarting && in.From <= s.At && s.At <= in.To }))
	})
}

// joinWaits joins waits of the same actor that overlap, such as those of all lanes of a node, or of all control lanes.
func joinWaits(waits []Wait) (joined []Wait) {
	slices.SortFunc(waits, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Program, b.Program), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.From, b.From),
			cmp.Compare(a.To, b.To))
	})
	for _, w := range waits {
		joined = noteWait(joined, w)
	}
	return joined
}

// noteWait adds a wait, or extends the last one if it is of the same actor and both overlap.
func noteWait(waits []Wait, w Wait) []Wait {
	if n := len(waits); n > 0 {
		last := &waits[n-1]
		if last.Actor == w.Actor && last.AnyPod == w.AnyPod && last.From <= w.From && w.From <= last.To {
			last.To = max(last.To, w.To)
			last.Waited = last.Length()
			return waits
		}
	}
	return append(waits, w)
}

// findWaits fills in the waits: those measured, or else those that pods of Rollcall's app logged, and what else shows that an actor was
// late.
func (t *Timeline) findWaits() {
	measured, logged := t.measured, false
	for _, e := range t.waited {
		in := Window{From: e.At - e.For, To: e.At}
		switch {
		case e.Kind == evidence.CPUWait && measured:
			t.waits = append(t.waits, Wait{Actor: Actor{Pod: e.By.Pod, Node: e.Object, Program: e.Detail}, Window: in,
				Waited: time.Duration(e.Count) * time.Millisecond})
		case e.Kind == evidence.PodWaited && !measured:
			logged = true
			if !t.podStarting(e.By.Node, in) { // otherwise the rollout itself took the processor, which is part of its cost
				t.waits = append(t.waits, Wait{Actor: Actor{Pod: e.By.Pod, Node: e.By.Node}, Window: in, Waited: e.For})
			}
		}
	}
	var shown []Wait
	if !measured {
		shown = t.kubeletWaits()
	}
	for _, l := range t.Lanes {
		shown = append(shown, l.late...) // measured or not: a client is late because of us, and not because of the cluster
		if !measured && !logged {        // a slow control pod shows no more than the pods' logs do, since it may have been stopped
			shown = append(shown, l.slowControl...)
		}
	}
	for _, w := range joinWaits(shown) {
		w.Shown = true
		t.waits = append(t.waits, w)
	}
	slices.SortStableFunc(t.waits, func(a, b Wait) int { return cmp.Compare(a.From, b.From) })
	for _, w := range t.waits {
		t.longestWait = max(t.longestWait, w.Length())
	}
}

// ControlPlane lists the programs that have to act between a write to the API and the changes that nodes and endpoints see.
func ControlPlane() []Actor {
	return []Actor{{Program: APIServer}, {Program: Etcd}, {Program: ControllerManager}, {Program: Scheduler}}
}

// OnNode lists the programs of a node that act on changes in the API.
func OnNode(node string) []Actor {
	return []Actor{{Node: node, Program: Kubelet}, {Node: node, Program: Containerd}, {Node: node, Program: KubeProxy}}
}
