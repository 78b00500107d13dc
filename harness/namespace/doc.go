// Package namespace gives recordings the namespaces they take place in, cleans them up afterwards, and sweeps what runs that
// died left behind. A lease is acquired, created in the cluster, deleted from it and released.
package namespace
