package verdict

import (
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

const pairOfPodAndNode = "pair of pod and node"

// drainsSeen counts the pairs of an old pod and a node with clients from which a request could have been sent to the pod too late.
func drainsSeen(a args) int { return a.tl.SentAfterDrain(a.Max) }

// followed returns the rows of lags behind the endpoints. Only the API server and the node's kube-proxy can have caused one.
func (a args) followed(lags []timeline.PodLag, open bool) []row {
	left, rows := a.tl.EndpointsLeft(), podLags(lags, open)
	for i, l := range rows {
		length := l.elapsed().Length
		rows[i].breaches = []Breach{{Kind: ALag, In: timeline.Window{From: left[l.pod].At, To: left[l.pod].At + length}, Late: length - a.Max,
			By: []timeline.Actor{{Program: timeline.APIServer}, {Node: l.node, Program: timeline.KubeProxy}}}}
	}
	return rows
}

// podLags returns the rows of lags. Open ones may have lasted longer.
func podLags(lags []timeline.PodLag, open bool) (rows []row) {
	for _, l := range lags {
		r := row{amount: took(l.Lag), pod: l.Pod, node: l.Node}
		if open {
			r.more = unlimited
		}
		rows = append(rows, r)
	}
	return rows
}

// RulesBeforeSigterm expects that every node's rules have stopped routing to each old pod before the pod gets
// SIGTERM: from then on no new connection can be lost.
func RulesBeforeSigterm() Expectation { return Expectation{Rule: rulesBeforeSigterm.ID} }

var rulesBeforeSigterm = Rule{
	ID: "rules-before-sigterm", Claim: "no node's rules route clients to a pod after its SIGTERM",
	Feature: evidence.NodeRules, ByClients: clientsBeforeSigterm.ID, Unit: pairOfPodAndNode,
	Untested: "no old pod that a node's rules led to was seen to get SIGTERM or to end",
	// That every old pod was seen to leave follows from the mark old-gone: a watch that was away meanwhile has caught up by then.
	exposed: sigtermsSeen, needs: needs{subjects: []evidence.Subject{evidence.AboutNodeRules, evidence.AboutMarks, evidence.AboutPodSteps},
		marks: []evidence.EventKind{evidence.RolloutBegun, evidence.OldGone}},
	question: bound{limits: upTo(-1), measured: "after SIGTERM by",
		says:   "rules of {node} stopped routing to {pod} {since} its SIGTERM: new connections may be lost",
		before: "rules of {node} stopped routing to {pod} {since} its SIGTERM",
		open:   "rules of {node} still routed to {pod} when they were seen last",
		rows: func(a args) []row {
			stopped, routing := a.tl.RulesAfterSigterm()
			rows := podLags(routing, true)
			for i := range rows {
				rows[i].whole = true // they may have stopped before SIGTERM, unseen
			}
			return append(rows, podLags(stopped, false)...)
		}},
}

// sigtermsSeen counts the pairs of a pod and a node for which it is known whether and when the rules ended, and that the pod got SIGTERM
// or has ended.
func sigtermsSeen(a args) int {
	stopped, routing := a.tl.RulesAfterSigterm()
	return len(stopped) + len(routing)
}

// ClientsBeforeSigterm expects that no request is sent from any node over a new connection to an old pod after its SIGTERM. It judges
// instead of RulesBeforeSigterm where rules cannot be read, and is weaker: it does not see a rule that no request used.
func ClientsBeforeSigterm() Expectation { return Expectation{Rule: clientsBeforeSigterm.ID} }

var clientsBeforeSigterm = Rule{
	ID: "clients-before-sigterm", Claim: "no client in the cluster is sent to a pod after its SIGTERM",
	Lanes: RoutedLanes, Unit: pairOfPodAndNode, Untested: "no old pod was both sent new connections from pods and seen to get SIGTERM",
	exposed: func(a args) int { return len(a.tl.ClientsAfterSigterm()) },
	needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI, evidence.AboutPodSteps),
	question: bound{limits: upTo(-1), measured: "after SIGTERM by",
		says: "the last new connection from {node} to {pod} was opened {since} its SIGTERM",
		rows: func(a args) []row { return podLags(a.tl.ClientsAfterSigterm(), false) }},
}

// MaxRuleLag expects that every node's rules have stopped routing to every old pod no later than d after its
// endpoint was seen leaving ready.
func MaxRuleLag(d time.Duration) Expectation { return Expectation{Rule: maxRuleLag.ID, Max: d} }

var maxRuleLag = Rule{
	ID: "max-rule-lag", Claim: "no node's rules route clients to a pod for longer than allowed after it left the endpoints",
	Feature: evidence.NodeRules, ByClients: maxDrainLag.ID, BoundsSync: true, Unit: pairOfPodAndNode,
	Untested: "the rules of no node were seen to route to an old pod that left the endpoints",
	exposed:  func(a args) int { return len(a.tl.RuleLags()) + len(a.tl.StillRouted()) },
	needs:    sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI),
	lack:     unless(func(tl timeline.Timeline) bool { return len(tl.Observed()) > 0 }, "the rules of 0 nodes were observed"),
	question: bound{limits: atMost, says: "rules of {node} routed to {pod} until {since} its endpoint left",
		open: "rules of {node} still routed to {pod} when last seen, {since} its endpoint left",
		rows: func(a args) []row {
			return append(a.followed(a.tl.RuleLags(), false), a.followed(a.tl.StillRouted(), true)...)
		}},
}

// MaxDrainLag expects that no node sends a fresh connection to an old pod later than d after its
// endpoint was seen leaving ready.
func MaxDrainLag(d time.Duration) Expectation { return Expectation{Rule: maxDrainLag.ID, Max: d} }

var maxDrainLag = Rule{
	ID: "max-drain-lag", Claim: "no client in the cluster is sent to a pod for longer than allowed after it left the endpoints",
	Lanes: RoutedLanes, BoundsSync: true, Unit: pairOfPodAndNode,
	Untested: "no client in the cluster sent a request later than {max} after an old pod had left the endpoints", exposed: drainsSeen,
	needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: bound{limits: atMost, nothing: "0 requests were sent to an old pod after it left the endpoints",
		says: "{pod} was sent new connections from {node} until {since} its endpoint left",
		rows: func(a args) []row { return a.followed(a.tl.DrainLags(), false) }},
}

// MostDrainLags expects that at least percent of the pairs of an old pod and a node have their last new connection from the node
// to the pod no later than d after the pod's endpoint was seen leaving ready. With 50 that is about the median.
func MostDrainLags(percent int, d time.Duration) Expectation {
	return Expectation{Rule: mostDrainLags.ID, Percent: percent, Max: d}
}

var mostDrainLags = Rule{
	ID: "most-drain-lags", Claim: "most nodes' clients are no longer sent to a pod soon after it left the endpoints",
	Lanes: RoutedLanes, BoundsSync: true, Unit: pairOfPodAndNode,
	Untested: "no request was sent late enough after an old pod had left the endpoints", exposed: drainsSeen,
	needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	lack:  func(a args) string { return outside("percent", a.Percent, 100) },
	question: bound{in: inShares, limits: atLeastPercent, says: "{got} of {of} were sent no new connection {max} after the pod left",
		rows: func(a args) []row {
			lags := a.followed(a.tl.DrainLags(), false)
			pairs := max(len(lags), drainsSeen(a))
			if pairs == 0 {
				return nil
			}
			kept, unclear := pairs-len(lags), 0 // a pair without a lag had its last connection before
			lengths := make([]time.Duration, kept, pairs)
			var breaches []Breach
			for _, l := range lags {
				lengths = append(lengths, l.elapsed().Length)
				switch atMost(a.Expectation, l).keeps(l.amount) {
				case Pass:
					kept++
				case Inconclusive:
					unclear++
				default:
					breaches = append(breaches, l.breaches...)
				}
			}
			slices.Sort(lengths)
			r := row{amount: portion(kept, pairs), breaches: breaches, facts: []Detail{
				{"median", phrase.Seconds(timeline.Percentile(lengths, 50))}, {"longest", phrase.Seconds(lengths[len(lengths)-1])}}}
			r.more = float64(unclear) / r.of
			return []row{r}
		}},
}

// ReachesTerminating expects that at least one new connection from a node is routed to an old pod after its endpoint left ready.
// It never fails: that none was does not show that none can be.
func ReachesTerminating() Expectation { return Expectation{Rule: reachesTerminating.ID} }

var reachesTerminating = Rule{
	ID: "reaches-terminating", Claim: "new connections still reach a pod after its endpoint is removed",
	Lanes: RoutedLanes, Unit: pairOfPodAndNode, Untested: "no request was sent after an old pod had left the endpoints", Precondition: true,
	exposed: drainsSeen, needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: some{of: drainsSeen, noun: pairOfPodAndNode, did: "had a new connection routed to the pod after its endpoint left",
		rows: func(a args) (f found) {
			var longest timeline.PodLag
			for _, l := range a.tl.DrainLags() {
				if l.Lag.AtMost(0) != timeline.No {
					continue
				}
				if f.count++; l.Lag.Length > longest.Lag.Length {
					longest = l
				}
			}
			if f.count > 0 {
				f.facts = []Detail{{"longest", fmt.Sprintf("%s from %s until %s after it", longest.Pod, longest.Node, phrase.Elapsed(longest.Lag))}}
			}
			f.whole = true // an endpoint that left may have come back unseen
			return f
		}},
}
