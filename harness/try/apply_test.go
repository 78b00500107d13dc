package try

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"
)

// applies makes a fake client, which knows no server-side apply, write what is applied, and returns the names of what was written.
func applies(t *testing.T, client *dynamicfake.FakeDynamicClient) (written *[]string) {
	written = &[]string{}
	client.PrependReactor("patch", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		patch := action.(k8stesting.PatchAction)
		if patch.GetPatchType() != types.ApplyPatchType {
			return false, nil, nil
		}
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(patch.GetPatch(), &object.Object); err != nil {
			t.Fatal(err)
		}
		*written = append(*written, object.GetKind()+" "+object.GetName())
		at := patch.GetResource()
		err := client.Tracker().Update(at, object, patch.GetNamespace())
		if err != nil {
			err = client.Tracker().Create(at, object, patch.GetNamespace())
		}
		return true, object, err
	})
	return written
}

// What the cluster had before is neither written nor deleted, whether or not a manifest names it.
func TestLeavesWhatExists(t *testing.T) {
	const inShop = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: ours}}\n---\n"
	app := strings.ReplaceAll(both, "metadata: {name: web}\nspec", "metadata: {name: web, namespace: shop}\nspec")
	for _, row := range []struct {
		sentence      string
		first, next   string // manifests
		written, left []string
	}{
		{"a namespace that only objects name", app, app,
			[]string{"Deployment web", "Service web", "Deployment web", "Service web"}, []string{"shop"}},
		{"a namespace that is a manifest", inShop + app, inShop + app,
			[]string{"Deployment web", "Service web", "Deployment web", "Service web"}, []string{"shop"}},
		{"what only the next version has is written once, and goes with it", app, app + "---\n" + strings.ReplaceAll(app, "web", "more"),
			[]string{"Deployment web", "Service web", "Deployment more", "Service more", "Deployment web", "Service web"}, []string{"shop"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
			to, client := fakeTarget(nil, shop)
			fake := to.client.(*dynamicfake.FakeDynamicClient)
			written := applies(t, fake)
			var versions [2][]Object
			for i, text := range []string{row.first, row.next} {
				var err error
				if versions[i], err = parse("app.yaml", []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if err := to.create(t.Context(), versions[0]); err != nil {
				t.Fatal(err)
			}
			if err := (Change{objects: versions[1]}).do(t.Context(), nil, to); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.written, *written); diff != "" {
				t.Error(diff)
			}
			if err := to.remove(t.Context()); err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, kind := range client.Resources {
				for _, resource := range kind.APIResources {
					of := schema.FromAPIVersionAndKind(kind.GroupVersion, "").GroupVersion().WithResource(resource.Name)
					list, err := fake.Resource(of).List(t.Context(), metav1.ListOptions{})
					if err != nil {
						t.Fatal(err)
					}
					for _, o := range list.Items {
						left = append(left, o.GetName())
					}
				}
			}
			if diff := cmp.Diff(row.left, left); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An object that cannot be read may be somebody else's: nothing is written.
func TestWritesNothingUnseen(t *testing.T) {
	to, _ := fakeTarget(nil)
	fake := to.client.(*dynamicfake.FakeDynamicClient)
	written := applies(t, fake)
	fake.PrependReactor("get", "services", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("etcdserver: request timed out")
	})
	objects, err := parse("app.yaml", []byte(both))
	if err != nil {
		t.Fatal(err)
	}
	const want = "Service web: etcdserver: request timed out: see whether the cluster has one: kubectl get service"
	if err := to.create(t.Context(), objects); err == nil || err.Error() != want {
		t.Errorf("it is %v, want %s", err, want)
	}
	if len(*written) > 0 {
		t.Errorf("%v were written", *written)
	}
}
