package staging

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/observe"
)

// A Right is a permission for verbs on a resource.
type Right struct {
	Group, Resource string // resource is like pods or pods/log
	Verbs           []string
	Cluster         bool   // in the whole cluster, not only in the scenarios' namespaces
	For             string // feature of the scenarios that need it: see [harness.Scenario.Requires]; empty: all need it
	Name            string // of the only object; empty: all objects
}

// A kind is a resource and the verbs we need on it: in the namespaces of a run, in those of a recording in which nothing is
// rolled out, and in the namespace of somebody else's app whose pods and rollout we read.
type kind struct{ group, resource, run, watch, read, scenarios string }

// kinds are the resources in namespaces. The verbs to watch are a subset of those of a run.
var kinds = []kind{
	{"", "pods", "get list watch create delete deletecollection", "get list watch create delete deletecollection", "list watch", ""},
	{"", "pods/log", "get", "get", "", ""},
	{"", "pods/status", "patch", "", "", ""},
	{"", "pods/portforward", "create", "create", "", ""},
	{"", "services", "get list create update patch delete", "get list create delete", "", ""},
	{"", "secrets", "create deletecollection", "create deletecollection", "", ""},
	{"", "events", "list watch", "list watch", "list watch", ""},
	{"discovery.k8s.io", "endpointslices", "list watch", "list watch", "list watch", ""},
	{"apps", "deployments", "get list watch create update patch delete deletecollection", "list watch create deletecollection",
		"get list watch", ""},
	{"apps", "deployments/scale", "update", "", "", ""},
	{"apps", "replicasets", "list watch deletecollection", "list watch deletecollection", "get list watch", ""},
	{"apps", "statefulsets", "get list watch create update patch deletecollection", "list watch deletecollection", "get list watch", ""},
	{"apps", "daemonsets", "create deletecollection", "create deletecollection", "get", ""},
	{"autoscaling", harness.Autoscalers, "get create deletecollection", "", "", harness.Autoscalers},
	{"discovery.k8s.io", harness.Slices, "create", "", "", harness.Slices},
	{"", harness.Quotas, "get create deletecollection", "", "", harness.Quotas},
	{"", "configmaps", "create deletecollection", "", "", harness.AppObjects},
	{"policy", "poddisruptionbudgets", "create deletecollection", "create deletecollection", "", harness.AppObjects},
}

// rightToNodes is the right that every recording needs beside those in namespaces.
var rightToNodes = Right{"", "nodes", []string{"list", "watch"}, true, "", ""}

// Rights returns the rights that a run needs on somebody else's cluster. The roles of fixtures/staging grant exactly these.
func Rights(generate, observe bool) []Right {
	rights := append([]Right{rightToNodes}, rightsTo(func(k kind) string { return k.run })...)
	return append(rights, extraRights(generate, observe)...)
}

// RightsToWatch returns the rights for a recording in which nothing is rolled out.
func RightsToWatch(generate, observe bool) []Right {
	rights := append([]Right{rightToNodes}, rightsTo(func(k kind) string { return k.watch })...)
	return append(rights, extraRights(generate, observe)...)
}

// rightsToRead returns the rights to read the pods of somebody else's app and their rollout.
func rightsToRead() []Right { return rightsTo(func(k kind) string { return k.read }) }

// optionalRights returns the rights without which a recording only sees fewer kinds of changes: in the app's namespace, and in kube-system.
func optionalRights() (app, system []Right) {
	for _, r := range observe.Rights() {
		right := Right{r.Group, r.Resource, observe.Verbs(), false, "", r.Name}
		switch {
		case r.Needed:
		case r.Place == observe.OfSystem:
			system = append(system, right)
		default:
			app = append(app, right)
		}
	}
	return app, system
}

// rightsTo returns the rights of one of the columns of kinds.
func rightsTo(verbs func(kind) string) (rights []Right) {
	for _, k := range kinds {
		if used := strings.Fields(verbs(k)); len(used) > 0 {
			rights = append(rights, Right{k.group, k.resource, used, false, k.scenarios, ""})
		}
	}
	return rights
}

// extraRights returns the rights to create namespaces, and to observe the nodes' rules.
func extraRights(generate, observe bool) (rights []Right) {
	if generate {
		rights = append(rights, Right{"", "namespaces", []string{"list", "create", "delete"}, true, "", ""})
	} else { // a run holds namespaces that are there already
		rights = append(rights, Right{"coordination.k8s.io", "leases", []string{"get", "create", "update", "delete"}, false, "", ""})
	}
	if observe {
		rights = append(rights, Right{"apps", "daemonsets", []string{"create", "deletecollection"}, false, harness.NodeRules, ""},
			Right{"", "pods", []string{"list", "deletecollection"}, false, harness.NodeRules, ""},
			Right{"", "pods/log", []string{"get"}, false, harness.NodeRules, ""})
	}
	return rights
}

// rightsToDrain returns the rights to drain nodes, beside those of a run.
func rightsToDrain(nodes []string) []Right {
	rights := []Right{
		{"", "pods", []string{"list"}, true, cluster.Drains, ""},
		{"", "pods/eviction", []string{"create"}, false, cluster.Drains, ""},
		{"policy", "poddisruptionbudgets", []string{"get", "create", "delete"}, false, cluster.Drains, ""},
	}
	for _, node := range nodes {
		rights = append(rights, Right{"", "nodes", []string{"get", "patch"}, true, cluster.Drains, node})
	}
	return rights
}

// A Missing is a right that we do not have, for one verb.
type Missing struct {
	Right
	Verb  string
	Where string // a namespace, or empty: everywhere
}

// String returns a phrase like "create horizontalpodautoscalers.autoscaling in namespace rollcall".
func (m Missing) String() string { return fmt.Sprintf("%s %s %s", m.Verb, m.kind(), m.where()) }

func (m Missing) kind() string {
	resource, sub, _ := strings.Cut(m.Resource, "/")
	if m.Group != "" {
		resource += "." + m.Group
	}
	if sub != "" {
		resource += "/" + sub
	}
	if m.Name != "" {
		resource += " " + m.Name
	}
	return resource
}

func (m Missing) where() string {
	switch {
	case m.Where != "":
		return "in namespace " + m.Where
	case m.Cluster:
		return "in the cluster"
	default:
		return "in every namespace"
	}
}

// findMissing asks the API server which of the rights we do not have in the namespaces; no namespace means all. It asks once per
// verb, because the reply about all rights at once, a SelfSubjectRulesReview, may be incomplete.
func findMissing(ctx context.Context, client kubernetes.Interface, rights []Right, namespaces []string) ([]Missing, error) {
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	var wanted []Missing
	for _, r := range rights {
		places := namespaces
		if r.Cluster {
			places = []string{metav1.NamespaceAll}
		}
		for _, place := range places {
			if r.For == harness.NodeRules && place != "" {
				place = namespace.Observers(place)
			}
			for _, verb := range r.Verbs {
				wanted = append(wanted, Missing{r, verb, place})
			}
		}
	}
	denied := make([]bool, len(wanted))
	var group errgroup.Group
	group.SetLimit(8)
	for i, m := range wanted {
		group.Go(func() error {
			resource, sub, _ := strings.Cut(m.Resource, "/")
			allowed, err := observe.Allowed(ctx, client, authorizationv1.ResourceAttributes{Namespace: m.Where, Verb: m.Verb, Group: m.Group,
				Resource: resource, Subresource: sub, Name: m.Name})
			if err != nil {
				return fmt.Errorf("ask for the right to %s: %w", m, err)
			}
			denied[i] = !allowed
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var missing []Missing
	for i, m := range wanted {
		if denied[i] {
			missing = append(missing, m)
		}
	}
	return missing, nil
}

// reasonsToSkip returns, by feature, why the scenarios that use it are skipped. Missing rights that every scenario needs are under
// the empty name.
func reasonsToSkip(missing []Missing) map[string]string {
	because := map[string][]Missing{}
	for _, m := range missing {
		because[m.For] = append(because[m.For], m)
	}
	said := map[string]string{}
	for use, list := range because {
		said[use] = "missing permission to " + inWords(list)
	}
	return said
}

// inWords returns the missing rights as a phrase, grouped by namespace and kind: "get, list pods, and to create daemonsets.apps in
// namespace shop".
func inWords(list []Missing) string {
	slices.SortStableFunc(list, func(a, b Missing) int { return cmp.Compare(a.where(), b.where()) })
	var said []string
	for i := 0; i < len(list); {
		m := list[i]
		var verbs []string
		for ; i < len(list) && list[i].kind() == m.kind() && list[i].where() == m.where(); i++ {
			verbs = append(verbs, list[i].Verb)
		}
		words := strings.Join(verbs, ", ") + " " + m.kind()
		if i == len(list) || list[i].where() != m.where() {
			words += " " + m.where()
		}
		said = append(said, words)
	}
	return strings.Join(said, ", and to ")
}
