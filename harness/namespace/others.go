package namespace

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
)

// OfOthers returns a sentence for each namespace of another session that has pods or is not being deleted.
func OfOthers(ctx context.Context, client kubernetes.Interface, session string) (found []string, err error) {
	list, err := client.CoreV1().Namespaces().List(ctx, fixtures.Ours())
	if err != nil {
		return nil, err
	}
	for _, n := range list.Items {
		of := fixtures.OwnerOf(&n)
		if of.ID == session {
			continue
		}
		pods, err := client.CoreV1().Pods(n.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		if len(pods.Items) > 0 || n.DeletionTimestamp == nil {
			whose := "another run"
			if of.ID != "" {
				whose = fmt.Sprintf("run %s, which needs it until %s UTC at the latest,", of.ID, of.Expires.UTC().Format(time.DateTime))
			}
			found = append(found, fmt.Sprintf("namespace %s of %s was still there, with %d pods", n.Name, whose, len(pods.Items)))
		}
	}
	return found, nil
}
