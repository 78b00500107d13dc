package rollout

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// A fencepost is what a Deployment's two limits amount to. Surge is rounded up and unavailable down; if both are then 0,
// unavailable is 1 (Kubernetes v1.36.3, pkg/controller/deployment/util/deployment_util.go, ResolveFenceposts).
type fencepost struct {
	replicas           int32
	surge, unavailable int // percent

	active    int    // most pods that are asked for
	available int    // fewest pods that are available
	prelude   string // sizes of ReplicaSets before the first new pod is ready
	kept      int    // old pods while no new one becomes ready
	asked     int    // new pods in the same state

	decide []string // claims that its expectations decide
}

// fenceposts: each row rolls out v2, and then a v1 that never becomes ready. Two things about the order do not follow from the
// limits. Without surge the new ReplicaSet begins with 0 pods, and gets its first when an old one was deleted. And after the first
// step pods are not exchanged one by one: as many go as became ready since the controller looked last, such as v1:5 to v1:3 with 10
// replicas, or v1:4 to v1:2 with 4 replicas and 100 % surge.
func fenceposts() []harness.Scenario {
	rows := []fencepost{
		{1, 25, 25, 2, 1, "v2:1", 1, 1, nil},
		{2, 25, 25, 3, 2, "v2:1", 2, 1, nil},
		{3, 30, 10, 4, 3, "v2:1 v1:2 v2:2 v1:1 v2:3 v1:0", 3, 1, []string{"C21", "C27"}},
		{3, 30, 30, 4, 3, "v2:1 v1:2 v2:2 v1:1 v2:3 v1:0", 3, 1, []string{"C26", "C27"}},
		{4, 25, 25, 5, 3, "v2:1 v1:3 v2:2", 3, 2, []string{"C10"}},
		{10, 25, 25, 13, 8, "v2:3 v1:8 v2:5", 8, 5, nil},
		{10, 30, 30, 13, 7, "v2:3 v1:7 v2:6", 7, 6, []string{"C26", "C27"}},
		{12, 25, 25, 15, 9, "v2:3 v1:9 v2:6", 9, 6, nil},
		{4, 100, 0, 8, 4, "v2:4", 4, 4, []string{"C16.pods", "C16.resources"}},
		{4, 100, 25, 8, 3, "v2:4 v1:3", 3, 4, nil},
		{4, 0, 25, 4, 3, "v2:0 v1:3 v2:1", 3, 1, nil},
		{3, 0, 10, 3, 2, "v2:0 v1:2 v2:1", 2, 1, nil},
		{1, 0, 25, 1, 0, "v2:0 v1:0 v2:1", 0, 1, nil},
	}
	scenarios := make([]harness.Scenario, len(rows))
	for i, row := range rows {
		scenarios[i] = row.scenario()
	}
	return scenarios
}

func (f fencepost) scenario() harness.Scenario {
	app := fixtures.App{Replicas: f.replicas, MaxSurge: percent(f.surge), MaxUnavailable: percent(f.unavailable), MinReady: time.Second}
	s := harness.Scenario{
		ID: fmt.Sprintf("fenceposts-%s-%s-%s", words[int(f.replicas)], shares[f.surge], shares[f.unavailable]),
		Claim: fmt.Sprintf("with %d replicas, %d %% surge and %d %% unavailable, at least %d are available throughout and at most %d asked for",
			f.replicas, f.surge, f.unavailable, f.available, f.active),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			noteStuck(ctx, steps, app, "v1")
		}},
		Expect: []evidence.Expectation{
			f.decides(verdict.Scaling(strings.Fields(f.prelude)...), "C10", "C16.resources", "C21", "C27"),
			f.decides(verdict.MaxActive(f.active), "C10", "C27"),
			verdict.Fact("old pods kept while no new pod gets ready", strconv.Itoa(f.kept)),
			verdict.Fact("new pods asked for while none gets ready", strconv.Itoa(f.asked)),
			f.decides(verdict.Fact("pods available while no new pod gets ready", strconv.Itoa(f.available)).Counting(evidence.AvailablePods),
				"C10"), // no fewer, and no more
		},
	}
	if f.available > 0 {
		s.Expect = append(s.Expect, f.decides(verdict.MinAvailable(f.available), "C10", "C16.pods", "C26"))
	}
	return s
}

// decides makes an expectation decide those of the given claims that are the row's.
func (f fencepost) decides(x evidence.Expectation, claims ...string) evidence.Expectation {
	for _, claim := range claims {
		if slices.Contains(f.decide, claim) {
			x = x.Decides(claim)
		}
	}
	return x
}

func percent(n int) *intstr.IntOrString { return new(intstr.FromString(strconv.Itoa(n) + "%")) }

// Ids have no digits.
var (
	words  = map[int]string{1: "one", 2: "two", 3: "three", 4: "four", 10: "ten", 12: "twelve"}
	shares = map[int]string{0: "none", 10: "tenth", 25: "quarter", 30: "thirty", 100: "all"}
)
