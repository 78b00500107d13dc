// Package kind makes the kind clusters that suites run on, one per kube-proxy mode, and takes
// them away again however the process ends.
//
// A cluster is ours when its node containers are on the Docker network [Network]; nothing else is
// ever touched. Its state (kubeconfig, a note when it is kept) is a folder below
// host.StateDir, and a lock file beside it says that it is in use.
package kind
