// Package attached implements [cluster.Cluster] for a cluster that somebody else owns. It only reads from it.
package attached
