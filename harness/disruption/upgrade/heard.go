package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// heardName is that of a Service that nobody asks, and that no pod is behind.
const heardName = "rollcall-heard"

// changesHeard prints how many changes of endpoints a node's kube-proxy has heard of (pkg/proxy/metrics/metrics.go, v1.35 to v1.37).
const changesHeard = `curl --silent --fail --max-time 2 http://127.0.0.1:10249/metrics |
grep '^kubeproxy_sync_proxy_rules_endpoint_changes_total'`

// awaitHeard returns when controllers and every kube-proxy follow changes again. After the API server was away that takes up to a
// minute (client-go, tools/cache/reflector.go), and pods that are drained before then are lost to every node: seen for 20 s.
func (u upgrade) awaitHeard(ctx context.Context) (err error) {
	before := map[string]string{}
	for _, node := range u.Nodes() {
		if err := until(ctx, func(ctx context.Context) (lacks string, err error) {
			before[node], err = u.Exec(ctx, node, changesHeard)
			return "", err
		}); err != nil {
			return fmt.Errorf("kube-proxy of %s: %w", node, err)
		}
	}
	services := u.Client().CoreV1().Services(u.stage.Namespace)
	remove := func(ctx context.Context) error {
		err := services.Delete(ctx, heardName, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, remove(context.WithoutCancel(ctx))) }()
	if err := until(ctx, func(ctx context.Context) (string, error) {
		_, err := services.Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: heardName},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{heardName: "none"}, Ports: []corev1.ServicePort{{Port: 80}}},
		}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) { // of a try whose answer was lost
			return "", nil
		}
		return "", err
	}); err != nil {
		return fmt.Errorf("make a Service: %w", err)
	}
	return until(ctx, func(ctx context.Context) (string, error) { return u.unheard(ctx, before) })
}

// unheard says who has not heard of the Service; empty when all have.
func (u upgrade) unheard(ctx context.Context, before map[string]string) (string, error) {
	made, err := u.Client().DiscoveryV1().EndpointSlices(u.stage.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + heardName})
	if err != nil {
		return "", err
	}
	if len(made.Items) == 0 {
		return "the controller of endpoints does not act", nil
	}
	var deaf []string
	for _, node := range u.Nodes() {
		now, err := u.Exec(ctx, node, changesHeard)
		if err != nil {
			return "", err
		}
		if now == before[node] {
			deaf = append(deaf, node)
		}
	}
	if len(deaf) > 0 {
		return "no change is heard of by kube-proxy of " + strings.Join(deaf, ", "), nil
	}
	return "", nil
}

// settled returns when clients know of what was done to pods.
func (u upgrade) settled(ctx context.Context) error {
	if err := u.awaitHeard(ctx); err != nil {
		return err
	}
	return pause(ctx, rulesFollow)
}
