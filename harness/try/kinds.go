package try

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
)

const definitionKind = "CustomResourceDefinition"

// defines reports whether an object is a CustomResourceDefinition by which a cluster serves a kind in this version.
func defines(o manifest.Object, kind schema.GroupVersionKind) bool {
	group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
	name, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
	if o.GetKind() != definitionKind || group != kind.Group || name != kind.Kind {
		return false
	}
	versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
	return slices.ContainsFunc(versions, func(version any) bool {
		of, _ := version.(map[string]any)
		return of["name"] == kind.Version && of["served"] == true
	})
}

// servedAPI returns the client of an object, as api does. A kind that a CustomResourceDefinition of this try defines is awaited.
func (t *target) servedAPI(ctx context.Context, o manifest.Object) (dynamic.ResourceInterface, error) {
	api, err := t.api(o)
	if !meta.IsNoMatchError(err) {
		return api, err
	}
	i := slices.IndexFunc(t.created, func(by manifest.Object) bool { return defines(by, o.GroupVersionKind()) })
	if i < 0 {
		t.mapper.Reset() // somebody else may have defined it meanwhile
		return t.api(o)
	}
	return t.awaitServed(ctx, t.created[i], o)
}

// awaitServed waits until the API server takes objects of a kind, as its CustomResourceDefinition says.
func (t *target) awaitServed(ctx context.Context, definition, o manifest.Object) (api dynamic.ResourceInterface, err error) {
	definitions, err := t.api(definition)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, servedTimeout, fmt.Errorf("its kind %s is not served after %v", o.GetKind(), servedTimeout))
	defer cancel()
	last := ""
	err = poll.Until(ctx, 100*time.Millisecond, func() (served bool, err error) {
		live, err := definitions.Get(ctx, definition.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if served, last = established(live); !served {
			return false, nil
		}
		t.mapper.Reset()
		if api, err = t.api(o); meta.IsNoMatchError(err) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return nil, usage.New(fmt.Sprintf("%s (%s)", definition, definition.At), usage.OneLine(err)+last,
			"see kubectl describe crd "+definition.GetName())
	}
	return api, nil
}

// established reports whether a CustomResourceDefinition is established, and if not, which condition says why.
func established(live *unstructured.Unstructured) (is bool, why string) {
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, condition := range conditions {
		c, _ := condition.(map[string]any)
		is = is || c["type"] == "Established" && c["status"] == string(metav1.ConditionTrue)
		if message, said := c["message"].(string); said && c["status"] == string(metav1.ConditionFalse) && c["type"] != "Established" {
			why = ": " + message
		}
	}
	return is, why
}
