package staging

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// roleName is the name of the roles.
const roleName = "rollcall-during"

// PrintRoles prints roles for kubectl apply that grant rights in the namespaces or, without any, in all, and how to bind them. They do not
// cover the observers' namespaces. In the namespaces of read they grant only to read apps, and in kube-system its pods.
func PrintRoles(w io.Writer, rights []Right, namespaces []string, read ...string) error {
	watched, system := optionalRights()
	if len(read) == 0 { // the app is in the namespaces
		rights = append(slices.Clone(rights), watched...)
	}
	var everywhere, within []Right
	for _, r := range rights {
		if r.Cluster || len(namespaces) == 0 {
			everywhere = append(everywhere, r)
		} else {
			within = append(within, r)
		}
	}
	roles := []string{role("ClusterRole", roleName, "", everywhere)}
	for _, namespace := range namespaces {
		roles = append(roles, role("Role", roleName, "  namespace: "+namespace+"\n", within))
	}
	for _, namespace := range read {
		// The last right lets us name the NetworkPolicy that blocks requests.
		toRead := append(rightsToRead(), Right{"", "services", []string{"get"}, false, "", ""},
			Right{"networking.k8s.io", "networkpolicies", []string{"list"}, false, "", ""})
		roles = append(roles, role("Role", roleName, "  namespace: "+namespace+"\n", append(toRead, watched...)))
	}
	roles = append(roles, role("Role", roleName, "  namespace: "+metav1.NamespaceSystem+"\n", system))
	bound := append(slices.Concat(namespaces, read), metav1.NamespaceSystem)
	_, err := io.WriteString(w, binding(bound, len(namespaces) == 0)+strings.Join(roles, "---\n"))
	return err
}

// binding says in comments who binds the roles, and how.
func binding(namespaces []string, everywhere bool) string {
	text := "# Whoever administers the cluster applies these roles, and binds them to the USER who runs rollcall during:\n" +
		"#   kubectl create clusterrolebinding " + roleName + " --clusterrole=" + roleName + " --user=USER\n"
	for _, namespace := range namespaces {
		text += "#   kubectl create rolebinding " + roleName + " --namespace=" + namespace + " --role=" + roleName + " --user=USER\n"
	}
	watched, _ := optionalRights()
	var kinds []string
	for _, r := range watched {
		kinds = append(kinds, r.Resource)
	}
	text += "# Without the rights to list and watch " + strings.Join(kinds, ", ") + ", or without\n# the Role in " + metav1.NamespaceSystem +
		", a recording sees fewer changes, and its verdict says so.\n"
	if everywhere {
		text += "# The ClusterRole lets USER create and delete pods in all namespaces. With --namespace=NAME it is a Role in that namespace.\n"
	}
	return text
}

// PrintRole prints a role for kubectl apply that grants rights in a namespace, and how to bind it to the user of a command.
func PrintRole(w io.Writer, command, name, namespace string, rights []Right) error {
	_, err := fmt.Fprintf(w, "# Whoever administers the cluster applies this role, and binds it to the USER who runs %s:\n"+
		"#   kubectl create rolebinding %[2]s --namespace=%[3]s --role=%[2]s --user=USER\n%[4]s", command, name, namespace,
		role("Role", name, "  namespace: "+namespace+"\n", rights))
	return err
}

// role returns the manifest of a role; where is the line with its namespace, or empty.
func role(kind, name, where string, rights []Right) string {
	text := fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\n%srules:\n", kind, name, where)
	for _, r := range rights {
		text += fmt.Sprintf("- apiGroups: [%q]\n  resources: [%s]\n", r.Group, r.Resource)
		if r.Name != "" {
			text += fmt.Sprintf("  resourceNames: [%s]\n", r.Name)
		}
		text += fmt.Sprintf("  verbs: [%s]\n", strings.Join(r.Verbs, ", "))
	}
	return text
}

// MissingToRead returns which rights are missing to read the pods of an app in a namespace and their rollout; empty if none is.
func MissingToRead(ctx context.Context, client kubernetes.Interface, namespace string) (string, error) {
	missing, err := findMissing(ctx, client, rightsToRead(), []string{namespace})
	if err != nil || len(missing) == 0 {
		return "", err
	}
	return "missing permission to " + inWords(missing), nil
}
