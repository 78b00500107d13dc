package rollout

import (
	"errors"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// drainedRollingUpdate: with a preStop sleep longer than kube-proxy's slowest sync no new connection loses a request, and no node
// still opens connections to a pod when its sleep is over. A keep-alive connection stays with its pod through the sleep, whatever
// kube-proxy does; so that it loses none either, the app still serves for a while after SIGTERM and makes its clients close. That holds
// for the connections that load balancers keep, too: a client outside keeps some through a NodePort. Twin of
// control/undrained-rolling-update.
func drainedRollingUpdate() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	return harness.Update(harness.Scenario{
		ID:      "drained-rolling-update",
		Profile: harness.Smoke,
		Claim:   "replacing every pod fails no request when pods sleep 5 s before they get SIGTERM, and then answer with Connection: close",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.Mixes(1).Decides("C18"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.MaxLatency(time.Second), // a reply after a resent SYN takes longer
			verdict.NoHiddenRetries(),
			verdict.MaxDrainLag(app.PreStopSleep).Scaled().Decides("C37.terminating"),
			verdict.MaxRuleLag(3 * time.Second).Scaled(),
			verdict.RulesBeforeSigterm().ByTheClock().Decides("C39.rules-first"),
		},
	})
}

// drainedAsMeasured: how long a drain has to be depends on the cluster, and can be measured. A first rollout, about which nothing
// is claimed, shows how long the nodes' rules route to pods that have left. In the second rollout the pods sleep that long and half
// as long again, and at least a second more, since a node may by chance have written its rules just then.
func drainedAsMeasured() harness.Scenario {
	return harness.Update(harness.Scenario{
		ID:    "drained-as-measured",
		Claim: "replacing every pod fails no request if pods sleep longer than any node's rules were measured to route to removed endpoints",
		App:   fixtures.Drained(),
		Uses:  []string{evidence.NodeRules},
		Kind: harness.UnderLoad{Adapt: func(app fixtures.App, seen timeline.Timeline) (fixtures.App, error) {
			needed := slices.Collect(maps.Values(seen.NeededDrains()))
			if len(needed) == 0 {
				return app, errors.New("no node's rules were seen to leave a pod out")
			}
			longest := slices.Max(needed)
			app.PreStopSleep = longest + max(time.Second, longest/2)
			app.Grace = app.PreStopSleep + fixtures.DefaultGrace
			return app, nil
		}},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.RulesBeforeSigterm(),
		},
	})
}

// oneByOne: each new pod has to be ready before the next one starts. Twin of all-at-once.
func oneByOne() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	return harness.Update(harness.Scenario{
		ID:      "one-by-one",
		Profile: harness.Core,
		Claim:   "replacing 4 pods one by one lets both versions answer new connections for at least as long as 3 pods take to start in turn",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.NoFailures().Decides("C32.probed"),
			verdict.NoSlowReplies(),
			verdict.MinMixedWindow(3 * app.StartDelay).Scaled().On(evidence.Fresh).Decides("C17.one-by-one"),
			verdict.VersionsOverlap(3*app.StartDelay, time.Hour).Scaled().Decides("C17.one-by-one"), // as long as it takes
			verdict.Mixes(1).Decides("C18"),
			verdict.MinAvailable(4),
		},
	})
}

// allAtOnce: with a surge of 100 % all new pods start together, so that both versions answer for about as long as kube-proxy takes:
// old pods that sleep through their 30 s get no new connection. It costs twice the pods. Twin of one-by-one, which takes three
// starts: the bounds of the two do not overlap, neither those of new connections nor those of the pods that nobody has told to end. Kept
// connections stay with old pods for their drain as well, which is as long as the manifest says, with any surge.
func allAtOnce() harness.Scenario {
	startup := fixtures.DrainedOneByOne().StartDelay
	const drain = 30 * time.Second
	return harness.Update(harness.Scenario{
		ID:      "all-at-once",
		Profile: harness.Core,
		Claim: "with a surge of 100 % new connections are answered by both versions for less time than a pod takes to start twice, " +
			"and no request fails when the old pods sleep 30 s before they get SIGTERM",
		App: fixtures.App{
			Replicas: 4, MaxSurge: new(intstr.FromString("100%")), MaxUnavailable: new(intstr.FromInt32(0)),
			MinReady: time.Second, StartDelay: startup,
			PreStopSleep: drain, Grace: drain + 10*time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures().ByTheClock().Decides("C40"),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MaxDrainLag(5 * time.Second).Scaled(),
			verdict.RulesBeforeSigterm().ByTheClock().Decides("C40"),
			verdict.MaxMixedWindow(2 * startup).Scaled().On(evidence.Fresh).Decides("C17.all-at-once"),
			verdict.VersionsOverlap(0, 2*startup).Scaled().Decides("C17.all-at-once"),
			verdict.MinAvailable(4).Decides("C16.pods"),
			verdict.Scaling("v2:4").Decides("C16.resources"), // while all 4 old ones are there
			verdict.MaxPods(8),
		},
	})
}

// storm: a rollout of three pods has six chances to lose something, as two workers see it, and six clean ones show only that 39 %
// or less of terminations do. Here three pods are replaced 11 times, which is 33 pods on two workers: 66 chances. 59 clean ones
// show 5 % or less at 95 % confidence. Replies take half a second, so that requests are in flight whenever a pod ends. Twin of
// control/undrained-storm.
func storm() harness.Scenario {
	app := fixtures.Drained()
	app.HandlerDelay = slowReply
	return harness.Update(harness.Scenario{
		ID:    "storm",
		Claim: "59 or more pod terminations, counted by node, lose no request when the pods sleep 5 s before they get SIGTERM and then drain",
		App:   app,
		Kind:  harness.UnderLoad{Rollout: rollout.RestartThenUpdate("v1", "v2", 10)},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MinTerminations(59).Needing(evidence.NodeRules), // elsewhere pods count, not nodes
			verdict.RulesBeforeSigterm(),
		},
	})
}

// hookAdded: a pod has the hook of the template that it was made from. The first rollout that brings a hook ends pods without one,
// and the first that removes it ends pods that still have it. For why the first must lose requests, see
// termination/shutdown-at-sigterm.
func hookAdded() []harness.Scenario {
	return harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), HandlerDelay: slowReply,
		},
	}).Twins(harness.Twin{
		ID:     "hook-added",
		Claim:  "the rollout that adds a preStop sleep and a drain to the pod template still loses requests: the pods that end have neither",
		Kind:   harness.UnderLoad{Rollout: rollout.UpdateWith("v1", "v2", (*fixtures.App).AddDrain)},
		Expect: []evidence.Expectation{verdict.LostWhileTerminating().On(evidence.Fresh)},
	}, harness.Twin{
		ID:     "hook-added-before",
		Claim:  "pods that were made with a preStop sleep and a drain lose no request, though the rollout takes both out of the pod template",
		Change: func(s *harness.Scenario) { s.App.AddDrain() },
		Kind:   harness.UnderLoad{Rollout: rollout.UpdateWith("v1", "v2", exits)},
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.RulesBeforeSigterm()},
	})
}
