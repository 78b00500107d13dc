// Package kind creates the kind clusters that suites run on, one per kube-proxy mode, and removes
// them however the process ends.
//
// A cluster is ours when its node containers are on the Docker network [Network]; the package touches
// nothing else. Its state (kubeconfig, a note when it is kept) is in a folder below
// host.StateDir, and a lock on a file beside that folder says that it is in use.
package kind
