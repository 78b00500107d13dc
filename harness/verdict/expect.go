package verdict

import (
	"time"

	"rollcall/harness/evidence"
)

// Ids of the rules. They are permanent: to change what a rule means, add another.
const (
	noFailures   = "no-failures"
	damageSeen   = "damage-seen"
	serves       = "serves"
	onlyServes   = "only-serves"
	fullRate     = "full-rate"
	maxOutage    = "max-outage"
	minAvailable = "min-available"
	maxPods      = "max-pods"
)

// NoFailures expects that no request through the Service fails.
func NoFailures() evidence.Expectation { return evidence.Expectation{Rule: noFailures} }

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

// FullRate expects that every lane sent at least percent of the load asked of it, 1 to 100.
func FullRate(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: fullRate, Percent: percent}
}

// MaxOutage expects that no lane through the Service goes longer than d without a good send.
func MaxOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxOutage, Max: d}
}

// MinAvailable expects at least n available pods throughout the rollout.
func MinAvailable(n int) evidence.Expectation {
	return evidence.Expectation{Rule: minAvailable, Count: n}
}

// MaxPods expects at most n pods throughout the rollout, terminating ones included.
func MaxPods(n int) evidence.Expectation { return evidence.Expectation{Rule: maxPods, Count: n} }
