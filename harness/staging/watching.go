package staging

import (
	"context"
	"fmt"
	"io"
	"strings"

	"k8s.io/client-go/kubernetes"
)

// PrintRoles prints roles for kubectl apply that grant rights in the namespaces or, without any, in all. They do not cover the
// observers' namespaces. In the namespaces of read they grant only to read apps.
func PrintRoles(w io.Writer, rights []Right, namespaces []string, read ...string) error {
	var everywhere, within []Right
	for _, r := range rights {
		if r.Cluster || len(namespaces) == 0 {
			everywhere = append(everywhere, r)
		} else {
			within = append(within, r)
		}
	}
	roles := []string{role("ClusterRole", "", everywhere)}
	for _, namespace := range namespaces {
		roles = append(roles, role("Role", "  namespace: "+namespace+"\n", within))
	}
	for _, namespace := range read {
		// The last right lets us name the NetworkPolicy that blocks requests.
		toRead := append(rightsToRead(), Right{"", "services", []string{"get"}, false, "", ""},
			Right{"networking.k8s.io", "networkpolicies", []string{"list"}, false, "", ""})
		roles = append(roles, role("Role", "  namespace: "+namespace+"\n", toRead))
	}
	_, err := io.WriteString(w, strings.Join(roles, "---\n"))
	return err
}

// role returns the manifest of a role; where is the line with its namespace, or empty.
func role(kind, where string, rights []Right) string {
	text := fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: rollcall-during\n%srules:\n", kind, where)
	for _, r := range rights {
		text += fmt.Sprintf("- apiGroups: [%q]\n  resources: [%s]\n  verbs: [%s]\n", r.Group, r.Resource, strings.Join(r.Verbs, ", "))
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
