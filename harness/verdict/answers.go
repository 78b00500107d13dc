package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// Rules about requests that the steps of a scenario send themselves. Each expectation names one question: the lane of its requests.

const (
	noRequests       = "the steps did not ask that"
	noneOfItAnswered = "no request of the question was answered"
)

// hits lists all requests of a question, by time sent.
func (a args) hits() (hits []timeline.Hit) {
	for _, lane := range a.lanes {
		hits = append(hits, lane.Wanted...)
	}
	return hits
}

func (a args) hitsThat(hold func(timeline.Hit) bool) []timeline.Hit {
	return slices.DeleteFunc(a.hits(), func(h timeline.Hit) bool { return !hold(h) })
}

func stepRequests(a args) int { return len(a.hits()) }

func stepReplies(a args) int { return len(a.hitsThat(answeredWell)) }

func answeredWell(h timeline.Hit) bool { return h.Good() }

// AllAnswered expects that every request of a question gets a good reply.
func AllAnswered(question string) Expectation {
	return Expectation{Rule: allAnswered.ID, Lane: question}
}

var allAnswered = Rule{
	ID: "all-answered", Claim: "every request that steps send for a question is answered",
	Lanes: StepLanes, Unit: "request", Untested: noRequests, exposed: stepRequests, needs: seeing(evidence.AboutFailures),
	question: none{rows: func(a args) found { return a.foundFailed(a.hitsThat(timeline.Hit.Failed)) }, of: stepRequests, did: "failed",
		all: "{were} answered"},
}

// AllFail expects that every request of a question fails with one of the faults; with any if none is named.
func AllFail(question string, kinds ...evidence.Fault) Expectation {
	return Expectation{Rule: allFail.ID, Lane: question, Values: named(kinds)}
}

var allFail = Rule{
	ID: "all-fail", Claim: "every request that steps send for a question fails, in the way expected",
	Lanes: StepLanes, Unit: "request", Untested: noRequests, exposed: stepRequests, needs: seeing(evidence.AboutFailures),
	question: none{of: stepRequests, did: "did not fail{ways}", all: "failed{ways}", rows: func(a args) found {
		f := foundHits(a.hitsThat(func(h timeline.Hit) bool { return !a.failsAsNamed(h) }))
		f.facts = []Detail{{"failed", kinds(a.hitsThat(timeline.Hit.Failed))}}
		return f
	}},
}

// failsAsNamed reports whether a request failed with one of the faults that the expectation names; with any if it names none.
func (a args) failsAsNamed(h timeline.Hit) bool {
	return h.Failed() && (len(a.Values) == 0 || slices.Contains(a.Values, string(h.Fault)))
}

// AnsweredBy expects that the good replies to a question are by these versions, at least one by each, and by no other.
func AnsweredBy(question string, versions ...string) Expectation {
	return Expectation{Rule: answeredBy.ID, Lane: question, Versions: versions}
}

var answeredBy = Rule{
	ID: "answered-by", Claim: "the requests that steps send for a question are answered by every version expected and by no other",
	Lanes: StepLanes, Unit: "reply", Untested: noRequests, exposed: stepReplies, needs: seeing(evidence.AboutReplies),
	question: split{by: func(a args) map[string]int {
		return counts(a.hitsThat(answeredWell), func(h timeline.Hit) string { return h.By.Version })
	},
		fits: func(a args, by map[string]int) bool { return slices.Equal(slices.Sorted(maps.Keys(by)), a.Versions) },
		says: func(a args, by map[string]int) string {
			return fmt.Sprintf("%s were by %s, expected %s", phrase.Count(stepReplies(a), "reply"),
				cmp.Or(strings.Join(slices.Sorted(maps.Keys(by)), " and "), "no version"), strings.Join(a.Versions, " and "))
		}},
}

// EvenTurns expects that each of so many pods gets an equal share of a question's requests, as independent draws give it: within as many
// standard deviations as [Share] allows. Requests that fail with one of the faults are the share of one pod, which does not listen.
func EvenTurns(question string, pods int, kinds ...evidence.Fault) Expectation {
	return turnsOf(evenTurns.ID, question, pods, kinds)
}

// EqualTurns expects that all of so many pods get the same number of a question's requests. Requests that fail with one of the faults
// are the share of one pod, which does not listen.
func EqualTurns(question string, pods int, kinds ...evidence.Fault) Expectation {
	return turnsOf(equalTurns.ID, question, pods, kinds)
}

func turnsOf(rule, question string, pods int, kinds []evidence.Fault) Expectation {
	x := AllFail(question, kinds...)
	x.Rule, x.Count = rule, pods
	return x
}

var (
	evenTurns = turns("even-turns",
		"the requests that steps send for a question are spread over all expected pods, as evenly as chance allows",
		func(n, pods float64) float64 { return shareDeviations * math.Sqrt(n/pods*(1-1/pods)) })
	equalTurns = turns("equal-turns", "the requests that steps send for a question are given to all expected pods in turn",
		func(float64, float64) float64 { return 0 })
)

// turns returns a rule that allows each pod's share of n requests to be off from the mean by what off returns.
func turns(id, claim string, off func(n, pods float64) float64) Rule {
	return Rule{
		ID: id, Claim: claim,
		Lanes: StepLanes, Unit: "request", Untested: noRequests, exposed: stepRequests,
		needs: seeing(evidence.AboutReplies, evidence.AboutFailures),
		question: split{
			by: func(a args) map[string]int {
				return counts(a.hits(), func(h timeline.Hit) string {
					switch {
					case h.Good():
						return h.By.Pod
					case len(a.Values) > 0 && a.failsAsNamed(h):
						return strings.Join(a.Values, " or ")
					default:
						return "failed otherwise"
					}
				})
			},
			fits: func(a args, by map[string]int) bool {
				n, pods := float64(stepRequests(a)), float64(a.Count)
				for _, got := range by {
					if math.Abs(float64(got)-n/pods) > off(n, pods) {
						return false
					}
				}
				return len(by) == a.Count && by["failed otherwise"] == 0
			},
			says: func(a args, by map[string]int) string {
				shares := slices.Sorted(maps.Values(by))
				return fmt.Sprintf("%s had the shares %s, expected those of %s", phrase.Count(stepRequests(a), "request"),
					strings.Trim(fmt.Sprint(shares), "[]"), phrase.Count(a.Count, "pod"))
			}},
	}
}

// split is the question to how many hits each pod or version got.
type split struct {
	by   func(args) map[string]int
	fits func(args, map[string]int) bool
	says func(args, map[string]int) string
}

func (q split) answer(a args) Finding {
	if stepRequests(a) == 0 {
		return Finding{}
	}
	by := q.by(a)
	f := Finding{Outcome: Fail, Witnesses: witnesses(a.hits())}
	if q.fits(a, by) {
		f = Finding{Outcome: Pass}
	}
	return f.withTexts([]string{q.says(a, by)}, Detail{"each", mostFirst("%s %d", by)})
}

// AnsweredByDeleted expects that at least n requests of a question are answered by a pod that was being deleted when they were sent.
func AnsweredByDeleted(question string, n int) Expectation {
	return Expectation{Rule: answeredByDeleted.ID, Lane: question, Count: n}
}

var answeredByDeleted = Rule{
	ID: "answered-by-deleted", Claim: "requests that steps send for a question are answered by pods that are being deleted",
	Lanes: StepLanes, Unit: "request", Untested: noRequests, exposed: stepRequests, needs: seeing(evidence.AboutReplies, evidence.AboutAPI),
	question: some{rows: func(a args) found { return foundHits(a.byDeleted(timeline.Yes)) }, of: stepRequests, least: expectedCount,
		unclear: func(a args) int { return len(a.byDeleted(timeline.Unknown)) },
		fails:   true, did: "{were} answered by pods that were being deleted"},
}

// byDeleted lists the requests of a question of which it is so, not so or not known that a pod answered which was being deleted.
func (a args) byDeleted(so timeline.Truth) []timeline.Hit {
	return a.hitsThat(func(h timeline.Hit) bool { return a.tl.ByDeleted(h) == so })
}

// NotAnsweredByDeleted expects that no request of a question is answered by a pod that was being deleted when it was sent.
func NotAnsweredByDeleted(question string) Expectation {
	return Expectation{Rule: notAnsweredByDeleted.ID, Lane: question}
}

var notAnsweredByDeleted = Rule{
	ID: "not-answered-by-deleted", Claim: "no request that steps send for a question is answered by a pod that is being deleted",
	Lanes: StepLanes, Unit: "reply", Untested: noneOfItAnswered, exposed: stepReplies, needs: seeing(evidence.AboutReplies, evidence.AboutAPI),
	question: none{of: stepReplies, did: "{were} by pods that were being deleted", all: "{were} by pods that nobody had deleted",
		rows: func(a args) found {
			f := foundHits(a.byDeleted(timeline.Yes))
			if n := len(a.byDeleted(timeline.Unknown)); n > 0 {
				f.unclear = a.fillOf(n, phrase.Count(n, "request")+
					" {were} sent so shortly before the pod's deletion was reported that it may have been deleted already")
			}
			return f
		}},
}

// AnsweredWithin expects that the first good reply to a question comes no later than d after a mark.
func AnsweredWithin(question string, d time.Duration, mark evidence.EventKind) Expectation {
	return Expectation{Rule: answeredWithin.ID, Lane: question, Max: d, From: mark}
}

var answeredWithin = Rule{
	ID: "answered-within", Claim: "a request that steps send for a question is answered soon after the named moment",
	Lanes: StepLanes, Unit: "request", Untested: noneOfItAnswered, exposed: stepRequests, needs: seeing(evidence.AboutReplies),
	question: bound{limits: atMost, measured: "took", says: "the first reply came {since} {from}", rows: func(a args) []row {
		from := a.at(a.From)
		good := a.hitsThat(answeredWell)
		if len(good) == 0 {
			return nil
		}
		length := good[0].End() - from
		return []row{{amount: took(timeline.Elapsed{Length: length}), hits: good[:1], breaches: a.lateSince(from, length)}}
	}},
}
