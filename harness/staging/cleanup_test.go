package staging

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/namespace"
)

// Only nodes are uncordoned that a run cordoned which is over.
func TestUncordon(t *testing.T) {
	now := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	cordoned := func(name, by string, left time.Duration) *corev1.Node {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: true}}
		if by != "" {
			node.Annotations = map[string]string{"rollcall.local/cordoned-by": by,
				fixtures.ExpiresAnnotation: now.Add(left).Format(time.RFC3339)}
		}
		return node
	}
	client := fake.NewClientset(cordoned("dead", "dead", time.Hour), cordoned("expired", "old", -time.Hour),
		cordoned("used", "alive", time.Hour),
		cordoned("theirs", "", 0), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "open"}})
	var out bytes.Buffer
	err := uncordon(t.Context(), namespace.Sweep{Cluster: "staging", Client: client, Out: &out, Extent: namespace.Leftovers,
		Dead: map[string]bool{"dead": true}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	const want = `staging: uncordoning node dead, which run dead cordoned, which died on this host
staging: uncordoning node expired, which run old cordoned, which needed it until 2030-01-02 11:00:00 UTC
staging: leaving node used cordoned, as did run alive, which needs it until 2030-01-02 13:00:00 UTC; --all takes it too
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		if still := node.Name == "used" || node.Name == "theirs"; node.Spec.Unschedulable != still {
			t.Errorf("node %s is cordoned: %t", node.Name, node.Spec.Unschedulable)
		}
	}
}
