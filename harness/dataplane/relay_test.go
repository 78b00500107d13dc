package dataplane_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
)

// Scripts of relayd on a node.
const (
	relaySynced = "relayctl synced"
	relayFlush  = "relayctl flush"
)

// relayPlane returns a made-up data plane.
func relayPlane() dataplane.Plane {
	return dataplane.Plane{Name: "relay", LoseRules: relayFlush,
		Proxy: &dataplane.Proxy{Name: "relayd", Selector: "app=relayd", Synced: relaySynced}}
}

// A relay is a cluster with that data plane, in a bubble. On each node a relayd keeps rules for the ready pods. Beside them an observer
// records when a rule comes and goes, as that of a real node does.
type relay struct {
	cluster.Changeable // nil
	*testing.T
	client *fake.Clientset
	lag    time.Duration // of rules behind the endpoints
	starts time.Duration // from the start of a relayd until it has written its rules
	began  time.Time

	mu      sync.Mutex
	changes int                      // of the endpoints
	ready   map[evidence.Server]bool // pods that are endpoints now
	nodes   map[string]*relayd
	events  []evidence.Event // by the observers
}

// A relayd has the rules of a node.
type relayd struct {
	run      int // how often it was started
	synced   bool
	written  int // change of the endpoints that its rules have
	observed bool
	rules    map[evidence.Server]bool
}

func newRelay(t *testing.T, lag, starts time.Duration, nodes ...string) *relay {
	r := &relay{T: t, client: fake.NewClientset(), lag: lag, starts: starts, began: time.Now(), ready: map[evidence.Server]bool{},
		nodes: map[string]*relayd{}}
	for _, node := range nodes {
		r.nodes[node] = &relayd{rules: map[evidence.Server]bool{}}
		r.restart(node)
	}
	r.client.PrependReactor("delete", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		_, node, _ := strings.Cut(action.(k8stesting.DeleteAction).GetName(), ".")
		r.restart(node)
		return false, nil, nil
	})
	return r
}

// restart creates the pod of a node's next relayd, as its DaemonSet does. The rules stay, and are written when that has read all
// endpoints.
func (r *relay) restart(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.nodes[node]
	of.run, of.synced = of.run+1, false
	time.AfterFunc(r.starts, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		of.synced, of.written = true, r.changes
		r.write(node, r.ready)
	})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: fmt.Sprintf("relayd-%d.%s", of.run, node),
		UID: types.UID(fmt.Sprint(node, of.run)), Labels: map[string]string{"app": "relayd"}}}
	pod.Spec.NodeName, pod.Status.Phase = node, corev1.PodRunning
	if err := r.client.Tracker().Add(pod); err != nil {
		r.Error(err)
	}
}

func (r *relay) Client() kubernetes.Interface                { return r.client }
func (r *relay) Plane() dataplane.Plane                      { return relayPlane() }
func (r *relay) Nodes() []string                             { return slices.Sorted(maps.Keys(r.nodes)) }
func (r *relay) NodeName(name string) string                 { return name }
func (r *relay) ProxiesLeaveCPUCgroup(context.Context) error { return nil }

func (r *relay) Exec(_ context.Context, node, script string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch of := r.nodes[node]; {
	case script == relaySynced && !of.synced:
		return "", errors.New("exit status 1")
	case script == relaySynced:
	case strings.HasSuffix(script, "\n"+relayFlush):
		r.write(node, nil)
	default:
		r.Errorf("unknown script on %s: %s", node, script)
	}
	return "", nil
}

// see changes the endpoints, which each relayd writes after the lag, or when it has started if that is later.
func (r *relay) see(pod evidence.Server, ready bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	if r.ready[pod] = ready; !ready {
		delete(r.ready, pod)
	}
	change, now := r.changes, maps.Clone(r.ready)
	for node, of := range r.nodes {
		time.AfterFunc(r.lag, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			if of.synced && of.written < change {
				of.written = change
				r.write(node, now)
			}
		})
	}
}

// write makes the rules of a node lead to these pods; the caller holds the lock.
func (r *relay) write(node string, to map[evidence.Server]bool) {
	of := r.nodes[node]
	for pod := range of.rules {
		if !to[pod] {
			r.note(node, evidence.Event{Kind: evidence.RuleGone, By: pod})
		}
	}
	for pod := range to {
		if !of.rules[pod] {
			r.note(node, evidence.Event{Kind: evidence.RuleAdded, By: pod})
		}
	}
	of.rules = maps.Clone(to)
}

// observe has the observer of a node begin, with the rules that there are.
func (r *relay) observe(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.nodes[node]
	of.observed = true
	r.note(node, evidence.Event{Kind: evidence.RulesBegun, Detail: r.Plane().Name + " by events"})
	for pod := range of.rules {
		r.note(node, evidence.Event{Kind: evidence.RuleAdded, By: pod})
	}
}

func (r *relay) note(node string, e evidence.Event) {
	if r.nodes[node].observed {
		e.At, e.Clock, e.Object = time.Since(r.began), node, node
		r.events = append(r.events, e)
	}
}

// routes returns to how many pods the rules of a node lead.
func (r *relay) routes(node string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.nodes[node].rules)
}

// play repeats, each at its time, what a recording has of endpoints, and when observers began. It returns the recording with the relay's
// rules in place of those that were recorded.
func (r *relay) play(recorded []evidence.Event) []evidence.Event {
	pods := map[string]evidence.Server{} // by name: an early event may lack the rest
	for _, e := range recorded {
		if e.Kind == evidence.PodReady {
			pods[e.By.Pod] = e.By
		}
	}
	ordered := slices.SortedStableFunc(slices.Values(recorded), func(a, b evidence.Event) int { return int(a.At - b.At) })
	for _, e := range ordered {
		time.Sleep(e.At - time.Since(r.began))
		switch e.Kind {
		case evidence.EndpointReady:
			r.see(pods[e.By.Pod], true)
		case evidence.EndpointNotReady, evidence.EndpointGone:
			r.see(pods[e.By.Pod], false)
		case evidence.RulesBegun:
			r.observe(e.Object)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	others := slices.DeleteFunc(ordered, func(e evidence.Event) bool { return strings.HasPrefix(string(e.Kind), "rule") })
	return append(others, r.events...)
}
