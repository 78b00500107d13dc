package evidence

// A Subject is one kind of thing that a recording tells of.
type Subject string

// The subjects.
const (
	AboutReplies   Subject = "replies"    // that requests were sent, and who answered them
	AboutFailures  Subject = "failures"   // which requests failed
	AboutLatencies Subject = "latencies"  // how long requests took
	AboutArrivals  Subject = "arrivals"   // what pods logged of requests
	AboutPodSteps  Subject = "pod-steps"  // what pods logged of themselves, such as SIGTERM
	AboutAPI       Subject = "api"        // what a watch saw: pods, endpoints, ReplicaSets
	AboutMarks     Subject = "marks"      // when those marks came that follow from it: status-done, old-gone, barrier
	AboutNodeRules Subject = "node-rules" // where the nodes' rules routed to
	AboutFacts     Subject = "facts"      // what the scenario noted
)

// Subjects lists every subject.
func Subjects() []Subject {
	return append(Requests(), AboutAPI, AboutMarks, AboutNodeRules, AboutPodSteps, AboutArrivals, AboutFacts)
}

// Requests are the subjects that clients tell of.
func Requests() []Subject { return []Subject{AboutReplies, AboutFailures, AboutLatencies} }

// A Scope is what of a recording a reason for distrust takes away. The zero Scope is everything: anything may have been missed.
type Scope struct {
	Missed  []Subject   `json:"missed,omitempty"`  // more may have happened than was recorded
	Doubted []Subject   `json:"doubted,omitempty"` // what was recorded may be wrong, or have a cause that is none of the rollout's
	Lanes   []string    `json:"lanes,omitempty"`   // of what clients saw only that of these lanes; empty: of all
	Nodes   []string    `json:"nodes,omitempty"`   // of nodes' rules only those of these nodes; empty: of all
	Marks   []EventKind `json:"marks,omitempty"`   // marks that are missing
}

// Everything reports whether it is the zero Scope.
func (s Scope) Everything() bool { return len(s.Missed)+len(s.Doubted)+len(s.Marks) == 0 }

// A Reason is why a part of a recording is not to be trusted.
type Reason struct {
	ID      string `json:"id"`      // such as [AgentLost]
	Because string `json:"because"` // one sentence
	Scope   Scope  `json:"scope"`
}

// IDs of the reasons that the recorder itself notes; package verdict finds the others in the recording. They are permanent.
const (
	StageFailed    = "stage-failed"
	NeverSettled   = "never-settled"
	UncleanCluster = "unclean-cluster"
	ProxyMissing   = "proxy-missing"
	AgentLost      = "agent-lost"
	ObserverLost   = "observer-lost"
	StrayEndpoint  = "stray-endpoint"
	ProxyUnused    = "proxy-unused"
)
