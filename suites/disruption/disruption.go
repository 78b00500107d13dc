// Package disruption asks what maintenance and failures of a cluster cost the clients of a Service: drains, dead nodes, lost rules,
// and programs of nodes and of the control plane that are restarted or away. Each scenario that must lose nothing has a twin that
// must lose.
package disruption

import (
	"slices"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// All lists the scenarios of this suite. It begins with those that change a cluster least.
func All() []harness.Scenario {
	return slices.Concat(proxy(), rules(), cut(), conntrack(), controllerManager(), scheduler(), apiServer(), etcd(), dns(), drain(),
		drainInRollout(), appKilled(), kubelet(), containerd(), mode(), node())
}

// onWorker is the node that most disruptions are about.
var onWorker = []string{disruption.Worker}

// rate is lower than elsewhere: a lane without replies has as many requests in flight as it sends in 2 s.
const rate = 50

// settle leaves time to see that clients lose nothing after every node's rules have followed.
const settle = followed + 2*time.Second

// detection is how long the endpoints of a node that falls silent may stay: until it is silent (inEffect), up to 55 s until its
// controller marks it unreachable (node-monitor-grace-period 50 s, node-monitor-period 5 s,
// pkg/controller/nodelifecycle/config/v1alpha1/defaults.go, v1.37), and until every node's rules follow.
const detection = inEffect + 55*time.Second + followed

// undetected is how long they stay at least. The grace period of 50 s counts from the last renewal of the node's lease, up to 10.4
// s before the node fell silent (nodeLeaseRenewIntervalFraction, pkg/kubelet/kubelet.go; jitter, component-helpers,
// apimachinery/lease/controller.go, v1.37); the rest is for a late renewal.
const undetected = 35 * time.Second

// inEffect is how long a disruption of a node may take until it has an effect.
const inEffect = 5 * time.Second

// drained returns an app that loses nothing in a rollout.
func drained() fixtures.App {
	app := fixtures.Drained()
	app.StartDelay = time.Second
	return app
}

// undrained returns an app that exits as soon as it gets SIGTERM.
func undrained() fixtures.App {
	app := drained()
	app.PreStopSleep, app.Linger, app.OnTerm = 0, 0, fixtures.Exit
	return app
}

// paced returns an app whose rollout takes at least 12 s: its three pods are replaced one after the other, and each takes 1 s to
// listen and is available 3 s later. Whatever begins 1 to 3 s after the write that starts the rollout falls into the middle of it.
func paced() fixtures.App {
	app := drained()
	app.MinReady = 3 * time.Second
	return app
}

// outlasting is how long a program is away if the rollout of a paced app would otherwise be done by then: 12 s, and the time to
// create and schedule three pods.
const outlasting = 20 * time.Second

// steady returns a scenario in which only the disruption happens.
func steady(claim string, app fixtures.App, d disruption.Disruption, expect ...evidence.Expectation) harness.Scenario {
	return scenario(claim, app, rollout.Steady("v1"), d, append(expect, verdict.Serves("v1").OnOthers()))
}

// inRollout returns a scenario in which the app is rolled out during the disruption.
func inRollout(claim string, app fixtures.App, d disruption.Disruption, expect ...evidence.Expectation) harness.Scenario {
	return scenario(claim, app, rollout.Update("v1", "v2"), d,
		append(expect, verdict.Serves("v1", "v2").OnOthers(), verdict.OnlyServes("v2", evidence.Barrier)))
}

func scenario(claim string, app fixtures.App, how rollout.Strategy, d disruption.Disruption,
	expect []evidence.Expectation) harness.Scenario {
	return harness.Scenario{
		ID: d.ID, Claim: claim, App: app, Kind: harness.UnderLoad{Rate: rate, Settle: settle, Rollout: how, Disruption: &d},
		Expect: append([]evidence.Expectation{verdict.FullRate(99).OnOthers()}, expect...),
	}
}

// restarted expects that a program that was restarted runs in another process than before: otherwise the restart shows nothing.
func restarted() evidence.Expectation { return verdict.Fact(disruption.ProcessFact, "true") }

// onlyOn expects that clients on the disrupted nodes lose requests over connections of a kind, and that no other client does.
func onlyOn(conn evidence.Conn) []evidence.Expectation {
	return []evidence.Expectation{
		verdict.DamageSeen().On(conn).OnDisrupted(),
		verdict.NoFailures().OnOthers(),
	}
}
