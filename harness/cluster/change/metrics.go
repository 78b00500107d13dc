package change

import (
	"context"
	_ "embed" // metrics.yaml
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/decoder"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/usage"
)

// Metrics returns the change that has the cluster serve the CPU use of pods, measured every 10 s, the shortest interval of
// metrics-server.
func Metrics() cluster.Change { return metrics{} }

type metrics struct{}

//go:embed metrics.yaml
var metricsServer string // the manifest

func (metrics) String() string { return "metrics-server" }

func (metrics) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	if measured(ctx, c) {
		return nil, nil // by a metrics-server that is not ours and stays
	}
	if err := provideMetricsServer(ctx, c); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, metricsTimeout, fmt.Errorf("no measurements after %v", metricsTimeout))
	defer cancel()
	api, err := resources.New(c.REST())
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	undo = func(ctx context.Context) error { return removeMetrics(ctx, c) }
	if err := decoder.DecodeEach(ctx, strings.NewReader(metricsServer), decoder.CreateIgnoreAlreadyExists(api)); err != nil {
		return undo, fmt.Errorf("cluster: install metrics-server: %w", err)
	}
	err = poll.Until(ctx, time.Second, func() (bool, error) { return measured(ctx, c), nil })
	if err != nil {
		return undo, fmt.Errorf("cluster: metrics-server: %w", err)
	}
	return undo, nil
}

// measured reports whether the metrics API has the use of every node, which it has after metrics-server's first measurement.
func measured(ctx context.Context, c cluster.Changeable) bool {
	var use struct{ Items []any }
	answer, err := c.Client().CoreV1().RESTClient().Get().AbsPath("/apis/metrics.k8s.io/v1beta1/nodes").DoRaw(ctx)
	return err == nil && json.Unmarshal(answer, &use) == nil && len(use.Items) == len(c.Nodes())
}

// provideMetricsServer loads the image of metrics-server into the nodes that do not have it.
func provideMetricsServer(ctx context.Context, c cluster.Changeable) error {
	if _, err := c.Client().AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "metrics-server", metav1.GetOptions{}); err == nil {
		return &cluster.Unsupported{Because: "there is a metrics-server, which does not measure every node"}
	}
	var without []string
	for _, node := range c.Nodes() {
		held, err := c.Exec(ctx, node, "ctr --namespace k8s.io images list --quiet")
		if err != nil {
			return fmt.Errorf("cluster: look for metrics-server's image: %w", err)
		}
		if !slices.Contains(strings.Fields(held), kube.MetricsServerImage) {
			without = append(without, node)
		}
	}
	if len(without) == 0 {
		return nil
	}
	archive, err := provision.MetricsServer(ctx, c.Output())
	if usage.Is(err) {
		return &cluster.Unsupported{Because: err.Error()}
	}
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	var group errgroup.Group
	for _, node := range without {
		group.Go(func() error { return c.LoadImage(ctx, node, archive) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("cluster: load metrics-server: %w", err)
	}
	return nil
}

// removeMetrics removes the objects of our metrics-server that exist.
func removeMetrics(ctx context.Context, c cluster.Changeable) error {
	ctx, cancel := context.WithTimeoutCause(ctx, metricsTimeout, fmt.Errorf("not removed after %v", metricsTimeout))
	defer cancel()
	api, err := resources.New(c.REST())
	if err != nil {
		return fmt.Errorf("cluster: remove metrics-server: %w", err)
	}
	remove := func(ctx context.Context, object k8s.Object) error {
		err := api.Get(ctx, object.GetName(), object.GetNamespace(), object)
		if err != nil || object.GetLabels()[fixtures.ManagedByLabel] != fixtures.Owner {
			return ignoreNotFound(err)
		}
		return ignoreNotFound(api.Delete(ctx, object))
	}
	if err := decoder.DecodeEach(ctx, strings.NewReader(metricsServer), remove); err != nil {
		return fmt.Errorf("cluster: remove metrics-server: %w", err)
	}
	return nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
