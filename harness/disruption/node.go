package disruption

import (
	"context"
	"errors"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
)

// cutTable is the nftables table that cuts a node off. To undo it, only the table has to be deleted.
const cutTable = "rollcall-cut"

// Cut drops every packet between a node and the others for d. The node itself goes on running.
func Cut(node string, d time.Duration) Act {
	return Lasting(d, node, `nft -f - <<'EOF'
table inet `+cutTable+` {
	chain in { type filter hook prerouting priority -300; iifname "eth0" drop; }
	chain out { type filter hook postrouting priority 300; oifname "eth0" drop; }
}
EOF`, "nft delete table inet "+cutTable)
}

// CutFromAPI drops what a node sends to the API server for d, and nothing else.
func CutFromAPI(node string, d time.Duration) Act {
	return Lasting(d, node, `nft -f - <<'EOF'
table inet `+cutTable+` {
	chain out { type filter hook output priority -300; tcp dport 6443 drop; }
	chain forward { type filter hook forward priority -300; tcp dport 6443 drop; }
}
EOF`, "nft delete table inet "+cutTable)
}

// Frozen freezes all processes of a node for d. The kernel, which is this host's, goes on.
func Frozen(node string, d time.Duration) Act {
	return powered(node, cluster.Freeze, d, cluster.Thaw)
}

// Off switches a node off, and on again after d.
func Off(node string, d time.Duration) Act {
	return powered(node, cluster.PowerOff, d, cluster.PowerOn)
}

// Rebooted reboots a node. Its programs get SIGTERM, but no preStop hook runs: kubelets have no shutdownGracePeriod by default.
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

// power goes on after the end of ctx, since it may have to undo.
func (s Stage) power(ctx context.Context, node string, do cluster.Power) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scriptTimeout)
	defer cancel()
	return s.Cluster.Power(ctx, s.Node(node), do)
}
