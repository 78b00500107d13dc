package verdict_test

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Rules about which version answered.
var versionRows = []ruleRow{
	{"a reply by the old version right after the new one shows that they mix", verdict.Mixes(1), answering("worker-fresh", "v1", 150),
		verdict.Pass},
	{"a clean cut mixes nothing", verdict.Mixes(1), none,
		verdict.Fail},
	{"keep-alive connections do not show how new ones are routed", verdict.Mixes(1), answering("worker-reused", "v1", 150),
		verdict.Fail},
	{"nothing can mix with a version that never answered", verdict.Mixes(1), answering("worker-fresh", "v1"),
		verdict.Inconclusive},

	{"both versions answered", verdict.Serves("v1", "v2"), none,
		verdict.Pass},
	{"a version that never answered fails", verdict.Serves("v1", "v2", "v3"), none,
		verdict.Fail},
	{"a version nobody expected fails", verdict.Serves("v1", "v2"), answering("worker-fresh", "v9", 80),
		verdict.Fail},
	{"a version that answers only clients of a disrupted node does not answer the others", verdict.Serves("v1", "v2").OnOthers(),
		all(twoNodes, disrupted("worker"), answering("worker2-fresh", "v1")),
		verdict.Fail},
	{"nor does one that nobody expected", verdict.Serves("v1", "v2").OnOthers(),
		all(twoNodes, disrupted("worker"), answering("worker-fresh", "v9", 80)),
		verdict.Pass},
	{"an expectation without a version decides nothing", verdict.Serves(), none,
		verdict.Inconclusive},

	{"only the new version answers once the old is gone", verdict.OnlyServes("v2", evidence.OldGone), none,
		verdict.Pass},
	{"old replies after success was reported are witnesses", verdict.OnlyServes("v2", evidence.StatusDone), none,
		verdict.Fail},
	{"a request sent before the mark and answered after it is not a witness", verdict.OnlyServes("v2", evidence.OldGone),
		on("worker-fresh", func(h *evidence.Hit) { h.By.Version, h.Took = "v1", 500*ms }, 118),
		verdict.Pass},
	{"a bad reply by the old version is a witness too", verdict.OnlyServes("v2", evidence.OldGone),
		on("worker-fresh", func(h *evidence.Hit) { h.By.Version, h.Fault = "v1", evidence.BadStatus }, 150),
		verdict.Fail},
	{"no reply after the mark decides nothing", verdict.OnlyServes("v2", evidence.OldGone),
		all(breaking("worker-fresh", evidence.Refused, from(119, 199)...), breaking("worker-reused", evidence.Refused, from(119, 199)...)),
		verdict.Inconclusive},
	{"a mark that was not reached decides nothing", verdict.OnlyServes("v2", evidence.StatusDone), without(evidence.StatusDone),
		verdict.Inconclusive},
	{"a moment that is not a mark decides nothing", verdict.OnlyServes("v2", evidence.PodReady), none,
		verdict.Inconclusive},
	{"only fresh connections are asked for", verdict.OnlyServes("v2", evidence.OldGone).On(evidence.Fresh),
		answering("worker-reused", "v1", 150),
		verdict.Pass},
	{"an old reply so close to the mark that clocks cannot tell decides nothing", verdict.OnlyServes("v2", evidence.OldGone),
		all(answering("worker-fresh", "v1", 119), skewed(0, 2*ms)),
		verdict.Inconclusive},

	{"the new version answers after the old one", verdict.CleanCut(), none, verdict.Pass},
	{"one old reply after the first new one", verdict.CleanCut(), answering("worker-fresh", "v1", 120), verdict.Fail},
	{"clocks that are off by less than the pause do not matter", verdict.CleanCut(), onTwoClocks(2 * ms), verdict.Pass},
	{"clocks that are off by more do", verdict.CleanCut(), onTwoClocks(6 * ms), verdict.Inconclusive},

	{"both versions answer for as long as allowed", verdict.MaxMixedWindow(210 * ms), answering("worker-fresh", "v1", 120), verdict.Pass},
	{"both versions answer for too long", verdict.MaxMixedWindow(209 * ms), answering("worker-fresh", "v1", 120), verdict.Fail},
	{"a load that ended sooner than the versions may mix", verdict.MaxMixedWindow(1100 * ms), none,
		verdict.Inconclusive},

	{"both versions answer for long enough", verdict.MinMixedWindow(210 * ms), answering("worker-fresh", "v1", 120), verdict.Pass},
	{"both versions answer for too short", verdict.MinMixedWindow(211 * ms), answering("worker-fresh", "v1", 120), verdict.Fail},

	{"the old version answers to the end", verdict.StillServes("v1", 95).On(evidence.Reused),
		answering("worker-reused", "v1", from(99, 199)...),
		verdict.Pass},
	{"the old version answers on one lane of two", verdict.StillServes("v1", 95), answering("worker-reused", "v1", from(99, 199)...),
		verdict.Fail},
	{"a version that never answered", verdict.StillServes("v3", 1), none, verdict.Fail},
	{"no lane of the kind", verdict.StillServes("v1", 95).On(evidence.Fresh),
		func(ev *recording) { ev.Run.Lanes[0].Conn = evidence.Reused },
		verdict.Inconclusive},

	{"a load too short for one window", verdict.Share("v2", 50, evidence.OldGone), none,
		verdict.Inconclusive},
	{"a version answers as often as its part of the pods", verdict.Share("v2", 25, evidence.Barrier), drawn(25),
		verdict.Pass},
	{"a version answers more often than chance explains", verdict.Share("v2", 25, evidence.Barrier), drawn(40),
		verdict.Fail},
}

func drawVersionRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of versions")
	return []evidence.Expectation{
		verdict.AnswersAfter("v1", evidence.StatusDone, 1+r.pick(5)), verdict.MaxStatusGap(r.lasts()), verdict.KeptConnections("v1"),
		verdict.MaxSwitch(r.lasts()), verdict.OnlyServes("v2", evidence.Barrier), verdict.OnlyServes("v2", evidence.OldGone),
		verdict.OnlyServesAfter("v2", r.lasts(), evidence.OldGone), verdict.Serves("v1", "v2"), verdict.StillServes("v2", 1+r.pick(100)),
		verdict.Share("v2", 1+r.pick(99), evidence.OldGone), verdict.Mixes(1 + r.pick(4)), verdict.CleanCut(),
		verdict.MaxMixedWindow(r.lasts()), verdict.MinMixedWindow(r.lasts()),
	}
}
