package mutants

import (
	"context"
	"fmt"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
)

// healing undoes on a node what a mutant of a killed run may have left; [disruption.Repair] undoes what disruptions may have left.
const healing = `iptables --table nat --delete KUBE-SERVICES --jump RETURN 2>/dev/null || true`

// Heal undoes what is left of any mutant, and waits until the cluster is whole. The error says what it still lacks.
func Heal(ctx context.Context, c cluster.Changeable) error {
	const limit = 90 * time.Second // a static pod that ended starts again after 10 s, and the next time after 20 s
	if err := disruption.Repair(ctx, c); err != nil {
		return err
	}
	for _, node := range c.Nodes() {
		if _, err := c.Exec(ctx, node, healing); err != nil {
			return fmt.Errorf("heal %s: %w", node, err)
		}
	}
	return disruption.AwaitWhole(ctx, c, limit)
}
