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
	"example.com/rollcall/harness/poll"
)

// ProxyRestarted restarts the proxy of a node.
func ProxyRestarted(node string) Act {
	return func(ctx context.Context, s Stage) error { return change.RestartProxy(ctx, s.Cluster, s.Node(node)) }
}

// Changed makes a change to the cluster under load, and undoes it after d.
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

// ModeSwitched switches a node's kube-proxy to the other of the modes iptables and nftables for d, and back.
func ModeSwitched(node string, d time.Duration) Act {
	return Changed(func(s Stage) cluster.Change { return change.Mode(s.Node(node), s.Cluster.Plane().Other().Name) }, d)
}

// RulesLost deletes rules on a node, by a script, and restarts the node's proxy after d, which writes them again.
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

// AllRules returns a script that deletes every rule of the data plane, for [RulesLost].
func AllRules(s Stage) (script string, err error) {
	if script = s.Cluster.Plane().LoseRules; script == "" {
		return "", s.unknown("take away the rules")
	}
	_, err = s.serviceOfIPv4(context.Background())
	return script, err
}

// ServiceRules returns a script that deletes the rules of the app's Service alone: a chain in iptables mode, an element of a map in
// nftables mode.
func ServiceRules(s Stage) (script string, err error) {
	lose := s.Cluster.Plane().LoseService
	if lose == nil {
		return "", s.unknown("take away the rules of a Service")
	}
	service, err := s.serviceOfIPv4(context.Background())
	if err != nil {
		return "", err
	}
	return lose(service.Spec.ClusterIP, fixtures.HTTPPort(service).Port), nil
}

// Canary returns a script that deletes the chain by which the proxy sees whether its rules were flushed.
func Canary(s Stage) (script string, err error) {
	plane := s.Cluster.Plane()
	if plane.LoseCanary == "" {
		return "", &cluster.Unsupported{Because: plane.Proxy.Name + " has no canary chain in mode " + plane.Name}
	}
	return plane.LoseCanary, nil
}

// unknown returns the error that no script is known for something in the cluster's mode.
func (s Stage) unknown(what string) error {
	return &cluster.Unsupported{Because: fmt.Sprintf("no script is known to %s in mode %s", what, s.Cluster.Plane().Name)}
}

// serviceOfIPv4 returns the app's Service, or an error if it is of IPv6: the scripts about its rules only know IPv4.
func (s Stage) serviceOfIPv4(ctx context.Context) (*corev1.Service, error) {
	service, err := s.any().Client().CoreV1().Services(s.Namespace).Get(ctx, s.App.ResourceName(), metav1.GetOptions{})
	if err == nil && cluster.IsIPv6(service.Spec.ClusterIP) {
		return nil, &cluster.Unsupported{Because: "no script is known for rules of IPv6"}
	}
	return service, err
}

// RequestsDropped drops, for d, what clients in pods of a node send to the Service, before it is routed. The kernel ends that by itself,
// by the timeout of a set's element (nft(8)), exact to a tick of its clock, 4 ms at most.
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

// ConntrackFlushed flushes the connection table of a node.
func ConntrackFlushed(node string) Act { return Script(node, "conntrack --flush") }
