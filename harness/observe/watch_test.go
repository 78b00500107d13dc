package observe

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/evidence"
)

const (
	namespace = "n"
	version   = "version"
)

func somePod(name string, ready corev1.ConditionStatus) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{version: "v1"}},
		Spec:       corev1.PodSpec{NodeName: "worker"},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
	}
}

func someSlice(name string, ready map[string]bool) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
		Labels: map[string]string{discoveryv1.LabelServiceName: "echo", discoveryv1.LabelManagedBy: controllersOfSlices[0]}}}
	for pod, is := range ready {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: pod}, Conditions: discoveryv1.EndpointConditions{Ready: &is},
		})
	}
	return s
}

// noted is what a step is expected to add to the sink.
type noted struct {
	Kind evidence.EventKind
	Pod  string
}

func TestWatchNotesEachChangeOnce(t *testing.T) {
	client := permitting()
	noticed := newMemorySink()
	w, err := Start(t.Context(), client, Scope{Namespace: namespace, Service: "echo", VersionLabel: version}, time.Now(), noticed)
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, w)
	pods, slices := client.CoreV1().Pods(namespace), client.DiscoveryV1().EndpointSlices(namespace)
	seen := 0
	for _, step := range []struct {
		sentence string
		do       func(context.Context) error
		want     []noted
	}{
		{"a pod appears", func(ctx context.Context) error {
			_, err := pods.Create(ctx, somePod("a", corev1.ConditionFalse), metav1.CreateOptions{})
			return err
		}, []noted{{evidence.PodCreated, "a"}}},
		{"and becomes ready", func(ctx context.Context) error {
			_, err := pods.Update(ctx, somePod("a", corev1.ConditionTrue), metav1.UpdateOptions{})
			return err
		}, []noted{{evidence.PodReady, "a"}}},
		{"its endpoint is ready in a first slice", func(ctx context.Context) error {
			_, err := slices.Create(ctx, someSlice("s", map[string]bool{"a": true}), metav1.CreateOptions{})
			return err
		}, []noted{{evidence.EndpointReady, "a"}}},
		{"a second slice that lists it not ready changes nothing; one more pod in it does", func(ctx context.Context) error {
			_, err := slices.Create(ctx, someSlice("t", map[string]bool{"a": false, "b": true}), metav1.CreateOptions{})
			return err
		}, []noted{{evidence.EndpointReady, "b"}}},
		{"once no slice has it ready, it is not", func(ctx context.Context) error {
			_, err := slices.Update(ctx, someSlice("s", nil), metav1.UpdateOptions{})
			return err
		}, []noted{{evidence.EndpointNotReady, "a"}}},
		{"an endpoint is listed as terminating, and its pod's own watch is later", func(ctx context.Context) error {
			s := someSlice("t", map[string]bool{"a": false, "b": true})
			for i, e := range s.Endpoints {
				s.Endpoints[i].Conditions.Terminating = new(e.TargetRef.Name == "a")
			}
			_, err := slices.Update(ctx, s, metav1.UpdateOptions{})
			return err
		}, []noted{{evidence.EndpointTerminating, "a"}}},
		{"the endpoints of a deleted slice are gone", func(ctx context.Context) error {
			return slices.Delete(ctx, "t", metav1.DeleteOptions{})
		}, []noted{{evidence.EndpointGone, "a"}, {evidence.EndpointGone, "b"}}},
		{"a ReplicaSet's size is an event", func(ctx context.Context) error {
			_, err := client.AppsV1().ReplicaSets(namespace).Create(ctx, &appsv1.ReplicaSet{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "rs"}, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(3)),
					Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{version: "v1"}}}},
			}, metav1.CreateOptions{})
			return err
		}, []noted{{evidence.ReplicaSetScaled, ""}}},
		{"a pod with a deletionTimestamp is deleting", func(ctx context.Context) error {
			p := somePod("a", corev1.ConditionTrue)
			p.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			_, err := pods.Update(ctx, p, metav1.UpdateOptions{})
			return err
		}, []noted{{evidence.PodDeleting, "a"}}},
		{"a pod that leaves the API is gone", func(ctx context.Context) error {
			return pods.Delete(ctx, "a", metav1.DeleteOptions{})
		}, []noted{{evidence.PodGone, "a"}}},
		{"the deletion of another pod counts if a workload other than a Job controls it", func(ctx context.Context) error {
			for _, name := range []string{"made", "bare", "job"} {
				p := somePod(name, corev1.ConditionTrue)
				p.Labels, p.DeletionTimestamp = nil, &metav1.Time{Time: time.Now()}
				if kind := map[string]string{"made": "ReplicaSet", "job": "Job"}[name]; kind != "" {
					p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Controller: new(true)}}
				}
				if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			_, err := pods.Create(ctx, somePod("last", corev1.ConditionFalse), metav1.CreateOptions{})
			return err
		}, []noted{{evidence.OtherPodDeleting, "made"}, {evidence.PodCreated, "last"}}},
	} {
		if err := step.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		err := w.Until(ctx, func(State) bool { return len(noticed.eventsFrom(seen)) >= len(step.want) })
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", step.sentence, err)
		}
		got := map[noted]int{}
		for _, e := range noticed.eventsFrom(seen) {
			got[noted{e.Kind, e.By.Pod}]++
			seen++
		}
		want := map[noted]int{}
		for _, n := range step.want {
			want[n]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", step.sentence, diff)
		}
	}
}

// After a watch broke, an informer tells of a pod that was deleted and made anew meanwhile as of one that changed.
func TestAPodThatWasMadeAnewUnseenIsAnother(t *testing.T) {
	noticed := newMemorySink()
	w := newWatch(time.Now(), noticed, byLabel(version), "echo")
	first, second := somePod("web-0", corev1.ConditionTrue), somePod("web-0", corev1.ConditionFalse)
	first.UID, second.UID = "first", "second"
	first.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	w.pods.see(first, false)
	w.pods.see(second, false)
	var got []evidence.EventKind
	for _, e := range noticed.eventsFrom(0) {
		got = append(got, e.Kind)
	}
	want := []evidence.EventKind{evidence.PodCreated, evidence.PodReady, evidence.PodDeleting, evidence.PodGone, evidence.PodCreated}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if s := w.state(); len(s.Pods) != 1 || s.Leaving() {
		t.Errorf("pods %+v, want one that is not terminating", s.Pods)
	}
}

func TestUntilEndsWithTheCause(t *testing.T) {
	w, err := Start(t.Context(), permitting(), Scope{Namespace: namespace, Service: "echo", VersionLabel: version}, time.Now(),
		newMemorySink())
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, w)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrNeverSettled)
	if err := w.Until(ctx, func(State) bool { return false }); !errors.Is(err, ErrNeverSettled) {
		t.Errorf("error %v, want the cause", err)
	}
}

func TestStateIsWhatWasSeen(t *testing.T) {
	client := permitting(somePod("a", corev1.ConditionTrue))
	w, err := Start(t.Context(), client, Scope{Namespace: namespace, Service: "echo", VersionLabel: version}, time.Now(), newMemorySink())
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, w)
	want := []PodState{{Server: evidence.Server{Version: "v1", Pod: "a", Node: "worker"}, Ready: true}}
	var got []PodState
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if err := w.Until(ctx, func(s State) bool { got = s.Pods; return len(got) == 1 && got[0].Ready }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
