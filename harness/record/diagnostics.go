package record

import (
	"context"
	"fmt"

	"rollcall/harness/command"
	"rollcall/harness/diagnose"
)

// Diagnose puts into dir what a person would look at in the cluster now that the scenario did not pass. It is no
// matter to the verdict whether it can be had.
func (r *Recording) Diagnose(ctx context.Context, dir string) {
	if ctx.Err() != nil || r.Cluster == nil {
		return // everybody is in a hurry, or there is none
	}
	from := diagnose.Source{Client: r.Cluster.Client(), Namespace: r.Lease.Name, Nodes: r.Cluster.Nodes()}
	if !r.Cluster.Attached() {
		from.OnNode = func(ctx context.Context, node, line string) (string, error) {
			return command.Command{Line: fmt.Sprintf("docker exec %s %s", node, line)}.Run(ctx)
		}
	}
	if err := diagnose.Collect(ctx, dir, from); err != nil {
		fmt.Fprintf(r.Out, "%s %s: %v\n", r.run.Mode, r.run.Scenario, err)
	}
}
