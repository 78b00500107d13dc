package observe

import (
	"fmt"
	"maps"
	"slices"
	"time"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A ruleTracker notes to which pods the rules of each node route, from the output of the nodes' observers.
type ruleTracker struct {
	*journal
	NodeReports
	servers map[string]evidence.Server // address -> pod that last got it
	left    map[string]bool            // addresses whose pod has left the API: another pod, also of another Service, may get them
	ours    routes                     // to the pods that are known to have the addresses
	others  routes                     // perhaps to pods of other Services
	waiting []wait                     // of others, in the order in which they came
}

// routes are what the rules have, by node and address.
type routes map[string]map[string]*route

// A route is what a node's rules have for an address.
type route struct {
	ports map[string]bool // to which they route
	added evidence.Event  // by which they began to
}

// A wait is one for the pod that has an address.
type wait struct {
	*route
	node, address string
	since         time.Time
}

// foreignAfter is when an address that no pod of the app has got is taken for one of another Service, and forgotten: a cluster may have
// thousands, on each node. A watch of pods that broke may be a minute late (client-go v0.37.2, tools/cache/reflector.go).
const foreignAfter = 2 * time.Minute

func (r routes) put(node, address string, to *route) {
	if r[node] == nil {
		r[node] = map[string]*route{}
	}
	r[node][address] = to
}

// remove removes a rule, and reports whether it was the last one for the address.
func (r routes) remove(node, address, port string) (last bool) {
	to := r[node][address]
	if to == nil {
		return false
	}
	if delete(to.ports, port); len(to.ports) > 0 {
		return false
	}
	delete(r[node], address)
	return true
}

func newRuleTracker(j *journal) *ruleTracker {
	reports := NodeReports{Observed: map[string]string{}, Proxyless: map[string]string{}, Unobserved: map[string]error{},
		Listened: map[string]string{}, Routed: map[string]bool{}}
	return &ruleTracker{journal: j, NodeReports: reports, servers: map[string]evidence.Server{}, left: map[string]bool{}, ours: routes{},
		others: routes{}}
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
		t.forget()
	})
}

// route hands on a change with the pod that has the address, as soon as that is known. If a node routes to several ports of a pod,
// only the first one added and the last one gone count.
func (t *ruleTracker) route(node, address, port string, e evidence.Event) {
	t.changeIf(func() (changed bool) {
		t.forget()
		e.By = t.servers[address]
		if e.Kind == evidence.RuleAdded {
			changed = t.add(node, address, port, e)
		} else {
			changed = t.ours.remove(node, address, port)
			t.others.remove(node, address, port)
		}
		if changed {
			t.sink.Event(e)
		}
		return changed
	})
}

// add takes in a rule, and reports whether it is the first one for a pod that is known; the caller holds the lock.
func (t *ruleTracker) add(node, address, port string, e evidence.Event) (first bool) {
	for _, of := range []routes{t.ours, t.others} {
		if r := of[node][address]; r != nil {
			r.ports[port] = true
			return false
		}
	}
	r := &route{map[string]bool{port: true}, e}
	if _, known := t.servers[address]; known && !t.left[address] {
		t.ours.put(node, address, r)
		return true
	}
	t.others.put(node, address, r)
	t.waiting = append(t.waiting, wait{r, node, address, time.Now()})
	return false
}

// forget forgets the addresses that have waited too long; the caller holds the lock.
func (t *ruleTracker) forget() {
	n := 0
	for ; n < len(t.waiting) && time.Since(t.waiting[n].since) >= foreignAfter; n++ {
		if w := t.waiting[n]; t.others[w.node][w.address] == w.route {
			delete(t.others[w.node], w.address)
		}
	}
	clear(t.waiting[:n])
	t.waiting = t.waiting[n:]
}

// resolve stores which pod has an address and hands on the rules that waited for it; the caller holds the lock.
func (t *ruleTracker) resolve(address string, server evidence.Server) {
	t.servers[address] = server
	delete(t.left, address)
	for _, node := range slices.Sorted(maps.Keys(t.others)) {
		if r := t.others[node][address]; r != nil {
			delete(t.others[node], address)
			t.ours.put(node, address, r)
			r.added.By = server
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
		for address := range t.ours[node] {
			s.Rules[node] = append(s.Rules[node], t.servers[address])
		}
	}
}
