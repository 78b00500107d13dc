// Package runner runs the scenarios of a suite: it parses the options, begins or continues the session of a run folder, opens a
// cluster for each mode, gives scenarios turns on it, and records and judges them, more than once where an attempt calls for it.
// feature.go is the only adapter of e2e-framework.
package runner
