package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// forwardPatience is how long the API server and a kubelet may take to open a port-forward.
const forwardPatience = 20 * time.Second

// A Forward leads from a port of 127.0.0.1 to a port of a pod, until Close. It is for control and
// for fetching evidence, never for load: it passes no kube-proxy.
type Forward struct {
	URL  string // http://127.0.0.1:port
	stop chan struct{}
	done chan error
}

// Forward opens a port-forward to a pod.
func (c *Cluster) Forward(ctx context.Context, namespace, pod string, port int) (*Forward, error) {
	transport, upgrader, err := spdy.RoundTripperFor(c.REST)
	if err != nil {
		return nil, fmt.Errorf("cluster: forward to %s: %w", pod, err)
	}
	url := c.Client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	f := &Forward{stop: make(chan struct{}), done: make(chan error, 1)}
	ready := make(chan struct{})
	forwarder, err := portforward.NewOnAddresses(spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url),
		[]string{"127.0.0.1"}, []string{fmt.Sprintf("0:%d", port)}, f.stop, ready, io.Discard, io.Discard)
	if err != nil {
		return nil, fmt.Errorf("cluster: forward to %s: %w", pod, err)
	}
	go func() { f.done <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-f.done:
		return nil, fmt.Errorf("cluster: forward to %s: %w", pod, err)
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), f.Close())
	case <-time.After(forwardPatience):
		return nil, errors.Join(fmt.Errorf("cluster: forward to %s: not open after %v", pod, forwardPatience), f.Close())
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cluster: forward to %s: %w", pod, err), f.Close())
	}
	f.URL = fmt.Sprintf("http://127.0.0.1:%d", ports[0].Local)
	return f, nil
}

// Close ends the port-forward.
func (f *Forward) Close() error {
	close(f.stop)
	return <-f.done
}
