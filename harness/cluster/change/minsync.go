package change

import (
	"context"
	"fmt"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
)

// MinSync returns the change that has every kube-proxy wait at least d between two writes of its node's rules
// (KubeProxyConfiguration v1alpha1, minSyncPeriod, by default 1 s in iptables and nftables mode).
func MinSync(d time.Duration) cluster.Change { return minSync(d) }

type minSync time.Duration

// Longer returns the change with a period n times as long.
func (d minSync) Longer(n int) cluster.Change { return d * minSync(n) }

// Rest returns how long kube-proxy writes no rules after a write.
func (d minSync) Rest() time.Duration { return time.Duration(d) }

func (d minSync) String() string {
	return fmt.Sprintf("kube-proxy's minSyncPeriod of %v", time.Duration(d))
}

func (d minSync) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	return changeProxyConfig(ctx, c, c.Nodes(), func(config map[string]any) error { return d.in(config, c.Plane().Name) })
}

// in makes the change in a mode's section of the configuration. kube-proxy rejects a syncPeriod shorter than minSyncPeriod
// (pkg/proxy/apis/config/validation/validation.go).
func (d minSync) in(config map[string]any, mode string) error {
	section, ok := config[mode].(map[string]any)
	if !ok {
		return fmt.Errorf("%s says nothing about %s", dataplane.ConfigKey, mode)
	}
	section["minSyncPeriod"] = time.Duration(d).String()
	section["syncPeriod"] = max(time.Duration(d), dataplane.SyncPeriod).String()
	return nil
}
