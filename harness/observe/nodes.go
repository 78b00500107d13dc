package observe

import (
	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A nodeTracker notes when nodes become ready or unready, are cordoned or uncordoned, boot or run another version.
type nodeTracker struct {
	*journal
	seen map[string]nodeState // by node name
}

// A nodeState is the part of a node whose changes are noted.
type nodeState struct {
	ready, cordoned             bool
	kubelet, runtime, machineID string
}

func newNodeTracker(j *journal) *nodeTracker { return &nodeTracker{j, map[string]nodeState{}} }

func stateOf(n *corev1.Node) nodeState {
	is := n.Status.NodeInfo
	s := nodeState{cordoned: n.Spec.Unschedulable, kubelet: is.KubeletVersion, runtime: is.ContainerRuntimeVersion,
		machineID: is.MachineID + " " + is.BootID} // a node in a container has its host's boot id, but a new machine id after a boot
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			s.ready = c.Status == corev1.ConditionTrue
		}
	}
	return s
}

func (t *nodeTracker) see(n *corev1.Node) {
	now := stateOf(n)
	t.change(func() {
		was, seen := t.seen[n.Name]
		t.seen[n.Name] = now
		note := func(kind evidence.EventKind, detail string) {
			t.note(evidence.Event{Kind: kind, Object: n.Name, Detail: detail})
		}
		if !seen || was.ready != now.ready {
			note(map[bool]evidence.EventKind{true: evidence.NodeReady, false: evidence.NodeUnready}[now.ready], "")
		}
		if was.cordoned != now.cordoned {
			note(map[bool]evidence.EventKind{true: evidence.NodeCordoned, false: evidence.NodeOpened}[now.cordoned], "")
		}
		if !seen {
			return
		}
		if was.machineID != now.machineID {
			note(evidence.NodeChanged, evidence.Booted)
		}
		if was.kubelet != now.kubelet {
			note(evidence.NodeChanged, "kubelet "+now.kubelet)
		}
		if was.runtime != now.runtime {
			note(evidence.NodeChanged, now.runtime)
		}
	})
}

func (t *nodeTracker) lose(n *corev1.Node) {
	t.change(func() {
		delete(t.seen, n.Name)
		t.note(evidence.Event{Kind: evidence.NodeUnready, Object: n.Name, Detail: "deleted"})
	})
}
