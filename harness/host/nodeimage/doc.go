// Package nodeimage provides the image of kind's nodes for a Kubernetes version: the one that the
// engine has, else the one that kind publishes, else one built on this host from the Go module
// proxy and Debian's packages alone. Air-gapped CI runners, where no container registry answers,
// need the last.
//
// A build is a list of parts (a root file system, Kubernetes, containerd, …), each kept under a
// name with a hash of everything it is made from. A build that was interrupted, and a build for
// another Kubernetes version, reuse the finished parts. The part metrics-server, which few
// scenarios need, is in no image; it is loaded into the nodes on demand.
package nodeimage
