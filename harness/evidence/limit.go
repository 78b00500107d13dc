package evidence

// A Limit is something that a recording did not look at, so that its verdict says nothing about it.
type Limit struct {
	ID   string `json:"id"`   // kebab-case, permanent: headlines name it
	Text string `json:"text"` // one sentence: what was not looked at
}

// IDs of limits, each with a section in CODES.md.
const (
	CommandFailed    = "command-failed"     // the user's command, so that the rest of what it does was not seen
	UnderWayAlready  = "under-way-already"  // a rollout, whose end was not waited for
	PortsNotAsked    = "ports-not-asked"    // of a Service
	ProbeAlone       = "probe-alone"        // only a probe's path is asked
	NoControl        = "no-control"         // no lane shows what is not the app's fault
	NodesNotAsked    = "nodes-not-asked"    // no client was on them
	RulesNotRead     = "rules-not-read"     // of any node
	RateLowered      = "rate-lowered"       // what is shorter than a client's period, or comes after the load
	FamiliesNotAsked = "families-not-asked" // of the addresses of a Service
	ClientsAway      = "clients-away"       // what clients would have seen while their agents went down with their nodes
	NotWatched       = "not-watched"        // changes of kinds of objects that we may not watch
)

// Limits lists the ids of all limits.
func Limits() []string {
	return []string{CommandFailed, UnderWayAlready, PortsNotAsked, ProbeAlone, NoControl, NodesNotAsked, RulesNotRead, RateLowered,
		FamiliesNotAsked, ClientsAway, NotWatched}
}
