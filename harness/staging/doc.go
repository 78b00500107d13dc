// Package staging finds out whether a run is possible on a cluster that is there already, before anything is recorded: the
// [Target] options, rights, quota, images and a trial on every node that is to carry load. What it creates for that it deletes.
// A run holds a lock on this host meanwhile, by which the next one knows what a dead one left.
package staging
