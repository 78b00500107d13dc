package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"

	"example.com/rollcall/harness/poll"
)

// reopenEvery is the pause before a port-forward that was lost is opened again.
const reopenEvery = 500 * time.Millisecond

// A Forward is a port-forward from a port of 127.0.0.1 to a port of a pod, until Close. It is for control and for fetching
// evidence, never for load, as it bypasses kube-proxy. When the API server or the kubelet drops it, it is opened again
// at the same port; until then connections are refused.
type Forward struct {
	URL   string // http://127.0.0.1:port
	open  func(ctx context.Context, port uint16) (*tunnel, error)
	renew chan struct{} // asks for another tunnel
	close context.CancelFunc
	done  chan struct{}
}

// A tunnel is one connection that carries a port-forward.
type tunnel struct {
	port uint16 // of 127.0.0.1
	stop chan struct{}
	done chan error
}

// Forward opens a port-forward to a pod.
func (a API) Forward(ctx context.Context, namespace, pod string, port int) (*Forward, error) {
	transport, upgrader, err := spdy.RoundTripperFor(a.config)
	if err != nil {
		return nil, fmt.Errorf("cluster: forward to %s: %w", pod, err)
	}
	url := a.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	open := func(ctx context.Context, local uint16) (*tunnel, error) {
		t, err := openTunnel(ctx, func(stop, ready chan struct{}) (*portforward.PortForwarder, error) {
			ports := []string{fmt.Sprintf("%d:%d", local, port)}
			return portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, ports, stop, ready, io.Discard, io.Discard)
		})
		if err != nil {
			return nil, fmt.Errorf("cluster: forward to %s: %w", pod, err)
		}
		return t, nil
	}
	first, err := open(ctx, 0)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &Forward{URL: fmt.Sprintf("http://127.0.0.1:%d", first.port), open: open, renew: make(chan struct{}, 1), close: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.keep(ctx, first)
	}()
	return f, nil
}

// Close ends the port-forward.
func (f *Forward) Close() {
	f.close()
	<-f.done
}

// Renew has the port-forward opened again although it was not dropped: after a node was cut off or frozen, the API server
// takes long to notice that the connection is dead. It does not wait.
func (f *Forward) Renew() {
	select {
	case f.renew <- struct{}{}:
	default: // requested already
	}
}

// keep opens another tunnel whenever it is lost or Renew is called, until ctx ends.
func (f *Forward) keep(ctx context.Context, t *tunnel) {
	for {
		select {
		case <-t.done:
		case <-f.renew:
			t.close()
		case <-ctx.Done():
			t.close()
			return
		}
		port := t.port
		err := poll.Until(ctx, reopenEvery, func() (done bool, _ error) {
			next, err := f.open(ctx, port)
			if err == nil {
				t = next
			}
			return err == nil, nil
		})
		if err != nil {
			return
		}
		select {
		case <-f.renew: // requested for the tunnel before this one
		default:
		}
	}
}

// openTunnel opens a tunnel and waits until it is ready.
func openTunnel(ctx context.Context, forwarder func(stop, ready chan struct{}) (*portforward.PortForwarder, error)) (*tunnel, error) {
	t := &tunnel{stop: make(chan struct{}), done: make(chan error, 1)}
	ready := make(chan struct{})
	f, err := forwarder(t.stop, ready)
	if err != nil {
		return nil, err
	}
	go func() { t.done <- f.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-t.done:
		return nil, err
	case <-ctx.Done():
		t.close()
		return nil, context.Cause(ctx)
	case <-time.After(forwardTimeout):
		t.close()
		return nil, fmt.Errorf("not open after %v", forwardTimeout)
	}
	ports, err := f.GetPorts()
	if err != nil {
		t.close()
		return nil, err
	}
	t.port = ports[0].Local
	return t, nil
}

func (t *tunnel) close() {
	close(t.stop)
	select {
	case <-t.done:
	case <-time.After(closeTimeout):
	}
}
