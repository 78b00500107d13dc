// Package termination asks what happens between the deletion of a pod and its end, and who learns of it when.
package termination

import (
	"slices"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(
		harness.Core.Takes(hooks(), "hook-exec", "hook-http-get"),
		[]harness.Scenario{hookValidation()},
		harness.Core.Takes(graces(), "grace-ignored"),
		harness.Core.Takes(endpoints(), "endpoint-serving"),
		harness.Core.Takes(order(), "order-left-open", "order-sigterm-first"),
		nodeRules(),
		slowRules(), sigterm(), shutdown(), // under load
		[]harness.Scenario{dataplaneAbsent()},
	)
}

// after expects one step of a pod to come d after another. The watch may have seen the first late, and a busy node may be late with
// the second: with three scenarios side by side on two cores, kubelets began 1.2 to 1.8 s late. The bounds are our own choice; the
// cases that the scenarios tell apart differ by 2 s and more.
func after(from, to evidence.EventKind, d time.Duration) evidence.Expectation {
	const early, late = 500 * time.Millisecond, 3 * time.Second
	return verdict.Between(from, to, d-early, d+late)
}
