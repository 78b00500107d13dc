package try

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/manifest"
)

// asAPIServer makes a fake client do what it leaves out: it gives objects names and UIDs, writes what is applied, and deletes an object
// with the UID asked for alone. It returns what was written.
func asAPIServer(t *testing.T, client *dynamicfake.FakeDynamicClient) (written *[]string) {
	written = &[]string{}
	client.PrependReactor("create", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		o := action.(k8stesting.CreateAction).GetObject().(*unstructured.Unstructured)
		*written = append(*written, "create "+manifest.Object{Unstructured: o}.String())
		if o.GetName() == "" {
			o.SetName(o.GetGenerateName() + "x")
		}
		o.SetUID(types.UID(fmt.Sprintf("uid-%d", len(*written))))
		return false, nil, nil
	})
	client.PrependReactor("patch", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		patch := action.(k8stesting.PatchAction)
		if patch.GetPatchType() != types.ApplyPatchType {
			return false, nil, nil
		}
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(patch.GetPatch(), &object.Object); err != nil {
			t.Fatal(err)
		}
		*written = append(*written, "apply "+manifest.Object{Unstructured: object}.String())
		return true, object, client.Tracker().Update(patch.GetResource(), object, patch.GetNamespace())
	})
	client.PrependReactor("delete", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		deletes := action.(k8stesting.DeleteActionImpl)
		live, err := client.Tracker().Get(deletes.Resource, deletes.Namespace, deletes.Name)
		if err != nil {
			return true, nil, err
		}
		wants := deletes.DeleteOptions.Preconditions
		if wants == nil || wants.UID == nil || *wants.UID != live.(metav1.Object).GetUID() {
			return true, nil, apierrors.NewConflict(schema.GroupResource{}, deletes.Name, errors.New("Precondition failed: UID"))
		}
		return false, nil, nil
	})
	return written
}

// names returns the names of all objects that a fake client has, sorted.
func names(t *testing.T, to *target) (all []string) {
	t.Helper()
	for _, kind := range []string{"v1 Namespace", "v1 Service", "v1 ConfigMap", "apps/v1 Deployment"} {
		version, name, _ := strings.Cut(kind, " ")
		mapping, err := to.mapper.RESTMapping(schema.FromAPIVersionAndKind(version, name).GroupKind())
		if err != nil {
			t.Fatal(err)
		}
		list, err := to.client.Resource(mapping.Resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			all = append(all, name+" "+o.GetName())
		}
	}
	slices.Sort(all)
	return all
}

// What the cluster had before is neither written nor deleted, whether or not a manifest names it. Nothing is taken over by an apply.
func TestLeavesWhatExists(t *testing.T) {
	const inShop = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: ours}}\n---\n"
	app := strings.ReplaceAll(both, "metadata: {name: web}\nspec", "metadata: {name: web, namespace: shop}\nspec")
	first, next := []string{"create Deployment web", "create Service web"}, []string{"apply Deployment web", "apply Service web"}
	for _, row := range []struct {
		sentence      string
		first, next   string // manifests
		written, left []string
	}{
		{"a namespace that only objects name", app, app, slices.Concat(first, next), []string{"Namespace shop"}},
		{"a namespace that is a manifest", inShop + app, inShop + app, slices.Concat(first, next), []string{"Namespace shop"}},
		{"what only the next version has is created once, and goes with it", app, app + "---\n" + strings.ReplaceAll(app, "web", "more"),
			slices.Concat(first, []string{"create Deployment more", "create Service more"}, next), []string{"Namespace shop"}},
		{"an object whose name the API server chooses", app + "---\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: job-, namespace: shop}\n", app,
			slices.Concat([]string{"create ConfigMap "}, first, next), []string{"Namespace shop"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
			to, _ := fakeTarget(nil, shop)
			written := asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
			var versions [2][]manifest.Object
			for i, text := range []string{row.first, row.next} {
				var err error
				if versions[i], err = manifest.Parse("app.yaml", []byte(text)); err != nil {
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
			if stays := to.record.stays(); len(stays) != len(to.created) || len(stays) == 0 {
				t.Errorf("%v would stay, of %v", stays, to.created)
			}
			if err := to.remove(t.Context()); err != nil {
				t.Fatal(err)
			}
			if stays := to.record.stays(); len(stays) > 0 {
				t.Errorf("%v stays", stays)
			}
			if diff := cmp.Diff(row.left, names(t, to)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What somebody makes between our look and our write is theirs.
func TestTakesNothingOver(t *testing.T) {
	theirs := parsed(t, both)[1].DeepCopy()
	theirs.SetNamespace("default")
	theirs.SetUID("theirs")
	for _, row := range []struct {
		sentence string
		do       func(t *testing.T, to *target, replace func()) error
		want     string
	}{
		{"before we create it", func(t *testing.T, to *target, replace func()) error {
			to.client.(*dynamicfake.FakeDynamicClient).PrependReactor("create", "services", func(k8stesting.Action) (bool, runtime.Object, error) {
				replace()
				return false, nil, nil
			})
			return to.create(t.Context(), parsed(t, both))
		}, `Service web (app.yaml:12): services "web" already exists: fix the manifest`},
		{"before we apply its next version", func(t *testing.T, to *target, replace func()) error {
			if err := to.create(t.Context(), parsed(t, both)); err != nil {
				t.Fatal(err)
			}
			replace()
			return to.update(t.Context(), parsed(t, both))
		}, "Service web is left alone: somebody has made it anew"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			to, _ := fakeTarget(nil)
			fake := to.client.(*dynamicfake.FakeDynamicClient)
			asAPIServer(t, fake)
			services := corev1.SchemeGroupVersion.WithResource("services")
			err := row.do(t, to, func() {
				_ = fake.Tracker().Delete(services, "default", "web") // there may be none yet
				if err := fake.Tracker().Create(services, theirs.DeepCopy(), "default"); err != nil {
					t.Error(err)
				}
			})
			if err == nil || err.Error() != row.want {
				t.Errorf("it is %v, want %s", err, row.want)
			}
			if err := to.remove(t.Context()); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"Service web"}, names(t, to)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func parsed(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Parse("app.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// The run is noted on the object alone: what selects, and what runs, is as its owner wrote it.
func TestWhatIsAdded(t *testing.T) {
	to, _ := fakeTarget(nil)
	objects := parsed(t, both)
	want := objects[0].DeepCopy()
	want.SetAnnotations(map[string]string{runAnnotation: "run-a"})
	if diff := cmp.Diff(want, to.clean(objects[0])); diff != "" {
		t.Error(diff)
	}
}

// An object that cannot be read may be somebody else's: nothing is written.
func TestWritesNothingUnseen(t *testing.T) {
	to, _ := fakeTarget(nil)
	fake := to.client.(*dynamicfake.FakeDynamicClient)
	written := asAPIServer(t, fake)
	fake.PrependReactor("get", "services", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("etcdserver: request timed out")
	})
	const want = "Service web: etcdserver: request timed out: see whether the cluster has one: kubectl get service"
	if err := to.create(t.Context(), parsed(t, both)); err == nil || err.Error() != want {
		t.Errorf("it is %v, want %s", err, want)
	}
	if len(*written) > 0 {
		t.Errorf("%v were written", *written)
	}
}
