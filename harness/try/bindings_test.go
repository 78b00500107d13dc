package try

import (
	"strings"
	"testing"
)

const (
	account = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n"
	bound   = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: web}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n" +
		"subjects: [{kind: ServiceAccount, name: web, namespace: shop}]\n"
)

// An install file without namespaces is for the one that its bindings name.
func TestBindingsOfAnotherNamespace(t *testing.T) {
	const says = "bindings:  ClusterRoleBinding web: for ServiceAccounts of shop, which are in default: --namespace=shop"
	for _, row := range []struct {
		sentence, manifest, args, says string
	}{
		{"that the ServiceAccount is not in", both + account + bound, "", says},
		{"more of them", both + account + bound + strings.ReplaceAll(bound, "{name: web}", "{name: more}"), "",
			strings.Replace(says, "web:", "web and 1 more:", 1)},
		{"of a role in it", both + account + strings.NewReplacer("ClusterRoleB", "RoleB", "{name: web}\nr", "{name: web, namespace: shop}\nr").
			Replace(bound), "", strings.Replace(says, "ClusterRoleB", "RoleB", 1)},
		{"as --namespace says", both + account + bound, "--namespace=shop", ""},
		{"that the ServiceAccount's manifest names", both + strings.Replace(account, "web}", "web, namespace: shop}", 1) + bound, "", ""},
		{"that the ServiceAccount was not to be in", both + strings.Replace(account, "web}", "web, namespace: back}", 1) + bound, "", ""},
		{"none, as a RoleBinding that is for its own", both + account + strings.NewReplacer("ClusterRoleB", "RoleB", ", namespace: shop", "").
			Replace(bound), "", ""},
		{"whose ServiceAccount others make", both + bound, "", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			said, err := tried(t, row.manifest, strings.Fields(row.args)...)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			for line := range strings.Lines(said) {
				if strings.HasPrefix(line, "bindings:") {
					got += line
				}
			}
			if strings.TrimSpace(got) != row.says {
				t.Errorf("it says %q, want %q", got, row.says)
			}
			if in := "in namespace " + strings.TrimPrefix(row.args, "--namespace="); row.args != "" && !strings.Contains(said, in) {
				t.Errorf("the plan has no %q:\n%s", in, said)
			}
		})
	}
}
