package try

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/client-go/util/retry"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// manager is our name in the managed fields of objects.
const manager = "rollcall-try"

// A target is a cluster on which objects are created.
type target struct {
	client   dynamic.Interface
	kube     kubernetes.Interface
	machines cluster.Machines // of a cluster of our own, which have the data of volumes; nil: it is not ours
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	loaded   []string // images that were loaded onto its nodes
	say      func(string)
	record   *record
	alone    bool              // nobody else creates objects there
	told     []manifest.Object // of kinds that the plan said the cluster would not have
	created  []manifest.Object // in their order, as the API server returned them
}

func newTarget(c cluster.APIServer, loaded []string, say func(string)) (*target, error) {
	client, err := dynamic.NewForConfig(c.REST())
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client().Discovery()))
	machines, _ := c.(cluster.Machines)
	return &target{client: client, kube: c.Client(), mapper: mapper, machines: machines, loaded: loaded, say: say}, nil
}

// api returns the client for the kind and namespace of an object. The error is a [meta.NoKindMatchError] if the cluster has no such kind.
func (t *target) api(o manifest.Object) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	mapping, err := t.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return t.client.Resource(mapping.Resource), nil
	}
	return t.client.Resource(mapping.Resource).Namespace(o.Namespace()), nil
}

// first lists the kinds that are created first, because others need them.
var first = []schema.GroupKind{{Kind: "Namespace"}, {Group: "apiextensions.k8s.io", Kind: definitionKind},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}, {Kind: "ServiceAccount"}, {Kind: "ConfigMap"}, {Kind: "Secret"}}

// inOrder returns objects in the order in which they are created.
func inOrder(objects []manifest.Object) []manifest.Object {
	rank := func(o manifest.Object) int {
		if i := slices.Index(first, o.GroupVersionKind().GroupKind()); i >= 0 {
			return i
		}
		return len(first)
	}
	return slices.SortedStableFunc(slices.Values(objects), func(a, b manifest.Object) int { return rank(a) - rank(b) })
}

// create creates objects that must not exist yet, and the namespaces that they name. Namespaces may exist. Kinds that the cluster does not
// have are left out. An object that cannot be read may exist, so nothing is created then.
func (t *target) create(ctx context.Context, objects []manifest.Object) error {
	missing, err := t.missing(ctx, objects)
	if err != nil {
		return err
	}
	webhooks := webhooksOf(slices.Concat(t.created, objects))
	var held []heldBack
	for _, o := range inOrder(missing) {
		create, err := t.creating(ctx, o)
		if err == nil {
			err = create(ctx)
		}
		if by := caller(webhooks, err); by != nil {
			held = append(held, heldBack{o, *by, create, err})
		} else if err != nil {
			return t.refused(o, err)
		}
	}
	return t.createHeldBack(ctx, webhooks, held)
}

// missing returns what has to be created, and an error if an object exists.
func (t *target) missing(ctx context.Context, objects []manifest.Object) (missing []manifest.Object, _ error) {
	for _, o := range slices.Concat(missingNamespaces(objects), objects) {
		live, err := t.live(ctx, o)
		switch {
		case err != nil:
			return nil, usage.New(o.String(), usage.OneLine(err), "see whether the cluster has one: kubectl get "+strings.ToLower(o.GetKind()))
		case live == nil:
			missing = append(missing, o)
		case o.GetKind() != "Namespace":
			return nil, usage.New(o.String(), "already exists in namespace "+o.Namespace(), "use a cluster or a namespace without it")
		case live.GetDeletionTimestamp() != nil:
			return nil, usage.New("namespace "+o.GetName(), "it is being deleted, and takes nothing new", "wait until it is gone, or name another")
		}
	}
	return missing, nil
}

// live returns an object as the cluster has it; nil if it has none, or not even the kind, or if the API server is to choose the name.
func (t *target) live(ctx context.Context, o manifest.Object) (*unstructured.Unstructured, error) {
	api, err := t.api(o)
	if meta.IsNoMatchError(err) || err == nil && o.GetName() == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	live, err := api.Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

func missingNamespaces(objects []manifest.Object) (all []manifest.Object) {
	has := map[string]bool{metav1.NamespaceDefault: true}
	for _, o := range objects {
		if o.GetKind() == "Namespace" {
			has[o.GetName()] = true
		}
	}
	for _, o := range objects {
		if name := o.Namespace(); !has[name] && !clusterWide(o) {
			has[name] = true
			all = append(all, manifest.Object{Unstructured: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1",
				"kind":     "Namespace",
				"metadata": map[string]any{"name": name}}}, At: o.At})
		}
	}
	return all
}

// creating returns a function that creates an object, which is recorded before. It does nothing if the cluster does not have its kind.
func (t *target) creating(ctx context.Context, o manifest.Object) (create func(context.Context) error, err error) {
	api, err := t.servedAPI(ctx, o)
	if meta.IsNoMatchError(err) {
		if !slices.ContainsFunc(t.told, o.Same) {
			t.say(fmt.Sprintf("%s (%s) is left out: the cluster has no kind %s of %s", o, o.At, o.GetKind(), o.GetAPIVersion()))
		}
		return func(context.Context) error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	done, err := t.record.begin(o)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		live, err := api.Create(ctx, t.clean(o), metav1.CreateOptions{FieldManager: manager})
		if err != nil {
			return err
		}
		o.Unstructured = live
		t.created = append(t.created, o)
		return done(live)
	}, nil
}

// refused returns the error about an object that the API server does not take. Other errors stay.
func (t *target) refused(o manifest.Object, err error) error {
	if status := apierrors.APIStatus(nil); !errors.As(err, &status) {
		return err
	}
	return usage.New(o.String()+" ("+o.At+")", usage.OneLine(err), remedy(err.Error(), "fix the manifest"))
}

// update writes the next version of objects that were created, as kubectl apply --server-side does. It takes over the fields that others
// have set meanwhile, as an autoscaler does, since the objects are ours.
func (t *target) update(ctx context.Context, objects []manifest.Object) error {
	for _, o := range inOrder(objects) {
		api, err := t.servedAPI(ctx, o)
		if err != nil {
			return err
		}
		is := t.clean(o)
		err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			live, err := t.ours(ctx, api, o)
			if err != nil {
				return err
			}
			is.SetUID(live.GetUID()) // so that no other is changed
			return t.asApplied(ctx, api, live)
		})
		if err != nil {
			return err
		}
		err = t.pastWebhooks(ctx, func() error {
			_, err := api.Apply(ctx, o.GetName(), is, metav1.ApplyOptions{FieldManager: manager, Force: true})
			return err
		})
		if err != nil {
			return t.refused(o, err)
		}
	}
	return nil
}

// asApplied has the API server take an object that was created as one that was applied: else fields which the next version does not have
// would stay (client-go, util/csaupgrade).
func (t *target) asApplied(ctx context.Context, api dynamic.ResourceInterface, live *unstructured.Unstructured) error {
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(manager), manager)
	if err == nil && patch != nil {
		_, err = api.Patch(ctx, live.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: manager})
	}
	return err
}

// ours returns a created object as the cluster has it now, or an error if somebody has made it anew.
func (t *target) ours(ctx context.Context, api dynamic.ResourceInterface, o manifest.Object) (*unstructured.Unstructured, error) {
	live, err := api.Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(t.created, o.Same); i < 0 || t.created[i].GetUID() != live.GetUID() {
		return nil, fmt.Errorf("%s is left alone: somebody has made it anew", o)
	}
	return live, nil
}

// made reports whether this target created the object.
func (t *target) made(o manifest.Object) bool {
	return slices.ContainsFunc(t.created, o.Same)
}

// clean returns a copy of the object with the annotation of the run, and without the fields that depend on the cluster it comes from. Nodes
// do not pull loaded images.
func (t *target) clean(o manifest.Object) *unstructured.Unstructured {
	is := o.DeepCopy()
	delete(is.Object, "status")
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences",
		"selfLink"} {
		unstructured.RemoveNestedField(is.Object, "metadata", field)
	}
	annotations := is.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[runAnnotation] = t.record.Run
	is.SetAnnotations(annotations)
	for _, path := range [][]string{{"spec", "template", "spec"}, {"spec"}} {
		for _, field := range []string{"initContainers", "containers"} {
			at := append(slices.Clone(path), field)
			list, found, err := unstructured.NestedSlice(is.Object, at...)
			if !found || err != nil {
				continue
			}
			for _, item := range list {
				if c, ok := item.(map[string]any); ok && slices.Contains(t.loaded, fmt.Sprint(c["image"])) {
					c["imagePullPolicy"] = string(corev1.PullIfNotPresent)
				}
			}
			_ = unstructured.SetNestedSlice(is.Object, list, at...) // cannot fail: a slice was there
		}
	}
	return is
}
