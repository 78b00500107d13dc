package verdict

import (
	"fmt"
	"math"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// SentInMaintenance expects that every client sends at least three requests in any time as long as the shortest outage that has to be seen,
// throughout the maintenance. Agents may be away then, which is not a reason for distrust.
func SentInMaintenance(outage time.Duration) Expectation {
	return Expectation{Rule: sentInMaintenance.ID, Max: outage}
}

// perOutage is how many requests it takes to measure an outage. The length is wrong by one period either way, see [timeline.Gap]: with
// three, by a third of what is allowed.
const perOutage = 3

var sentInMaintenance = Rule{
	ID: "sent-in-maintenance", Claim: "every client sends requests throughout maintenance, often enough to see an outage",
	Lanes: ServiceLanes, Unit: "lane", Untested: "the run has no lane through the Service",
	exposed: func(a args) int { return len(a.lanes) }, needs: seeing(),
	lack: unless(func(tl timeline.Timeline) bool {
		_, ok := tl.Maintenance()
		return ok
	}, markMissing(evidence.DisruptionUndone)),
	question: bound{limits: thrice, measured: "between requests", says: "clients sent a request every {length} of maintenance or more often",
		rows: func(a args) (rows []row) {
			window, _ := a.tl.Maintenance()
			for _, w := range timeline.Silences(a.lanes, window) {
				rows = append(rows, row{amount: took(timeline.Elapsed{Length: w.Length()}), from: w.From})
			}
			for _, lane := range a.lanes { // n requests split the window into n+1 parts
				n := lane.Summary.InMaintenance
				rows = append(rows, row{amount: took(timeline.Elapsed{Length: window.Length() / time.Duration(n+1)}), lane: lane.ID,
					facts: []Detail{{"sent", fmt.Sprintf("%s in %s", phrase.Count(n, "request"), phrase.Duration(window.Length()))}}})
			}
			return rows
		},
		showsNothing: func(a args, worst row, _ []row) string {
			sent := "no client sent a request for {length} of maintenance, from {at} on"
			if worst.lane != "" {
				sent = "{lane} sent " + worst.facts[0].Value + " of maintenance"
			}
			return worst.fill(a, fmt.Sprintf("too few: %s; %v requests/s would do, %d in each {max}", sent,
				math.Ceil(perOutage*10/a.Max.Seconds())/10, perOutage))
		}},
}

func thrice(x Expectation, _ row) limits {
	return limits{-unlimited, float64(x.Max / perOutage)}
}

// SomethingChanged expects that the recording shows at least one effect of what was done, on what the app's clients depend on: its pods,
// endpoints, workload or Service, a node of theirs, or their replies. A command that returns before anything happens costs no client a
// request.
func SomethingChanged() Expectation { return Expectation{Rule: somethingChanged.ID} }

var somethingChanged = Rule{
	ID: "something-changed", Claim: "the recording shows that something was done",
	Unit: "change", Precondition: true, Untested: "nothing changed", exposed: changes, marks: []evidence.EventKind{evidence.DisruptionBegun},
	needs: seeing(evidence.AboutAPI), lack: unchanged,
	question: some{rows: func(a args) found { return found{count: changes(a), whole: true} }, did: "of what clients depend on {were} seen"},
}

// changes counts the changes of what clients depend on that were seen after something was done.
func changes(a args) int {
	return a.tl.ChangesSince(a.at(evidence.DisruptionBegun))
}

// unchanged says that nothing changed, and what was seen instead; empty if something did.
func unchanged(a args) (lack string) {
	if changes(a) > 0 {
		return ""
	}
	if exit, ok := a.tl.Fact(evidence.CommandExit); ok && exit.Detail != "0" {
		lack = "the command failed with exit code " + exit.Detail + "; "
	}
	before, underWay := a.tl.Fact(evidence.RolloutUnderWay)
	switch {
	case a.tl.HostAlone:
		return lack + "no cluster was watched, and replies show no change: say where they name their version, " +
			"or give an --until that fails at first"
	case a.tl.Unwatched:
		return lack + "the app's pods were not watched, and replies show no change"
	case underWay:
		return lack + "a rollout was under way before, which may have made every change that was seen: " + before.Detail
	}
	lack += "no sign of what was done"
	if budgets := a.tl.Blocking(); len(budgets) > 0 {
		lack += ", since no pod of the app may be evicted, by PodDisruptionBudget " + enumerate(budgets)
	}
	if a.tl.OnDelete {
		lack += ", since the update strategy OnDelete replaces no pod by itself"
	}
	lack += ": the app's pods, endpoints and workload, and nodes of theirs and of clients, stayed as they were"
	if others := a.tl.OthersSince(a.at(evidence.DisruptionBegun)); len(others) > 0 {
		lack += "; only " + enumerate(others)
	}
	return lack
}
