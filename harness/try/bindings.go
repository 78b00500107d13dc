package try

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/verdict/phrase"
)

// A misbound is a set of bindings that name ServiceAccounts of a namespace other than the one in which the manifests have these.
type misbound struct {
	bindings  []manifest.Object
	names, in string // namespaces: the one that bindings name, and the one where the accounts are
}

// misboundOf returns, for each namespace that bindings name, those whose ServiceAccounts name no namespace, and so are in another one.
func misboundOf(objects []manifest.Object) (all []misbound) {
	for _, o := range objects {
		var binding rbacv1.ClusterRoleBinding // a RoleBinding has the same fields
		if o.GroupVersionKind().Group != rbacv1.GroupName || runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &binding) != nil {
			continue
		}
		for _, subject := range binding.Subjects {
			in := accountOf(objects, subject)
			if in == "" || subject.Namespace == "" { // that of the binding
				continue
			}
			i := slices.IndexFunc(all, func(m misbound) bool { return m.names == subject.Namespace && m.in == in })
			if i < 0 {
				i, all = len(all), append(all, misbound{names: subject.Namespace, in: in})
			}
			if !slices.ContainsFunc(all[i].bindings, o.Same) {
				all[i].bindings = append(all[i].bindings, o)
			}
		}
	}
	return all
}

// accountOf returns the namespace in which the manifests have a ServiceAccount that a subject names in another one, if its manifest names
// none; else it is empty.
func accountOf(objects []manifest.Object, subject rbacv1.Subject) (namespace string) {
	for _, o := range objects {
		switch {
		case subject.Kind != rbacv1.ServiceAccountKind || o.GetKind() != rbacv1.ServiceAccountKind || o.GetName() != subject.Name:
		case o.Namespace() == subject.Namespace:
			return ""
		case o.GetNamespace() == "":
			namespace = o.Namespace()
		}
	}
	return namespace
}

// bound says which bindings give the app's ServiceAccounts nothing.
func (p Plan) bound() (lines []string) {
	for _, m := range misboundOf(slices.Concat(p.Objects, p.change.objects)) {
		remedy := "--namespace=" + m.names
		if p.given.Named() {
			remedy = "kubectl config set-context --current --namespace=" + m.names
		}
		who := phrase.Cut(m.bindings[0].String(), 40)
		if more := len(m.bindings) - 1; more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, fmt.Sprintf("bindings:  %s: for ServiceAccounts of %s, which are in %s: %s", who, m.names, m.in, remedy))
	}
	return lines
}
