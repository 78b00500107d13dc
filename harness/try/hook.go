package try

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/userapp"
)

// hook returns the preStop hook of the container that answers, or nil.
func (a *App) hook() *corev1.LifecycleHandler { return userapp.PreStop(a.answers()) }

// withoutHook removes the hook, and waits until no pod has it.
func (r *appRun) withoutHook(ctx context.Context, site during.Site) error {
	return r.patched(ctx, site, map[string]any{"containers": []any{map[string]any{"name": r.app.answers().Name,
		"lifecycle": map[string]any{"preStop": nil}}}})
}

// withSleep gives the pods the preStop sleep that the first rollout needed, and waits until all have it. The grace period is made longer
// by as much, since it includes the sleep.
func (r *appRun) withSleep(ctx context.Context, site during.Site) error {
	needed, err := neededSleep(site)
	if err != nil {
		return err
	}
	name := r.app.answers().Name
	grace := ptr.Deref(r.app.template.Spec.TerminationGracePeriodSeconds, 30) + needed
	site.Say(fmt.Sprintf(`the rollout needed a preStop sleep of %d s; this is rolled out next, and then judged by a restart:
spec:
  template:
    spec:
      terminationGracePeriodSeconds: %d
      containers:
      - name: %s
        lifecycle: {preStop: {sleep: {seconds: %d}}}`, needed, grace, name, needed))
	return r.patched(ctx, site, map[string]any{"terminationGracePeriodSeconds": grace, "containers": []any{map[string]any{"name": name,
		"lifecycle": map[string]any{"preStop": map[string]any{"sleep": map[string]any{"seconds": needed}, "exec": nil, "httpGet": nil}}}}})
}

// neededSleep returns for how many seconds, rounded up, nodes sent requests to pods that had left the endpoints in the first rollout.
func neededSleep(site during.Site) (int64, error) {
	drains := site.NeededDrains("rollout")
	if len(drains) == 0 {
		return 0, errors.New("the drain that is needed is not known: no old pod was seen to leave the rules of a node")
	}
	longest := slices.Max(slices.Collect(maps.Values(drains)))
	return max(1, int64(math.Ceil(longest.Seconds()))), nil
}

// patched patches the workload's pod specification, and waits until that is rolled out.
func (r *appRun) patched(ctx context.Context, site during.Site, spec map[string]any) error {
	if err := r.target.Load().patch(ctx, r.app.workload, map[string]any{"spec": spec}); err != nil {
		return err
	}
	return r.target.Load().awaitReady(ctx, site.Cluster.Client(), r.app)
}
