package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// A Rule is one thing that can be expected of a rollout: a row of the tables in this folder. Above it stands the constructor by which
// scenarios expect it.
type Rule struct {
	ID      string // kebab-case, permanent: to change what a rule means, add another
	Claim   string // one sentence in the present tense, about clients
	Feature string // of the cluster, without which the rule is skipped, such as [evidence.NodeRules]; empty: none
	Lanes   Lanes  // that it looks at
	// ByClients is the rule that judges in its place where the nodes' rules cannot be read; empty: none can.
	ByClients string

	Unit     string // of what the rule is put to, in the singular, such as "request"
	Untested string // why it was not tested, such as "no request was sent later than {max} after {from}", see fill
	// Precondition says that the rule is about whether the others could have seen anything: it is never a failure, and another
	// recording may meet it.
	Precondition bool
	// BoundsSync says that the bound of an expectation is one on how soon kube-proxy writes the nodes' rules.
	BoundsSync bool
	// bySending says that it looks at clients when they send, and so not at what is over sooner than they send again.
	bySending bool
	// anyLoss says that one failure is enough for the rule to fail.
	anyLoss bool

	// exposed counts what the rule was put to, in its unit, whatever became of it.
	exposed func(asked) int
	// marks are those without which it judges nothing, beside those of the expectation.
	marks []evidence.EventKind
	// lack is what else is missing for a judgement, or wrong about the expectation; empty: nothing. A rule without it takes any.
	lack func(asked) string
	// needs are what else of the recording it goes by, so that distrust of anything else leaves its findings as they are.
	needs    needs
	question question
}

// An Expectation is how a scenario expects a rule.
type Expectation = evidence.Expectation

// rules are in the order in which they come first: where several findings decide a verdict, the headline is of the first one here.
var rules = []Rule{
	noFailures, recoversWithin, noLostReplies, noHiddenRetries, servesUntilSigterm,
	damageSeen, lostWhileTerminating, lostWhileNoneServes, lostWhileStarting, minTerminationsLost,
	maxOutage, maxFailedShare, lostShare, minOutage, replyGap, lossesAtSteps, lostAtSteps, pause,
	noSlowReplies, maxLatency, maxP99,
	rulesBeforeSigterm, clientsBeforeSigterm, maxRuleLag, maxDrainLag, mostDrainLags,
	minAvailable, maxPods, scaling, maxActive, oldAtStatus, answersAfter, maxStatusGap, doneAfter, oldEndsFirst, between,
	orderedSwitch, keptConnections, maxSwitch, onlyServes, onlyServesAfter, serves, stillServes, shareOfReplies,
	mixes, cleanCut, maxMixedWindow, minMixedWindow,
	allAnswered, allFail, answeredBy, evenTurns, equalTurns, answeredByDeleted, notAnsweredByDeleted, answeredWithin,
	fact, factAtLeast, factWithin, noted,
	sentWhileTerminating, reachesTerminating, bothOrders, rulesBehind, stepInRollout, minTerminations,
	fullRate, somethingChanged, sentInMaintenance,
}

// Rules lists every rule, always in this order.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf is the rule with an id, if this build knows one.
func RuleOf(id string) (Rule, bool) {
	if i := rank(id); i < len(rules) {
		return rules[i], true
	}
	return Rule{}, false
}

// rank is the place of a rule among all; one that this build does not know comes last.
func rank(id string) int {
	if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return i
	}
	return len(rules)
}

// IsPrecondition reports whether an expectation is never a failure, as that of a precondition which is not certain to be met.
func IsPrecondition(x Expectation) bool {
	rule, _ := RuleOf(x.Rule)
	return rule.Precondition && !x.Certain
}

// Lanes are those that a rule looks at, by what their kind counts for.
type Lanes string

// The lanes of rules, as the table of rules names them.
const (
	NoLanes        Lanes = "" // what the cluster did is enough
	AllLanes       Lanes = "all lanes, control lanes included"
	ServiceLanes   Lanes = "lanes through the Service"
	KeepAliveLanes Lanes = "keep-alive lanes through the Service"
	RetryLanes     Lanes = "lanes through the Service whose client does not resend"
	DamageLanes    Lanes = "lanes from pods whose client does not resend"
	StepLanes      Lanes = "what steps asked"
	RoutedLanes    Lanes = "lanes from pods with a new connection per request"
)

var laneKinds = map[Lanes]func(evidence.LaneKind) bool{
	NoLanes:        func(evidence.LaneKind) bool { return false },
	AllLanes:       func(k evidence.LaneKind) bool { return !k.Steps },
	ServiceLanes:   evidence.LaneKind.AsksApp,
	KeepAliveLanes: func(k evidence.LaneKind) bool { return k.AsksApp() && k.KeepsAlive() },
	RetryLanes:     evidence.LaneKind.ShowsRetries,
	DamageLanes:    evidence.LaneKind.ShowsDamage,
	StepLanes:      func(k evidence.LaneKind) bool { return k.Steps },
	RoutedLanes:    evidence.LaneKind.FollowsRules,
}

// of lists the lanes of a timeline that an expectation is about.
func (l Lanes) of(x Expectation, tl timeline.Timeline) []timeline.Lane {
	return slices.DeleteFunc(tl.LanesWhere(laneKinds[l]), func(lane timeline.Lane) bool {
		return x.Conn != "" && lane.Conn != x.Conn || x.Lane != "" && lane.ID != x.Lane || x.Kind != "" && lane.Kind().Name != x.Kind ||
			x.Nodes != "" && tl.OnDisrupted(lane) != (x.Nodes == evidence.DisruptedNodes)
	})
}
