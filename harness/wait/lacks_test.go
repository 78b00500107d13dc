package wait

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/usage"
)

// TestLooks lets the API server have an app of three pods whose rollout is over, and changes one thing.
func TestLooks(t *testing.T) {
	for _, row := range []struct {
		sentence string
		edit     func(*app)
		lacks    string
		stuck    string
	}{
		{"only ready pods of the current revision are endpoints", nil, "", ""},
		{"an old pod is terminating, and still an endpoint", func(a *app) {
			a.pod("web-old", "1").DeletionTimestamp = &metav1.Time{}
			a.endpoint("web-old", true)
		}, "web-old is terminating", ""},
		{"an old pod is terminating, and no endpoint any more", func(a *app) {
			a.pod("web-old", "1").DeletionTimestamp = &metav1.Time{}
		}, "web-old is terminating", ""},
		{"an old pod has not been deleted yet", func(a *app) {
			a.pod("web-old", "1")
			a.endpoint("web-old", true)
		}, "web-old is of another revision", ""},
		{"an old pod is gone, and its endpoint is not yet", func(a *app) { a.endpoint("web-old", true) },
			"web-old is an endpoint, and no pod of Deployment web", ""},
		{"a pod that failed long ago runs no more", func(a *app) { a.pod("web-old", "1").Status.Phase = corev1.PodFailed }, "", ""},
		{"a new pod is not ready", func(a *app) {
			p := a.pods[0]
			p.Status.Conditions = nil
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app",
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
		}, "web-a is not ready: container app: CrashLoopBackOff", ""},
		{"a new pod is ready, and its endpoint is not yet", func(a *app) { a.slice.Endpoints[0].Conditions.Ready = new(false) },
			"web-a is an endpoint that is not ready", ""},
		{"a new pod is ready, and has no endpoint yet", func(a *app) { a.slice.Endpoints = a.slice.Endpoints[1:] },
			"web-a is not an endpoint yet", ""},
		{"a new pod was taken out of the Service by its label", func(a *app) {
			a.service.Spec.Selector["serves"] = "yes"
			for _, p := range a.pods[1:] {
				p.Labels["serves"] = "yes"
			}
			a.slice.Endpoints = a.slice.Endpoints[1:]
		}, "", ""},
		{"nobody answers, since the Deployment has 0 replicas", func(a *app) {
			a.deployment.Spec.Replicas, a.deployment.Status = new(int32(0)), appsv1.DeploymentStatus{}
			a.pods, a.slice.Endpoints = nil, nil
		}, "Deployment web has no pods", ""},
		{"an address by hand is nobody's pod", func(a *app) {
			a.slice.Endpoints = append(a.slice.Endpoints, discoveryv1.Endpoint{Addresses: []string{"192.0.2.1"}})
		}, "192.0.2.1 is an endpoint, and no pod of Deployment web", ""},
		{"the controller has not seen the change yet", func(a *app) { a.deployment.Generation++ },
			"Waiting for deployment spec update to be observed", ""},
		{"no ReplicaSet has the new template yet", func(a *app) { a.deployment.Spec.Template.Labels["v"] = "3" },
			"Deployment web has no revision of its template yet; web-a is of another revision; web-b is of another revision; " +
				"web-c is of another revision", ""},
		{"the rollout is paused midway", func(a *app) {
			a.deployment.Spec.Paused = true
			a.pod("web-old", "1")
		}, "", "Deployment web replaces no more pods by itself: it is paused"},
		{"a Deployment that is paused, and whose rollout was over before", func(a *app) { a.deployment.Spec.Paused = true }, "", ""},
		{"the rollout has exceeded its deadline", func(a *app) {
			a.deployment.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Reason: "ProgressDeadlineExceeded"}}
		}, "", `deployment "web" exceeded its progress deadline`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a := newApp()
			if row.edit != nil {
				row.edit(a)
			}
			v, err := a.waiter().look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if lacks, stuck := said(v); lacks != row.lacks || stuck != row.stuck {
				t.Errorf("lacks %q, want %q; stuck: %q", lacks, row.lacks, stuck)
			}
		})
	}
}

// said returns what a view lacks, and why nothing more comes, as texts.
func said(v view) (lacks, stuck string) {
	list, err := v.lacks()
	if err != nil {
		stuck = err.Error()
	}
	return strings.Join(list, "; "), stuck
}

// TestOtherKinds lets the API server have a StatefulSet or a DaemonSet with an old pod.
func TestOtherKinds(t *testing.T) {
	stateful := func(update appsv1.StatefulSetUpdateStrategy) runtime.Object {
		return &appsv1.StatefulSet{ObjectMeta: named("web"), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2)), Selector: selects(),
			Template: corev1.PodTemplateSpec{ObjectMeta: named("")}, UpdateStrategy: update},
			Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, UpdateRevision: "web-2", CurrentRevision: "web-1", Replicas: 2, ReadyReplicas: 2,
				AvailableReplicas: 2, UpdatedReplicas: 1, CurrentReplicas: 1}}
	}
	rolling := func(partition int32) appsv1.StatefulSetUpdateStrategy {
		return appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition}}
	}
	daemons := &appsv1.DaemonSet{ObjectMeta: named("web"), Spec: appsv1.DaemonSetSpec{Selector: selects(),
		Template:       corev1.PodTemplateSpec{ObjectMeta: named("")},
		UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType}},
		Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, UpdatedNumberScheduled: 1, NumberAvailable: 2}}
	daemons.UID = "of-web"
	for _, row := range []struct {
		sentence string
		workload runtime.Object
		lacks    string
		stuck    string
	}{
		{"a StatefulSet updates its pods one by one", stateful(rolling(0)),
			"Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated; web-0 is of another revision", ""},
		{"its partition keeps a pod", stateful(rolling(1)), "", "StatefulSet web replaces no more pods by itself: its partition is 1"},
		{"somebody has to delete its pods", stateful(appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}),
			"web-0 is of another revision", ""},
		{"the newest ControllerRevision of a DaemonSet is its current one", daemons,
			`Waiting for daemon set "web" rollout to finish: 1 out of 2 new pods have been updated; web-0 is of another revision`, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a := newApp()
			a.workloads = []runtime.Object{row.workload, revision("web-1", 1), revision("web-2", 2)}
			a.pods, a.slice.Endpoints = nil, nil
			for _, p := range [][2]string{{"web-0", "web-1"}, {"web-1", "web-2"}} {
				a.pod(p[0], "").Labels[appsv1.ControllerRevisionHashLabelKey] = p[1]
				a.endpoint(p[0], true)
			}
			v, err := a.waiter().look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if lacks, stuck := said(v); lacks != row.lacks || stuck != row.stuck {
				t.Errorf("lacks %q, want %q; stuck: %q", lacks, row.lacks, stuck)
			}
		})
	}
}

// TestServices names Services that cannot be waited for.
func TestServices(t *testing.T) {
	for _, row := range []struct {
		sentence string
		edit     func(*app)
		want     string
	}{
		{"one without a selector", func(a *app) { a.service.Spec.Selector = nil },
			"service shop/web: it has no selector, so that it leads to no workload: name one that has"},
		{"one without a workload", func(a *app) { a.workloads, a.pods = nil, nil },
			"service shop/web: no Deployment, StatefulSet or DaemonSet has pods that its selector selects: apply the workload first, or correct the selector"},
		{"one of two workloads", func(a *app) {
			other := a.deployment.DeepCopy()
			other.Name, other.UID = "web-canary", "other"
			a.workloads = append(a.workloads, other)
		}, "service shop/web: it leads to pods of Deployment web and Deployment web-canary: name a Service of one of them"},
		{"one that there is not", func(a *app) { a.service.Name = "others" },
			`service shop/web: services "web" not found: kubectl get services -n shop shows which there are`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			a := newApp()
			row.edit(a)
			if _, err := a.waiter().first(t.Context()); !usage.Is(err) || err.Error() != row.want {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A label that a running pod got leads a Service to its workload.
func TestALabelOfARunningPod(t *testing.T) {
	a := newApp()
	a.service.Spec.Selector = map[string]string{"active": "true"}
	a.pods[1].Labels["active"] = "true"
	a.slice.Endpoints = a.slice.Endpoints[1:2]
	v, err := a.waiter().first(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list, stuck := v.lacks(); len(list) > 0 || stuck != nil {
		t.Errorf("lacks %q, %v", list, stuck)
	}
}

// An app is what the API server has: a Service of three pods of a Deployment in revision 2.
type app struct {
	service    *corev1.Service
	slice      *discoveryv1.EndpointSlice
	deployment *appsv1.Deployment
	pods       []*corev1.Pod
	workloads  []runtime.Object
	silent     error // that the API server answers with; nil: it answers
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": "web"}}
}

func selects() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
}

func newApp() *app {
	a := &app{service: &corev1.Service{ObjectMeta: named("web"), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}}},
		slice: &discoveryv1.EndpointSlice{ObjectMeta: named("web-1")}}
	a.slice.Labels = map[string]string{discoveryv1.LabelServiceName: "web"}
	a.deployment = &appsv1.Deployment{ObjectMeta: named("web"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: selects(),
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web", "v": "2"}}}},
		Status: appsv1.DeploymentStatus{Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3}}
	a.deployment.UID = "of-web"
	a.workloads = []runtime.Object{a.deployment}
	for _, hash := range []string{"1", "2"} {
		set := &appsv1.ReplicaSet{ObjectMeta: named("web-" + hash), Spec: appsv1.ReplicaSetSpec{Template: *a.deployment.Spec.Template.DeepCopy()}}
		set.Spec.Template.Labels["v"], set.Spec.Template.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash, hash
		set.Labels = map[string]string{"app": "web", appsv1.DefaultDeploymentUniqueLabelKey: hash}
		set.OwnerReferences = []metav1.OwnerReference{{UID: a.deployment.UID, Controller: new(true)}}
		a.workloads = append(a.workloads, set)
	}
	for _, name := range []string{"web-a", "web-b", "web-c"} {
		a.pod(name, "2")
		a.endpoint(name, true)
	}
	return a
}

func revision(name string, number int64) *appsv1.ControllerRevision {
	r := &appsv1.ControllerRevision{ObjectMeta: named(name), Revision: number}
	r.Labels[appsv1.ControllerRevisionHashLabelKey] = name
	r.OwnerReferences = []metav1.OwnerReference{{UID: "of-web", Controller: new(true)}}
	return r
}

// pod adds a ready pod with a hash of its template.
func (a *app) pod(name, hash string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: named(name), Status: corev1.PodStatus{Phase: corev1.PodRunning,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
	p.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	a.pods = append(a.pods, p)
	return p
}

func (a *app) endpoint(pod string, ready bool) {
	a.slice.Endpoints = append(a.slice.Endpoints, discoveryv1.Endpoint{Conditions: discoveryv1.EndpointConditions{Ready: &ready},
		TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: pod}})
}

func (a *app) client() *fake.Clientset {
	objects := append([]runtime.Object{a.service, a.slice}, a.workloads...)
	for _, p := range a.pods {
		objects = append(objects, p)
	}
	return fake.NewClientset(objects...)
}

func (a *app) waiter() waiter {
	return waiter{client: a.client(), namespace: "shop", service: "web"}
}
