package try

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/rollcall/harness/manifest"
)

// A rollout changes what it names and nothing else of the containers, also where the kind is a CustomResourceDefinition's.
func TestPatchesContainers(t *testing.T) {
	const log = `{"image":"localhost/log:1","name":"log"}`
	web := func(image, rest string) string {
		return `{"image":"localhost/web:` + image + `",` + rest + `"name":"web"}`
	}
	const hook = `"lifecycle":{"preStop":{"exec":{"command":["stop"]}}},`
	named := func(with map[string]any) map[string]any {
		with["name"] = "web"
		return map[string]any{"spec": map[string]any{"containers": []any{with}}}
	}
	preStop := func(is any) map[string]any { return named(map[string]any{"lifecycle": map[string]any{"preStop": is}}) }
	sleep := map[string]any{"sleep": map[string]any{"seconds": int64(3)}, "exec": nil, "httpGet": nil}
	for _, row := range []struct {
		sentence string
		before   string // what the container has beside its image
		template map[string]any
		want     string
	}{
		{"another image", hook, named(map[string]any{"image": "localhost/web:2"}), web("2", hook)},
		{"no hook", hook, preStop(nil), web("1", `"lifecycle":{},`)},
		{"a sleep instead of a hook", hook, preStop(sleep), web("1", `"lifecycle":{"preStop":{"sleep":{"seconds":3}}},`)},
		{"a sleep where there was no hook", "", preStop(sleep), web("1", `"lifecycle":{"preStop":{"sleep":{"seconds":3}}},`)},
	} {
		for _, kind := range []string{"apps/v1 Deployment", "argoproj.io/v1alpha1 Rollout"} {
			t.Run(row.sentence+" of "+kind, func(t *testing.T) {
				version, name, _ := strings.Cut(kind, " ")
				text := strings.Replace(deployment, "{name: web, image: localhost/web:1}", web("1", row.before), 1) + "      - " + log + "\n"
				objects, err := manifest.Parse("app.yaml", []byte(strings.NewReplacer("apps/v1", version, "Deployment", name).Replace(text)))
				if err != nil {
					t.Fatal(err)
				}
				live := objects[0].DeepCopy()
				live.SetNamespace(metav1.NamespaceDefault)
				live.SetUID("uid-1")
				to, client := fakeTarget(nil)
				client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: "argoproj.io/v1alpha1",
					APIResources: []metav1.APIResource{{Name: "rollouts", Kind: "Rollout", Namespaced: true}}})
				to.client = dynamicfake.NewSimpleDynamicClient(scheme.Scheme, live)
				to.created = []manifest.Object{{Unstructured: live}}
				if err := to.patch(t.Context(), objects[0], inTemplate(row.template)); err != nil {
					t.Fatal(err)
				}
				api, err := to.api(objects[0])
				if err != nil {
					t.Fatal(err)
				}
				is, err := api.Get(t.Context(), "web", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				containers, _, _ := unstructured.NestedSlice(is.Object, "spec", "template", "spec", "containers")
				got, err := json.Marshal(containers)
				if want := "[" + row.want + "," + log + "]"; err != nil || string(got) != want {
					t.Errorf("they are %s (%v), want %s", got, err, want)
				}
			})
		}
	}
}
