// Package namespace leases a namespace to each recording, cleans it up afterwards, and sweeps what dead runs left behind. A
// lease is acquired, created in the cluster, deleted from it and released.
package namespace
