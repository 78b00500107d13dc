package mutants

// Reasons of distrust, by id.
const (
	watchBlind    = "watch-blind"
	nodeNotReady  = "node-not-ready"
	agentLost     = "agent-lost"
	laneLate      = "lane-late"
	recorderLost  = "recorder-lost"
	contradiction = "contradiction"
	missingMark   = "missing-mark"
	earlyDamage   = "early-damage"
	controlDamage = "control-damage"
	conntrackHigh = "conntrack-full"
	leftovers     = "leftovers"
)
