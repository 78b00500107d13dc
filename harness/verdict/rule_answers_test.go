package verdict_test

import (
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// reportsLate lets the API server take some milliseconds to answer at a moment, by which its watches may be late.
func reportsLate(at, by int) edit {
	return with(evidence.Event{At: time.Duration(at) * ms, Kind: evidence.APIAnswered, Count: by})
}

// asked lets steps ask a question from so many milliseconds on, every 10 ms, over new connections: each outcome is the pod that answers,
// or the fault of the request.
func asked(question string, at int, outcomes ...string) edit {
	return func(ev *recording) {
		ev.Run.Lanes = append(ev.Run.Lanes, evidence.Lane{ID: question, Vantage: evidence.FromHost, Conn: evidence.Fresh, Steps: true})
		for i, outcome := range outcomes {
			sent := time.Duration(at+10*i) * ms
			h := evidence.Hit{Lane: question, Seq: uint64(i), Due: sent, Sent: sent, Took: ms, Attempts: 1}
			version := map[string]string{"a": "v1", "b": "v1", "c": "v2", "d": "v2", "echo-v1-a": "v1", "echo-v2-a": "v2"}[outcome]
			if h.Status, h.By = 200, (evidence.Server{Version: version, Pod: outcome}); version == "" {
				h.Status, h.By, h.Fault = 0, evidence.Server{}, evidence.Fault(outcome)
			}
			ev.Hits = append(ev.Hits, h)
		}
	}
}

// times repeats an outcome.
func times(n int, outcome string) (all []string) {
	for range n {
		all = append(all, outcome)
	}
	return all
}

func outcomes(parts ...[]string) (all []string) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// Rules about requests of steps. The deletion of pod a is seen at 700 ms, that of pod b at 850 ms.
var answerRows = []ruleRow{
	{"every request of the steps is answered", verdict.AllAnswered("q"), asked("q", 100, "a", "b"), verdict.Pass},
	{"one is not", verdict.AllAnswered("q"), asked("q", 100, "a", "refused"), verdict.Fail},
	{"that a question was never asked decides nothing", verdict.AllAnswered("q"), asked("another", 100, "a"), verdict.Inconclusive},
	{"a loss of another question does not count", verdict.AllAnswered("q"),
		all(asked("q", 100, "a"), asked("another", 100, "refused")), verdict.Pass},
	{"a loss of steps does not count for the load", verdict.NoFailures(), asked("q", 600, "refused"), verdict.Pass},
	{"nor did they send less than was asked of the load", verdict.FullRate(99), asked("q", 600, "refused"), verdict.Pass},

	{"every request of the steps is refused", verdict.AllFail("q", evidence.Refused, evidence.Reset), asked("q", 100, "refused", "reset"),
		verdict.Pass},
	{"one times out, which is not a refusal", verdict.AllFail("q", evidence.Refused), asked("q", 100, "refused", "timeout"), verdict.Fail},
	{"without a named fault any counts", verdict.AllFail("q"), asked("q", 100, "refused", "timeout"), verdict.Pass},
	{"one is answered", verdict.AllFail("q"), asked("q", 100, "refused", "a"), verdict.Fail},
	{"nothing was asked that could fail", verdict.AllFail("q"), asked("another", 100, "refused"), verdict.Inconclusive},

	{"both versions answer the steps", verdict.AnsweredBy("q", "v1", "v2"), asked("q", 600, "a", "d", "refused"), verdict.Pass},
	{"only one does", verdict.AnsweredBy("q", "v1", "v2"), asked("q", 600, "a", "b"), verdict.Fail},
	{"one does that is not expected", verdict.AnsweredBy("q", "v1"), asked("q", 600, "a", "d"), verdict.Fail},
	{"nobody answers the steps", verdict.AnsweredBy("q", "v1"), asked("q", 600, "refused"), verdict.Fail},
	{"the question was not asked", verdict.AnsweredBy("q", "v1"), none, verdict.Inconclusive},

	{"three pods have shares as even as chance allows", verdict.EvenTurns("q", 3),
		asked("q", 100, outcomes(times(5, "a"), times(8, "b"), times(17, "c"))...), verdict.Pass},
	{"one pod has more than chance explains", verdict.EvenTurns("q", 3),
		asked("q", 100, outcomes(times(1, "a"), times(5, "b"), times(24, "c"))...), verdict.Fail},
	{"one pod has no share", verdict.EvenTurns("q", 3), asked("q", 100, outcomes(times(15, "a"), times(15, "b"))...), verdict.Fail},
	{"refused requests are the share of the pod that does not listen", verdict.EvenTurns("q", 3, evidence.Refused, evidence.Reset),
		asked("q", 100, outcomes(times(9, "a"), times(11, "b"), times(6, "refused"), times(4, "reset"))...), verdict.Pass},
	{"requests with another fault are not the pod's share", verdict.EvenTurns("q", 3, evidence.Refused),
		asked("q", 100, outcomes(times(9, "a"), times(11, "b"), times(10, "timeout"))...), verdict.Fail},
	{"shares of a question that was not asked", verdict.EvenTurns("q", 3), none, verdict.Inconclusive},

	{"three pods take turns", verdict.EqualTurns("q", 3), asked("q", 100, "a", "b", "c", "a", "b", "c"), verdict.Pass},
	{"chance is no turns", verdict.EqualTurns("q", 3), asked("q", 100, "a", "b", "c", "a", "b", "b"), verdict.Fail},

	{"a pod answers when its deletion was seen", verdict.AnsweredByDeleted("q", 1), asked("q", 690, "a", "a", "d"), verdict.Pass},
	{"fewer such replies than expected", verdict.AnsweredByDeleted("q", 2), asked("q", 690, "a", "a", "d"), verdict.Fail},
	{"the pods that answer are not being deleted yet", verdict.AnsweredByDeleted("q", 1), asked("q", 100, "a", "b"), verdict.Fail},
	{"a request was sent shortly before the deletion was reported, and reports may be late", verdict.AnsweredByDeleted("q", 2),
		all(asked("q", 695, "a", "a"), reportsLate(700, 10)), verdict.Inconclusive},
	{"a request was sent before the deletion was reported, by more than reports are late", verdict.AnsweredByDeleted("q", 2),
		all(asked("q", 695, "a", "a"), reportsLate(700, 4)), verdict.Fail},
	{"the EndpointSlice lists a pod as terminating before its own watch reports the deletion", verdict.AnsweredByDeleted("q", 2),
		all(asked("q", 695, "a", "a"), with(pod(694, evidence.EndpointNotReady, "v1", "a")),
			with(pod(694, evidence.EndpointTerminating, "v1", "a"))), verdict.Pass},
	{"an endpoint that is not ready shows no deletion", verdict.AnsweredByDeleted("q", 2),
		all(asked("q", 695, "a", "a"), with(pod(694, evidence.EndpointNotReady, "v1", "a"))), verdict.Fail},
	{"without a reply there is none by a deleted pod", verdict.AnsweredByDeleted("q", 1), none, verdict.Inconclusive},

	{"the pods that answer stay", verdict.NotAnsweredByDeleted("q"), asked("q", 900, "c", "d", "refused"), verdict.Pass},
	{"a deleted pod still answers", verdict.NotAnsweredByDeleted("q"), asked("q", 900, "c", "b"), verdict.Fail},
	{"a pod answers shortly before its deletion was reported, and reports may be late", verdict.NotAnsweredByDeleted("q"),
		all(asked("q", 845, "b"), reportsLate(850, 10)), verdict.Inconclusive},
	{"a pod answers before its deletion was reported, by more than reports are late", verdict.NotAnsweredByDeleted("q"),
		all(asked("q", 845, "b"), reportsLate(850, 4)), verdict.Pass},
	{"no reply shows where requests go", verdict.NotAnsweredByDeleted("q"), asked("q", 900, "refused"), verdict.Inconclusive},

	{"the first reply comes soon", verdict.AnsweredWithin("q", 100*ms, evidence.RolloutBegun), asked("q", 520, "refused", "a", "refused"),
		verdict.Pass},
	{"the first reply comes late", verdict.AnsweredWithin("q", 100*ms, evidence.RolloutBegun),
		asked("q", 580, "refused", "refused", "refused", "a"), verdict.Fail},
	{"there is no reply", verdict.AnsweredWithin("q", 100*ms, evidence.RolloutBegun), asked("q", 580, "refused"), verdict.Inconclusive},
}

func drawAnswerRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of answers")
	asked("q", r.pick(4000), drawAnswers(r)...)(&d.recording)
	return []evidence.Expectation{
		verdict.AllAnswered("q"), verdict.AllFail("q", evidence.Refused), verdict.AnsweredBy("q", "v1"), verdict.EvenTurns("q", 2),
		verdict.EqualTurns("q", 2, evidence.Refused), verdict.AnsweredByDeleted("q", 1), verdict.NotAnsweredByDeleted("q"),
		verdict.AnsweredWithin("q", time.Second, evidence.RolloutBegun),
	}
}

// drawAnswers draws the outcomes of at most 20 requests of steps: by pods in turn, or by random pods.
func drawAnswers(r random) (outcomes []string) {
	who := [][]string{{"echo-v1-a", "b"}, {"echo-v1-a", "refused"}, {"refused"}, {"echo-v1-a", "echo-v2-a"}, {"c", "timeout"}}[r.pick(5)]
	turns := r.chance(50)
	for i := range 2 * r.pick(11) {
		if !turns {
			i = r.pick(len(who))
		}
		outcomes = append(outcomes, who[i%len(who)])
	}
	return outcomes
}
