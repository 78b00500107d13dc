package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// KubeletDelay is the longest that a kubelet which gets a processor takes to begin with a deletion. It waits for no timer, and
// the slowest of its loops has a period of 1 s (Kubernetes v1.37.2, pkg/kubelet/kubelet.go, genericPlegRelistPeriod).
const KubeletDelay = time.Second

// noteReport enters an Event of the kubelet about a pod that had got ready: it stops the pod, or a probe timed out. A pod that is still
// being started has to wait before it is stopped; one that is being deleted loses its network first, so that its probes time out on an
// idle node, too.
func (p *Pod) noteReport(e evidence.Event, was podState) {
	switch {
	case !was.served || was.gone:
	case message.Stops(e.Report.Kind) && was.deleted && !was.stopping:
		p.state.stopping, p.stops = true, append(p.stops, stop{e, p.deleted})
	case e.Report.Kind == message.ProbeTimesOut && !was.deleted:
		p.timeouts = append(p.timeouts, e)
	}
}

// kubeletWaits returns the waits that Events of kubelets show where none were measured: a kubelet began to stop a pod late, or a probe
// timed out. A kubelet that waits for a processor and one that is stopped look the same.
func (t Timeline) kubeletWaits() (waits []Wait) {
	note := func(a Actor, from, to time.Duration) {
		waits = append(waits, Wait{Actor: a, Window: Window{From: from, To: to}, Waited: to - from})
	}
	for _, p := range t.Pods {
		for _, s := range p.stops {
			if s.At-s.deleted < KubeletDelay+t.watchLag(s.deleted) {
				continue
			}
			note(Actor{Node: s.By.Node, Program: Kubelet}, s.deleted, s.At)
			if end, ended := p.first(evidence.PodGone, nil); ended { // how late it was with the rest is not known
				note(Actor{Pod: p.Pod, Node: s.By.Node, Program: Kubelet}, s.deleted, end.At)
			}
		}
		for _, e := range p.timeouts {
			note(Actor{Pod: p.Pod}, e.At-ProbeTimeout, e.At)
			note(Actor{Node: e.By.Node, Program: Kubelet}, e.At-ProbeTimeout, e.At)
		}
	}
	return waits
}
