package try

import (
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
)

// fakeTarget returns a target and a client that both see these objects.
func fakeTarget(say func(string), there ...runtime.Object) (*target, *fake.Clientset) {
	client := fake.NewClientset(there...)
	client.Resources = []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "namespaces", Kind: "Namespace"},
			{Name: "services", Kind: "Service", Namespaced: true}, {Name: "configmaps", Kind: "ConfigMap", Namespaced: true}}},
		{GroupVersion: "networking.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "ingresses", Kind: "Ingress", Namespaced: true}}},
		{GroupVersion: "example.com/v1", APIResources: []metav1.APIResource{{Name: "tenants", Kind: "Tenant"}}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Namespaced: true}}},
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	return &target{client: dynamicfake.NewSimpleDynamicClient(scheme.Scheme, there...), mapper: mapper, say: say,
		record: &record{Run: "run-a"}}, client
}

func TestANamespaceThatEnds(t *testing.T) {
	ends := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", DeletionTimestamp: new(metav1.Now()), Finalizers: []string{"x"}}}
	in := strings.ReplaceAll(both, "{name: web}\nspec", "{name: web, namespace: shop}\nspec")
	for _, row := range []struct{ sentence, manifest string }{
		{"that objects are in", in},
		{"that is a manifest too", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n" + in},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			objects, err := parse("app.yaml", []byte(row.manifest))
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
				objects, err := parse("app.yaml", []byte(both))
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
				to.created = []Object{{Unstructured: live, At: app.workload.At}}
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
