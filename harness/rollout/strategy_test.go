package rollout

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// server returns pod n of a version.
func server(version string, n int) evidence.Server {
	return evidence.Server{Version: version, Pod: version + string(rune('a'+n))}
}

// routed is a state in which ready endpoints and the rules of one node route to so many pods of each version, all of
// them there.
func routed(v1, v2 int) (s observe.State) {
	s.Rules = map[string][]evidence.Server{"worker": nil}
	for version, n := range map[string]int{"v1": v1, "v2": v2} {
		for i := range n {
			by := server(version, i)
			s.Pods = append(s.Pods, observe.PodState{Server: by, Ready: true})
			s.Endpoints = append(s.Endpoints, observe.EndpointState{Server: by, Ready: true})
			s.Rules["worker"] = append(s.Rules["worker"], by)
		}
	}
	return s
}

func TestWhenARolloutIsOver(t *testing.T) {
	app := fixtures.App{Replicas: 3}
	terminating, stale := routed(0, 3), routed(0, 3)
	terminating.Pods = append(terminating.Pods, observe.PodState{Server: server("v1", 0), Deleting: true})
	stale.Rules["worker"] = append(stale.Rules["worker"], server("v1", 0))
	previewed := routed(3, 0)
	previewed.Rules["worker"] = append(previewed.Rules["worker"], server("v2", 0), server("v2", 1), server("v2", 2))
	for _, row := range []struct {
		sentence string
		strategy Strategy
		state    observe.State
		want     bool
	}{
		{"only the new version is there and routed to", Update("v1", "v2"), routed(0, 3), true},
		{"an old pod is there and routed to", Update("v1", "v2"), routed(1, 3), false},
		{"an old pod is there, though nothing routes to it", Update("v1", "v2"), terminating, false},
		{"no old pod is there, but a node's rules route to one", Update("v1", "v2"), stale, false},
		{"the Service routes to every new pod", Flip("v1", "v2"), routed(0, 3), true},
		{"the old pods may stay", Flip("v1", "v2"), terminating, true},
		{"a node's rules route to an old pod", Flip("v1", "v2"), stale, false},
		{"the Service routes to some of the new pods", Flip("v1", "v2"), routed(0, 2), false},
		{"the Service for tests routes to new pods, and that of clients to old ones", FlipTested("v1", "v2"), previewed, false},
		{"the same, when the new ones have failed their test", FlipRefused("v1", "v2", nil), previewed, true},
		{"clients are led to pods that had to fail their test", FlipRefused("v1", "v2", nil), routed(0, 3), false},
		{"canary and old pods are routed to", Canary("v1", "v2"), routed(3, 1), true},
		{"the canary is not routed to yet", Canary("v1", "v2"), routed(3, 0), false},
		{"an old pod went for the canary", Canary("v1", "v2"), routed(2, 1), false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := row.strategy.Over(row.state, app); got != row.want {
				t.Errorf("over: %v", got)
			}
		})
	}
}

func TestFlipChangesWhomTheServiceSelects(t *testing.T) {
	client, app, strategy := fake.NewClientset(), fixtures.App{Replicas: 3}, Flip("v1", "v2")
	service, err := strategy.Deploy(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app, 30080)
	if err != nil {
		t.Fatal(err)
	}
	if got := service.Spec.Selector[fixtures.VersionLabel]; got != "v1" || service.Spec.Ports[0].NodePort != 30080 {
		t.Errorf("the Service selects %s", got)
	}
	deployments, err := client.AppsV1().Deployments("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(deployments.Items) != 2 {
		t.Fatalf("%d Deployments, %v", len(deployments.Items), err)
	}
	for _, d := range deployments.Items {
		if *d.Spec.Replicas != 3 || !slices.Contains([]string{"echo-v1", "echo-v2"}, d.Name) ||
			d.Spec.Selector.MatchLabels[fixtures.VersionLabel] == "" {
			t.Errorf("Deployment %s has %d replicas and selects %v", d.Name, *d.Spec.Replicas, d.Spec.Selector.MatchLabels)
		}
	}
	if err := strategy.Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app); err != nil {
		t.Fatal(err)
	}
	service, err = client.CoreV1().Services("ns").Get(t.Context(), service.Name, metav1.GetOptions{})
	if err != nil || service.Spec.Selector[fixtures.VersionLabel] != "v2" {
		t.Errorf("the Service selects %v, %v", service.Spec.Selector, err)
	}
}

func TestCanaryStandsUntilItsPodIsAvailable(t *testing.T) {
	client, app, strategy := fake.NewClientset(), fixtures.App{Replicas: 3}, Canary("v1", "v2")
	to := fixtures.Destination{Namespace: "ns"}
	if _, err := strategy.Deploy(t.Context(), client, to, app, 30080); err != nil {
		t.Fatal(err)
	}
	if err := strategy.Begin(t.Context(), client, to, app); err != nil {
		t.Fatal(err)
	}
	d, err := client.AppsV1().Deployments("ns").Get(t.Context(), app.ResourceName(), metav1.GetOptions{})
	if err != nil || d.Spec.Template.Labels[fixtures.VersionLabel] != "v2" || d.Spec.MinReadySeconds != 300 {
		t.Errorf("the Deployment: %+v, %v", d.Spec, err)
	}
}

func TestDeleteAndApplyAllKeepsTheNodePort(t *testing.T) {
	client, app, strategy := fake.NewClientset(), fixtures.App{Replicas: 3}, DeleteAndApplyAll("v1", "v2")
	before, err := strategy.Deploy(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app, 30080)
	if err != nil {
		t.Fatal(err)
	}
	if err := strategy.Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app); err != nil {
		t.Fatal(err)
	}
	after, err := client.CoreV1().Services("ns").Get(t.Context(), before.Name, metav1.GetOptions{})
	if err != nil || after.Spec.Ports[0].NodePort != 30080 {
		t.Errorf("the new Service: %+v, %v", after, err)
	}
	d, err := client.AppsV1().Deployments("ns").Get(t.Context(), before.Name, metav1.GetOptions{})
	if err != nil || d.Spec.Template.Labels[fixtures.VersionLabel] != "v2" {
		t.Errorf("the new Deployment is of %q, %v", d.Spec.Template.Labels[fixtures.VersionLabel], err)
	}
}

func TestRolloutStatusOfAStatefulSet(t *testing.T) {
	set := fixtures.App{Replicas: 3}.StatefulSet(fixtures.Destination{Namespace: "ns"}, "v2")
	set.Generation, set.Spec.UpdateStrategy.Type = 2, "RollingUpdate"
	set.Status.ObservedGeneration, set.Status.ReadyReplicas, set.Status.UpdatedReplicas = 2, 3, 3
	set.Status.CurrentRevision, set.Status.UpdateRevision = "a", "a"
	if !Complete(set) {
		t.Error("one whose pods are all new is not done")
	}
	set.Status.UpdateRevision = "b"
	set.Status.UpdatedReplicas = 2
	if Complete(set) {
		t.Error("one with an old pod is done")
	}
	set.Spec.UpdateStrategy.Type = "OnDelete"
	if Complete(set) {
		t.Error("one whose pods are replaced by hand is done")
	}
	if _, _, err := Status(set, 0); err == nil {
		t.Error("kubectl has something to say about one whose pods are replaced by hand")
	}
}
