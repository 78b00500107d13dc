// Package provision gets what a run needs and this host does not have: a node image, a component of another version, the files of an
// upgrade, metrics-server's image, a machine with IP_VS. Program rollcall-host (harness/host/rollcall-host) makes them; this package
// finds it, calls it, and passes its progress on. Where it is not there, the error is one line that says which command to run.
package provision
