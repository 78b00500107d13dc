package commands

import (
	"context"
	"io"
	"slices"

	"example.com/rollcall/harness/provision"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
)

// runLab has rollcall-host run the suites in ipvs mode in its lab, and returns the exit code of the run there. The options stay for one
// release: what they mean is what rollcall-host lab run does.
func runLab(ctx context.Context, out io.Writer, q run.Request, serve string) (code int, err error) {
	plan, err := q.Plan()
	if err != nil {
		return 0, err
	}
	if q.Named() || q.Keep || q.DryRun || q.Failed != "" || serve != "" {
		return 0, usage.New("--lab", "it has a cluster of its own, and keeps nothing",
			"leave out --context, --keep, --dry-run, --failed and --serve")
	}
	o := q.Options
	o.Profile = string(plan.Profile)
	options := append(q.Selection.List().Only("suites", "run", "skip").Args(), o.List().Only("profile").Args()...)
	return provision.Lab(ctx, out, slices.Concat([]string{"run", "--k8s=" + plan.Kubernetes, "--"}, options)...)
}
