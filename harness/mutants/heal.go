package mutants

import (
	"context"
	"fmt"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
)

// Heal undoes what is left of any mutant, and waits until the cluster is whole. The error says what it still lacks. [disruption.Repair]
// undoes all but one damage of a killed run: that a node skips its rules.
func Heal(ctx context.Context, c cluster.Changeable) error {
	if err := disruption.Repair(ctx, c); err != nil {
		return err
	}
	if unskip := c.Plane().UnskipRules; unskip != "" {
		for _, node := range c.Nodes() {
			if _, err := c.Exec(ctx, node, "{ "+unskip+"; } 2>/dev/null || true"); err != nil {
				return fmt.Errorf("heal %s: %w", node, err)
			}
		}
	}
	return disruption.AwaitWhole(ctx, c, healLimit)
}
