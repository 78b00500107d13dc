// Package mutants is a catalogue of damages, each done to the cluster, the app or the rig while a scenario is recorded, with
// the outcome that has to follow and the cause that has to be named. If the outcome stays as without the damage, a test cannot
// fail. `make mutants` does them on real clusters; the tests of this package do the same to recordings, without a cluster.
// The track record does it for real bugs: it has the outcomes of scenarios on releases of Kubernetes with and without a bug.
//
// Each family of damages has a file. A script undoes itself what it did to a node, even if this process dies, and [Heal] does
// so again before the next mutant.
package mutants
