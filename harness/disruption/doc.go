// Package disruption has what can be done to a cluster while its clients send requests: drains, dead nodes, restarts, lost
// rules and upgrades, each as a plain value. It also waits until the cluster is whole again.
package disruption
