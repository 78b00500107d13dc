// Package attached is a [cluster.Cluster] that somebody else owns. It finds out what the cluster is, and writes nothing.
package attached
