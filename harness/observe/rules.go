package observe

import (
	"fmt"
	"maps"
	"slices"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A ruleTracker notes to which pods the rules of each node route, from the output of the nodes' observers.
type ruleTracker struct {
	*journal
	NodeReports
	servers map[string]evidence.Server   // address -> pod that last got it
	left    map[string]bool              // addresses whose pod has left the API: another pod, also of another Service, may get them
	routes  map[string]map[string]*route // node -> address
}

// A route is what a node's rules have for an address.
type route struct {
	ports map[string]bool // to which they route
	added evidence.Event  // by which they began to
	ours  bool            // they are for the pod that is known to have the address; else perhaps for one of another Service
}

func newRuleTracker(j *journal) *ruleTracker {
	reports := NodeReports{Observed: map[string]string{}, Proxyless: map[string]string{}, Unobserved: map[string]error{},
		Listened: map[string]string{}, Routed: map[string]bool{}}
	return &ruleTracker{journal: j, NodeReports: reports, servers: map[string]evidence.Server{}, left: map[string]bool{},
		routes: map[string]map[string]*route{}}
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
			t.routes[node] = map[string]*route{}
		}
		r := t.routes[node][address]
		if r == nil {
			r = &route{ports: map[string]bool{}}
			t.routes[node][address] = r
		}
		delete(r.ports, port)
		others := len(r.ports) > 0
		if e.Kind == evidence.RuleAdded {
			r.ports[port] = true
		}
		if others {
			return
		}
		server, known := t.servers[address]
		if e.Kind == evidence.RuleAdded {
			r.added, r.ours = e, known && !t.left[address]
		}
		if r.ours {
			e.By = server
			t.sink.Event(e)
		}
	})
}

// resolve stores which pod has an address and hands on the rules that waited for it; the caller holds the lock.
func (t *ruleTracker) resolve(address string, server evidence.Server) {
	t.servers[address] = server
	delete(t.left, address)
	for _, node := range slices.Sorted(maps.Keys(t.routes)) {
		if r := t.routes[node][address]; r != nil && len(r.ports) > 0 && !r.ours {
			r.ours, r.added.By = true, server
			t.sink.Event(r.added)
		}
	}
}

// leave notes that the pod with an address has left the API; the caller holds the lock.
func (t *ruleTracker) leave(address, pod string) {
	if t.servers[address].Pod == pod {
		t.left[address] = true
	}
}

// fill adds the rules to a state; the caller holds the lock. It leaves out nodes whose observer was lost: their rules are unknown, and
// no wait should depend on them.
func (t *ruleTracker) fill(s *State) {
	s.NodeReports = t.clone()
	maps.DeleteFunc(s.Observed, func(node, _ string) bool { return t.Unobserved[node] != nil })
	s.Rules = make(map[string][]evidence.Server, len(s.Observed))
	for node := range s.Observed {
		s.Rules[node] = nil
		for address, r := range t.routes[node] {
			if r.ours && len(r.ports) > 0 {
				s.Rules[node] = append(s.Rules[node], t.servers[address])
			}
		}
	}
}
