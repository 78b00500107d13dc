package try

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

const (
	widgets = "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.org}\n" +
		"spec: {group: example.org, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"
	widget = "---\napiVersion: example.org/v1\nkind: Widget\nmetadata: {name: x}\n"
)

// serve makes fake clients serve the kind Widget, with the condition of its definition, some time after that is created.
func serve(t *testing.T, to *target, client *fake.Clientset, after time.Duration, condition map[string]any) {
	t.Helper()
	client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: "apiextensions.k8s.io/v1",
		APIResources: []metav1.APIResource{{Name: "customresourcedefinitions", Kind: definitionKind}}})
	dynamic := to.client.(*dynamicfake.FakeDynamicClient)
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	dynamic.PrependReactor("create", "customresourcedefinitions", func(action k8stesting.Action) (bool, runtime.Object, error) {
		created := action.(k8stesting.CreateAction).GetObject().(*unstructured.Unstructured).DeepCopy()
		time.AfterFunc(after, func() {
			if err := unstructured.SetNestedSlice(created.Object, []any{condition}, "status", "conditions"); err != nil {
				t.Error(err)
			}
			if err := dynamic.Tracker().Update(definitions, created, ""); err != nil {
				t.Error(err)
			}
			if condition["status"] == "True" {
				client.Lock()
				client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: "example.org/v1",
					APIResources: []metav1.APIResource{{Name: "widgets", Kind: "Widget", Namespaced: true}}})
				client.Unlock()
			}
		})
		return false, nil, nil
	})
}

// The kind of a CustomResourceDefinition is served some time after that is created.
func TestKindsOfTheManifests(t *testing.T) {
	const leftOut = "Widget x (app.yaml:1) is left out: the cluster has no kind Widget of example.org/v1"
	established := map[string]any{"type": "Established", "status": "True"}
	for _, row := range []struct {
		sentence, manifest string
		after              time.Duration
		condition          map[string]any
		written            []string
		says, err          string
	}{
		{"an object after its definition", widgets + widget, 3 * time.Second, established,
			[]string{"create CustomResourceDefinition widgets.example.org", "create Widget x"}, "", ""},
		{"before it", widget + widgets, 3 * time.Second, established,
			[]string{"create CustomResourceDefinition widgets.example.org", "create Widget x"}, "", ""},
		{"without it", widget, 3 * time.Second, established, nil, leftOut, ""},
		{"of a version that it does not serve", strings.Replace(widget, "/v1", "/v2", 1) + widgets, 3 * time.Second, established,
			[]string{"create CustomResourceDefinition widgets.example.org"}, strings.Replace(leftOut, "/v1", "/v2", 1), ""},
		{"of a definition whose names another one has", widgets + widget, 3 * time.Second,
			map[string]any{"type": "NamesAccepted", "status": "False", "message": `"Widget" is already in use`},
			[]string{"create CustomResourceDefinition widgets.example.org"}, "",
			"CustomResourceDefinition widgets.example.org (app.yaml:1): its kind Widget is not served after 30s: " +
				`"Widget" is already in use: see kubectl describe crd widgets.example.org`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said []string
				to, client := fakeTarget(func(line string) { said = append(said, line) })
				serve(t, to, client, row.after, row.condition)
				written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
				err := to.create(t.Context(), parsed(t, row.manifest))
				if (err != nil || row.err != "") && (err == nil || err.Error() != row.err) {
					t.Errorf("it is %v, want %s", err, row.err)
				}
				if diff := cmp.Diff(row.written, *written, cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				if got := strings.Join(said, "\n"); got != row.says {
					t.Errorf("said %q, want %q", got, row.says)
				}
			})
		})
	}
}
