package during

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
)

func TestTheNearestPod(t *testing.T) {
	pod := func(name string, labels map[string]string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: labels}}
	}
	client := fake.NewClientset(pod("db-0", map[string]string{"app": "db", "tier": "back"}),
		pod("web-1", map[string]string{"app": "webb", "tier": "front"}), pod("web-2", map[string]string{"app": "webb", "tier": "front"}),
		pod("cron", map[string]string{"job": "nightly"}))
	for _, row := range []struct {
		sentence string
		selector map[string]string
		want     string
	}{
		{"a value with a letter too many", map[string]string{"app": "web"}, ": pod web-1 has app=webb"},
		{"equal labels are not named", map[string]string{"app": "wbe", "tier": "front"}, ": pod web-1 has app=webb"},
		{"the pod with more equal labels is nearer", map[string]string{"app": "web", "tier": "back"}, ": pod db-0 has app=db"},
		{"a label that is not there", map[string]string{"tier": "back", "release": "blue"}, ": pod db-0 has no label release"},
		{"several differ", map[string]string{"app": "web", "release": "blue"}, ": pod web-1 has app=webb and no label release"},
		{"no pod has any of them", map[string]string{"release": "blue"}, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a := &userApp{client: client, namespace: "shop"}
			if got := a.nearest(t.Context(), row.selector); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestServiceWithoutReadyEndpoint(t *testing.T) {
	pod := func(name string, ready corev1.ConditionStatus, message string, change ...func(*corev1.Pod)) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.PodSpec{NodeName: "a",
			Containers: []corev1.Container{{Name: "web", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning,
				Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, Message: message}}}}
		for _, c := range change {
			c(&p)
		}
		return p
	}
	unprobed := func(name string, change ...func(*corev1.Pod)) corev1.Pod {
		return pod(name, corev1.ConditionFalse, "containers with unready status: [web]", change...)
	}
	ready := func(name string) corev1.Pod { return pod(name, corev1.ConditionTrue, "") }
	waits := func(reason, message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", Image: "web:2",
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
		}
	}
	leaves := func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }
	unhealthy := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "e"}, Type: corev1.EventTypeWarning,
		Reason: "Unhealthy", Message: "Readiness probe failed: HTTP probe failed with statuscode: 503"}
	for _, row := range []struct {
		sentence string
		target   intstr.IntOrString
		pods     []corev1.Pod
		anyReady bool // publishNotReadyAddresses
		warned   bool
		want     string
	}{
		{"one ready pod is enough", intstr.FromInt32(8080), []corev1.Pod{unprobed("web-1"), ready("web-2")}, false, false, ""},
		{"a container that is started again and again", intstr.FromInt32(8080),
			[]corev1.Pod{unprobed("web-1", waits("CrashLoopBackOff", "back-off 40s")), unprobed("web-2")}, false, false,
			"none of its 2 pods is ready: pod web-1: node a: container web, image web:2: CrashLoopBackOff: back-off 40s"},
		{"a readiness probe that fails", intstr.FromInt32(8080), []corev1.Pod{unprobed("web-1")}, false, true,
			"none of its 1 pod is ready: pod web-1: node a: containers with unready status: [web]; " +
				"Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503"},
		{"a terminating pod is not the one that is reported", intstr.FromInt32(8080),
			[]corev1.Pod{unprobed("old", leaves), unprobed("web-1", waits("ImagePullBackOff", ""))}, false, false,
			"none of its 2 pods is ready: pod web-1: node a: container web, image web:2: ImagePullBackOff"},
		{"a Service that publishes pods before they are ready", intstr.FromInt32(8080), []corev1.Pod{unprobed("web-1")}, true, false, ""},
		{"a targetPort by its name", intstr.FromString("http"), []corev1.Pod{ready("web-1")}, false, false, ""},
		{"a name that no port has", intstr.FromString("web"), []corev1.Pod{unprobed("web-0"), ready("web-1")}, false, false,
			"its targetPort is web, and pod web-1 has no port of that name"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset()
			if row.warned {
				client = fake.NewClientset(unhealthy)
			}
			a := &userApp{client: client, namespace: "shop"}
			service := &corev1.Service{Spec: corev1.ServiceSpec{PublishNotReadyAddresses: row.anyReady,
				Ports: []corev1.ServicePort{{Port: 80, TargetPort: row.target}}}}
			if got, remedy := a.unserved(t.Context(), service, row.pods); got != row.want || (got == "") != (remedy == "") {
				t.Errorf("%q, want %q, and %q mends it", got, row.want, remedy)
			}
		})
	}
}
