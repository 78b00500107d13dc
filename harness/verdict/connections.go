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

// Rules about the connections that clients keep, each a row of the recording. A connection is cut if its server or the network ends it,
// tells its client to go, or leaves a request without a reply for as long as the client waits: its client would have kept it.

const (
	noneCut  = "no connection was cut since the rollout began"
	noneKept = "no connection was open when the load ended"
)

// unnoted returns what a recording of an earlier build lacks.
func unnoted(a args) string {
	for _, lane := range a.lanes {
		for _, c := range lane.Connections {
			if c.Number == 0 {
				return "connections of " + lane.ID + " have no rows: an earlier build of Rollcall recorded it"
			}
		}
	}
	return ""
}

// inSlots returns a lane's connections by the place that they had among those it keeps, in the order in which they were opened.
func inSlots(lane timeline.Lane) (slots [][]timeline.Connection) {
	by := map[int][]timeline.Connection{}
	for _, c := range lane.Connections {
		by[c.Slot] = append(by[c.Slot], c)
	}
	for _, slot := range slices.Sorted(maps.Keys(by)) {
		slots = append(slots, by[slot])
	}
	return slots
}

// cut reports whether a lane's connection was cut since the rollout began.
func (a args) cut(lane timeline.Lane, c timeline.Connection) bool {
	begun, ok := a.tl.Mark(evidence.RolloutBegun)
	return ok && c.Cut() && lane.SentAfter(c.Ended, begun).Length >= 0
}

func (a args) cuts() (n int) {
	return a.perLane(func(lane timeline.Lane) (n int) {
		for _, c := range lane.Connections {
			if a.cut(lane, c) {
				n++
			}
		}
		return n
	})
}

// MaxCuts expects that since the rollout began no connection, with those that replaced it, was cut more than n times.
func MaxCuts(n int) Expectation { return Expectation{Rule: maxCuts.ID, Count: n} }

var maxCuts = Rule{
	ID: "max-cuts", Claim: "no connection that a client keeps is cut more often than allowed, with those that replace it",
	Lanes: KeepAliveLanes, Unit: "connection", Untested: "no lane kept a connection", lack: unnoted, needs: underLoad(evidence.AboutReplies),
	exposed: keptPlaces,
	question: bound{in: inNumbers, limits: atMostCount, says: "{got} cuts of one connection of {lane}", rows: func(a args) (rows []row) {
		for _, lane := range a.lanes {
			for _, slot := range inSlots(lane) {
				n := float64(len(slices.DeleteFunc(slot, func(c timeline.Connection) bool { return !a.cut(lane, c) })))
				rows = append(rows, row{amount: amount{value: n, got: n}, lane: lane.ID})
			}
		}
		return rows
	}},
}

// CutAgain expects that since the rollout began at least n connections, with those that replaced them, were cut more than once.
func CutAgain(n int) Expectation { return Expectation{Rule: cutAgain.ID, Count: n} }

var cutAgain = Rule{
	ID: "cut-again", Claim: "connections that clients keep are cut again, since the pods that they went to end too",
	Lanes: KeepAliveLanes, Unit: "connection", Untested: "no lane kept a connection", lack: unnoted, needs: underLoad(evidence.AboutReplies),
	exposed: keptPlaces,
	question: some{of: keptPlaces, did: "{were} cut more than once", least: expectedCount, fails: true, rows: func(a args) found {
		count := a.perLane(func(lane timeline.Lane) (n int) {
			for _, slot := range inSlots(lane) {
				n += oneIf(len(slices.DeleteFunc(slot, func(c timeline.Connection) bool { return !a.cut(lane, c) })) > 1)
			}
			return n
		})
		return found{count: count, facts: []Detail{{"cuts in all", phrase.Number(a.cuts())}}}
	}},
}

func keptPlaces(a args) int {
	return a.perLane(func(lane timeline.Lane) int { return len(inSlots(lane)) })
}

// ToldBeforeEnd expects that the client of every connection that was cut since the rollout began was told to go before it ended. Over
// HTTP/1.1 that is a reply with `Connection: close`; a connection that the server closes while it is idle ends without.
func ToldBeforeEnd() Expectation { return Expectation{Rule: toldBeforeEnd.ID} }

var toldBeforeEnd = Rule{
	ID: "told-before-end", Claim: "clients are told to go before a connection that they keep ends",
	Lanes: KeepAliveLanes, Unit: "cut connection", Untested: noneCut, lack: unnoted, needs: underLoad(evidence.AboutReplies),
	exposed: args.cuts,
	question: none{of: args.cuts, did: "ended before their client was told to go", rows: func(a args) found {
		return a.foundCut(func(_ timeline.Lane, c timeline.Connection) bool { return c.ToldBy == "" })
	}},
}

// foundCut finds the connections cut since the rollout began that satisfy a condition.
func (a args) foundCut(is func(timeline.Lane, timeline.Connection) bool) (f found) {
	ends, pods := map[string]int{}, map[string]int{}
	for _, lane := range a.lanes {
		for _, c := range lane.Connections {
			if a.cut(lane, c) && is(lane, c) {
				f.count++
				ends[string(c.End)]++
				pods[cmp.Or(podOf(c), "a pod that is not known")]++
			}
		}
	}
	if f.count > 0 {
		f.facts = []Detail{{"ended by", eachCount(ends)}, {"of", eachCount(pods)}}
	}
	return f
}

func eachCount(of map[string]int) string {
	var each []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		each = append(each, fmt.Sprintf("%s %s", name, phrase.Number(of[name])))
	}
	return strings.Join(each, ", ")
}

// podOf returns the name of the pod at the other end, by its first reply or by its node's connection tracking; empty: not known.
func podOf(c timeline.Connection) string { return cmp.Or(c.By.Pod, c.Routed.Pod) }

// BackWithin expects that after each cut since the rollout began the next connection gives its first reply within d.
func BackWithin(d time.Duration) Expectation { return Expectation{Rule: backWithin.ID, Max: d} }

var backWithin = Rule{
	ID: "back-within", Claim: "after a connection that a client keeps was cut, the next one gives a reply soon",
	Lanes: KeepAliveLanes, Unit: "cut connection", Untested: noneCut, lack: unnoted,
	marks: []evidence.EventKind{evidence.LoadEnded}, needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	exposed: args.cuts,
	question: bound{limits: atMost, measured: "back after", says: "{lane} was back {length} after a connection was cut",
		open: "{lane} was not back {length} after a connection was cut, when the load ended",
		rows: func(a args) (rows []row) {
			for _, lane := range a.lanes {
				for _, slot := range inSlots(lane) {
					for i, c := range slot {
						if a.cut(lane, c) {
							rows = append(rows, a.back(lane, c, slot[i+1:]))
						}
					}
				}
			}
			return rows
		}},
}

// back returns the row of a connection that was cut, with those that came after it in its place.
func (a args) back(lane timeline.Lane, c timeline.Connection, after []timeline.Connection) row {
	r := row{lane: lane.ID, pod: podOf(c), from: c.Ended}
	for _, next := range after {
		if next.Answered > 0 && next.Replied >= c.Ended {
			r.amount = took(timeline.Elapsed{Length: next.Replied - c.Ended})
			return r
		}
	}
	left := lane.SentAfter(c.Ended, a.at(evidence.LoadEnded))
	r.amount = took(timeline.Elapsed{Length: max(0, -left.Length), Uncertainty: left.Uncertainty})
	r.more = math.Inf(1)
	return r
}

// EndedByKill expects that at least n connections lasted until the process of their pod was killed, and ended by that.
func EndedByKill(n int) Expectation { return Expectation{Rule: endedByKill.ID, Count: n} }

var endedByKill = Rule{
	ID: "ended-by-kill", Claim: "connections that clients keep last until their pod is killed",
	Lanes: KeepAliveLanes, Unit: "cut connection", Untested: noneCut, lack: unnoted,
	needs:   underLoad(evidence.AboutReplies, evidence.AboutPodSteps),
	exposed: args.cuts,
	question: some{of: args.cuts, did: "ended when their pod was killed", least: expectedCount, fails: true, rows: func(a args) found {
		return a.foundCut(func(lane timeline.Lane, c timeline.Connection) bool {
			killed, was := a.tl.Killed(podOf(c))
			return was && c.ToldBy == "" && lane.Time(c.Ended).Since(killed).Length >= 0
		})
	}},
}

// MaxConnectionShare expects that no pod has more than so many percent of the connections that are open when the load ends.
func MaxConnectionShare(percent int) Expectation {
	return Expectation{Rule: maxConnectionShare.ID, Percent: percent}
}

var maxConnectionShare = Rule{
	ID: "max-connection-share", Claim: "after the rollout no pod has more of the connections that clients keep than allowed",
	Lanes: KeepAliveLanes, Unit: "connection", Untested: noneKept, lack: unnoted, needs: underLoad(evidence.AboutReplies),
	exposed:  args.open,
	question: bound{in: inShares, limits: atMostPercent, says: saysConnections, rows: largestShare},
}

// MinConnectionShare expects that the pod with the most connections has at least so many percent of those that are open when the load ends.
func MinConnectionShare(percent int) Expectation {
	return Expectation{Rule: minConnectionShare.ID, Percent: percent}
}

var minConnectionShare = Rule{
	ID: "min-connection-share", Claim: "after the rollout one pod has at least the expected share of the connections that clients keep",
	Lanes: KeepAliveLanes, Unit: "connection", Untested: noneKept, lack: unnoted, needs: underLoad(evidence.AboutReplies),
	exposed:  args.open,
	question: bound{in: inShares, limits: atLeastPercent, says: saysConnections, rows: largestShare},
}

const saysConnections = "{pod} had {got} of {of} when the load ended ({percent})"

func atMostPercent(x Expectation, _ row) limits { return limits{-unlimited, float64(x.Percent) / 100} }

// openAtEnd counts, by pod, the connections that were open when the load ended.
func (a args) openAtEnd() map[string]int {
	pods := map[string]int{}
	for _, lane := range a.lanes {
		for _, slot := range inSlots(lane) {
			if last := slot[len(slot)-1]; !last.Cut() && last.End != evidence.EndAgent && podOf(last) != "" {
				pods[podOf(last)]++
			}
		}
	}
	return pods
}

func (a args) open() (n int) {
	for _, count := range a.openAtEnd() {
		n += count
	}
	return n
}

func largestShare(a args) []row {
	pods, of := a.openAtEnd(), a.open()
	if of == 0 {
		return nil
	}
	most := ""
	for _, pod := range slices.Sorted(maps.Keys(pods)) {
		if pods[pod] > pods[most] {
			most = pod
		}
	}
	return []row{{amount: portion(pods[most], of), pod: most, facts: []Detail{{"connections of", eachCount(pods)}}}}
}
