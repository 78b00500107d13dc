package try

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery/cached/memory"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// fakeTarget returns a target and a client that both see these objects.
func fakeTarget(say func(string), there ...runtime.Object) (*target, *fake.Clientset) {
	client := fake.NewClientset(there...)
	client.Resources = []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "namespaces", Kind: "Namespace"},
			{Name: "services", Kind: "Service", Namespaced: true}, {Name: "configmaps", Kind: "ConfigMap", Namespaced: true},
			{Name: "pods", Kind: "Pod", Namespaced: true}, {Name: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true}}},
		{GroupVersion: "batch/v1", APIResources: []metav1.APIResource{{Name: "jobs", Kind: "Job", Namespaced: true}}},
		{GroupVersion: "admissionregistration.k8s.io/v1", APIResources: []metav1.APIResource{
			{Name: "validatingwebhookconfigurations", Kind: "ValidatingWebhookConfiguration"}}},
		{GroupVersion: "networking.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "ingresses", Kind: "Ingress", Namespaced: true}}},
		{GroupVersion: "apiregistration.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "apiservices", Kind: "APIService"}}},
		{GroupVersion: "example.com/v1", APIResources: []metav1.APIResource{{Name: "tenants", Kind: "Tenant"}}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Namespaced: true},
			{Name: "statefulsets", Kind: "StatefulSet", Namespaced: true}}},
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	return &target{client: dynamicfake.NewSimpleDynamicClient(scheme.Scheme, there...), mapper: mapper, say: say,
		record: &record{Run: "run-a"}, kube: client}, client
}

func TestANamespaceThatEnds(t *testing.T) {
	ends := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", DeletionTimestamp: new(metav1.Now()), Finalizers: []string{"x"}}}
	in := strings.ReplaceAll(both, "{name: web}\nspec", "{name: web, namespace: shop}\nspec")
	for _, row := range []struct{ sentence, manifest string }{
		{"that objects are in", in},
		{"that is a manifest too", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n" + in},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			objects, err := manifest.Parse("app.yaml", []byte(row.manifest))
			if err != nil {
				t.Fatal(err)
			}
			to, _ := fakeTarget(nil, ends)
			err = to.create(t.Context(), objects)
			const want = "namespace shop: it is being deleted, and takes nothing new: wait until it is gone, or name another"
			if err == nil || err.Error() != want {
				t.Errorf("it is %v, want %s", err, want)
			}
			if len(to.created) > 0 {
				t.Errorf("%v were created", to.created)
			}
		})
	}
}

// Controllers retry pods that admission rejects without an end. That is reported long before the deadline.
func TestPodsThatAreRefused(t *testing.T) {
	const refused = `Error creating: pods "web-7f-x2x2x" is forbidden: `
	for _, row := range []struct{ sentence, message, want string }{
		{"by quota", refused + "exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0",
			"exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0: raise the quota, or have the pods ask for less"},
		{"by quota of a resource that they do not request", refused + "failed quota: cpu: must specify limits.cpu for: web",
			"failed quota: cpu: must specify limits.cpu for: web: have the pods ask for what the quota counts"},
		{"by a LimitRange", refused + "maximum cpu usage per Container is 100m, but limit is 1",
			"maximum cpu usage per Container is 100m, but limit is 1: have the pods ask for what the LimitRange allows"},
		{"by another policy", refused + `violates PodSecurity "restricted:latest"`,
			`violates PodSecurity "restricted:latest": have it get ready: kubectl describe pods`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				objects, err := manifest.Parse("app.yaml", []byte(both))
				if err != nil {
					t.Fatal(err)
				}
				app, err := New(objects, "", "")
				if err != nil {
					t.Fatal(err)
				}
				event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "refused"}, Reason: "FailedCreate", Count: 12,
					Message: row.message, InvolvedObject: corev1.ObjectReference{Kind: "ReplicaSet", Name: "web-7f"}}
				live := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(app.workload.Object)}
				live.SetNamespace("default")
				to, client := fakeTarget(func(string) {}, event)
				to.client = dynamicfake.NewSimpleDynamicClient(scheme.Scheme, live)
				to.created = []manifest.Object{{Unstructured: live, At: app.workload.At}}
				const again = 41 * time.Second // 5 ms, doubled 13 times
				time.AfterFunc(again, func() {
					event.Count++
					if err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("events"), event, "default"); err != nil {
						t.Error(err)
					}
				})
				began := time.Now()
				err = to.awaitReady(t.Context(), client, app)
				want := "Deployment web (app.yaml:1): FailedCreate: " + refused + row.want
				if err == nil || err.Error() != want {
					t.Errorf("it is %v, want %s", err, want)
				}
				if took := time.Since(began); took < again || took > again+sayEvery {
					t.Errorf("said after %v", took)
				}
			})
		})
	}
}

// The wait for an app ends once waiting does not help, and says which pod and container it is, why, and what to do. Until then each line
// says why.
func TestAppsThatDoNotGetReady(t *testing.T) {
	const waits = "waiting for the app, for %s: deployment web has 0 of 1 pods available"
	waiting := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	exits := corev1.ContainerStatus{Name: "web", RestartCount: 2, State: waiting("CrashLoopBackOff", "back-off"),
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}}}
	runs := corev1.ContainerStatus{Name: "web", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	nowhere := corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available: 1 node(s) had untolerated taint(s), " +
			"2 node(s) didn't match Pod's node affinity/selector. preemption: x"}}}
	unhealthy := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "unhealthy"}, Reason: "Unhealthy",
		Message:        "Readiness probe failed: HTTP probe failed with statuscode: 502",
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "web-7f-x", UID: "x", FieldPath: "spec.containers{web}"}}
	const job = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: make}\nspec: {template: {spec: {restartPolicy: Never, " +
		"containers: [{name: make, image: localhost/make:1}]}}}\n"
	const noSecret = `pod web-7f-x: container web is waiting: CreateContainerConfigError: secret "web-db" not found`
	lacksSecret := corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "web",
		State: waiting("CreateContainerConfigError", `secret "web-db" not found`)}}}
	for _, row := range []struct {
		sentence, more string // of the manifest
		status         corev1.PodStatus
		event          *corev1.Event // nil: none
		each, last     string        // what is said; an each ends the line or follows it
		after          time.Duration
		want           string
	}{
		{sentence: "its container exits again and again", status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{exits}},
			each: "\n    pod web-7f-x: container web exited with code 1 (3 times), restarts in a moment",
			last: "the last lines of container web in pod web-7f-x:\n    fake logs\n", after: 30 * time.Second,
			want: "pod web-7f-x: container web exited with code 1 (3 times): its last lines may say why"},
		{sentence: "no node has the labels that it selects", status: nowhere,
			each: "\n    no node takes pod web-7f-x: 0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match…",
			want: "no node takes pod web-7f-x: 0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's " +
				"node affinity/selector: have a node that fits: remove the nodeSelector or the node affinity", after: 30 * time.Second},
		{sentence: "nobody creates its Secret", status: lacksSecret, want: noSecret + ": add the Secret to the manifests, with test values"},
		{sentence: "a Job may create its Secret", more: job, status: lacksSecret, each: "\n    " + noSecret, after: 30 * time.Second,
			want: noSecret + ": add the Secret to the manifests, with test values"},
		{sentence: "its probe fails until the deadline", status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{runs}}, event: unhealthy,
			each: "\n    pod web-7f-x: container web is not ready: readiness probe failed: HTTP probe failed with statuscode: 502",
			last: "the last lines of container web in pod web-7f-x:\n    fake logs\n", after: 50 * time.Second,
			want: "has 0 of 1 pods available after 50s: pod web-7f-x: container web is not ready: readiness probe failed: HTTP probe failed " +
				"with statuscode: 502: have the app answer its probe"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				objects, err := manifest.Parse("app.yaml", []byte(both+row.more))
				if err != nil {
					t.Fatal(err)
				}
				app, err := New(objects, "", "")
				if err != nil {
					t.Fatal(err)
				}
				live := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(app.workload.Object)}
				live.SetNamespace("default")
				live.Object["status"] = map[string]any{"observedGeneration": int64(0), "updatedReplicas": int64(1)}
				if err := unstructured.SetNestedField(live.Object, int64(50), "spec", "progressDeadlineSeconds"); err != nil {
					t.Fatal(err)
				}
				there := []runtime.Object{&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-7f-x", UID: "x",
					Labels: map[string]string{"app": "web"}}, Status: row.status}}
				if row.event != nil {
					there = append(there, row.event)
				}
				var said strings.Builder
				to, client := fakeTarget(func(line string) { said.WriteString(line + "\n") }, there...)
				to.client = dynamicfake.NewSimpleDynamicClient(scheme.Scheme, live)
				to.created, to.alone = []manifest.Object{{Unstructured: live, At: app.workload.At}}, true
				began := time.Now()
				err = to.awaitReady(t.Context(), client, app)
				if want := "Deployment web (app.yaml:1): " + row.want; err == nil || err.Error() != want || !usage.Is(err) {
					t.Errorf("it is %v, want %s", err, want)
				}
				if took := time.Since(began); took != row.after {
					t.Errorf("said after %v, want %v", took, row.after)
				}
				var want strings.Builder
				for at := time.Duration(0); at < row.after; at += sayEvery {
					fmt.Fprintf(&want, waits+row.each+"\n", at)
				}
				if got := said.String(); got != want.String()+row.last {
					t.Errorf("said\n%swant\n%s%s", got, &want, row.last)
				}
			})
		})
	}
}
