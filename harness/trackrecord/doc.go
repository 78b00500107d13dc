// Package trackrecord keeps what became of the scenarios of suite regressions on releases of Kubernetes with and without their bugs.
// `make track-record` makes it; the table in suites/regressions/README.md is of the last one.
package trackrecord
