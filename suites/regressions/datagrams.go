package regressions

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
)

// askInDatagrams has a worker ask an app's Service over one socket, and over a new one each time, and returns when both were answered: the
// node's connection table has an entry for the one socket then. Both ask less often than a node tells one peer that a port is
// unreachable, once a second (Linux, net.ipv4.icmp_ratelimit).
func askInDatagrams(ctx context.Context, steps *harness.Steps, app fixtures.App) (oneSocket, newSockets *harness.Asking, err error) {
	const every = "1500ms"
	workers, err := steps.Workers(ctx)
	if err != nil {
		return nil, nil, err
	}
	service, err := steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	url := "udp://" + service.Spec.ClusterIP + ":80"
	if oneSocket, err = steps.Ask(ctx, workers[0], "-every", every, url); err != nil {
		return nil, nil, err
	}
	if newSockets, err = steps.Ask(ctx, workers[0], "-every", every, "-new-socket", url); err != nil {
		return nil, nil, err
	}
	for _, client := range []*harness.Asking{oneSocket, newSockets} {
		if _, err := client.Await(ctx, harness.Good); err != nil {
			return nil, nil, err
		}
	}
	return oneSocket, newSockets, nil
}

// refusals is all, or what became of the datagrams of a socket from before, once those of new sockets are refused: the node's rules are in
// force then. It is an error if those are not, since a node may drop what leads nowhere in silence.
func refusals(ctx context.Context, oneSocket, newSockets *harness.Asking) (string, error) {
	const (
		limit = time.Minute
		// settled is for how long the connection table may be behind the rules, which kube-proxy writes first in the same sync; its
		// next sync may be a minSyncPeriod of 1 s later. The rest is the harness's own.
		settled = 3 * time.Second
		asked   = 12 * time.Second
	)
	limited, cancel := context.WithTimeoutCause(ctx, limit,
		errors.New("no datagram of a new socket was refused in a minute: what others get shows nothing"))
	defer cancel()
	fresh, err := newSockets.Await(limited, harness.Refused)
	if err == nil {
		err = pause(ctx, settled+asked)
	}
	if err != nil {
		return "", err
	}
	before, err := oneSocket.Answers(ctx)
	if err != nil {
		return "", err
	}
	// Both clients are on one node, and have one clock.
	return tally(since(before, fresh[len(fresh)-1].At.Add(settled)), harness.Refused), nil
}
