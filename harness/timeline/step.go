package timeline

import (
	"cmp"
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Step is a change that was made to the cluster, or that happened to it, after which clients may lose requests.
type Step struct {
	Time
	Kind evidence.EventKind // of its event
	Of   string             // the component of kube-system whose pod ended or started, such as coredns; empty: none
	Node string             // empty: the step concerns the cluster
	What string
}

// String returns a text such as "worker: cordoned".
func (s Step) String() string {
	if s.Node == "" {
		return s.What
	}
	return s.Node + ": " + s.What
}

// Steps lists by time the steps that maintenance marked, the begin and end of a disruption, and what the recorder saw by itself under
// load, such as nodes that came, left, were cordoned, changed or were not ready, changes of a user's Service and workload, restarts of
// kube-proxy and CoreDNS, and an API server that was silent, from when it was asked.
func (t Timeline) Steps() []Step { return t.steps }

// step enters the step that an event makes, if any.
func (p *pass) step(e evidence.Event) {
	s := Step{Time: p.noted(e), Kind: e.Kind, Node: e.Object}
	byItself := true
	switch e.Kind {
	case evidence.Step:
		s.What, byItself = cmp.Or(e.Detail, "a step"), false
	case evidence.DisruptionBegun:
		s.What, byItself = cmp.Or(e.Detail, "the disruption begins"), false
	case evidence.DisruptionUndone:
		s.What, byItself = cmp.Or(e.Detail, "undone"), false
	case evidence.NodeReady, evidence.NodeUnready:
		s.What = readiness(p.readiness, e)
	case evidence.NodeCordoned:
		s.What = "cordoned"
	case evidence.NodeOpened:
		s.What = "uncordoned"
	case evidence.NodeChanged:
		s.What = cmp.Or(e.Detail, "changed")
	case evidence.APIAnswered:
		if took := time.Duration(e.Count) * time.Millisecond; took > evidence.APITimeout {
			s.What, s.At, p.answered = fmt.Sprintf("the API server was silent for %.1f s", took.Seconds()), e.At-took, e.At
		}
	case evidence.CertificateSeen, evidence.TLSFailed:
		s.What, s.Node = tlsStep(p.certificates, e), ""
	case evidence.NameChanged:
		s.What, s.Node = cmp.Or(e.Detail, e.Object+" is resolved otherwise"), ""
	case evidence.ServiceChanged, evidence.SliceEdited, evidence.AutoscalerChanged, evidence.WorkloadChanged, evidence.BudgetAllows:
		if s.Node = ""; p.UserApp {
			s.What = changeOf(e)
		}
	case evidence.SystemPodDeleting, evidence.SystemPodReady:
		s.What, s.Of, s.Node = changeOf(e), e.Object, e.By.Node
	case evidence.WatchGap:
		if p.answered == 0 || e.At-p.answered > time.Second { // otherwise it is the same silence, noted at its end
			s.What = "the API's watch was blind: " + e.Detail
		}
	default:
		return
	}
	if s.What != "" && (!byItself || p.UnderLoad(e.At)) {
		p.steps = append(p.steps, s)
	}
}

// changeOf describes the change of an object, or of a pod of kube-system.
func changeOf(e evidence.Event) string {
	switch e.Kind {
	case evidence.ServiceChanged:
		return "Service " + e.Object + ": " + e.Detail
	case evidence.SliceEdited:
		return "EndpointSlice " + e.Object + ", written by hand: " + e.Detail
	case evidence.AutoscalerChanged:
		return "HorizontalPodAutoscaler " + e.Object + ": " + e.Detail
	case evidence.WorkloadChanged:
		return e.Object + ": " + e.Detail
	case evidence.BudgetAllows:
		return fmt.Sprintf("PodDisruptionBudget %s (%s) allows %d evictions", e.Object, e.Detail, e.Count)
	case evidence.SystemPodDeleting:
		return e.Object + " ends"
	case evidence.SystemPodReady:
		if e.Detail != "" {
			return e.Object + " is ready, in mode " + e.Detail
		}
		return e.Object + " is ready"
	default:
		return ""
	}
}

// tlsStep describes a certificate that is not a lane's first, or a handshake that failed. It returns nothing if another lane met it before.
func tlsStep(known map[string]bool, e evidence.Event) string {
	was := known[e.Detail]
	known[e.Detail] = true
	switch {
	case was:
		return ""
	case e.Kind == evidence.TLSFailed:
		return "TLS failed on " + e.Object + ": " + e.Detail
	case e.Count > 1:
		return "another certificate on " + e.Object + ": " + e.Detail
	default:
		return ""
	}
}

// readiness describes what an event about a node's readiness changes, if anything, and enters it into the nodes' readiness so far.
func readiness(nodes map[string]bool, e evidence.Event) string {
	was, known := nodes[e.Object]
	is := e.Kind == evidence.NodeReady
	if removed(e) {
		delete(nodes, e.Object)
		return "removed"
	}
	nodes[e.Object] = is
	switch {
	case !known && is:
		return "joined"
	case !known:
		return "joined, not ready"
	case was && !is:
		return "not ready"
	case !was && is:
		return "ready again"
	default:
		return ""
	}
}

// removed reports whether an event about a node's readiness says that the node left the API.
func removed(e evidence.Event) bool {
	return e.Kind == evidence.NodeUnready && e.Detail == evidence.Deleted
}
