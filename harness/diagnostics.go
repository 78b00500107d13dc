package harness

import (
	"context"
	"fmt"

	"rollcall/harness/command"
	"rollcall/harness/diagnose"
)

// diagnostics is the folder, beside a recording's evidence, that has what the cluster looked like.
const diagnostics = "diagnostics"

// diagnose puts into dir what a person would look at in the cluster now that the scenario did not pass. It is no
// matter to the verdict whether it can be had.
func (r *recording) diagnose(ctx context.Context, dir string) {
	if ctx.Err() != nil {
		return // everybody is in a hurry
	}
	from := diagnose.Source{Client: r.cluster.Client, Namespace: r.namespace, Nodes: r.cluster.Nodes()}
	if !r.cluster.Attached() {
		from.OnNode = func(ctx context.Context, node, line string) (string, error) {
			return command.Command{Line: fmt.Sprintf("docker exec %s %s", node, line)}.Run(ctx)
		}
	}
	if err := diagnose.Collect(ctx, dir, from); err != nil {
		fmt.Fprintln(r.out, err)
	}
}
