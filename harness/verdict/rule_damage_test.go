package verdict_test

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// Rules about damage that has to be seen.
var damageRows = []ruleRow{
	{"damage over either kind of connection is enough", verdict.DamageSeen(),
		all(breaking("worker-reused", evidence.Reset, 70), breaking("worker-fresh", evidence.Refused, 71)),
		verdict.Pass},
	{"keep-alive connections break whatever the rules do, so they show nothing about new ones", verdict.DamageSeen(),
		breaking("worker-reused", evidence.Reset, 70),
		verdict.Inconclusive},
	{"no damage means the harness is blind", verdict.DamageSeen(), none,
		verdict.Inconclusive},
	{"damage on a lane that resends is not enough", verdict.DamageSeen(),
		all(func(ev *recording) { ev.Run.Lanes[1].Resends = true }, breaking("worker-reused", evidence.Reset, 70)),
		verdict.Inconclusive},
	{"a lane that resends hides damage and does not disprove it", verdict.DamageSeen(),
		all(func(ev *recording) { ev.Run.Lanes[1].Resends = true }, breaking("worker-fresh", evidence.Reset, 70)),
		verdict.Pass},
	{"requests are refused by a pod that counts as ready and does not listen yet", verdict.LostWhileStarting(),
		all(listening("a", 0), listening("b", 0), listening("c", 700), listening("d", 0), breaking("worker-fresh", evidence.Refused, 65)),
		verdict.Pass},
	{"requests that are refused once every ready pod listens have another cause", verdict.LostWhileStarting(),
		all(listening("a", 0), listening("b", 0), listening("c", 700), listening("d", 0), breaking("worker-fresh", evidence.Refused, 75)),
		verdict.Inconclusive},
	{"requests that time out were not refused", verdict.LostWhileStarting(),
		all(listening("a", 0), listening("b", 0), listening("c", 700), listening("d", 0), breaking("worker-fresh", evidence.Timeout, 65)),
		verdict.Inconclusive},
	{"pods that listen before they count as ready refuse nobody for that", verdict.LostWhileStarting(),
		all(listening("a", 0), listening("b", 0), listening("c", 590), listening("d", 0), breaking("worker-fresh", evidence.Refused, 65)),
		verdict.Inconclusive},
	{"requests over both kinds of connection are lost at the stage expected", verdict.LostTo(timeline.StageStatus),
		all(breaking("worker-fresh", evidence.BadStatus, 70), breaking("worker-reused", evidence.BadStatus, 71)),
		verdict.Pass},
	{"requests are lost at another stage", verdict.LostTo(timeline.StageStatus), breaking("worker-fresh", evidence.Reset, 70),
		verdict.Inconclusive},
	{"damage only outside the cluster is not enough", verdict.DamageSeen(),
		all(func(ev *recording) { ev.Run.Lanes[1].Vantage = evidence.FromHost }, breaking("worker-reused", evidence.Reset, 70)),
		verdict.Inconclusive},
	{"damage over the kind of connection asked for", verdict.DamageSeen().On(evidence.Fresh),
		breaking("worker-fresh", evidence.Reset, 70),
		verdict.Pass},
	{"each old pod that ends is one termination of the node", verdict.MinTerminations(2), none,
		verdict.Pass},
	{"fewer than expected show too little", verdict.MinTerminations(3), none,
		verdict.Inconclusive},
	{"each termination lost a request of its own", verdict.MinTerminationsLost(95), all(ruleGone("worker", "a", 790),
		ruleGone("worker", "b", 1000), breaking("worker-fresh", evidence.Refused, 74, 95)),
		verdict.Pass},
	{"one of two lost none", verdict.MinTerminationsLost(95), all(ruleGone("worker", "a", 790),
		ruleGone("worker", "b", 1000), breaking("worker-fresh", evidence.Refused, 74)),
		verdict.Inconclusive},
	{"a loss that may belong to either belongs to neither for certain", verdict.MinTerminationsLost(50), all(ruleGone("worker", "a", 1100),
		ruleGone("worker", "b", 1100), breaking("worker-fresh", evidence.Refused, 95)),
		verdict.Inconclusive},
	{"no old pod that ends is nothing to lose by", verdict.MinTerminationsLost(95), without(evidence.PodDeleting),
		verdict.Inconclusive},
}

func drawDamageRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of damage")
	return []evidence.Expectation{
		verdict.DamageSeen(), verdict.LostWhileTerminating(), verdict.LostWhileNoneServes(evidence.Refused, evidence.Timeout),
		verdict.LostWhileStarting(), verdict.LostTo(timeline.StageDropped),
		verdict.MinTerminations(1 + r.pick(8)), verdict.MinTerminationsLost(r.pick(100)),
	}
}
