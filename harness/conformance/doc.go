// Package conformance runs suites for the command rollcall run: their scenarios in every kube-proxy mode, side by side on one cluster
// per mode, in this process. When all have ended, it judges the recordings and writes the reports.
//
// Only commands import it. It is built on package runner, which has clusters and makes recordings, and package reports.
package conformance
