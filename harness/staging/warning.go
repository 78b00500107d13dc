package staging

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/verdict/phrase"
)

// LastWarning returns the newest warning event of a namespace, about the named object or, with an empty name, about any. It is empty
// if there is none or we have no right to see it.
func LastWarning(ctx context.Context, client kubernetes.Interface, namespace, name string) (warning string) {
	which := fields.Set{"type": corev1.EventTypeWarning}
	if name != "" {
		which["involvedObject.name"] = name
	}
	events, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: which.String()})
	if err != nil {
		return ""
	}
	var last time.Time
	for _, e := range events.Items {
		if at := e.CreationTimestamp.Time; !at.Before(last) {
			last, warning = at, e.Reason+": "+phrase.Printable(secret.URLs(e.Message))
		}
	}
	return warning
}
