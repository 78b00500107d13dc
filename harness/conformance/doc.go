// Package conformance runs suites: their scenarios in every kube-proxy mode, side by side on one cluster per mode, in this process.
// When all have ended, the recordings are judged and reported once.
//
// It is what the command rollcall run does. Above it are only commands; below it are package runner, which has clusters and takes
// recordings, and package reports.
package conformance
