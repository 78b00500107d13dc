package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// A Rule is one thing that can be expected of a rollout. In this package each rule is a variable below the constructor of its
// expectations.
type Rule struct {
	ID      string // kebab-case, permanent: to change what a rule means, add another
	Claim   string // one sentence in the present tense, about clients
	Feature string // the feature of the cluster that it needs, such as [evidence.NodeRules]; empty: none
	Lanes   Lanes  // the lanes that it looks at
	// ByClients is the rule that judges instead where the nodes' rules cannot be read; empty: none can.
	ByClients string

	Unit     string // of the exposure, in the singular, such as "request"
	Untested string // why it was not tested, such as "no request was sent later than {max} after {from}", see fill
	// Precondition says that the rule is about whether the others could have seen anything: it never fails, and another
	// recording may meet it.
	Precondition bool
	// BoundsSync says that the expectation limits how soon kube-proxy writes the nodes' rules.
	BoundsSync bool
	// bySending says that the rule sees a client only when it sends a request, and so no outage between two requests.
	bySending bool
	// anyLoss says that one failed request is enough for the rule to fail.
	anyLoss bool

	// exposed counts what the rule was tested on, in its unit, whatever the outcome: see [Exposure].
	exposed func(args) int
	// marks lists the marks that it cannot judge without, beside those of the expectation.
	marks []evidence.EventKind
	// lack returns what else is missing for a judgement, or wrong with the expectation; empty: nothing. It may be nil.
	lack func(args) string
	// needs says which other parts of the recording it uses. Distrust of the rest does not change its findings.
	needs    needs
	question question
}

// An Expectation is a rule that a scenario expects to hold, with its parameters.
type Expectation = evidence.Expectation

// rules lists all rules. Where several findings decide a verdict, its headline is that of the rule that comes first here.
var rules = []Rule{
	noFailures, recoversWithin, noLostReplies, noHiddenRetries, ledger, servesUntilSigterm,
	damageSeen, lostWhileTerminating, lostWhileNoneServes, lostWhileStarting, lostTo, minTerminationsLost,
	cutAsPredicted, maxOutage, maxFailedShare, lostShare, minOutage, replyGap, lossesAtSteps, lostAtSteps, pause,
	noSlowReplies, maxLatency, maxP99,
	rulesBeforeSigterm, clientsBeforeSigterm, maxRuleLag, maxDrainLag, mostDrainLags,
	minAvailable, maxPods, scaling, maxActive, oldAtStatus, answersAfter, maxStatusGap, doneAfter, oldEndsFirst, versionsOverlap, between,
	maxCuts, cutAgain, toldBeforeEnd, backWithin, endedByKill, maxConnectionShare, minConnectionShare,
	keptConnections, maxSwitch, onlyServes, onlyServesAfter, serves, stillServes, shareOfReplies,
	mixes, cleanCut, maxMixedWindow, minMixedWindow,
	allAnswered, allFail, answeredBy, evenTurns, equalTurns, answeredByDeleted, notAnsweredByDeleted, answeredWithin,
	fact, factAtLeast, factWithin, noted,
	sentWhileTerminating, reachesTerminating, bothOrders, stepInRollout, minTerminations,
	fullRate, somethingChanged, sentInMaintenance,
}

// Rules lists every rule, always in this order.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf returns the rule with an id, if this build knows one.
func RuleOf(id string) (Rule, bool) {
	if i := rank(id); i < len(rules) {
		return rules[i], true
	}
	return Rule{}, false
}

// rank returns the place of a rule in rules; an unknown one comes last.
func rank(id string) int {
	if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return i
	}
	return len(rules)
}

// IsPrecondition reports whether an expectation can never fail: its rule is a precondition, and it is not certain to be met.
func IsPrecondition(x Expectation) bool {
	rule, _ := RuleOf(x.Rule)
	return rule.Precondition && !x.Certain
}

// Lanes names the kinds of lanes that a rule looks at.
type Lanes string

// The lanes of rules, as the table of rules names them.
const (
	NoLanes        Lanes = "" // the rule looks only at what the cluster did
	AllLanes       Lanes = "all lanes, control lanes included"
	ServiceLanes   Lanes = "lanes through the Service"
	KeepAliveLanes Lanes = "keep-alive lanes through the Service"
	RetryLanes     Lanes = "lanes through the Service whose client does not resend"
	DamageLanes    Lanes = "lanes from pods whose client does not resend"
	StepLanes      Lanes = "requests that steps send"
	RoutedLanes    Lanes = "lanes from pods with a new connection per request"
)

var laneKinds = map[Lanes]func(evidence.LaneKind) bool{
	NoLanes:        func(evidence.LaneKind) bool { return false },
	AllLanes:       func(k evidence.LaneKind) bool { return !k.Steps },
	ServiceLanes:   evidence.LaneKind.RequestsApp,
	KeepAliveLanes: func(k evidence.LaneKind) bool { return k.RequestsApp() && k.KeepsAlive() },
	RetryLanes:     evidence.LaneKind.ShowsRetries,
	DamageLanes:    evidence.LaneKind.ShowsDamage,
	StepLanes:      func(k evidence.LaneKind) bool { return k.Steps },
	RoutedLanes:    evidence.LaneKind.FollowsRules,
}

func (l Lanes) of(x Expectation, tl timeline.Timeline) []timeline.Lane {
	return slices.DeleteFunc(tl.LanesWhere(laneKinds[l]), func(lane timeline.Lane) bool {
		return x.Conn != "" && lane.Conn != x.Conn || x.Lane != "" && lane.ID != x.Lane || x.Kind != "" && lane.Kind().Name != x.Kind ||
			x.Nodes != "" && tl.OnDisrupted(lane) != (x.Nodes == evidence.DisruptedNodes)
	})
}
