package observe

import (
	"fmt"
	"maps"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A ruleTracker notes to which pods the rules of each node route, from what the nodes' observers write.
type ruleTracker struct {
	*journal
	servers    map[string]evidence.Server // address -> pod that had it last
	unresolved []routeChange
	routes     map[string]map[string]map[string]bool // node -> address -> ports of it to which its rules route
	observed   map[string]string                     // node whose rules are observed -> mode of its kube-proxy
	failures   map[string]int                        // node -> writes of rules that its kube-proxy could not make
	proxyless  map[string]string                     // node without a kube-proxy -> how that was seen
	unobserved map[string]error                      // node whose rules no longer are observed, and why
	listened   map[string]string                     // node -> why its connections are not heard of; empty: they are listened to
	routed     map[string]bool                       // address of a client of which a connection was routed
}

// A routeChange is a change of a node's rules for an address of which no pod is known yet. It may belong to a Service of
// somebody else.
type routeChange struct {
	address string
	event   evidence.Event
}

func newRuleTracker(j *journal) *ruleTracker {
	return &ruleTracker{journal: j, servers: map[string]evidence.Server{}, routes: map[string]map[string]map[string]bool{},
		observed: map[string]string{}, failures: map[string]int{}, proxyless: map[string]string{}, unobserved: map[string]error{},
		listened: map[string]string{}, routed: map[string]bool{}}
}

// reader makes the reader of a node's observer, a pod that the client knows.
func (t *ruleTracker) reader(node string, observers typedcorev1.PodInterface) *ruleReader {
	r := &ruleReader{tracker: t, node: node}
	r.containerLog = containerLog{client: observers, line: r.readLine, flush: func() {}, ofAnotherRun: r.ofSecondRun}
	return r
}

func (t *ruleTracker) begin(node, mode string, e evidence.Event) {
	t.change(func() {
		t.sink.Event(e)
		t.observed[node] = mode
	})
}

func (t *ruleTracker) failed(node string, e evidence.Event) {
	t.change(func() {
		t.sink.Event(e)
		t.failures[node] += e.Count
	})
}

func (t *ruleTracker) noProxy(node, why string) {
	t.change(func() { t.proxyless[node] = why })
}

func (t *ruleTracker) lost(node string, why error) {
	t.change(func() {
		t.unobserved[node] = why
		t.note(evidence.Event{Kind: evidence.RecorderLost, Object: node, Detail: fmt.Sprintf("rules of %s: %v", node, why)})
	})
}

// event hands on an event that has its time.
func (t *ruleTracker) event(e evidence.Event) {
	t.change(func() { t.sink.Event(e) })
}

// route hands on a change for the pod that has the address, as soon as that is known. A node that routes to several ports of a pod, as of
// a Service with as many, began with the first of them and stops with the last.
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

// resolve learns which pod has an address and hands on what waited for that; the caller holds the lock.
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

// fill adds the rules to a state; the caller holds the lock. Of a node that no longer is observed nobody knows the rules, and
// nobody is to wait for them.
func (t *ruleTracker) fill(s *State) {
	s.Observed, s.Proxyless, s.Unobserved = maps.Clone(t.observed), maps.Clone(t.proxyless), maps.Clone(t.unobserved)
	maps.DeleteFunc(s.Observed, func(node, _ string) bool { return t.unobserved[node] != nil })
	s.Failures, s.Listened, s.Routed = maps.Clone(t.failures), maps.Clone(t.listened), maps.Clone(t.routed)
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
