package autoscale

import (
	"context"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// imageOnly changes only the template, as `kubectl set image` does. The percentages of the rollout are of spec.replicas, which the
// autoscaler writes; there is no other number. Seen: 12 pods at 25 % have a surge of 3 and miss 3, not the 1 and 0 that the
// manifest's single replica would give.
func imageOnly() harness.Scenario {
	return harness.Scenario{
		ID:      "image-only",
		Profile: harness.Core,
		Claim:   "changing only the image keeps at least 9 of 12 autoscaled pods available, and asks for at most 15",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			clientSide(ctx, steps, manifest(steps, "v1", new(int32(1))))
			scaled(ctx, steps, 12)
			autoscaled(ctx, steps, 6)
			steps.RollOut(ctx, fixtures.App{}, rollout.Update("v1", "v2"))
		}},
		Expect: []evidence.Expectation{
			verdict.Scaling("v2:3", "v1:9", "v2:6").Decides("C12"), // of 1 replica it would be v2:1, which keeps both bounds
			verdict.MinAvailable(9),
			verdict.MaxActive(15),
		},
	}
}
