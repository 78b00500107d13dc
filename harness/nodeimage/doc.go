// Package nodeimage provides the container image a kind node runs from, for one Kubernetes
// version: the one already here, else the one kind publishes, else one built on this host from
// the Go module proxy and Debian's packages alone. The last is what air-gapped CI runners need,
// where no container registry answers.
//
// A build is a list of parts (a root file system, Kubernetes, containerd, …), each kept under a
// name that carries a hash of everything it is made from. A build that was interrupted, and a
// build for another Kubernetes version, find the finished parts there. What few scenarios need, metrics-server, is a part
// that nodes are given when they need it.
package nodeimage
