// Package conformance runs the suites: each in every kube-proxy mode, on one cluster per mode, as the test program that
// `go test -c` makes of it. The suites of a mode are child processes side by side; they share the run folder, in which each
// writes what it recorded and how far it is. When all have ended, the recordings are judged and reported once.
//
// It is what the command rollcall run does. Above it are only commands; below it are package harness, which the children
// run, and package reports.
package conformance
