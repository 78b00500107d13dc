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

// drainsSeen are the old pods, by node with clients, to which a request could still have been sent too late.
func drainsSeen(a asked) int { return a.tl.SentAfterDrain(a.Max) }

// followed are rows of lags behind the endpoints. A node's rules follow one as soon as its kube-proxy is told, and runs.
func (a asked) followed(lags []timeline.PodLag, open bool) []lasting {
	left, rows := a.tl.EndpointsLeft(), podLags(lags, open)
	for i, l := range rows {
		rows[i].breaches = []Breach{{Kind: ALag, In: timeline.Window{From: left[l.pod], To: left[l.pod] + l.Length}, Late: l.Length - a.Max,
			By: []timeline.Actor{{Program: timeline.APIServer}, {Node: l.node, Program: timeline.KubeProxy}}}}
	}
	return rows
}

// podLags are rows of lags.
func podLags(lags []timeline.PodLag, open bool) (rows []lasting) {
	for _, l := range lags {
		rows = append(rows, lasting{Elapsed: l.Lag, pod: l.Pod, node: l.Node, open: open})
	}
	return rows
}

// RulesBeforeSigterm expects that every node's rules have stopped routing to each old pod before the pod gets
// SIGTERM: from then on no new connection can be lost.
func RulesBeforeSigterm() evidence.Expectation {
	return evidence.Expectation{Rule: rulesBeforeSigterm.ID}
}

const noSigtermMargins = "no old pod was seen both to leave the rules of a node and to get SIGTERM"

var rulesBeforeSigterm = Rule{
	ID: "rules-before-sigterm", Claim: "no node's rules route clients to a pod after its SIGTERM",
	Feature: evidence.NodeRules, ByClients: clientsBeforeSigterm.ID, Unit: pairOfPodAndNode, Untested: noSigtermMargins,
	exposed: sigtermsSeen, needs: sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI, evidence.AboutPodSteps),
	question: bound{
		rows: func(a asked) []lasting {
			stopped, routing := a.tl.RulesAfterSigterm()
			if len(stopped) == 0 {
				return nil
			}
			rows := podLags(routing, true)
			for i := range rows {
				rows[i].whole = true // they may have stopped before SIGTERM, unseen
			}
			return append(rows, podLags(stopped, false)...)
		},
		limits: upTo(-1), measured: "after SIGTERM by",
		says: []string{"rules of {node} stopped routing to {pod} {since} its SIGTERM: new connections may be lost",
			"rules of {node} stopped routing to a pod {since} its SIGTERM: new connections may be lost",
			"a node's rules stopped routing to a pod {since} its SIGTERM: new connections may be lost"},
		before: []string{"rules of {node} stopped routing to {pod} {since} its SIGTERM",
			"rules of {node} stopped routing to a pod {since} its SIGTERM", "a node's rules stopped routing to a pod {since} its SIGTERM"},
		open: []string{"rules of {node} still routed to {pod} when they were seen last"},
	},
}

// sigtermsSeen are the pairs of which both the end of the rules and SIGTERM are known, or that the rules did not end.
func sigtermsSeen(a asked) int {
	stopped, _ := a.tl.RulesAfterSigterm()
	return len(stopped) + len(a.tl.StillRouted())
}

// ClientsBeforeSigterm expects that from no node a request is sent over a new connection to an old pod after its SIGTERM. It is weaker
// than RulesBeforeSigterm, in whose place it judges where rules cannot be read: a rule that no request went by is not seen.
func ClientsBeforeSigterm() evidence.Expectation {
	return evidence.Expectation{Rule: clientsBeforeSigterm.ID}
}

var clientsBeforeSigterm = Rule{
	ID: "clients-before-sigterm", Claim: "no client in the cluster is sent to a pod after its SIGTERM",
	Lanes: RoutedLanes, Unit: pairOfPodAndNode,
	Untested: "no old pod was both sent new connections from pods and seen to get SIGTERM",
	exposed:  func(a asked) int { return len(a.tl.ClientsAfterSigterm()) },
	needs:    sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI, evidence.AboutPodSteps),
	question: bound{
		rows:   func(a asked) []lasting { return podLags(a.tl.ClientsAfterSigterm(), false) },
		limits: upTo(-1), measured: "after SIGTERM by",
		says: []string{"the last new connection from {node} to {pod} was opened {since} its SIGTERM",
			"the last new connection to an old pod was opened {since} its SIGTERM"},
	},
}

// MaxRuleLag expects that every node's rules have stopped routing to every old pod no later than d after its
// endpoint was seen leaving ready.
func MaxRuleLag(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxRuleLag.ID, Max: d}
}

var maxRuleLag = Rule{
	ID: "max-rule-lag", Claim: "no node's rules route clients to a pod for longer than allowed after it left the endpoints",
	Feature: evidence.NodeRules, ByClients: maxDrainLag.ID, BoundsSync: true, Unit: pairOfPodAndNode,
	Untested: "the rules of no node were seen to route to an old pod that left the endpoints",
	exposed:  func(a asked) int { return len(a.tl.RuleLags()) + len(a.tl.StillRouted()) },
	needs:    sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI),
	lack:     unless(func(tl timeline.Timeline) bool { return len(tl.Observed()) > 0 }, "the rules of 0 nodes were observed"),
	question: bound{
		rows: func(a asked) []lasting {
			return append(a.followed(a.tl.RuleLags(), false), a.followed(a.tl.StillRouted(), true)...)
		},
		limits: atMost,
		says: []string{"rules of {node} routed to {pod} until {since} its endpoint left",
			"rules of {node} routed to a pod until {since} its endpoint left", "a node's rules routed to a pod until {since} its endpoint left"},
		open: []string{"rules of {node} still routed to {pod} when last seen, {since} its endpoint left",
			"a node's rules still routed to a pod when last seen, {since} its endpoint left"},
	},
}

// MaxDrainLag expects that no node sends a fresh connection to an old pod later than d after its
// endpoint was seen leaving ready.
func MaxDrainLag(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxDrainLag.ID, Max: d}
}

var maxDrainLag = Rule{
	ID: "max-drain-lag", Claim: "no client in the cluster is sent to a pod for longer than allowed after it left the endpoints",
	Lanes: RoutedLanes, BoundsSync: true, Unit: pairOfPodAndNode,
	Untested: "no client in the cluster sent a request later than {max} after an old pod had left the endpoints",
	exposed:  drainsSeen, needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: bound{
		rows:   func(a asked) []lasting { return a.followed(a.tl.DrainLags(), false) },
		limits: atMost, nothing: "0 requests were sent to an old pod after it left the endpoints",
		says: []string{"{pod} was sent new connections from {node} until {since} its endpoint left",
			"{pod} was sent new connections until {since} its endpoint left", "an old pod was sent new connections until {since} its endpoint left"},
	},
}

// MostDrainLags expects that of the pairs of an old pod and a node percent at least have their last new connection from the node
// to the pod no later than d after the pod's endpoint was seen leaving ready. With 50 that is about the median.
func MostDrainLags(percent int, d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: mostDrainLags.ID, Percent: percent, Max: d}
}

var mostDrainLags = Rule{
	ID: "most-drain-lags", Claim: "most nodes' clients are no longer sent to a pod soon after it left the endpoints",
	Lanes: RoutedLanes, BoundsSync: true, Unit: pairOfPodAndNode,
	Untested: "no request was sent late enough after an old pod had left the endpoints",
	exposed:  drainsSeen, needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	lack: func(a asked) string { return outside("percent", a.Percent, 100) },
	question: part{
		rows: func(a asked) []share {
			lags := a.followed(a.tl.DrainLags(), false)
			pairs := max(len(lags), drainsSeen(a))
			if pairs == 0 {
				return nil
			}
			s := share{got: float64(pairs - len(lags)), of: float64(pairs)} // a pair without a lag had its last connection before
			lengths := make([]time.Duration, pairs-len(lags), pairs)
			for _, l := range lags {
				lengths = append(lengths, l.Length)
				switch within(l.Elapsed, a.Max) {
				case Pass:
					s.got++
				case Inconclusive:
					s.unclear++
				case Fail, Skipped:
					s.breaches = append(s.breaches, l.breaches...)
				}
			}
			slices.Sort(lengths)
			s.facts = []Detail{{"median", phrase.Seconds(timeline.Percentile(lengths, 50))}, {"longest", phrase.Seconds(lengths[len(lengths)-1])}}
			return []share{s}
		},
		limits: atLeastPercent,
		says: func(a asked, s share) string {
			return fmt.Sprintf("%.0f of %s were sent no new connection %s after the pod left", s.got,
				phrase.Count(int(s.of), pairOfPodAndNode), phrase.Duration(a.Max))
		},
	},
}

// ReachesTerminating expects that a new connection from a node leads to an old pod after its endpoint left ready, at least once.
// It never fails: that none did does not show that none can.
func ReachesTerminating() evidence.Expectation {
	return evidence.Expectation{Rule: reachesTerminating.ID}
}

var reachesTerminating = Rule{
	ID: "reaches-terminating", Claim: "new connections still reach a pod after its endpoint is removed",
	Lanes: RoutedLanes, Unit: pairOfPodAndNode, Untested: "no request was sent after an old pod had left the endpoints", Precondition: true,
	exposed: drainsSeen, needs: sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	question: some{
		rows: func(a asked) (f found) {
			var longest timeline.PodLag
			for _, l := range a.tl.DrainLags() {
				if l.Lag.Length-l.Lag.Uncertainty <= 0 {
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
		},
		of: drainsSeen, noun: pairOfPodAndNode, did: "had a new connection led to the pod after it left the endpoints",
	},
}

// RulesBehind expects that a node's rules surely still routed to an old pod after its SIGTERM: else nothing shows what becomes
// of clients whose kube-proxy is behind.
func RulesBehind() evidence.Expectation { return evidence.Expectation{Rule: rulesBehind.ID} }

var rulesBehind = Rule{
	ID: "rules-behind", Claim: "a node's rules still route clients to an old pod after its SIGTERM",
	Feature: evidence.NodeRules, Unit: pairOfPodAndNode, Untested: noSigtermMargins, Precondition: true,
	exposed: sigtermsSeen, needs: sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI, evidence.AboutPodSteps),
	question: some{
		rows: func(a asked) (f found) {
			for _, s := range a.tl.StaleRules() {
				if s.Lag-s.Uncertainty > s.Drain {
					f.count++
					f.facts = []Detail{{"such as", fmt.Sprintf("%s of %s for %s", s.Pod, s.Node, phrase.Duration(s.Length()))}}
				}
			}
			return f
		},
		of: sigtermsSeen, noun: pairOfPodAndNode, did: "had rules that still routed to the pod after its SIGTERM",
	},
}
