package mutants

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Recordings with questions of steps, from real clusters in iptables mode.
const (
	absentRecorded  = "suites/testdata/recorded/dataplane-absent"
	gradualRecorded = "suites/testdata/recorded/gradual-full-surge"

	withProxy    = "with-kube-proxy"
	withoutProxy = "without-kube-proxy"
	byOthers     = "by-rules-of-others" // which lead to a pod that is being deleted
	half         = "when-half-of-the-new-pods-are-ready"
)

func askedMutants() []recordedMutant {
	return []recordedMutant{
		{"a question to which a request got no answer", absentRecorded, asking(verdict.AllAnswered(withProxy)),
			askedOf(withProxy, 1, failed), verdict.Fail, "all-answered", nil},
		{"a port that answers without kube-proxy", absentRecorded, asking(verdict.AllFail(withoutProxy)),
			askedOf(withoutProxy, 1, byPod("v2", false)), verdict.Fail, "all-fail", nil},
		{"a version that answers no question", gradualRecorded, asking(verdict.AnsweredBy(half, "v1", "v2")),
			askedOf(half, 30, byPod("v1", false)), verdict.Fail, "answered-by", nil},
		{"a pod that answers half of all questions", gradualRecorded, asking(verdict.EvenTurns(half, 4)),
			askedOf(half, 20, byPod("v1", false)), verdict.Fail, "even-turns", nil},
		{"a pod that is asked once too often", absentRecorded, asking(verdict.EqualTurns(withProxy, 1)),
			askedOf(withProxy, 1, byPod("v2", false)), verdict.Fail, "equal-turns", askedOf(withProxy, 5, byPod("v1", false))},
		{"rules that lead to a ready pod", absentRecorded, asking(verdict.AnsweredByDeleted(byOthers, 5)),
			askedOf(byOthers, 1, byPod("v2", false)), verdict.Fail, "answered-by-deleted", nil},
		{"rules that lead to a pod that is being deleted", absentRecorded, asking(verdict.NotAnsweredByDeleted(byOthers)),
			askedOf(byOthers, 1, byPod("v2", true)), verdict.Fail, "not-answered-by-deleted", askedOf(byOthers, 5, byPod("v2", false))},
		{"a question that nobody answers in time", gradualRecorded, asking(verdict.AnsweredWithin(half, time.Minute, evidence.RolloutBegun)),
			askedOf(half, 30, aMinuteLater), verdict.Fail, "answered-within", nil},
	}
}

// askedOf changes the last n requests of a question.
func askedOf(question string, n int, change func(*recording, *evidence.Hit)) spoil {
	return func(r *recording) {
		for i := len(r.Hits) - 1; i >= 0 && n > 0; i-- {
			if r.Hits[i].Lane == question {
				change(r, &r.Hits[i])
				n--
			}
		}
	}
}

func failed(r *recording, h *evidence.Hit) {
	h.Fault, h.Status, h.By = evidence.Refused, 0, evidence.Server{}
	r.arrivedAt(h)
}

func aMinuteLater(r *recording, h *evidence.Hit) {
	h.Due, h.Sent = h.Due+time.Minute, h.Sent+time.Minute
	r.arrivedAt(h, h.By)
}

// byPod makes a pod of a version answer: one that is deleted in the recording, or one that is not or only later.
func byPod(version string, deleted bool) func(*recording, *evidence.Hit) {
	return func(r *recording, h *evidence.Hit) {
		i := slices.IndexFunc(r.Events, func(e evidence.Event) bool {
			ends := slices.ContainsFunc(r.Events, func(d evidence.Event) bool {
				return d.Kind == evidence.PodDeleting && d.By.Pod == e.By.Pod && d.At < h.Sent
			})
			return e.Kind == evidence.PodReady && e.By.Version == version && ends == deleted
		})
		h.Fault, h.Status, h.By = evidence.NoFault, 200, r.Events[i].By
		r.arrivedAt(h, h.By)
	}
}
