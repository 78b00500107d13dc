// Package mutants is a catalogue of damages, each done to the cluster, the app or the rig while a scenario is recorded, with
// the outcome that has to follow and the cause that has to be named: a verdict that stays as it was would be one that cannot
// be red. `make mutants` does them on real clusters; changed recordings, their hermetic twins, are in the tests beside.
// The track record is the same for real bugs: what scenarios came to on releases of Kubernetes with and without them.
//
// A family of damages has a file. Whatever a script does to a node it undoes itself, also when nobody waits for it any more,
// and [Heal] once more before the next one.
package mutants
