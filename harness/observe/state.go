package observe

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	"example.com/rollcall/harness/evidence"
)

// A State is what a Watch last saw; rollout strategies judge it.
type State struct {
	Deployments  map[string]*appsv1.Deployment  // by name
	StatefulSets map[string]*appsv1.StatefulSet // by name
	Pods         []PodState
	Endpoints    []EndpointState              // of the Service
	Rules        map[string][]evidence.Server // node -> app pods that its rules route to; every observed node has a key
	NodeReports
}

// NodeReports is what the observers of nodes' rules have reported, by node.
type NodeReports struct {
	Observed   map[string]string // nodes whose rules are observed -> mode of their kube-proxy
	Proxyless  map[string]string // nodes without a kube-proxy -> how that was detected
	Unobserved map[string]error  // nodes whose observer was lost -> why
	Listened   map[string]string // nodes that were to report connections -> why they cannot; empty: they do
	Routed     map[string]bool   // addresses of clients from which a node reported a routed connection
}

func (r NodeReports) clone() NodeReports {
	return NodeReports{maps.Clone(r.Observed), maps.Clone(r.Proxyless), maps.Clone(r.Unobserved), maps.Clone(r.Listened),
		maps.Clone(r.Routed)}
}

// A PodState is one pod of the app that is in the API.
type PodState struct {
	evidence.Server
	Ready    bool
	Deleting bool // deletionTimestamp is set
}

// An EndpointState is one endpoint of the Service. If its pod has left the API, only the name is known.
type EndpointState struct {
	evidence.Server
	Ready       bool
	Terminating bool
}

// Like reports whether another state has the same pods and endpoints with the same readiness.
func (s State) Like(o State) bool {
	return sameMembers(s.Pods, o.Pods) && sameMembers(s.Endpoints, o.Endpoints)
}

// sameMembers compares two slices as sets.
func sameMembers[T comparable](a, b []T) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x T) bool { return !slices.Contains(b, x) })
}

func count[T any](all []T, holds func(T) bool) (n int) {
	for _, x := range all {
		if holds(x) {
			n++
		}
	}
	return n
}

// Count returns how many pods of a version are in the API.
func (s State) Count(version string) int {
	return count(s.Pods, func(p PodState) bool { return p.Version == version })
}

// Available returns how many pods of a version are ready and not terminating.
func (s State) Available(version string) int {
	return count(s.Pods, func(p PodState) bool { return p.Version == version && p.Ready && !p.Deleting })
}

// Leaving reports whether any pod is terminating.
func (s State) Leaving() bool {
	return slices.ContainsFunc(s.Pods, func(p PodState) bool { return p.Deleting })
}

// Deleted reports whether a pod is being deleted, as the watch of pods and that of EndpointSlices have both reported.
func (s State) Deleted(pod string) bool {
	return slices.ContainsFunc(s.Pods, func(p PodState) bool { return p.Pod == pod && p.Deleting }) &&
		slices.ContainsFunc(s.Endpoints, func(e EndpointState) bool { return e.Pod == pod && e.Terminating })
}

// RoutesToReady reports whether the rules of all observed nodes route to ready endpoints alone. They need not route to all of
// them: that is up to the Service's traffic policy.
func (s State) RoutesToReady() bool {
	for _, pods := range s.Rules {
		for _, p := range pods {
			if !slices.ContainsFunc(s.Endpoints, func(e EndpointState) bool { return e.Ready && e.Pod == p.Pod }) {
				return false
			}
		}
	}
	return true
}

// RoutesToAll reports whether the rules of every observed node route to every available pod of the versions that the Service has endpoints
// of.
func (s State) RoutesToAll() bool {
	for _, p := range s.Pods {
		if !p.Ready || p.Deleting || !slices.ContainsFunc(s.Endpoints, func(e EndpointState) bool { return e.Version == p.Version }) {
			continue
		}
		for _, routed := range s.Rules {
			if !slices.ContainsFunc(routed, func(s evidence.Server) bool { return s.Pod == p.Pod }) {
				return false
			}
		}
	}
	return true
}

// Reaches reports whether the Service's endpoints or the rules of an observed node route to a pod of a version. An
// endpoint whose pod has left the API counts as one of any version.
func (s State) Reaches(version string) bool {
	if slices.ContainsFunc(s.Endpoints, func(e EndpointState) bool { return e.Version == version || e.Version == "" }) {
		return true
	}
	for node := range s.Rules {
		if s.routedPods(node, version) > 0 {
			return true
		}
	}
	return false
}

// ReachesEverywhere reports whether n endpoints are ready pods of a version, and the rules of every observed node route to
// as many.
func (s State) ReachesEverywhere(version string, n int) bool {
	for node := range s.Rules {
		if s.routedPods(node, version) != n {
			return false
		}
	}
	return count(s.Endpoints, func(e EndpointState) bool { return e.Version == version && e.Ready }) == n
}

// routedPods returns to how many pods of a version a node's rules route.
func (s State) routedPods(node, version string) int {
	return count(s.Rules[node], func(p evidence.Server) bool { return p.Version == version })
}

// state returns a copy; the API objects in it are shared, since nothing changes them. The caller holds the lock.
func (w *Watch) state() State {
	var s State
	w.workloads.fill(&s)
	w.pods.fill(&s)
	w.endpoints.fill(&s)
	w.rules.fill(&s)
	return s
}
