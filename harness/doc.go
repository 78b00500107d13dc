// Package harness is what authors of scenarios touch: a [Scenario] as a plain value, the [Load] it offers, and the [Steps]
// of one without load. Its rooms:
//
//   - runner runs the scenarios of a suite: options, session, modes, turns, attempts; the only adapter of e2e-framework
//   - staging finds out whether a run is possible on a cluster that is there already: rights, quota, trial pods, run lock
//   - record makes one recording: prepare, load, roll out, settle, collect, clean up
//   - namespace leases the namespaces of recordings, cleans them up and sweeps what dead runs left
//   - layout knows where Rollcall runs from, and the images of its pods; option lists flags; usage has errors of bad input
//   - cluster makes kind clusters and attaches to others; rollout writes what a strategy changes; observe watches the API
//   - disruption does to a cluster under load what maintenance and failures do, and awaits that it is whole again
//   - during records what maintenance that somebody else does costs clients, over the runner
//   - mutants is a catalogue of injected faults, each of which a verdict has to detect; runner does them
//   - trackrecord keeps what scenarios came to on releases of Kubernetes with and without a known bug; runner makes it
//   - evidence is what a run folder has; evidence/store its formats; timeline joins it; verdict judges it
//
// The words: a scenario makes a claim about clients. While it rolls an app out, lanes send requests; each is a hit as its
// client saw it and, if it came through, an arrival as the app saw it. All that was seen is evidence, in the run folder. It is
// joined into one timeline, on which each rule finds whether the claim holds, naming witnesses; together they are the verdict.
// A cluster or machine that is slower than usual has a pace: fewer requests, and longer times of the app.
package harness
