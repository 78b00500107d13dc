package observe

import (
	"fmt"
	"maps"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A ruleTracker notes to which pods the rules of each node route, from the output of the nodes' observers.
type ruleTracker struct {
	*journal
	NodeReports
	servers    map[string]evidence.Server // address -> pod that last got it
	unresolved []routeChange
	routes     map[string]map[string]map[string]bool // node -> address -> ports to which the node's rules route
}

// A routeChange is a change of a node's rules for an address whose pod is not known yet. It may belong to another
// Service.
type routeChange struct {
	address string
	event   evidence.Event
}

func newRuleTracker(j *journal) *ruleTracker {
	reports := NodeReports{Observed: map[string]string{}, Proxyless: map[string]string{}, Unobserved: map[string]error{},
		Listened: map[string]string{}, Routed: map[string]bool{}}
	return &ruleTracker{journal: j, NodeReports: reports, servers: map[string]evidence.Server{},
		routes: map[string]map[string]map[string]bool{}}
}

// reader returns a reader for a node's observer, whose log the client can get.
func (t *ruleTracker) reader(node string, observers typedcorev1.PodInterface) *ruleReader {
	r := &ruleReader{tracker: t, node: node}
	r.containerLog = containerLog{client: observers, line: r.readLine, flush: func() {}, ofAnotherRun: r.ofSecondRun}
	return r
}

func (t *ruleTracker) lost(node string, why error) {
	t.change(func() {
		t.Unobserved[node] = why
		t.note(evidence.Event{Kind: evidence.RecorderLost, Object: node, Detail: fmt.Sprintf("rules of %s: %v", node, why)})
	})
}

// record hands on an event that has its time, and calls learn.
func (t *ruleTracker) record(e evidence.Event, learn func()) {
	t.change(func() {
		t.sink.Event(e)
		learn()
	})
}

// route hands on a change with the pod that has the address, as soon as that is known. If a node routes to several ports of a pod,
// only the first one added and the last one gone count.
func (t *ruleTracker) route(node, address, port string, e evidence.Event) {
	t.change(func() {
		if t.routes[node] == nil {
			t.routes[node] = map[string]map[string]bool{}
		}
		ports := t.routes[node][address]
		if ports == nil {
			ports = map[string]bool{}
			t.routes[node][address] = ports
		}
		delete(ports, port)
		others := len(ports) > 0
		if e.Kind == evidence.RuleAdded {
			ports[port] = true
		}
		if others {
			return
		}
		if server, known := t.servers[address]; known {
			e.By = server
			t.sink.Event(e)
			return
		}
		t.unresolved = append(t.unresolved, routeChange{address, e})
	})
}

// resolve stores which pod has an address and hands on the changes that waited for it; the caller holds the lock.
func (t *ruleTracker) resolve(address string, server evidence.Server) {
	t.servers[address] = server
	var others []routeChange
	for _, c := range t.unresolved {
		if c.address != address {
			others = append(others, c)
			continue
		}
		c.event.By = server
		t.sink.Event(c.event)
	}
	t.unresolved = others
}

// fill adds the rules to a state; the caller holds the lock. It leaves out nodes whose observer was lost: their rules are unknown, and
// no wait should depend on them.
func (t *ruleTracker) fill(s *State) {
	s.NodeReports = t.clone()
	maps.DeleteFunc(s.Observed, func(node, _ string) bool { return t.Unobserved[node] != nil })
	s.Rules = make(map[string][]evidence.Server, len(s.Observed))
	for node := range s.Observed {
		s.Rules[node] = nil
		for address, ports := range t.routes[node] {
			if server, known := t.servers[address]; known && len(ports) > 0 {
				s.Rules[node] = append(s.Rules[node], server)
			}
		}
	}
}
