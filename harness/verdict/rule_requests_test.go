package verdict_test

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// onDisrupted puts some of the old pods a and b on a disrupted node. The hits with seq 99 to 198 are those of one second.
func onDisrupted(pods ...string) edit {
	return all(disrupted("worker"), func(ev *recording) {
		for i := range ev.Events {
			if slices.Contains(pods, ev.Events[i].By.Pod) {
				ev.Events[i].By.Node = "worker"
			}
		}
	})
}

// Rules about whether requests failed.
var lossRows = []ruleRow{
	{"no failure on any lane passes", verdict.NoFailures(), none,
		verdict.Pass},
	{"failures on one lane are told by kind, time and number", verdict.NoFailures(),
		all(breaking("worker-fresh", evidence.Refused, 70, 71), breaking("worker-fresh", evidence.Timeout, 73)),
		verdict.Fail},
	{"failures on two lanes carry the lane with each number", verdict.NoFailures(),
		all(breaking("worker-fresh", evidence.Reset, 71), breaking("worker-reused", evidence.Closed, 70)),
		verdict.Fail},
	{"many failures are all counted and the first 20 named", verdict.NoFailures(),
		breaking("worker-fresh", evidence.Refused, from(70, 99)...),
		verdict.Fail},
	{"a failure after the last old pod is gone is still a failure", verdict.NoFailures(), breaking("worker-fresh", evidence.Refused, 199),
		verdict.Fail},
	{"a drain that was too short for this cluster is said to be so", verdict.NoFailures(),
		all(observed("worker", "worker2"), left("b", 850), ruleGone("worker", "b", 1010), ruleGone("worker2", "b", 880), sigterm("b", 900),
			breaking("worker-fresh", evidence.Refused, 95)),
		verdict.Fail},
	{"a loss that no rule explains is said to be so", verdict.NoFailures(),
		all(observed("worker", "worker2"), left("b", 850), ruleGone("worker", "b", 880), ruleGone("worker2", "b", 880), sigterm("b", 900),
			breaking("worker-fresh", evidence.Refused, 95)),
		verdict.Fail},
	{"terminations that lost a request on other lanes are not mentioned", verdict.NoFailures().On(evidence.Fresh),
		breaking("worker-reused", evidence.Reset, 90),
		verdict.Pass},
	{"a loss over another kind of connection is not asked for", verdict.NoFailures().On(evidence.Fresh),
		breaking("worker-reused", evidence.Reset, 70),
		verdict.Pass},
	{"requests before the rollout alone test nothing of it", verdict.NoFailures(), rolledOutLast,
		verdict.Inconclusive},
	{"requests that an absent agent did not send cannot fail", verdict.NoFailures(), awayTogether(80, 100),
		verdict.Pass},
	{"a request in flight when its agent went away may have failed", verdict.NoFailures(), awayTogether(80, 100, 79),
		verdict.Inconclusive},
	{"a loss is one, whatever was in flight", verdict.NoFailures(),
		all(awayTogether(80, 100, 78, 79), breaking("worker-fresh", evidence.Refused, 70)),
		verdict.Fail},
	{"requests in flight may be too large a share", verdict.MaxFailedShare(10), awayTogether(80, 100, 78, 79),
		verdict.Inconclusive},
	{"requests in flight are not too large a share, even if all failed", verdict.MaxFailedShare(100), awayTogether(80, 100, 78, 79),
		verdict.Pass},
	{"a request in flight may have failed after the moment", verdict.RecoversWithin(100*ms, evidence.DisruptionBegun),
		awayTogether(80, 100, 79),
		verdict.Inconclusive},
	{"a request in flight before the moment decides nothing", verdict.RecoversWithin(300*ms, evidence.DisruptionBegun),
		awayTogether(80, 100, 79),
		verdict.Pass},
}

// Rules about times in which agents were away, and whether clients sent enough in maintenance.
var absentRows = []ruleRow{
	{"an outage may have gone on while its agent was away", verdict.MaxOutage(150 * ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 79)...), awayTogether(80, 100)),
		verdict.Inconclusive},
	{"it was too long before that", verdict.MaxOutage(50 * ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 79)...), awayTogether(80, 100)),
		verdict.Fail},
	{"it was not too long with that either", verdict.MaxOutage(300 * ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 79)...), awayTogether(80, 100)),
		verdict.Pass},
	{"no request failed, but one was in flight when its agent went away", verdict.MaxOutage(150 * ms), awayTogether(80, 100, 79),
		verdict.Inconclusive},
	{"a gap may have gone on while its agent was away", verdict.ReplyGap(0, 150*ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 79)...), awayTogether(80, 100)),
		verdict.Inconclusive},
	{"a gap in which nothing failed beside the absence is that of the absence", verdict.ReplyGap(0, 150*ms), awayTogether(80, 100),
		verdict.Pass},
	{"the gap was too long before that", verdict.ReplyGap(0, 50*ms),
		all(breaking("worker-fresh", evidence.Refused, from(70, 79)...), awayTogether(80, 100)),
		verdict.Fail},
	{"clients that send ten times in the shortest outage see it", verdict.SentInMaintenance(100 * ms), disrupted("", evidence.AgentLost),
		verdict.Pass},
	{"clients that send twice in it do not", verdict.SentInMaintenance(20 * ms), disrupted("", evidence.AgentLost),
		verdict.Inconclusive},
	{"agents that are all away for the whole maintenance see nothing", verdict.SentInMaintenance(100 * ms),
		all(disrupted("", evidence.AgentLost), awayFor("worker-fresh", 55, 105), awayFor("worker-reused", 55, 105)),
		verdict.Inconclusive},
	{"agents that are all away at once for a part of it do not see that part", verdict.SentInMaintenance(100 * ms),
		all(disrupted("", evidence.AgentLost), awayFor("worker-fresh", 60, 75), awayFor("worker-reused", 70, 85)),
		verdict.Inconclusive},
	{"agents that are away one after the other see all of it", verdict.SentInMaintenance(100 * ms),
		all(disrupted("", evidence.AgentLost), awayFor("worker-fresh", 60, 75), awayFor("worker-reused", 76, 91)),
		verdict.Pass},
	{"a client that is away for nearly all of it saw too little, whatever others did", verdict.SentInMaintenance(100 * ms),
		all(disrupted("", evidence.AgentLost), awayFor("worker-fresh", 61, 105)),
		verdict.Inconclusive},
	{"maintenance shorter than a client's period leaves nothing out", verdict.SentInMaintenance(100 * ms),
		all(disrupted("", evidence.AgentLost), without(evidence.DisruptionUndone), with(mark(605, evidence.DisruptionUndone))),
		verdict.Pass},
	{"maintenance that did not end cannot be told", verdict.SentInMaintenance(100 * ms),
		all(disrupted("", evidence.AgentLost), without(evidence.DisruptionUndone)),
		verdict.Inconclusive},
}

func drawRequestRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of requests")
	return []evidence.Expectation{
		verdict.NoFailures(), verdict.RecoversWithin(r.lasts(), evidence.RolloutBegun), verdict.MaxFailedShare(1 + r.pick(100)),
		verdict.LostShare(0, 5*r.lasts(), evidence.RolloutBegun), verdict.FullRate(99), verdict.SentInMaintenance(r.lasts()),
	}
}
