package try

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// clusterWide reports whether the kind of an object is one of Kubernetes' own that have no namespace.
func clusterWide(o manifest.Object) bool {
	return openapi.IsCertainlyClusterScoped(yaml.TypeMeta{APIVersion: o.GetAPIVersion(), Kind: o.GetKind()})
}

// checkAllowed returns an error that names the objects which need --allow=cluster-objects, unless that is given, and their names: of kinds
// without namespaces, and those that other programs publish under real names and addresses. Namespaces that exist are not created.
func (t *target) checkAllowed(ctx context.Context, objects []manifest.Object, allowed bool) (names []string, err error) {
	seen := map[string]bool{}
	for _, o := range append(missingNamespaces(objects), objects...) {
		beyond, err := t.beyond(ctx, o)
		if err != nil {
			return nil, usage.New(o.String(), usage.OneLine(err), "see whether the cluster has one: kubectl get "+strings.ToLower(o.GetKind()))
		}
		name := o.String()
		if o.GetKind() == "Service" {
			name += " of type LoadBalancer"
		}
		if beyond && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) > 0 && !allowed {
		return nil, usage.New(strings.Join(names, ", "), "others on the cluster, or outside it, may feel that it is created",
			"leave it out, or allow it: --allow="+during.ClusterObjects)
	}
	return names, nil
}

// beyond reports whether an object acts beyond a namespace.
func (t *target) beyond(ctx context.Context, o manifest.Object) (bool, error) {
	kind := o.GroupVersionKind()
	if kind.Kind == "Namespace" && kind.Group == "" {
		live, err := t.live(ctx, o)
		return live == nil, err
	}
	if kind.Kind == "Service" && kind.Group == "" {
		of, _, _ := unstructured.NestedString(o.Object, "spec", "type")
		return of == "LoadBalancer", nil
	}
	if kind.Kind == "Ingress" {
		return true, nil
	}
	mapping, err := t.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) { // it is left out, or the manifests define it, and that needs to be allowed
		return clusterWide(o), nil
	}
	return err == nil && mapping.Scope.Name() == meta.RESTScopeNameRoot, err
}
