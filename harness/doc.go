// Package harness has the types that authors of scenarios use: a [Scenario] as a plain value, its two
// kinds, [UnderLoad] and [InSteps], and the [Steps] of the second. The packages below it:
//
//   - cases tries what went wrong for users, with apps of ours instead of theirs, as they would
//   - check reads manifests for what they say about rollouts and drains, before anything runs
//   - cluster has the interface of a Kubernetes cluster as scenarios and recordings need it
//   - command runs other programs, given as a command line, and returns their standard output
//   - dataplane has what routes connections to Services on nodes
//   - disruption has what can be done to a cluster while its clients send requests
//   - during records what somebody else's maintenance costs the clients of a Service
//   - evidence has the types of a recorded run
//   - golden compares what tests make with files of the repository
//   - host finds out what this machine is and can run
//   - kube names what Rollcall knows of Kubernetes
//   - layout finds the files that Rollcall comes with
//   - manifest reads the manifests of a user's app, as kubectl apply takes them
//   - mutants is a catalogue of damages, each done to the cluster, the app or the rig while a scenario is recorded, with the outcome that
//     has to follow and the cause that has to be named
//   - namespace leases a namespace to each recording, cleans it up afterwards, and sweeps what dead runs left behind
//   - observe records what happens inside the cluster while a scenario runs
//   - poll waits for conditions that cannot be watched
//   - progress shows what a run is doing
//   - provision gets what a run needs and this host does not have
//   - record makes one recording of a scenario on a cluster, in stages
//   - rollcall says what a rollout costs the clients of a Kubernetes Service
//   - rollout has strategies that bring an app from one version to the next
//   - run plans what a user asks for, and does it
//   - secret finds what may be a user's secret by the name that it has, and withholds it from all that Rollcall keeps or prints
//   - sharedfile has files that several processes use
//   - staging checks before any recording whether a run is possible on a cluster that exists already
//   - standstill finds out why the pods of a workload do not get ready, and whether waiting helps
//   - testenv says whether tests run that need a cluster, or much time or memory
//   - timeline joins the streams of one recorded run into one view
//   - try rolls out a user's app from its own manifests
//   - usage has the input of a command
//   - userapp has what is known of a user's app, which exists already
//   - verdict judges a timeline by rules
//   - wait waits until only pods of a workload's current revision are behind its Service, and no other pod of the workload runs
//
// The words: a scenario makes a claim about clients. While it rolls an app out, lanes send requests. A request is a hit as its
// client saw it and, if it reached a pod, an arrival as the app saw it. Everything that was recorded is evidence, in the run folder.
// The evidence is joined into one timeline, on which each rule finds whether the claim holds, and names witnesses; all findings
// together are the verdict. A cluster or machine that is slower than usual has a pace: fewer requests, and longer times of the app.
package harness
