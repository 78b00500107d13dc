package rollout

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// crash: the new version becomes ready, and crashes 10 s after it began to listen, each time. A pod is available when it has been
// ready for minReadySeconds: with 11 it never is, and the old pod stays. With 0 the old pod goes at once, for 7 s and at most 3 s
// late, and after the crash nobody answers until the new pod has started again, which takes 3 s. Either way the crash itself costs
// the requests that the new pod has; minReadySeconds makes the old pod stay and answer.
func crash() []harness.Scenario {
	const startup, crashes, available = 3 * time.Second, 10 * time.Second, 11 * time.Second
	app := fixtures.Drained()
	app.Replicas, app.StartDelay = 1, startup
	change := func(a *fixtures.App) { a.CrashAfter = crashes }
	load := func(how rollout.Strategy) harness.UnderLoad {
		return harness.UnderLoad{Rate: 50, Settle: crashes + startup + 2*time.Second, Rollout: how}
	}
	return harness.Scenario{
		App:    app,
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1", "v2")},
	}.Twins(harness.Twin{
		ID:     "crash-held-up",
		Claim:  "with minReadySeconds of 11 a version that crashes 10 s after its start never replaces the old pod, which answers to the end",
		Change: func(s *harness.Scenario) { s.App.MinReady = available },
		Kind:   load(rollout.Stuck("v1", "v2", change)),
		Expect: []evidence.Expectation{verdict.MinAvailable(1), verdict.AnswersAfter("v1", evidence.Barrier, 1), verdict.MaxActive(2)},
	}, harness.Twin{
		ID:    "crash-let-in",
		Claim: "without minReadySeconds a version that crashes 10 s after its start replaces the old pod, and then nobody answers",
		Kind:  load(rollout.UpdateWith("v1", "v2", change)),
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(startup - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	})
}
