// Package harness is what authors of scenarios touch: a [Scenario] as a plain value, the [Load] it offers, and the [Steps]
// of one without load. Its rooms:
//
//   - conformance runs suites, side by side on a cluster per mode, and has them reported
//   - runner records scenarios and has them judged: options, session, modes, turns and attempts, for go test by way of e2e-framework
//   - record makes one recording: prepare, load, roll out, settle, collect, clean up, and keep what explains one that went wrong
//   - observe watches the API, pods' logs and nodes' rules, and measures who waited for a processor
//   - evidence is what a run folder has; timeline joins it; verdict judges it
//   - cluster makes kind clusters and attaches to others; dataplane knows what routes on their nodes
//   - staging finds out whether a run is possible on a cluster that is there already: rights, quota, trial pods, run lock
//   - namespace leases the namespaces of recordings, cleans them up and sweeps what dead runs left
//   - rollout edits objects as a strategy does; userapp does so for an app of the user's
//   - disruption does to a cluster under load what maintenance and failures do, and awaits that it is whole again
//   - during records what maintenance that somebody else does costs clients, over the runner; try rolls out an app by its manifests
//   - mutants has injected faults that a verdict has to detect, and the track record of real bugs of Kubernetes; runner does both
//   - host finds out what this machine can run, and sets it up; nodeimage builds the image of nodes; lab makes a machine with IP_VS
//   - layout knows where Rollcall runs from and what a release has inside, and makes the images of its pods
//   - usage is what users give: flags, files, and the error of what is wrong with them; progress says how far a run is
//   - command runs programs; poll waits for a condition; sharedfile has locks, and replaces a file whole
//
// The words: a scenario makes a claim about clients. While it rolls an app out, lanes send requests; each is a hit as its
// client saw it and, if it came through, an arrival as the app saw it. All that was seen is evidence, in the run folder. It is
// joined into one timeline, on which each rule finds whether the claim holds, naming witnesses; together they are the verdict.
// A cluster or machine that is slower than usual has a pace: fewer requests, and longer times of the app.
package harness
