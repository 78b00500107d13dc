package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/verdict"
)

// lengths compares how long a rollout takes by its limits. A pod is available 4 s after its container has started, and pods that may come
// at once are a wave: all of 4 with a surge of 100 %, 2 with 25 % of each (one more is started and one fewer kept), and one with a surge
// of 1 or 1 unavailable. A terminating pod counts for no limit, so that the end of pods takes no time.
func lengths() harness.Scenario {
	const available = 4 * time.Second
	app := fixtures.App{Replicas: 4, StartDelay: 3 * time.Second, MinReady: time.Second}
	rows := []struct {
		name               string
		surge, unavailable intstr.IntOrString
		waves              int
	}{
		{"length with maxSurge 100 % and maxUnavailable 0", intstr.FromString("100%"), intstr.FromInt32(0), 1},
		{"length with maxSurge 25 % and maxUnavailable 25 %", intstr.FromString("25%"), intstr.FromString("25%"), 2},
		{"length with maxSurge 1 and maxUnavailable 0", intstr.FromInt32(1), intstr.FromInt32(0), 4},
		{"length with maxSurge 0 and maxUnavailable 1", intstr.FromInt32(0), intstr.FromInt32(1), 4},
	}
	s := harness.Scenario{
		ID:    "lengths-by-limits",
		Claim: "a rollout of 4 pods takes as long as 1 to 4 of them take one after the other, by the surge and how many may be unavailable",
		Kind: harness.InSteps{Lasts: 90 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			for i, row := range rows {
				begun := time.Now()
				revise(ctx, steps, func(d *appsv1.Deployment) {
					to(steps, app, []string{"v2", "v1"}[i%2])(d)
					d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &row.surge, MaxUnavailable: &row.unavailable}
				})
				steps.Note(row.name, time.Since(begun))
			}
		}},
	}
	for _, row := range rows {
		least := time.Duration(row.waves) * available
		s.Expect = append(s.Expect, verdict.FactWithin(row.name, least, least+time.Duration(row.waves)*available))
	}
	return s
}
