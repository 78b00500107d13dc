package evidence

import "time"

// What recorders see late, or do not note. A judge allows for it.
const (
	// LookGap is the longest time between two looks of an observer at a node's rules that it does not note as one in which it was blind.
	LookGap = 50 * time.Millisecond
	// SparingLookGap is that of an observer on a node on which looking as often is too much work.
	SparingLookGap = 250 * time.Millisecond
	// LogLag is how long an arrival may take to the app's log: 500 ms in the app itself, as a test of fixtures/echo holds, and a generous
	// estimate for the container runtime.
	LogLag = 900 * time.Millisecond
)
