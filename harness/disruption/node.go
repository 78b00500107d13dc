package disruption

import (
	"context"
	"errors"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
)

// cutTable is the nftables table that cuts a node off. Nothing else of the node's network is touched, so that nothing has to be
// put back but the table.
const cutTable = "rollcall-cut"

// Cut drops every packet between a node and the others for a while. The node itself runs on.
func Cut(node string, d time.Duration) Act {
	return Lasting(d, node, `nft -f - <<'EOF'
table inet `+cutTable+` {
	chain in { type filter hook prerouting priority -300; iifname "eth0" drop; }
	chain out { type filter hook postrouting priority 300; oifname "eth0" drop; }
}
EOF`, "nft delete table inet "+cutTable)
}

// CutFromAPI drops what a node sends to the API server for a while, and nothing else.
func CutFromAPI(node string, d time.Duration) Act {
	return Lasting(d, node, `nft -f - <<'EOF'
table inet `+cutTable+` {
	chain out { type filter hook output priority -300; tcp dport 6443 drop; }
	chain forward { type filter hook forward priority -300; tcp dport 6443 drop; }
}
EOF`, "nft delete table inet "+cutTable)
}

// Frozen stops all that runs on a node for a while. Its kernel goes on, which is that of this host.
func Frozen(node string, d time.Duration) Act {
	return powered(node, cluster.Freeze, d, cluster.Thaw)
}

// Off has a node lose its power, and come back after a while.
func Off(node string, d time.Duration) Act {
	return powered(node, cluster.PowerOff, d, cluster.PowerOn)
}

// Rebooted reboots a node. Its programs get SIGTERM, and pods no preStop hook: kubelets have no shutdownGracePeriod by default.
func Rebooted(node string) Act {
	return func(ctx context.Context, s Stage) error {
		return s.power(ctx, node, cluster.Reboot)
	}
}

func powered(node string, do cluster.Power, d time.Duration, undo cluster.Power) Act {
	return func(ctx context.Context, s Stage) error {
		err := s.power(ctx, node, do)
		if err == nil {
			poll.Pause(ctx, d)
		}
		return errors.Join(err, s.power(ctx, node, undo))
	}
}

// power does not end with ctx: it undoes.
func (s Stage) power(ctx context.Context, node string, do cluster.Power) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scriptTimeout)
	defer cancel()
	return s.Cluster.Power(ctx, s.Node(node), do)
}
