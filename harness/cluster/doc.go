// Package cluster says what a scenario and its recording need of a Kubernetes cluster: [Cluster]. Its providers are kind,
// which makes clusters, and attached, which uses one that somebody else owns.
package cluster
