package cluster

import (
	"context"
	_ "embed" // the manifest
	"encoding/json"
	"fmt"
	"strings"
	"time"

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
	api, err := resources.New(c.REST)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := decoder.DecodeEach(ctx, strings.NewReader(metricsServer), decoder.CreateIgnoreAlreadyExists(api)); err != nil {
		return c.removeMetrics, fmt.Errorf("cluster: install metrics-server: %w", err)
	}
	err = poll.Until(ctx, time.Second, func() (bool, error) {
		var measured struct{ Items []any }
		answer, err := c.Client.CoreV1().RESTClient().Get().AbsPath("/apis/metrics.k8s.io/v1beta1/nodes").DoRaw(ctx)
		if err != nil || json.Unmarshal(answer, &measured) != nil {
			return false, nil // 503 until metrics-server is there, then no items
		}
		return len(measured.Items) == len(c.nodes), nil
	})
	if err != nil {
		return c.removeMetrics, fmt.Errorf("cluster: metrics-server: %w", err)
	}
	return c.removeMetrics, nil
}

// removeMetrics does nothing where there is no metrics-server of ours.
func (c *Cluster) removeMetrics(ctx context.Context) error {
	api, err := resources.New(c.REST)
	if err == nil {
		err = decoder.DecodeEach(ctx, strings.NewReader(metricsServer), decoder.DeleteIgnoreNotFound(api))
	}
	if err != nil {
		return fmt.Errorf("cluster: remove metrics-server: %w", err)
	}
	return nil
}
