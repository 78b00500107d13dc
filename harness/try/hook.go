package try

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/userapp"
)

// hooked returns the containers whose preStop hooks keep the one that answers from ending.
func (a *App) hooked() []corev1.Container { return userapp.Hooked(a.template.Spec, a.answers()) }

// withoutHook removes these hooks, and waits until no pod has them.
func (r *appRun) withoutHook(ctx context.Context, site during.Site) error {
	if r.fix != nil && r.fix.unfinished != "" {
		return run.ErrNothing // no rollout would end
	}
	without := map[string]any{}
	for _, c := range r.app.hooked() {
		at := r.app.listWith(c.Name)
		list, _ := without[at].([]any)
		without[at] = append(list, map[string]any{"name": c.Name, "lifecycle": map[string]any{"preStop": nil}})
	}
	if err := r.target.Load().patch(ctx, r.app.workload, inTemplate(map[string]any{"spec": without})); err != nil {
		return err
	}
	return r.target.Load().awaitReady(ctx, site.Cluster.Client(), r.app)
}

// inTemplate returns the specification of a workload that has nothing but this of its pod template.
func inTemplate(is map[string]any) map[string]any { return map[string]any{"template": is} }
