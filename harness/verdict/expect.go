package verdict

import (
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// Ids of the rules. They are permanent: to change what a rule means, add another.
const (
	noFailures      = "no-failures"
	noLostReplies   = "no-lost-replies"
	noHiddenRetries = "no-hidden-retries"
	damageSeen      = "damage-seen"
	serves          = "serves"
	onlyServes      = "only-serves"
	orderedSwitch   = "ordered-switch"
	fullRate        = "full-rate"
	maxOutage       = "max-outage"
	maxDrainLag     = "max-drain-lag"
	maxRuleLag      = "max-rule-lag"
	minAvailable    = "min-available"
	maxPods         = "max-pods"
	fact            = "fact"
	factWithin      = "fact-within"
	scaling         = "scaling"
	maxActive       = "max-active"
	oldAtStatus     = "old-at-status"
	cleanCut        = "clean-cut"
	rulesFirst      = "rules-before-sigterm"
	maxMixed        = "max-mixed-window"
	minMixed        = "min-mixed-window"
	between         = "between"
	stillServes     = "still-serves"
	share           = "share"
	noted           = "noted"
	minOutage       = "min-outage"
	oldEndsFirst    = "old-ends-first"
)

// NoFailures expects that no request through the Service fails.
func NoFailures() evidence.Expectation { return evidence.Expectation{Rule: noFailures} }

// NoLostReplies expects that no request through the Service that a pod got ends without a reply.
func NoLostReplies() evidence.Expectation { return evidence.Expectation{Rule: noLostReplies} }

// NoHiddenRetries expects that every request through the Service is sent once: given to one
// connection, and logged by at most one pod.
func NoHiddenRetries() evidence.Expectation { return evidence.Expectation{Rule: noHiddenRetries} }

// DamageSeen expects that requests from pods do fail once the rollout began: a negative control.
func DamageSeen() evidence.Expectation { return evidence.Expectation{Rule: damageSeen} }

// Serves expects replies by exactly these versions, at least one by each.
func Serves(versions ...string) evidence.Expectation {
	return evidence.Expectation{Rule: serves, Versions: versions}
}

// OnlyServes expects that every request sent from a mark on is answered by one version.
func OnlyServes(version string, from evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: onlyServes, Versions: []string{version}, From: from}
}

// OrderedSwitch expects that a kept connection on which the new version has answered never gives a
// reply by another again.
func OrderedSwitch() evidence.Expectation { return evidence.Expectation{Rule: orderedSwitch} }

// FullRate expects that every lane sent at least percent of the load asked of it, 1 to 100.
func FullRate(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: fullRate, Percent: percent}
}

// MaxOutage expects that no lane through the Service goes longer than d without a good send.
func MaxOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxOutage, Max: d}
}

// MinOutage expects that every client in the cluster goes without a good send for d at least once the rollout began: a
// negative control of how much is lost.
func MinOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: minOutage, Min: d}
}

// OldEndsFirst expects that no pod of the new version is created before the process of the last old one has ended.
func OldEndsFirst() evidence.Expectation { return evidence.Expectation{Rule: oldEndsFirst} }

// MaxDrainLag expects that no node sends a fresh connection to an old pod later than d after its
// endpoint was seen leaving ready.
func MaxDrainLag(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxDrainLag, Max: d, Scales: true}
}

// MaxRuleLag expects that every node's rules have stopped routing to every old pod no later than d after its
// endpoint was seen leaving ready.
func MaxRuleLag(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxRuleLag, Max: d, Scales: true}
}

// MinAvailable expects at least n available pods throughout the rollout. Pods that turn unready without a deletion are not
// held against the cluster: see undeleted.
func MinAvailable(n int) evidence.Expectation {
	return evidence.Expectation{Rule: minAvailable, Count: n}
}

// MaxPods expects at most n pods throughout the rollout, terminating ones included.
func MaxPods(n int) evidence.Expectation { return evidence.Expectation{Rule: maxPods, Count: n} }

// Fact expects that what the scenario noted under a name last is one of the values.
func Fact(name string, values ...string) evidence.Expectation {
	return evidence.Expectation{Rule: fact, Fact: name, Values: values}
}

// Noted expects that the scenario noted something under a name, whatever it is: a number to report.
func Noted(name string) evidence.Expectation {
	return evidence.Expectation{Rule: noted, Fact: name}
}

// FactWithin expects that the duration the scenario noted under a name last is from min to max. One that is too long while a
// kubelet was starved decides nothing.
func FactWithin(name string, min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: factWithin, Fact: name, Min: min, Max: max}
}

// Between expects that each pod's first event of one kind comes from min to max after its first of another, where a
// negative time is one before it. With a min of 0 or more, what came before the one is no matter: a pod that has just got
// ready may show as not ready once more. It is about the pods that have the event from, which may be any kind about a
// pod; an endpoint that goes at once has left ready too. See inTime for a kubelet that was starved.
func Between(from, to evidence.EventKind, min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: between, From: from, To: to, Min: min, Max: max}
}

// Scaling expects that, from the rollout's begin on, ReplicaSets are given these sizes in this order, each
// written "v2:1", and others only afterwards.
func Scaling(sizes ...string) evidence.Expectation {
	return evidence.Expectation{Rule: scaling, Values: sizes}
}

// MaxActive expects that ReplicaSets never ask for more than n pods together.
func MaxActive(n int) evidence.Expectation { return evidence.Expectation{Rule: maxActive, Count: n} }

// OldAtStatus expects that at least n old pods are still there when the API server says that the rollout is done.
func OldAtStatus(n int) evidence.Expectation {
	return evidence.Expectation{Rule: oldAtStatus, Count: n}
}

// CleanCut expects that the new version gives its first reply after the old one gave its last, on all lanes.
func CleanCut() evidence.Expectation { return evidence.Expectation{Rule: cleanCut} }

// RulesBeforeSigterm expects that every node's rules have stopped leading to each old pod before the pod is
// told to exit: from then on no new connection can be lost.
func RulesBeforeSigterm() evidence.Expectation { return evidence.Expectation{Rule: rulesFirst} }

// MaxMixedWindow expects that both versions answer for no longer than d.
func MaxMixedWindow(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxMixed, Max: d}
}

// MinMixedWindow expects that both versions answer for d at least.
func MinMixedWindow(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: minMixed, Min: d}
}

// StillServes expects that a version gives at least percent of the replies on every lane in the last 5 s of the load.
func StillServes(version string, percent int) evidence.Expectation {
	return evidence.Expectation{Rule: stillServes, Versions: []string{version}, Percent: percent}
}

// Share expects that from a mark on a version is given percent of the replies on every lane, as far from it in
// each window of 5 s as chance explains.
func Share(version string, percent int, from evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: share, Versions: []string{version}, Percent: percent, From: from}
}

// On limits an expectation about failures or versions to lanes with such connections.
func On(conn evidence.Conn, x evidence.Expectation) evidence.Expectation {
	x.Conn = conn
	return x
}

// Scaled has the bounds grow with what the cluster takes to start pods and write rules, as the times of the app do. It is for
// bounds that come from those times, and not for what the scenario itself makes last.
func Scaled(x evidence.Expectation) evidence.Expectation {
	x.Scales = true
	return x
}

// In limits an expectation to clusters with this proxy mode, and those named before.
func In(mode string, x evidence.Expectation) evidence.Expectation {
	x.Modes = append(slices.Clone(x.Modes), mode)
	return x
}

// Since limits an expectation to Kubernetes from this minor on, such as "1.36".
func Since(minor string, x evidence.Expectation) evidence.Expectation {
	x.Since = minor
	return x
}

// Before limits an expectation to Kubernetes before this minor.
func Before(minor string, x evidence.Expectation) evidence.Expectation {
	x.Before = minor
	return x
}
