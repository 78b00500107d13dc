package verdict_test

import (
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// step marks a step of maintenance, in milliseconds.
func step(at int, node, what string) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.Step, Object: node, Detail: what})
}

// upgraded is maintenance in which requests may be lost only at the drain: the API server from 500, a drain from 800, a kubelet
// from 1200 ms on. The hit with seq n is sent at 10*(n+1) ms.
var upgraded = all(step(500, "control", "kubeadm upgrade apply"), step(800, "worker", "drain"), step(1200, "worker", "kubelet"))

// Rules about what steps of maintenance cost.
var stepRows = []ruleRow{
	{"maintenance that costs nothing passes", verdict.LossesAtSteps(time.Second, "drain"), upgraded,
		verdict.Pass},
	{"losses at a step that has to cost some pass, and are counted by step", verdict.LossesAtSteps(time.Second, "drain"),
		all(upgraded, breaking("worker-fresh", evidence.Refused, 80, 81, 90), breaking("worker-reused", evidence.Reset, 79)),
		verdict.Pass},
	{"where no step may cost requests, each loss is one too many", verdict.LossesAtSteps(time.Second),
		all(upgraded, breaking("worker-fresh", evidence.Refused, 80, 81)),
		verdict.Fail},
	{"a loss at another step belongs to that step", verdict.LossesAtSteps(time.Second, "drain"),
		all(upgraded, breaking("worker-fresh", evidence.Refused, 80, 130, 131), breaking("worker-reused", evidence.Timeout, 60)),
		verdict.Fail},
	{"a loss before the first step belongs to none", verdict.LossesAtSteps(time.Second, "drain"),
		all(step(800, "worker", "drain"), breaking("worker-fresh", evidence.Refused, 60)),
		verdict.Fail},
	{"an outage belongs to the step at which it began, to its end", verdict.LossesAtSteps(time.Second, "drain"),
		all(upgraded, breaking("worker-fresh", evidence.Refused, from(100, 140)...)),
		verdict.Pass},
	{"but no longer than such a step may cost requests", verdict.LossesAtSteps(300*ms, "drain"),
		all(upgraded, breaking("worker-fresh", evidence.Refused, from(100, 140)...)),
		verdict.Fail},
	{"a loss so close to a step that the clocks cannot tell may belong to either", verdict.LossesAtSteps(time.Second, "drain"),
		all(upgraded, skewed(0, 30*ms), breaking("worker-fresh", evidence.Refused, 121)),
		verdict.Inconclusive},
	{"without a marked step nothing can be judged", verdict.LossesAtSteps(time.Second, "drain"), none,
		verdict.Inconclusive},

	{"a step that costs requests where it has to", verdict.LostAtSteps("drain"),
		all(upgraded, breaking("worker-fresh", evidence.Refused, 80, 81), breaking("worker-reused", evidence.Reset, 130)),
		verdict.Pass},
	{"losses at other steps do not show that one at this would be seen", verdict.LostAtSteps("drain"),
		all(upgraded, breaking("worker-reused", evidence.Reset, 130)),
		verdict.Inconclusive},

	{"a step in the middle of the rollout", verdict.StepInRollout("drain"), step(700, "worker", "drain"), verdict.Pass},
	{"a step that comes when the rollout is done", verdict.StepInRollout("drain"), step(900, "worker", "drain"), verdict.Inconclusive},
	{"a step that came before it began", verdict.StepInRollout("drain"), step(499, "worker", "drain"), verdict.Inconclusive},
	{"another step in the middle of the rollout", verdict.StepInRollout("drain"), step(700, "worker", "reboot"), verdict.Inconclusive},
}

// drawStepRules also draws maintenance and a disruption.
func drawStepRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of steps")
	for range r.pick(3) {
		d.add(evidence.Event{At: r.at(d.begun, d.ended), Kind: evidence.Step, Detail: []string{"drain worker", "reboot", "done"}[r.pick(3)],
			Object: drawnNodes()[r.pick(2)]})
	}
	if r.chance(10) {
		d.Run.Disruption = &evidence.Disruption{Nodes: []string{"worker"}, Expects: []string{"node-unready", "control-failures", "pod-log-lost"},
			Tail: time.Second}
		begun := mark(d.begun, evidence.DisruptionBegun)
		begun.Detail = "off"
		d.add(begun)
		d.add(mark(d.gone, evidence.DisruptionUndone))
		d.add(mark(d.gone+100, evidence.ClusterWhole))
	}
	return []evidence.Expectation{verdict.LossesAtSteps(r.lasts(), "drain"), verdict.LostAtSteps("drain"), verdict.StepInRollout("drain")}
}
