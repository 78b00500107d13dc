package disruption

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// ReadyFact is the fact that says whether a node is ready, as the API shows it: True, False or Unknown.
const ReadyFact = "the node is ready"

// ReadinessNoted records that fact.
func ReadinessNoted(name string) Act {
	return func(ctx context.Context, s Stage) error {
		node, err := s.any().Client().CoreV1().Nodes().Get(ctx, s.Node(name), metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady {
				s.Fact(ReadyFact, string(c.Status))
			}
		}
		return nil
	}
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
