package during

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// unfit says of the nodes that take no pods why that is so, by their names.
func unfit(ctx context.Context, client kubernetes.Interface) (map[string]string, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	for _, node := range nodes.Items {
		if lacks := lacking(node); lacks != "" {
			why[node.Name] = lacks
		}
	}
	return why, nil
}

func lacking(node corev1.Node) string {
	switch {
	case !cluster.NodeReady(node):
		return "not ready"
	case node.Spec.Unschedulable:
		return "cordoned"
	default:
		return ""
	}
}

// wholeness is what a cluster lacks that was whole, or as whole as it was, before the maintenance. Nodes that left are not missed:
// others may have come in their place.
type wholeness struct {
	client kubernetes.Interface
	before map[string]string // nodes that were unfit then
	say    func(string)
	leases map[string]string // of nodes, by their names, as they were when the maintenance was over
}

// sayEvery is how often a person is told what the cluster lacks.
const sayEvery = 15 * time.Second

// await returns when nothing is lacking. That something still is after so long is [observe.ErrNeverSettled], so that the load ends as
// it should; so is that nobody can tell any more, since our credentials have expired.
func (w wholeness) await(ctx context.Context, limit time.Duration, expired func() string) error {
	over := time.Now().Add(limit)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	lacks, said := "", time.Time{}
	err := poll.Until(limited, time.Second, func() (bool, error) {
		lacks = w.lacks(limited)
		if why := expired(); lacks != "" && why != "" {
			w.say("not waiting any longer: " + why)
			return false, fmt.Errorf("%s: %w", why, observe.ErrNeverSettled)
		}
		if lacks != "" && time.Since(said) >= sayEvery {
			said = time.Now()
			w.say(fmt.Sprintf("waiting until the cluster is whole: %s; %v left", lacks, time.Until(over).Round(time.Second)))
		}
		return lacks == "", nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		w.say(fmt.Sprintf("not waiting any longer: %s after %v", lacks, limit))
		return fmt.Errorf("%s after %v: %w", lacks, limit, observe.ErrNeverSettled)
	}
	return err
}

func (w wholeness) lacks(ctx context.Context) string {
	now, err := unfit(ctx, w.client)
	if err != nil {
		return silence(err)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if w.before[name] == "" {
			return "node " + name + " is " + now[name]
		}
	}
	leases := w.versionsOfLeases(ctx)
	for _, name := range slices.Sorted(maps.Keys(leases)) {
		if w.before[name] == "" && leases[name] == w.leases[name] {
			return "node " + name + " has not been heard of since"
		}
	}
	return ""
}

// silence is why nobody knows what is lacking.
func silence(err error) string {
	if apierrors.IsUnauthorized(err) {
		return "the API server does not accept the credentials"
	}
	return "the API server does not answer"
}

// versionsOfLeases are those of the nodes' leases, which kubelets renew every 10 s (pkg/kubelet/apis/config/v1beta1/defaults.go, v1.37):
// a node that has just lost its power is ready for the API. They are noted before the app's rollout is waited for, which mostly takes
// longer than a renewal. Who may not see leases learns nothing by them.
func (w wholeness) versionsOfLeases(ctx context.Context) map[string]string {
	leases, err := w.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	versions := map[string]string{}
	for _, lease := range leases.Items {
		versions[lease.Name] = lease.ResourceVersion
	}
	return versions
}
