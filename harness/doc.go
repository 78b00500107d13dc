// Package harness has the types that authors of scenarios use: a [Scenario] as a plain value, its two
// kinds, [UnderLoad] and [InSteps], and the [Steps] of the second. The packages below it:
//
//   - rollcall is the program, with its commands: the only room that knows both run and reports
//   - run makes a plan of what is asked and does it: a cluster for each mode, turns, recordings, verdicts; run.go tells it from the options
//     to the report, and gotest.go has the adapter of e2e-framework
//   - record makes one recording: prepare, load, roll out, settle, collect, clean up, and diagnostics if it went wrong
//   - observe watches the API, pods' logs and nodes' rules, and measures which processes waited for a processor
//   - evidence has the types of a run folder; timeline joins it; verdict judges it, and verdict/kept keeps the verdict
//   - cluster creates kind clusters and attaches to existing ones; dataplane has what routes on their nodes, and alone knows its ports and
//     scripts
//   - staging checks whether a run is possible on an existing cluster: rights, quota, trial pods, run lock
//   - namespace leases the namespaces of recordings, holds those that are there already, and sweeps what dead runs left
//   - rollout edits objects as a strategy does; userapp has what is known of an app of the user's
//   - disruption does what maintenance and failures do to a cluster under load, and waits until it is whole again
//   - during records by means of run what maintenance by somebody else costs clients; try rolls out an app from its
//     manifests: during.go and try.go tell them
//   - mutants has injected faults that a verdict has to detect, and the track record of real bugs of Kubernetes; run runs both
//   - host finds out what this machine can run, and the packages below it are program rollcall-host, which sets the machine up, makes node
//     images, compiles components and keeps a machine with IP_VS
//   - provision has rollcall-host make what a run needs; kube names versions and components of Kubernetes
//   - layout knows where Rollcall runs from and what a release contains, and builds the images of its pods
//   - usage parses input of users (flags, files) and has the error for bad input; progress shows how far a run is
//   - command runs programs; poll waits for a condition; sharedfile has file locks and replaces files
//     atomically; secret withholds what may be secret in what is kept or printed
//   - golden compares what tests make with golden files and with the parts of guides that are made of Go values; testenv skips tests
//     that need a cluster or much time where nobody asks for them
//
// The words: a scenario makes a claim about clients. While it rolls an app out, lanes send requests. A request is a hit as its
// client saw it and, if it reached a pod, an arrival as the app saw it. Everything that was recorded is evidence, in the run folder.
// The evidence is joined into one timeline, on which each rule finds whether the claim holds, and names witnesses; all findings
// together are the verdict. A cluster or machine that is slower than usual has a pace: fewer requests, and longer times of the app.
package harness
