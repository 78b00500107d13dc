// Package runner runs the scenarios of a suite: it reads the options, begins or joins the session of a run folder, opens a
// cluster for each mode, gives scenarios their turns on it, has them recorded and judged, and records again where that is due.
// feature.go is the only adapter of e2e-framework.
package runner
