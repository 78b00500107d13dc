// Package run plans what a user asks for, and does it. [Suites], in run.go, tells a run of suites from its options to its report: it makes
// a [Plan], opens a cluster for each kube-proxy mode, has scenarios take turns there to be recorded and judged, closes the clusters, and
// has the run reported. A [Plan] is a value: what is asked, what was found, what is left out, in which order, how long. A [Run] is what
// changes while a plan is being done: the run folder and its session, locks, and how much this machine turned out to carry.
//
// Recordings of somebody else's rollout go the same way: [Plan.Record]. So does go test: [Suite], in gotest.go, which is the only adapter
// of e2e-framework. This package knows no reports: whoever starts a run gives it a [Reporter].
package run
