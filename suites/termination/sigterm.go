package termination

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// sigterm: an app that does not get SIGTERM, such as one behind a shell that does not pass it on, serves until SIGKILL at the end
// of its grace period. New connections are routed elsewhere long before. A kept connection stays with its pod, since nobody closes
// it, and its requests in flight are cut off. That is not left to chance: replies take 0.5 s, so that of 6 requests a second, the
// fewest that a lane sends, 3 are in flight at any time, each of them to one of 3 pods: none is to any of 3 pods that are killed,
// as two nodes see it, once in (3/2)^18, 1,400 times, per try.
func sigterm() []harness.Scenario {
	const drain, grace = 5 * time.Second, 10 * time.Second
	const lastWord, begin = 300 * time.Millisecond, time.Second // see graces
	return harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			PreStopSleep: drain, Grace: grace, HandlerDelay: 500 * time.Millisecond,
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures().On(evidence.Fresh),
		},
	}).Twins(harness.Twin{
		ID:     "sigterm-heard",
		Claim:  "an app that answers with Connection: close after SIGTERM, and then drains, loses nothing that is under way when its pod ends",
		Change: func(s *harness.Scenario) { s.App.Linger, s.App.OnTerm = 2*time.Second, fixtures.Drain },
		Expect: []evidence.Expectation{verdict.NoFailures().On(evidence.Reused)},
	}, harness.Twin{
		ID:     "sigterm-ignored",
		Claim:  "an app that ignores SIGTERM loses what is under way on kept connections, no new one, and is killed when its grace is over",
		Change: func(s *harness.Scenario) { s.App.OnTerm = fixtures.Ignore },
		Expect: []evidence.Expectation{
			verdict.LostWhileTerminating().On(evidence.Reused),
			verdict.Between(evidence.PodSigterm, evidence.PodKilled, grace-drain-lastWord, grace-drain+begin).Scaled(),
		},
	})
}

// shutdown: the graceful shutdown of many servers, Go's http.Server.Shutdown among them, first closes the listener, while nodes
// still route new connections there. A preStop hook that makes the app shut down is no better than none: what helps is that nothing
// happens for a while. It is not left to chance that the others lose requests: when the successor became ready, just before,
// kube-proxy wrote its rules, and it writes them again only minSyncPeriod, 1 s, later. In that second a node sends 6 requests or
// more over new connections, each of them to one of 4 pods: none of 6 pairs of a pod and a node has one once in (4/3)^36, 30,000
// times, per try.
func shutdown() []harness.Scenario {
	return harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), OnTerm: fixtures.Drain,
		},
	}).Twins(harness.Twin{
		ID:     "shutdown-after-sleep",
		Claim:  "an app that closes its listener at SIGTERM loses no new connection when SIGTERM comes after a sleep of 5 s",
		Change: func(s *harness.Scenario) { s.App.PreStopSleep = 5 * time.Second },
		Expect: []evidence.Expectation{verdict.NoFailures().On(evidence.Fresh), verdict.RulesBeforeSigterm()},
	}, harness.Twin{
		ID:     "shutdown-at-sigterm",
		Claim:  "an app that closes its listener at SIGTERM, to finish what is under way, loses new connections without a preStop hook",
		Expect: []evidence.Expectation{verdict.LostWhileTerminating().On(evidence.Fresh)},
	}, harness.Twin{
		ID:     "shutdown-by-hook",
		Claim:  "a preStop hook that asks the app to shut down loses new connections as no hook does",
		Change: func(s *harness.Scenario) { s.App.PreStop, s.App.Shutdown = fixtures.HookHTTPGet("/shutdown"), true },
		Expect: []evidence.Expectation{verdict.LostWhileTerminating().On(evidence.Fresh)},
	})
}
