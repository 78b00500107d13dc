package timeline

import (
	"cmp"
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Step is something that was done to the cluster, or that became of it, from which on clients may lose requests.
type Step struct {
	Time
	Kind evidence.EventKind // of the event that tells it
	Node string             // that it is about; empty: it is about the cluster
	What string
}

// String is like "worker: cordoned".
func (s Step) String() string {
	if s.Node == "" {
		return s.What
	}
	return s.Node + ": " + s.What
}

// silent is for how long an API server that does not answer is not just busy: as long as the recorder waits for it.
const silent = 2 * time.Second

// Steps lists by time what maintenance noted, that a disruption began and was undone, and what the recorder saw by itself under
// load: nodes that came, left, were cordoned, changed or were not ready, and an API server that was silent, from when it was asked.
func (t Timeline) Steps() []Step { return t.steps }

// step enters the step that an event tells of.
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
		if took := time.Duration(e.Count) * time.Millisecond; took > silent {
			s.What, s.At, p.answered = fmt.Sprintf("the API server was silent for %.1f s", took.Seconds()), e.At-took, e.At
		}
	case evidence.CertificateSeen, evidence.TLSFailed:
		s.What, s.Node = tlsStep(p.certificates, e), ""
	case evidence.NameChanged:
		s.What, s.Node = cmp.Or(e.Detail, e.Object+" is resolved otherwise"), ""
	case evidence.WatchGap:
		if p.answered == 0 || e.At-p.answered > time.Second { // else it is the same silence, noted as it ended
			s.What = "the API's watch was blind: " + e.Detail
		}
	default:
		return
	}
	if s.What != "" && (!byItself || p.UnderLoad(e.At)) {
		p.steps = append(p.steps, s)
	}
}

// tlsStep says what one lane was the first to meet, of a certificate that is not its first, or of a handshake that failed.
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

// readiness says what an event about a node's readiness changes, of those that were ready or not before; nothing, it may be.
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
func removed(e evidence.Event) bool { return e.Kind == evidence.NodeUnready && e.Detail == "deleted" }
