package rollout

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// Flip deploys both versions side by side and, once they are ready, changes which one the Service selects: blue/green.
// The old pods stay.
func Flip(old, new string) Strategy { return flip{old, new} }

type flip struct{ old, new string }

func (f flip) Versions() (string, string) { return f.old, f.new }

func (f flip) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	service := app.Service(to, nodePort)
	service.Spec.Selector[fixtures.VersionLabel] = f.old
	return Deploy(ctx, client, to.Namespace, service, app.Standalone(to, f.old, app.Replicas), app.Standalone(to, f.new, app.Replicas))
}

func (f flip) Deployed(s observe.State, app fixtures.App) bool {
	n := int(app.Replicas)
	return s.Available(f.old) == n && s.Available(f.new) == n && !s.Leaving()
}

func (f flip) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	_, err := Edit(ctx, client.CoreV1().Services(to.Namespace), app.ResourceName(), func(live *corev1.Service) {
		live.Spec.Selector[fixtures.VersionLabel] = f.new
	})
	if err != nil {
		return fmt.Errorf("rollout: flip Service %s: %w", app.ResourceName(), err)
	}
	return nil
}

// FlipBack is Flip after an earlier flip the other way: the Service selected the new version first, then the old one, and
// is flipped back.
func FlipBack(old, new string) Strategy { return flipBack{flip{old, new}} }

type flipBack struct{ flip }

func (b flipBack) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	forth := flip{b.new, b.old}
	service, err := forth.Deploy(ctx, client, to, app, nodePort)
	if err != nil {
		return nil, err
	}
	selected := metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + service.Name}
	err = poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		slices, err := client.DiscoveryV1().EndpointSlices(to.Namespace).List(ctx, selected)
		ready := 0
		for _, slice := range slices.Items {
			for _, e := range slice.Endpoints {
				if ptr.Deref(e.Conditions.Ready, false) {
					ready++
				}
			}
		}
		return ready == int(app.Replicas), err
	})
	if err != nil {
		return nil, fmt.Errorf("rollout: lead Service %s to %s first: %w", service.Name, b.new, err)
	}
	return service, forth.Begin(ctx, client, to, app)
}

// Deployed reports whether the first flip, to the old version, is over.
func (b flipBack) Deployed(s observe.State, app fixtures.App) bool {
	return b.flip.Deployed(s, app) && flip{b.new, b.old}.Over(s, app)
}

// Settled reports whether the endpoints are the new version's: no object of the API has a status of a flip.
func (f flip) Settled(s observe.State, app fixtures.App) bool {
	s.Rules = nil
	return f.Over(s, app)
}

func (f flip) Over(s observe.State, app fixtures.App) bool {
	return !s.Reaches(f.old) && s.ReachesEverywhere(f.new, int(app.Replicas))
}
