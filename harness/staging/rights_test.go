package staging

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/observe"
)

// A grant is one rule of a Role, in its namespace, or of a ClusterRole, in all.
type grant struct {
	namespace string
	rule      rbacv1.PolicyRule
}

// shipped reads the roles of a folder of fixtures/staging.
func shipped(t *testing.T, folders ...string) (grants []grant) {
	t.Helper()
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("..", "..", "fixtures", "staging", folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
				var role rbacv1.Role // a ClusterRole has the same rules, and no namespace
				if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				for _, rule := range role.Rules {
					grants = append(grants, grant{role.Namespace, rule})
				}
			}
		}
	}
	return grants
}

func (g grant) allows(a authorizationv1.ResourceAttributes) bool {
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	return (g.namespace == "" || g.namespace == a.Namespace) && slices.Contains(g.rule.APIGroups, a.Group) &&
		slices.Contains(g.rule.Resources, resource) && slices.Contains(g.rule.Verbs, a.Verb) &&
		(len(g.rule.ResourceNames) == 0 || slices.Contains(g.rule.ResourceNames, a.Name))
}

// server returns a client of an API server with these grants.
func server(grants []grant) kubernetes.Interface {
	client := fake.NewClientset()
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action k8stesting.Action) (bool, runtime.Object, error) {
		review := action.(k8stesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		review.Status.Allowed = slices.ContainsFunc(grants, func(g grant) bool { return g.allows(*review.Spec.ResourceAttributes) })
		return true, review, nil
	})
	return client
}

func missingOf(t *testing.T, grants []grant, generate, observe bool) []Missing {
	t.Helper()
	namespaces := []string{"rollcall"}
	if generate {
		namespaces = nil
	}
	list, err := findMissing(context.Background(), server(grants), Rights(generate, observe), namespaces)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestShippedRolesSuffice(t *testing.T) {
	for _, row := range []struct {
		sentence          string
		grants            []grant
		generate, observe bool
	}{
		{"in a namespace that was given", shipped(t, "base"), false, false},
		{"with the nodes' rules", shipped(t, "base", "node-rules"), false, true},
		{"with namespaces of its own", shipped(t, "base", "generated"), true, false},
		{"with namespaces of its own and the nodes' rules", shipped(t, "base", "generated"), true, true},
	} {
		if list := missingOf(t, row.grants, row.generate, row.observe); len(list) > 0 {
			t.Errorf("%s: missing %v", row.sentence, list)
		}
	}
}

// looks reports whether a right only lets Rollcall see more; without it Rollcall says that it does not know.
func looks(g grant, resource, verb string) bool {
	optional, _ := optionalRights()
	return g.namespace == "kube-system" || verb == "list" && (resource == "limitranges" || resource == harness.Quotas) ||
		grants(optional, g, resource, verb) && !grants(Rights(true, true), g, resource, verb)
}

// grants reports whether one of the rights is that of a grant to a verb on a resource.
func grants(rights []Right, g grant, resource, verb string) bool {
	return slices.ContainsFunc(rights, func(r Right) bool {
		return slices.Contains(g.rule.APIGroups, r.Group) && r.Resource == resource && slices.Contains(r.Verbs, verb)
	})
}

// If any verb of any rule is taken away, the missing right is named before a run.
func TestMissing(t *testing.T) {
	for _, row := range []struct {
		folders           []string
		generate, observe bool
	}{{[]string{"base"}, false, false}, {[]string{"base", "node-rules"}, false, true}, {[]string{"generated", "base"}, true, false}} {
		grants := shipped(t, row.folders...)
		taken := 0
		for i, g := range grants {
			for _, resource := range g.rule.Resources {
				for _, verb := range g.rule.Verbs {
					if looks(g, resource, verb) || row.generate && g.namespace == "rollcall" { // which the ClusterRole grants as well
						continue
					}
					taken++
					less := slices.Clone(grants)
					less[i].rule = *g.rule.DeepCopy()
					less[i].rule.Verbs = slices.DeleteFunc(less[i].rule.Verbs, func(v string) bool { return v == verb })
					if row.generate {
						less = slices.DeleteFunc(less, func(g grant) bool { return g.namespace == "rollcall" })
					}
					list := missingOf(t, less, row.generate, row.observe)
					if len(list) == 0 || list[0].Verb != verb || list[0].Resource != resource {
						t.Errorf("%v without %s of %s: missing %v", row.folders, verb, resource, list)
						continue
					}
					if said := reasonsToSkip(list); !strings.Contains(said[list[0].For], verb+" "+strings.Split(resource, "/")[0]) {
						t.Errorf("%v without %s of %s costs %v", row.folders, verb, resource, said)
					}
				}
			}
		}
		if taken < 30 {
			t.Errorf("%v: only %d rights were taken away", row.folders, taken)
		}
	}
}

// The right to drain some nodes covers no other node.
func TestRightsToDrain(t *testing.T) {
	grants := shipped(t, "base", "drains")
	for _, row := range []struct {
		sentence string
		nodes    []string
		want     string
	}{
		{"the nodes that the role names", []string{"node-7", "node-8"}, ""},
		{"another", []string{"node-7", "node-9"}, "missing permission to get, patch nodes node-9 in the cluster"},
	} {
		missing, err := findMissing(t.Context(), server(grants), append(Rights(false, false), rightsToDrain(row.nodes)...), []string{"rollcall"})
		if err != nil {
			t.Fatal(err)
		}
		if got := reasonsToSkip(missing)[cluster.Drains]; got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

// The optional rights are granted by a role of their own. Without it each is missing, and no run is refused for that.
func TestOptionalRights(t *testing.T) {
	app, system := optionalRights()
	for _, row := range []struct {
		sentence string
		grants   []grant
		app      string
		system   string
	}{
		{"the role", shipped(t, "base", "changes"), "", ""},
		{"in every namespace", shipped(t, "changes", "generated"), "", ""},
		{"without it", shipped(t, "base"), "missing permission to watch services, and to list, watch poddisruptionbudgets.policy, and to " +
			"list, watch horizontalpodautoscalers.autoscaling, and to list, watch daemonsets.apps in namespace rollcall",
			"missing permission to list, watch configmaps kube-proxy, and to watch pods in namespace kube-system"},
	} {
		for _, part := range []struct {
			rights    []Right
			namespace string
			want      string
		}{{app, "rollcall", row.app}, {system, "kube-system", row.system}} {
			missing, err := findMissing(t.Context(), server(row.grants), part.rights, []string{part.namespace})
			if err != nil {
				t.Fatal(err)
			}
			if got := reasonsToSkip(missing)[""]; got != part.want {
				t.Errorf("%s: %q, want %q", row.sentence, got, part.want)
			}
		}
	}
	// A kind that a recording needs is one of the rights of every run and of a reader of an app.
	for _, r := range observe.Rights() {
		if !r.Needed {
			continue
		}
		for _, have := range [][]Right{Rights(false, false), RightsToWatch(false, false), append(rightsToRead(), rightToNodes)} {
			for _, verb := range observe.Verbs() {
				if !slices.ContainsFunc(have, func(h Right) bool {
					return h.Group == r.Group && h.Resource == r.Resource && slices.Contains(h.Verbs, verb) && h.Cluster == (r.Place == observe.OfCluster)
				}) {
					t.Errorf("%s of %s is needed, and not among %v", verb, r.Resource, have)
				}
			}
		}
	}
}

// The roles grant no right that is never used.
func TestShippedRolesGrantNothingElse(t *testing.T) {
	optional, _ := optionalRights()
	rights := slices.Concat(Rights(true, true), Rights(false, true), rightsToDrain([]string{"node-7"}), optional)
	for _, g := range shipped(t, "base", "changes", "generated", "node-rules", "drains") {
		for _, resource := range g.rule.Resources {
			for _, verb := range g.rule.Verbs {
				if !grants(rights, g, resource, verb) && !looks(g, resource, verb) {
					t.Errorf("%s of %s is granted in %q for nothing", verb, resource, g.namespace)
				}
			}
		}
	}
}

func TestReasonsToSkip(t *testing.T) {
	pods, sets := Right{Resource: "pods"}, Right{Group: "apps", Resource: "daemonsets"}
	list := []Missing{{pods, "get", "shop"}, {pods, "list", "shop"}, {pods, "get", "bank"}, {sets, "create", "shop"}}
	const want = "missing permission to get pods in namespace bank, and to get, list pods, and to create daemonsets.apps in namespace shop"
	if got := reasonsToSkip(list)[""]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMissingString(t *testing.T) {
	for _, row := range []struct {
		sentence string
		missing  Missing
		want     string
	}{
		{"in a namespace", Missing{Right{"apps", "deployments/scale", nil, false, "", ""}, "update", "shop"},
			"update deployments.apps/scale in namespace shop"},
		{"in all of them", Missing{Right{"", "pods", nil, false, "", ""}, "create", ""}, "create pods in every namespace"},
		{"of one object", Missing{Right{"", "nodes", nil, true, "", "a"}, "patch", ""}, "patch nodes a in the cluster"},
		{"of the cluster", Missing{Right{"", "nodes", nil, true, "", ""}, "list", ""}, "list nodes in the cluster"},
	} {
		if got := row.missing.String(); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

// A recording in which nothing is rolled out needs fewer rights than suites, so the roles for suites are enough.
func TestRightsToWatchAreSomeOfAll(t *testing.T) {
	for _, generate := range []bool{false, true} {
		for _, observe := range []bool{false, true} {
			all, some := map[string]bool{}, 0
			for _, r := range Rights(generate, observe) {
				for _, verb := range r.Verbs {
					all[r.Group+"/"+r.Resource+" "+verb+" "+r.For] = true
				}
			}
			for _, r := range RightsToWatch(generate, observe) {
				for _, verb := range r.Verbs {
					some++
					if right := r.Group + "/" + r.Resource + " " + verb + " " + r.For; !all[right] {
						t.Errorf("to %s is not a right of suites", right)
					}
				}
			}
			if some == 0 || some >= len(all) {
				t.Errorf("%d of %d rights", some, len(all))
			}
		}
	}
}

func TestPrintRoles(t *testing.T) {
	const optional = "list services, list poddisruptionbudgets, list horizontalpodautoscalers, list daemonsets"
	const system = "Role kube-system: list configmaps kube-proxy, list pods"
	rights := []Right{{"", "nodes", []string{"list", "watch"}, true, "", ""}, {"apps", "deployments", []string{"create"}, false, "", ""}}
	for _, row := range []struct {
		sentence   string
		namespaces []string
		read       []string // Services in these
		want       []string // kinds of roles, and where they grant what
	}{
		{"in namespaces that were assigned", []string{"shop", "shop-b"}, nil,
			[]string{"ClusterRole : list nodes", "Role shop: create deployments, " + optional, "Role shop-b: create deployments, " + optional,
				system}},
		{"in namespaces that are made", nil, nil, []string{"ClusterRole : list nodes, create deployments, " + optional, system}},
		{"with a Service that is read", nil, []string{"web"}, []string{"ClusterRole : list nodes, create deployments", "Role web: list pods, list events, list endpointslices, get deployments, get replicasets, get statefulsets, get daemonsets, get services, list networkpolicies, " + optional,
			system}},
	} {
		var b bytes.Buffer
		if err := PrintRoles(&b, rights, row.namespaces, row.read...); err != nil {
			t.Fatal(err)
		}
		for _, namespace := range append(slices.Concat(row.namespaces, row.read), "kube-system") {
			bind := "\n#   kubectl create rolebinding rollcall-during --namespace=" + namespace + " --role=rollcall-during --user=USER\n"
			if !strings.Contains(b.String(), bind) {
				t.Errorf("%s: %q is not in\n%s", row.sentence, bind, &b)
			}
		}
		if warns := strings.Contains(b.String(), "in all namespaces. With --namespace=NAME"); warns != (row.namespaces == nil) {
			t.Errorf("%s: that the rights are for all namespaces is said: %t", row.sentence, warns)
		}
		var got []string
		for decoder := yaml.NewYAMLOrJSONDecoder(&b, 4096); ; {
			var role rbacv1.Role
			if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			var grants []string
			for _, rule := range role.Rules {
				grants = append(grants, strings.Join(append([]string{rule.Verbs[0], rule.Resources[0]}, rule.ResourceNames...), " "))
			}
			got = append(got, role.Kind+" "+role.Namespace+": "+strings.Join(grants, ", "))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
