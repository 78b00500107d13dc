package disruption

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
)

// ProxyRestarted has a new kube-proxy run on a node.
func ProxyRestarted(node string) Act {
	return func(ctx context.Context, s Stage) error { return change.RestartProxy(ctx, s.Cluster, s.Node(node)) }
}

// Changed makes a change to the cluster under load, and undoes it after a while.
func Changed(of func(Stage) cluster.Change, d time.Duration) Act {
	return func(ctx context.Context, s Stage) error {
		made := of(s)
		s.Step("", "making "+made.String())
		undo, err := made.Make(ctx, s.Cluster)
		if err == nil {
			poll.Pause(ctx, d)
		}
		if undo == nil {
			return err
		}
		s.Step("", "undoing "+made.String())
		return errors.Join(err, undo(context.WithoutCancel(ctx)))
	}
}

// ModeSwitched has a node's kube-proxy run in the other of the modes iptables and nftables for a while, and back.
func ModeSwitched(node string, d time.Duration) Act {
	return Changed(func(s Stage) cluster.Change { return change.Mode(s.Node(node), s.plane().Other().Name) }, d)
}

// RulesLost has a node lose what kube-proxy wrote, for a while; then a new kube-proxy writes it again.
func RulesLost(node string, lose func(s Stage) (script string, err error), d time.Duration) Act {
	return func(ctx context.Context, s Stage) error {
		script, err := lose(s)
		if err != nil {
			return err
		}
		_, err = s.On(ctx, node, "set -e\n"+script)
		if err == nil {
			poll.Pause(ctx, d)
		}
		return errors.Join(err, change.RestartProxy(context.WithoutCancel(ctx), s.Cluster, s.Node(node)))
	}
}

// plane is what routes on the cluster's nodes.
func (s Stage) plane() dataplane.Plane { return dataplane.Of(s.Cluster.Mode()) }

// AllRules is every rule of kube-proxy's.
func AllRules(s Stage) (script string, err error) {
	if s.plane().LoseRules == "" {
		return "", s.unknown("take away the rules")
	}
	_, err = s.serviceOfIPv4(context.Background())
	return s.plane().LoseRules, err
}

// ServiceRules are those of the app's Service alone: a chain in iptables mode, an element of a map in nftables mode.
func ServiceRules(s Stage) (script string, err error) {
	if s.plane().LoseService == nil {
		return "", s.unknown("take away the rules of a Service")
	}
	service, err := s.serviceOfIPv4(context.Background())
	if err != nil {
		return "", err
	}
	return s.plane().LoseService(service.Spec.ClusterIP, fixtures.HTTPPort(service).Port), nil
}

// Canary is what kube-proxy looks at to see whether its rules were flushed.
func Canary(s Stage) (script string, err error) {
	if s.plane().LoseCanary == "" {
		return "", &cluster.Unsupported{Because: "kube-proxy has no canary chain in mode " + s.Cluster.Mode()}
	}
	return s.plane().LoseCanary, nil
}

// unknown is that no script is known for something in the cluster's mode.
func (s Stage) unknown(what string) error {
	return &cluster.Unsupported{Because: fmt.Sprintf("no script is known to %s in mode %s", what, s.Cluster.Mode())}
}

// serviceOfIPv4 is the app's Service; scripts that are about its rules know IPv4 alone.
func (s Stage) serviceOfIPv4(ctx context.Context) (*corev1.Service, error) {
	service, err := s.any().Client().CoreV1().Services(s.Namespace).Get(ctx, s.App.ResourceName(), metav1.GetOptions{})
	if err == nil && cluster.IsIPv6(service.Spec.ClusterIP) {
		return nil, &cluster.Unsupported{Because: "no script is known for rules of IPv6"}
	}
	return service, err
}

// RequestsDropped has a node drop, for a while, what clients in its pods send to the Service, before it is routed. The kernel ends that
// by itself: an element of a set that times out, exact to a tick of its clock, 4 ms at most (nft(8), timeout).
func RequestsDropped(node string, d time.Duration) Act {
	return func(ctx context.Context, s Stage) error {
		service, err := s.serviceOfIPv4(ctx)
		if err != nil {
			return err
		}
		const table = "ip rollcall-cut"
		begin := fmt.Sprintf(`nft -f - <<'END'
table %[1]s {
	set services { type ipv4_addr . inet_service; flags timeout; }
	chain prerouting { type filter hook prerouting priority raw - 1; iifname != "eth0" ip daddr . tcp dport @services drop; }
}
END
nft add element %[1]s services '{ %[2]s . %[3]d timeout %[4]dms }'`, table, service.Spec.ClusterIP, fixtures.HTTPPort(service).Port, d.Milliseconds())
		return Lasting(d, node, begin, "nft delete table "+table)(ctx, s)
	}
}

// ConntrackFlushed has a node forget every connection.
func ConntrackFlushed(node string) Act { return Script(node, "conntrack --flush") }
