package disruption

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
)

// probeName is the name of a Service without pods and clients, and the prefix of the names of pods that do nothing. Both only serve to
// see whether components receive changes.
const probeName = "rollcall-heard"

// awaitWatches waits until controllers, every proxy and the kubelets of workers follow changes again. After the API server was away
// that takes up to a minute (client-go, tools/cache/reflector.go). If pods are drained before, nodes go on sending them requests (seen
// for 20 s), or they get SIGTERM late (seen after 35 s). With Hurries it waits only for the API server.
func (u upgrade) awaitWatches(ctx context.Context) error {
	if u.hurries {
		return until(ctx, func() error {
			_, err := cluster.ServerVersion(ctx, u.Client())
			return err
		})
	}
	if err := u.awaitProxiesWatch(ctx); err != nil {
		return err
	}
	workers, err := u.Workers(ctx)
	if err != nil {
		return err
	}
	for _, node := range workers {
		if err := u.awaitKubeletWatches(ctx, node); err != nil {
			return fmt.Errorf("kubelet of %s: %w", node, err)
		}
	}
	return nil
}

// awaitKubeletWatches waits until a kubelet has acknowledged a new pod, by setting its start time (v1.PodStatus).
func (u upgrade) awaitKubeletWatches(ctx context.Context, node string) error {
	pods := u.Client().CoreV1().Pods(u.stage.Namespace)
	pod := fixtures.ClientPod(u.stage.Into, node, "http://127.0.0.1/")
	pod.Name, pod.GenerateName, pod.Spec.NodeName = probeName+"-"+u.short(node), "", node
	return awaitSeen(ctx, pods, pod, func() error {
		is, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err == nil && is.Status.StartTime == nil {
			return errors.New("it has not heard of a pod")
		}
		return err
	})
}

// awaitProxiesWatch waits until the controller of EndpointSlices and every proxy have seen a new Service.
func (u upgrade) awaitProxiesWatch(ctx context.Context) error {
	proxy := u.Plane().Proxy
	before := map[string]string{}
	for _, node := range u.Nodes() {
		if err := until(ctx, func() (err error) {
			before[node], err = u.Exec(ctx, node, proxy.Changes)
			return err
		}); err != nil {
			return fmt.Errorf("%s of %s: %w", proxy.Name, node, err)
		}
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: probeName},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{probeName: "none"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	return awaitSeen(ctx, u.Client().CoreV1().Services(u.stage.Namespace), service, func() error { return u.unseen(ctx, before) })
}

// Objects creates and deletes objects of one kind in one namespace, as the typed clients of client-go do.
type Objects[T any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// awaitSeen creates an object, waits until unseen returns nil, and deletes the object.
func awaitSeen[T metav1.Object](ctx context.Context, in Objects[T], object T, unseen func() error) (err error) {
	defer func() {
		gone := in.Delete(context.WithoutCancel(ctx), object.GetName(), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
		if !apierrors.IsNotFound(gone) {
			err = errors.Join(err, gone)
		}
	}()
	if err := until(ctx, func() error {
		_, err := in.Create(ctx, object, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) { // by a try whose answer was lost
			return nil
		}
		return err
	}); err != nil {
		return fmt.Errorf("make %s: %w", object.GetName(), err)
	}
	return until(ctx, unseen)
}

// unseen returns an error that names who has not seen the Service, or nil. before has what each node's proxy had received before it.
func (u upgrade) unseen(ctx context.Context, before map[string]string) error {
	made, err := u.Client().DiscoveryV1().EndpointSlices(u.stage.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + probeName})
	if err != nil {
		return err
	}
	if len(made.Items) == 0 {
		return errors.New("the controller of endpoints does not act")
	}
	proxy := u.Plane().Proxy
	var deaf []string
	for _, node := range u.Nodes() {
		now, err := u.Exec(ctx, node, proxy.Changes)
		if err != nil {
			return err
		}
		if now == before[node] {
			deaf = append(deaf, node)
		}
	}
	if len(deaf) > 0 {
		return fmt.Errorf("no change is heard of by %s of %s", proxy.Name, strings.Join(deaf, ", "))
	}
	return nil
}

// settled waits until all nodes' rules follow what was done to pods.
func (u upgrade) settled(ctx context.Context) error {
	if err := u.awaitWatches(ctx); err != nil {
		return err
	}
	poll.Pause(ctx, rulesFollow)
	return context.Cause(ctx)
}
