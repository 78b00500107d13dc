package observe

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/evidence"
)

func TestWhereAVersionIsReached(t *testing.T) {
	v1, v2 := evidence.Server{Version: "v1", Pod: "a"}, evidence.Server{Version: "v2", Pod: "b"}
	for _, row := range []struct {
		sentence        string
		state           State
		old, everywhere bool // whether v1 is reached; whether one pod of v2 is reached everywhere
	}{
		{"nowhere", State{}, false, false},
		{"an endpoint, ready or not", State{Endpoints: []EndpointState{{Server: v1}}}, true, false},
		{"an endpoint whose pod is gone may be of any version", State{Endpoints: []EndpointState{{Server: evidence.Server{Pod: "c"}}}}, true,
			false},
		{"no endpoint, but the rules of one node of two", State{Rules: map[string][]evidence.Server{"one": nil, "two": {v1}}}, true, false},
		{"a ready endpoint, and no node is observed", State{Endpoints: []EndpointState{{Server: v2, Ready: true}}}, false, true},
		{"a ready endpoint, and a node whose rules do not route to it",
			State{Endpoints: []EndpointState{{Server: v2, Ready: true}},
				Rules: map[string][]evidence.Server{"one": {v2}, "two": nil}}, false, false},
		{"a ready endpoint and every node",
			State{Endpoints: []EndpointState{{Server: v2, Ready: true}},
				Rules: map[string][]evidence.Server{"one": {v2}, "two": {v2}}}, false, true},
		{"an endpoint that is not ready", State{Endpoints: []EndpointState{{Server: v2}},
			Rules: map[string][]evidence.Server{"one": {v2}}}, false,
			false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := row.state.Reaches("v1"); got != row.old {
				t.Errorf("v1 is reached: %v", got)
			}
			if got := row.state.ReachesEverywhere("v2", 1); got != row.everywhere {
				t.Errorf("v2 is reached everywhere: %v", got)
			}
		})
	}
}

func TestWhetherRulesRouteToAllPods(t *testing.T) {
	a, b, c := evidence.Server{Version: "v1", Pod: "a"}, evidence.Server{Version: "v1", Pod: "b"}, evidence.Server{Version: "v2", Pod: "c"}
	both := []PodState{{a, true, false}, {b, true, false}}
	listed := []EndpointState{{Server: a, Ready: true}, {Server: b}}
	for _, row := range []struct {
		sentence string
		state    State
		want     bool
	}{
		{"no node is observed", State{Pods: both, Endpoints: listed}, true},
		{"every node's do", State{Pods: both, Endpoints: listed, Rules: map[string][]evidence.Server{"one": {a, b}, "two": {b, a}}}, true},
		{"one node's lack a pod", State{Pods: both, Endpoints: listed, Rules: map[string][]evidence.Server{"one": {a, b}, "two": {a}}}, false},
		{"they lack one that is not ready", State{Pods: []PodState{{a, true, false}, {b, false, false}}, Endpoints: listed,
			Rules: map[string][]evidence.Server{"one": {a}}}, true},
		{"they lack one that is being deleted", State{Pods: []PodState{{a, true, false}, {b, true, true}}, Endpoints: listed,
			Rules: map[string][]evidence.Server{"one": {a}}}, true},
		{"they lack one of a version that the Service does not select", State{Pods: []PodState{{a, true, false}, {c, true, false}},
			Endpoints: listed, Rules: map[string][]evidence.Server{"one": {a}}}, true},
	} {
		if got := row.state.RoutesToAll(); got != row.want {
			t.Errorf("%s: %v", row.sentence, got)
		}
	}
}

func TestAvailablePodsAreReadyAndStay(t *testing.T) {
	s := State{Pods: []PodState{
		{evidence.Server{Version: "v1", Pod: "a"}, true, false}, {evidence.Server{Version: "v1", Pod: "b"}, true, true},
		{evidence.Server{Version: "v1", Pod: "c"}, false, false}, {evidence.Server{Version: "v2", Pod: "d"}, true, false},
	}}
	if s.Available("v1") != 1 || s.Count("v1") != 3 || !s.Leaving() {
		t.Errorf("of v1 %d available of %d, leaving %v", s.Available("v1"), s.Count("v1"), s.Leaving())
	}
}

// TestNewPodIsNoStray sees a pod of the rollout after the slice that lists it, as a watch of pods that was broken does, and looks for
// strays whenever nobody holds the lock.
func TestNewPodIsNoStray(t *testing.T) {
	var w *Watch
	looks := 0
	w = newWatch(time.Now(), newMemorySink(), func(labels map[string]string, _ corev1.PodSpec) (string, bool) {
		looks++
		w.journal.mu.Lock()
		defer w.journal.mu.Unlock()
		if stray, found := w.endpoints.stray([]string{"v1", "v2"}); found {
			t.Errorf("the new pod counts as a stray of version %q", stray.Version)
		}
		return labels["version"], true
	}, "echo")
	slice := &discoveryv1.EndpointSlice{Endpoints: []discoveryv1.Endpoint{{TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: "echo-2"}}}}
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: "echo"}
	w.endpoints.see(slice, false)
	set := metav1.OwnerReference{Kind: "ReplicaSet", Name: "echo", Controller: new(true)}
	w.pods.see(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "echo-2", Labels: map[string]string{"version": "v2"},
		OwnerReferences: []metav1.OwnerReference{set}}}, false)
	if _, there := w.pods.metas["echo-2"]; !there || looks == 0 {
		t.Errorf("it was looked for %d times, and is known: %v", looks, there)
	}
}

func TestWhichPodBehindTheServiceIsAStray(t *testing.T) {
	pod := func(version string, controlled bool) *corev1.Pod {
		p := somePod("p", corev1.ConditionTrue)
		p.Labels = map[string]string{"app": "echo", "version": version}
		if version == "" {
			delete(p.Labels, "version")
		}
		if controlled {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Controller: new(true)}}
		}
		return p
	}
	for _, row := range []struct {
		sentence string
		pod      *corev1.Pod // nil: it is not in the API
		ready    bool
		want     Stray // zero: it is none
	}{
		{"one of a version that is rolled out", pod("v1", true), true, Stray{}},
		{"one of another version", pod("v3", true), true,
			Stray{evidence.Server{Version: "v3", Pod: "p", Node: "worker"}, "s", "app=echo,version=v3"}},
		{"one whose labels name no version", pod("", true), true, Stray{evidence.Server{Pod: "p", Node: "worker"}, "s", "app=echo"}},
		{"one that has left the API, and may have been of any version", nil, true, Stray{}},
		{"one that is not ready", pod("v3", true), false, Stray{}},
		{"one of the old version that no rollout ends, as no workload controls it", pod("v1", false), true,
			Stray{evidence.Server{Version: "v1", Pod: "p", Node: "worker"}, "s", "app=echo,version=v1"}},
	} {
		w := newWatch(time.Now(), newMemorySink(), byLabel(version), "echo")
		if row.pod != nil {
			w.pods.see(row.pod, false)
		}
		w.endpoints.see(someSlice("s", map[string]bool{"p": row.ready}), false)
		if got, found := w.endpoints.stray([]string{"v1", "v2"}); got != row.want || found != (row.want.Pod != "") {
			t.Errorf("%s: %v, %+v", row.sentence, found, got)
		}
	}
}
