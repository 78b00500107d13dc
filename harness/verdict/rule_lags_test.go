package verdict_test

import (
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Rules about when pods' steps came, and when clients followed.
var lagRows = []ruleRow{
	{"fresh connections stopped in time", verdict.MaxDrainLag(140 * ms), with(pod(850, evidence.EndpointGone, "v1", "b")),
		verdict.Pass},
	{"fresh connections went on for too long", verdict.MaxDrainLag(139 * ms), with(pod(850, evidence.EndpointGone, "v1", "b")),
		verdict.Fail},
	{"clocks too far apart to tell decide nothing", verdict.MaxDrainLag(139 * ms),
		all(with(pod(850, evidence.EndpointGone, "v1", "b")), skewed(0, 2*ms)),
		verdict.Inconclusive},
	{"a lag that is surely too long does not hide behind one that may be longer", verdict.MaxDrainLag(130 * ms),
		all(with(pod(850, evidence.EndpointGone, "v1", "b")), func(ev *recording) {
			ev.Run.Lanes[1].Conn, ev.Run.Lanes[1].Node = evidence.Fresh, "other"
			ev.Run.Clocks = []evidence.ClockReading{{Node: "worker"}, {Node: "other", Uncertainty: 20 * ms}}
			on("worker-reused", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v2", Pod: "d"} }, 97, 98)(ev)
		}),
		verdict.Fail},
	{"nothing sent after it left", verdict.MaxDrainLag(ms), with(pod(995, evidence.EndpointGone, "v1", "b")),
		verdict.Pass},
	{"no pod that left", verdict.MaxDrainLag(ms), none, verdict.Inconclusive},
	{"no fresh lane in a pod", verdict.MaxDrainLag(ms), func(ev *recording) {
		ev.Run.Lanes[0].Conn, ev.Run.Lanes[2].Vantage = evidence.Reused, evidence.FromHost
	},
		verdict.Inconclusive},
	{"clients that stopped before it could have been too late saw no lag", verdict.MaxDrainLag(1150 * ms),
		with(pod(850, evidence.EndpointGone, "v1", "b")),
		verdict.Inconclusive},
	{"clocks that cannot tell whether anything was sent late enough", verdict.MaxDrainLag(time.Millisecond),
		all(with(pod(1990, evidence.EndpointGone, "v1", "b")), skewed(0, 20*ms)),
		verdict.Inconclusive},
	{"every node's rules leave a pod out before its SIGTERM", verdict.RulesBeforeSigterm(),
		all(left("b", 850), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 950), sigterm("b", 1000)),
		verdict.Pass},
	{"one node's rules still route to a pod after its SIGTERM", verdict.RulesBeforeSigterm(),
		all(left("b", 850), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 1010), sigterm("b", 1000)),
		verdict.Fail},
	{"rules that were not seen when the pod got SIGTERM decide nothing", verdict.RulesBeforeSigterm(),
		all(left("b", 850), ruleGone("worker", "b", 1010), sigterm("b", 1000),
			with(evidence.Event{At: 1010 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
		verdict.Inconclusive},
	{"a change that a delayed observer noted right after its delay decides nothing", verdict.RulesBeforeSigterm(),
		all(left("b", 850), ruleGone("worker", "b", 1012), sigterm("b", 1000),
			with(evidence.Event{At: 1010 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
		verdict.Inconclusive},
	{"rules that never leave a pod out", verdict.RulesBeforeSigterm(),
		all(left("b", 850), observed("worker", "worker2"), ruleGone("worker", "b", 900), ruleAdded("worker2", "b", 10),
			seenUntil("worker2", 1900), sigterm("b", 1000)),
		verdict.Fail},
	{"rules that leave no pod out on any node", verdict.RulesBeforeSigterm(),
		all(left("b", 850), observed("worker"), ruleAdded("worker", "b", 10), seenUntil("worker", 1900), sigterm("b", 1000)),
		verdict.Fail},
	{"rules that still route to a pod which is gone and got no SIGTERM", verdict.RulesBeforeSigterm(),
		all(left("a", 710), sigterm("a", 790), ruleGone("worker", "a", 720), left("b", 850), ruleAdded("worker2", "b", 10),
			seenUntil("worker2", 1900)),
		verdict.Fail},
	{"rules that were seen last before such a pod had ended", verdict.RulesBeforeSigterm(),
		all(left("a", 710), sigterm("a", 790), ruleGone("worker", "a", 720), left("b", 850), ruleAdded("worker2", "b", 10),
			seenUntil("worker2", 1100), exited("b", 1150)),
		verdict.Inconclusive},
	{"rules that still route to a pod whose SIGTERM is still to come", verdict.RulesBeforeSigterm(),
		all(left("a", 710), sigterm("a", 790), ruleGone("worker", "a", 720), left("b", 850), ruleAdded("worker2", "b", 10),
			seenUntil("worker2", 1900), without(evidence.PodGone)),
		verdict.Pass},
	{"nobody saw the rules", verdict.RulesBeforeSigterm(), all(left("b", 850), sigterm("b", 1000)),
		verdict.Inconclusive},
	{"steps of one pod as far apart as expected", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 150*ms, 150*ms),
		all(sigterm("a", 850), sigterm("b", 1000)),
		verdict.Pass},
	{"steps of one pod too far apart", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 150*ms),
		all(sigterm("a", 851), sigterm("b", 1000)),
		verdict.Fail},
	{"a step that came before the other", verdict.Between(evidence.PodGone, evidence.PodSigterm, -50*ms, 0),
		all(sigterm("a", 740), sigterm("b", 1160)),
		verdict.Fail},
	{"steps that a watch may have reported late are uncertain by that once, not twice",
		verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -30*ms, 50*ms),
		all(left("a", 710), left("b", 860), with(evidence.Event{At: 860 * ms, Kind: evidence.APIAnswered, Count: 30})),
		verdict.Pass},
	{"clocks that cannot tell how long after its kubelet's own word a pod got SIGTERM",
		verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, 100*ms), all(sigterm("a", 710), skewed(0, 10*ms), func(ev *recording) {
			killing, signaled := pod(900, evidence.Reported, "v1", "b"), pod(1000, evidence.PodSigterm, "v1", "b")
			killing.Reason, signaled.Clock = "Killing", "worker"
			ev.Events = append(ev.Events, killing, signaled)
		}),
		verdict.Inconclusive},
	{"a rule that its node wrote again, as no other pod was left, had not gone",
		verdict.Between(evidence.PodSigterm, evidence.RuleGone, 500*ms, time.Second),
		all(sigterm("a", 710), ruleGone("worker", "a", 750), ruleAdded("worker", "a", 900), ruleGone("worker", "a", 1300)),
		verdict.Pass},
	{"a step that never came", verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 0, time.Second), sigterm("a", 850),
		verdict.Fail},
	{"a step that no pod took", verdict.Between(evidence.PodDraining, evidence.PodSigterm, 0, time.Second), none,
		verdict.Inconclusive},
}

// Rules about when nodes' rules followed, and in which order.
var ruleLagRows = []ruleRow{
	{"every node's rules stopped in time", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900)),
		verdict.Pass},
	{"one node's rules stopped too late", verdict.MaxRuleLag(50 * ms),
		all(left("b", 850), observed("worker", "worker2"), ruleGone("worker", "b", 900), ruleGone("worker2", "b", 901)),
		verdict.Fail},
	{"rules that were not seen for a while when they stopped decide nothing", verdict.MaxRuleLag(50 * ms),
		all(left("b", 850), observed("worker"), ruleGone("worker", "b", 910),
			with(evidence.Event{At: 910 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 60})),
		verdict.Inconclusive},
	{"a node whose rules never stopped", verdict.MaxRuleLag(time.Second),
		all(left("b", 850), observed("worker", "worker2"), ruleAdded("worker", "b", 10), ruleAdded("worker2", "b", 10),
			ruleGone("worker", "b", 900), seenUntil("worker2", 1900)),
		verdict.Fail},
	{"a node whose rules came back", verdict.MaxRuleLag(time.Second),
		all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900), ruleAdded("worker", "b", 950), seenUntil("worker", 1900)),
		verdict.Fail},
	{"rules that were not seen to the end decide nothing", verdict.MaxRuleLag(time.Second),
		all(left("b", 850), observed("worker"), ruleAdded("worker", "b", 10), seenUntil("worker", 1900),
			with(evidence.Event{At: 1900 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 950})),
		verdict.Inconclusive},
	{"a flap before the rollout is not the end", verdict.MaxRuleLag(50 * ms),
		all(left("b", 850), observed("worker"), ruleGone("worker", "b", 100), ruleAdded("worker", "b", 200), ruleGone("worker", "b", 880)),
		verdict.Pass},
	{"a pod that no rule ever routed to", verdict.MaxRuleLag(50 * ms), all(left("b", 850), observed("worker")),
		verdict.Inconclusive},
	{"an API server that was slow when the pod left makes the lag uncertain", verdict.MaxRuleLag(50 * ms),
		all(left("b", 850), observed("worker"), ruleGone("worker", "b", 890),
			with(evidence.Event{At: 900 * ms, Kind: evidence.APIAnswered, Count: 20})),
		verdict.Inconclusive},
	{"a slow API server and rules seen late make it uncertain by the larger of the two", verdict.MaxRuleLag(50 * ms),
		all(left("b", 850), observed("worker"), ruleGone("worker", "b", 870),
			with(evidence.Event{At: 900 * ms, Kind: evidence.APIAnswered, Count: 20}),
			with(evidence.Event{At: 870 * ms, Kind: evidence.RulesUnseen, Object: "worker", Count: 25})),
		verdict.Pass},
	{"rules that nobody observed", verdict.MaxRuleLag(time.Hour), all(left("b", 850), ruleGone("worker", "b", 900)),
		verdict.Inconclusive},
	{"clients send while an old pod terminates beside a ready one", verdict.SentWhileTerminating(), none,
		verdict.Pass},
	{"another old pod is ready while one terminates", verdict.SentWhileTerminating(),
		all(without(evidence.PodReady), with(pod(0, evidence.PodReady, "v1", "a")), with(pod(0, evidence.PodReady, "v1", "b"))),
		verdict.Pass},
	{"no other pod is ready while the only old one terminates", verdict.SentWhileTerminating(),
		all(without(evidence.PodReady), with(pod(0, evidence.PodReady, "v1", "a"))),
		verdict.Inconclusive},
	{"no old pod terminates", verdict.SentWhileTerminating(), without(evidence.PodDeleting),
		verdict.Inconclusive},
	{"clocks that cannot tell whether it was sent while a pod terminated", verdict.SentWhileTerminating(), skewed(0, 200*ms),
		verdict.Inconclusive},
	{"rules left one pod before its SIGTERM and another after it", verdict.BothOrders(),
		all(left("a", 750), left("b", 850), sigterm("a", 760), sigterm("b", 900), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880)),
		verdict.Pass},
	{"rules of one node left a pod before its SIGTERM, and those of another after it",
		verdict.BothOrders(),
		all(left("b", 850), sigterm("b", 900), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 920)),
		verdict.Pass},
	{"rules left every pod before its SIGTERM", verdict.BothOrders(),
		all(left("a", 750), left("b", 850), sigterm("a", 790), sigterm("b", 900), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880)),
		verdict.Inconclusive},
	{"rules left every pod after its SIGTERM", verdict.BothOrders(),
		all(left("a", 750), left("b", 850), sigterm("a", 760), sigterm("b", 860), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880)),
		verdict.Inconclusive},
	{"an order that clocks cannot tell is none", verdict.BothOrders(),
		all(left("a", 750), left("b", 850), ruleGone("worker", "a", 780), ruleGone("worker", "b", 880),
			func(ev *recording) {
				ev.Run.Clocks = []evidence.ClockReading{{Node: "worker", Uncertainty: 30 * ms}}
				for name, at := range map[string]int{"a": 760, "b": 980} {
					e := pod(at, evidence.PodSigterm, "v1", name)
					e.Clock = "worker"
					with(e)(ev)
				}
			}),
		verdict.Inconclusive},
	{"rules that came back have no order", verdict.BothOrders(),
		all(left("b", 850), sigterm("b", 900), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 920), ruleAdded("worker2", "b", 930)),
		verdict.Inconclusive},
	{"steps of no pod have no order", verdict.BothOrders(), none, verdict.Inconclusive},
}

func drawLagRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of lags")
	return []evidence.Expectation{
		verdict.ServesUntilSigterm(), verdict.RulesBeforeSigterm(), verdict.ClientsBeforeSigterm(), verdict.MaxRuleLag(r.lasts()),
		verdict.MaxDrainLag(r.lasts()), verdict.MostDrainLags(1+r.pick(100), r.lasts()/4),
		verdict.Between(evidence.PodDeleting, evidence.PodSigterm, r.lasts()/4, r.lasts()),
		verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -r.lasts(), r.lasts()/10),
		verdict.BothOrders(), verdict.SentWhileTerminating(), verdict.ReachesTerminating(),
	}
}
