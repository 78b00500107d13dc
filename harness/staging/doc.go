// Package staging checks before any recording whether a run is possible on a cluster that exists already: the [Target] options,
// rights, quota, images and trial pods on every node that will carry load. It deletes what it creates for that. Meanwhile the
// run holds a lock on this host, by which the next run knows what a dead one left.
package staging
