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

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/standstill"
)

// A wholeness finds out what a cluster lacks compared to before the maintenance. Nodes that are gone are not missed: others may have
// replaced them.
type wholeness struct {
	client kubernetes.Interface
	seen   *observe.Objects
	before map[string]string // nodes that were unfit before, and why
	say    func(string)
	leases map[string]string // resource versions of the nodes' leases at the end of the maintenance, by node
}

// sayEvery is how often the output says what is waited for.
const sayEvery = 15 * time.Second

// await waits until nothing is lacking. It returns [observe.ErrNeverSettled], after which the load ends as usual, if something still is
// when the limit is over, or if our credentials have expired.
func (w wholeness) await(ctx context.Context, limit time.Duration, expired func() string) error {
	over := time.Now().Add(limit)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	lacks, said := "", time.Time{}
	err := poll.Until(limited, lookEvery, func() (bool, error) {
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

// lacks says what is lacking. The API server is asked only if the watch, which may be broken, shows nothing.
func (w wholeness) lacks(ctx context.Context) string {
	if lacks := w.lacksOf(w.seen.Nodes()); lacks != "" {
		return lacks
	}
	leases := w.versionsOfLeases(ctx)
	for _, name := range slices.Sorted(maps.Keys(leases)) {
		if w.before[name] == "" && leases[name] == w.leases[name] {
			return "node " + name + " has not renewed its lease"
		}
	}
	now, err := w.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return silence(err)
	}
	var nodes []*corev1.Node
	for n := range now.Items {
		nodes = append(nodes, &now.Items[n])
	}
	return w.lacksOf(nodes)
}

func (w wholeness) lacksOf(nodes []*corev1.Node) string {
	now := standstill.Unfit(nodes)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if w.before[name] == "" {
			return "node " + name + " is " + now[name]
		}
	}
	return ""
}

// silence says why it is unknown what is lacking.
func silence(err error) string {
	if apierrors.IsUnauthorized(err) {
		return "the API server does not accept the credentials"
	}
	return "the API server does not answer"
}

// versionsOfLeases returns the resource versions of the nodes' leases, which kubelets renew every 10 s
// (pkg/kubelet/apis/config/v1beta1/defaults.go, v1.37), because a node that just lost its power is still ready in the API. They are read
// before the wait for the app's rollout, which mostly takes longer than a renewal. They are nil if we may not list leases.
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
