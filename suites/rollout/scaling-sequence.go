package rollout

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/poll"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// scalingSequence: the rollout that every tutorial shows, and the same in the words of the API's Events.
func scalingSequence() harness.Scenario {
	app := fixtures.App{Replicas: 3, MaxSurge: percent(30), MaxUnavailable: percent(10), MinReady: time.Second}
	return harness.Scenario{
		ID:    "scaling-sequence",
		Claim: "three pods with 30 % surge and 10 % unavailable are replaced one by one, the new one first, and Events say so",
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			// Events are written on the side, so the last may be late.
			var told string
			err := poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
				told = scalingsTold(ctx, steps)
				return strings.HasSuffix(told, " to 0"), nil
			})
			steps.Note("scalings told in Events", told)
			harness.Check(err)
		},
		Expect: []evidence.Expectation{
			verdict.Scaling("v2:1", "v1:2", "v2:2", "v1:1", "v2:3", "v1:0").Decides("C21"),
			verdict.MaxActive(4),
			verdict.MinAvailable(3),
			verdict.Fact("scalings told in Events",
				"v1 up from 0 to 3, v2 up from 0 to 1, v1 down from 3 to 2, v2 up from 1 to 2, "+
					"v1 down from 2 to 1, v2 up from 2 to 3, v1 down from 1 to 0"),
		},
	}
}

// scalingsTold lists the controller's Events about scaling in the order they were written, with versions in
// place of ReplicaSets' names.
func scalingsTold(ctx context.Context, steps *harness.Steps) string {
	versions := map[string]string{}
	for _, rs := range replicaSets(ctx, steps) {
		versions[rs.Name] = rs.Spec.Template.Labels[fixtures.VersionLabel]
	}
	d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	list := steps.Events(ctx, d, "ScalingReplicaSet")
	// The time of an Event has whole seconds.
	slices.SortFunc(list, func(a, b corev1.Event) int { return cmp.Compare(written(a), written(b)) })
	// As the controller words it (Kubernetes v1.36.3, pkg/controller/deployment/sync.go, scaleReplicaSet).
	scaled := regexp.MustCompile(`^Scaled (up|down) replica set (\S+) from (\d+) to (\d+)$`)
	told := make([]string, len(list))
	for i, e := range list {
		m := scaled.FindStringSubmatch(e.Message)
		if m == nil {
			harness.Check(fmt.Errorf("the Event %q is worded differently", e.Message))
		}
		told[i] = fmt.Sprintf("%s %s from %s to %s", versions[m[2]], m[1], m[3], m[4])
	}
	return strings.Join(told, ", ")
}

// written orders what one API server wrote; resource versions can be compared as numbers.
func written(e corev1.Event) uint64 {
	n, _ := strconv.ParseUint(e.ResourceVersion, 10, 64)
	return n
}
