package cluster

import (
	"context"
	_ "embed" // the manifest
	"encoding/json"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/decoder"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"rollcall/harness/poll"
)

// Metrics has the cluster serve the CPU use of pods, measured every 10 s, which is the most often metrics-server
// does it.
func Metrics() Change { return metrics{} }

type metrics struct{}

//go:embed metrics.yaml
var metricsServer string

// metricsPatience is the harness's own: the first measurements are there after about 20 s.
const metricsPatience = 2 * time.Minute

func (metrics) String() string { return "metrics-server" }

func (metrics) Make(ctx context.Context, c *Cluster) (undo func(context.Context) error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, metricsPatience, fmt.Errorf("no measurements after %v", metricsPatience))
	defer cancel()
	if c.measured(ctx) {
		return nil, nil // by somebody else's, which stays
	}
	api, err := resources.New(c.REST)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := decoder.DecodeEach(ctx, strings.NewReader(metricsServer), decoder.CreateIgnoreAlreadyExists(api)); err != nil {
		return c.removeMetrics, fmt.Errorf("cluster: install metrics-server: %w", err)
	}
	err = poll.Until(ctx, time.Second, func() (bool, error) { return c.measured(ctx), nil })
	if err != nil {
		return c.removeMetrics, fmt.Errorf("cluster: metrics-server: %w", err)
	}
	return c.removeMetrics, nil
}

// measured reports whether the use of every node is known: not before metrics-server is there and has looked.
func (c *Cluster) measured(ctx context.Context) bool {
	var use struct{ Items []any }
	answer, err := c.Client.CoreV1().RESTClient().Get().AbsPath("/apis/metrics.k8s.io/v1beta1/nodes").DoRaw(ctx)
	return err == nil && json.Unmarshal(answer, &use) == nil && len(use.Items) == len(c.nodes)
}

// metricsRole is the last object of the manifest, and has a name that only we give.
const metricsRole = "rollcall:metrics-server"

// removeMetrics does nothing where there is no metrics-server of ours.
func (c *Cluster) removeMetrics(ctx context.Context) error {
	_, err := c.Client.RbacV1().ClusterRoles().Get(ctx, metricsRole, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	api, err := resources.New(c.REST)
	if err == nil {
		err = decoder.DecodeEach(ctx, strings.NewReader(metricsServer), decoder.DeleteIgnoreNotFound(api))
	}
	if err != nil {
		return fmt.Errorf("cluster: remove metrics-server: %w", err)
	}
	return nil
}
