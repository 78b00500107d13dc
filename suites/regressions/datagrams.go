package regressions

import (
	"context"
	"errors"
	"net"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
)

// sendDatagrams makes a worker send datagrams to an app's Service over one socket, and over a new socket each time. It returns when both
// were answered: the node's connection table has an entry for the one socket then. Both send less often than once a second, which is how
// often a node tells one peer that a port is unreachable (Linux, net.ipv4.icmp_ratelimit).
func sendDatagrams(ctx context.Context, steps *harness.Steps, app fixtures.App) (oneSocket, newSockets *harness.RequestPod) {
	const every = "1500ms"
	workers := steps.Workers(ctx)
	service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{}))
	url := "udp://" + net.JoinHostPort(service.Spec.ClusterIP, "80")
	oneSocket = steps.RequestFrom(ctx, workers[0], "-every", every, url)
	newSockets = steps.RequestFrom(ctx, workers[0], "-every", every, "-new-socket", url)
	for _, client := range []*harness.RequestPod{oneSocket, newSockets} {
		client.Await(ctx, harness.Good)
	}
	return oneSocket, newSockets
}

// refusals waits until datagrams of new sockets are refused, which shows that the node's rules are in force, and returns what then
// becomes of datagrams of the old socket: all, or a tally. If none of a new socket is refused, the steps end, since a node may
// silently drop what leads nowhere.
func refusals(ctx context.Context, steps *harness.Steps, oneSocket, newSockets *harness.RequestPod) string {
	const (
		limit = time.Minute
		// settled is how long the connection table may lag behind the rules, which kube-proxy writes first in the same sync; its next
		// sync may be a minSyncPeriod of 1 s later. The rest is our own margin.
		settled = 3 * time.Second
		sent    = 12 * time.Second
	)
	limited, cancel := context.WithTimeoutCause(ctx, limit,
		errors.New("no datagram of a new socket was refused in a minute: what others get shows nothing"))
	defer cancel()
	fresh := newSockets.Await(limited, harness.Refused)
	steps.Pause(ctx, settled+sent)
	before := oneSocket.Requests(ctx)
	// Both clients are on one node, and so have the same clock.
	return tally(since(before, fresh[len(fresh)-1].At.Add(settled)), harness.Refused)
}
