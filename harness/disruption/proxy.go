package disruption

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rollcall/harness/cluster"
	"rollcall/harness/cluster/change"
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
			Pause(ctx, d)
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
	return Changed(func(s Stage) cluster.Change { return change.Mode(s.Node(node), otherMode(s.Cluster.Mode())) }, d)
}

func otherMode(mode string) string {
	if mode == "iptables" {
		return "nftables"
	}
	return "iptables"
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
			Pause(ctx, d)
		}
		return errors.Join(err, change.RestartProxy(context.WithoutCancel(ctx), s.Cluster, s.Node(node)))
	}
}

// AllRules is every rule of kube-proxy's, by its own clean-up of both modes.
func AllRules(s Stage) (script string, err error) {
	if s.Cluster.Mode() == "nftables" {
		return "nft delete table ip kube-proxy", nil
	}
	return "iptables --table nat --flush KUBE-SERVICES", nil
}

// ServiceRules are those of the app's Service alone: a chain in iptables mode, an element of a map in nftables mode.
func ServiceRules(s Stage) (script string, err error) {
	service, err := s.service(context.Background())
	if err != nil {
		return "", err
	}
	if s.Cluster.Mode() == "nftables" {
		// The verdict that belongs to the element is not needed to delete it.
		const script = "nft delete element ip kube-proxy service-ips '{ %s . tcp . %d }'"
		return fmt.Sprintf(script, service.Spec.ClusterIP, service.Spec.Ports[0].Port), nil
	}
	return fmt.Sprintf(`chain=$(iptables --table nat --list-rules KUBE-SERVICES | sed -n 's/.*-d %s\/32 .*-j \(KUBE-SVC-[A-Z0-9]*\).*/\1/p' | head -n 1)
test -n "$chain"
iptables --table nat --flush "$chain"`, service.Spec.ClusterIP), nil
}

// Canary is what kube-proxy looks at every 30 s in iptables mode, to see whether its rules were flushed; nothing routes by it. In
// nftables mode there is none, and so nothing to do.
func Canary(s Stage) (script string, err error) {
	if s.Cluster.Mode() != "iptables" {
		return "", &cluster.Unsupported{Because: "kube-proxy has no canary chain in mode " + s.Cluster.Mode()}
	}
	return "for table in mangle nat filter; do iptables --table $table --delete-chain KUBE-PROXY-CANARY; done", nil
}

// RequestsDropped has a node drop, for a while, what clients in its pods send to the Service, before it is routed. The kernel ends that
// by itself: an element of a set that times out, exact to a tick of its clock, 4 ms at most (nft(8), timeout).
func RequestsDropped(node string, d time.Duration) Act {
	return func(ctx context.Context, s Stage) error {
		service, err := s.service(ctx)
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
nft add element %[1]s services '{ %[2]s . %[3]d timeout %[4]dms }'`, table, service.Spec.ClusterIP, service.Spec.Ports[0].Port, d.Milliseconds())
		return Lasting(d, node, begin, "nft delete table "+table)(ctx, s)
	}
}

// ConntrackFlushed has a node forget every connection.
func ConntrackFlushed(node string) Act { return Script(node, "conntrack --flush") }
