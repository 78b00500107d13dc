// Package cluster has the interface of a Kubernetes cluster as scenarios and recordings need it: [Cluster]. It is implemented by
// kind, which makes clusters, and attached, which uses one that somebody else owns.
package cluster
