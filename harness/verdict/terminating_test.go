package verdict_test

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// An outcomeRow is the outcome of a rule of a rollout in which something was changed.
type outcomeRow struct {
	sentence string
	expect   evidence.Expectation
	spoil    edit
	want     verdict.Outcome
}

func checkOutcomes(t *testing.T, rows []outcomeRow) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			row.spoil(&ev)
			if v := judge(t, ev); v.Outcome != row.want {
				t.Errorf("%s: %s, want %s", v.Outcome, v.Because, row.want)
			}
		})
	}
}

func TestRulesAboutRepliesAfterSuccess(t *testing.T) {
	checkOutcomes(t, []outcomeRow{
		{"the old version answers after success was reported", verdict.AnswersAfter("v1", evidence.StatusDone, 18), none, verdict.Pass},
		{"it answers less often than expected", verdict.AnswersAfter("v1", evidence.StatusDone, 21), none, verdict.Fail},
		{"it never answers after the last old pod is gone", verdict.AnswersAfter("v1", evidence.OldGone, 1), none, verdict.Fail},
		{"a reply that clocks cannot place decides nothing", verdict.AnswersAfter("v1", evidence.OldGone, 1),
			all(answering("worker-fresh", "v1", 119), skewed(0, 2*ms)), verdict.Inconclusive},
		{"nobody is answered after the mark", verdict.AnswersAfter("v1", evidence.OldGone, 1),
			all(breaking("worker-fresh", evidence.Refused, from(119, 199)...), breaking("worker-reused", evidence.Refused, from(119, 199)...)),
			verdict.Inconclusive},
		{"a mark that was not reached", verdict.AnswersAfter("v1", evidence.StatusDone, 1), without(evidence.StatusDone), verdict.Inconclusive},
		{"the last old reply comes within what is allowed", verdict.MaxStatusGap(91 * ms), none, verdict.Pass},
		{"the last old reply comes later", verdict.MaxStatusGap(90 * ms), none, verdict.Fail},
		{"clocks cannot tell whether it does", verdict.MaxStatusGap(91 * ms), skewed(0, 2*ms), verdict.Inconclusive},
		{"the old version never answers", verdict.MaxStatusGap(91 * ms),
			all(answering("worker-fresh", "v2"), answering("worker-reused", "v2")), verdict.Inconclusive},
	})
}

func TestRulesAboutConnectionsToOldPods(t *testing.T) {
	lefts := all(with(pod(700, evidence.EndpointGone, "v1", "a")), with(pod(850, evidence.EndpointGone, "v1", "b")))
	connected := on("worker-reused", func(h *evidence.Hit) { h.LocalPort, h.Reused, h.By.Version, h.By.Pod = 7, h.Seq > 0, "v1", "b" })
	checkOutcomes(t, []outcomeRow{
		{"of two pods one is sent its last connection soon enough", verdict.MostDrainLags(50, 100*ms), lefts, verdict.Pass},
		{"of two pods not both are", verdict.MostDrainLags(51, 100*ms), lefts, verdict.Fail},
		{"clocks cannot tell of the second", verdict.MostDrainLags(51, 140*ms), all(lefts, skewed(0, 2*ms)), verdict.Inconclusive},
		{"no old pod left", verdict.MostDrainLags(50, 100*ms), none, verdict.Inconclusive},
		{"a new connection leads to a pod that left", verdict.ReachesTerminating(), lefts, verdict.Pass},
		{"none does", verdict.ReachesTerminating(), with(pod(995, evidence.EndpointGone, "v1", "b")), verdict.Inconclusive},
		{"every new connection goes to the new version soon enough", verdict.MaxSwitch(490 * ms), none, verdict.Pass},
		{"one goes to the old version later", verdict.MaxSwitch(490 * ms), answering("worker-fresh", "v1", 120), verdict.Fail},
		{"a kept connection may", verdict.MaxSwitch(490 * ms), answering("worker-reused", "v1", 120), verdict.Pass},
		{"no connection goes to the new version", verdict.MaxSwitch(490 * ms), answering("worker-fresh", "v1"), verdict.Inconclusive},
		{"a connection from before the rollout is used to the end", verdict.KeptConnections("v1"), connected, verdict.Pass},
		{"another pod answers on one", verdict.KeptConnections("v1"), all(connected,
			on("worker-reused", func(h *evidence.Hit) { h.By = evidence.Server{Version: "v2", Pod: "d"} }, from(100, 199)...)), verdict.Fail},
		{"one ends, and another one is opened", verdict.KeptConnections("v1"), all(longer, connected,
			on("worker-reused", func(h *evidence.Hit) { h.LocalPort, h.Reused = 8, h.Seq > 100 }, from(100, 799)...)), verdict.Fail},
		{"there was none before the rollout", verdict.KeptConnections("v1"), none, verdict.Inconclusive},
		{"a pause as long as expected", verdict.Pause(10*ms, 10*ms), none, verdict.Pass},
		{"a pause that is too short", verdict.Pause(11*ms, 20*ms), none, verdict.Fail},
		{"a pause that is too long", verdict.Pause(ms, 9*ms), none, verdict.Fail},
		{"versions that overlap have none", verdict.Pause(0, 20*ms), answering("worker-fresh", "v1", 120), verdict.Fail},
		{"one version has none", verdict.Pause(0, 20*ms), all(answering("worker-fresh", "v2"), answering("worker-reused", "v2")),
			verdict.Inconclusive},
	})
}

// What terminating pods answer, and what is lost when no pod can answer.
func TestRulesAboutTerminatingPods(t *testing.T) {
	// Both old pods are deleted at 0.7 s and get SIGTERM at 0.9 s; the new one is ready at 0.99 s.
	recreated := all(without(evidence.PodReady), without(evidence.PodDeleting), without(evidence.PodGone),
		with(pod(0, evidence.PodReady, "v1", "a")), with(pod(0, evidence.PodReady, "v1", "b")),
		with(pod(700, evidence.PodDeleting, "v1", "a")), with(pod(700, evidence.PodDeleting, "v1", "b")),
		sigterm("a", 900), sigterm("b", 910), exited("a", 905), exited("b", 915), with(pod(990, evidence.PodReady, "v2", "d")))
	outage := all(recreated, breaking("worker-fresh", evidence.Refused, from(90, 98)...),
		breaking("worker-reused", evidence.Refused, from(90, 98)...))
	alone := keeping(nil, func(e evidence.Event) bool { return e.By.Pod != "a" }) // is b
	checkOutcomes(t, []outcomeRow{
		{"terminating pods answer until SIGTERM", verdict.ServesUntilSigterm(), outage, verdict.Pass},
		{"one of their clients is lost before it", verdict.ServesUntilSigterm(), all(outage, breaking("worker-fresh", evidence.Refused, 75)),
			verdict.Fail},
		{"a loss while another pod is ready is not asked for", verdict.ServesUntilSigterm(),
			all(outage, breaking("worker-fresh", evidence.Refused, 60)), verdict.Pass},
		{"clocks cannot tell whether one was sent while another pod was ready", verdict.ServesUntilSigterm(),
			all(outage, breaking("worker-fresh", evidence.Refused, 69), skewed(0, 5*ms)), verdict.Inconclusive},
		{"they are asked only while SIGTERM is about to come", verdict.ServesUntilSigterm(), all(outage, without(evidence.PodDeleting),
			with(pod(810, evidence.PodDeleting, "v1", "a")), with(pod(810, evidence.PodDeleting, "v1", "b"))), verdict.Inconclusive},
		{"other pods were ready all the time", verdict.ServesUntilSigterm(), none, verdict.Inconclusive},
		{"requests are refused while no pod can answer", verdict.LostWhileNoneServes(evidence.Refused), outage, verdict.Pass},
		{"they fail in another way", verdict.LostWhileNoneServes(evidence.Timeout), outage, verdict.Inconclusive},
		{"they fail on one kind of connection", verdict.LostWhileNoneServes(evidence.Refused),
			all(recreated, breaking("worker-fresh", evidence.Refused, from(90, 98)...)), verdict.Inconclusive},
		{"they fail before that", verdict.LostWhileNoneServes(evidence.Refused),
			all(recreated, breaking("worker-fresh", evidence.Refused, 70), breaking("worker-reused", evidence.Refused, 70)), verdict.Inconclusive},
		{"a pod could always answer", verdict.LostWhileNoneServes(evidence.Refused), breaking("worker-fresh", evidence.Refused, 70),
			verdict.Inconclusive},
		{"requests are lost to a pod after its SIGTERM", verdict.LostWhileTerminating(), all(exited("a", 790), sigterm("b", 900),
			breaking("worker-fresh", evidence.Refused, 95), breaking("worker-reused", evidence.Reset, 95)), verdict.Pass},
		{"they are lost to a pod that had ended before its deletion was seen", verdict.LostWhileTerminating(), all(exited("a", 690),
			sigterm("b", 840), exited("b", 845), breaking("worker-fresh", evidence.Refused, 95), breaking("worker-reused", evidence.Reset, 95)),
			verdict.Pass},
		{"they fail before it", verdict.LostWhileTerminating(), all(alone, sigterm("b", 990),
			breaking("worker-fresh", evidence.Refused, 95), breaking("worker-reused", evidence.Reset, 95)), verdict.Inconclusive},
		{"they fail in a way that a pod which is there causes", verdict.LostWhileTerminating(), all(exited("a", 790), sigterm("b", 900),
			breaking("worker-fresh", evidence.BadStatus, 95), breaking("worker-reused", evidence.BadStatus, 95)), verdict.Inconclusive},
		{"they fail over one kind of connection", verdict.LostWhileTerminating(), all(exited("a", 790), sigterm("b", 900),
			breaking("worker-fresh", evidence.Refused, 95)), verdict.Inconclusive},
	})
}

func TestFactAtLeast(t *testing.T) {
	checkOutcomes(t, []outcomeRow{
		{"a number that is large enough", verdict.FactAtLeast("calls", 19), noting("calls", "19 of 20"), verdict.Pass},
		{"a number that is too small", verdict.FactAtLeast("calls", 20), noting("calls", "19 of 20"), verdict.Fail},
		{"no number at all", verdict.FactAtLeast("calls", 1), noting("calls", "most"), verdict.Inconclusive},
		{"a number that nobody found out", verdict.FactAtLeast("calls", 1), none, verdict.Inconclusive},
	})
}

// longer lets the load go on for so long that earlier replies are not in its last seconds.
func longer(ev *recording) {
	without(evidence.LoadEnded)(ev)
	ev.Events = append(ev.Events, mark(8000, evidence.LoadEnded))
	for _, last := range ev.Hits {
		if last.Seq != 199 {
			continue
		}
		for range 600 {
			last.Seq, last.Due, last.Sent = last.Seq+1, last.Due+10*ms, last.Sent+10*ms
			ev.Hits = append(ev.Hits, last)
		}
	}
}
