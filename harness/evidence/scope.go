package evidence

// A Subject is one kind of information in a recording.
type Subject string

// The subjects.
const (
	AboutReplies   Subject = "replies"    // which requests were sent, and which server answered
	AboutFailures  Subject = "failures"   // which requests failed
	AboutLatencies Subject = "latencies"  // how long requests took
	AboutArrivals  Subject = "arrivals"   // requests that pods logged
	AboutPodSteps  Subject = "pod-steps"  // what pods logged about themselves, such as SIGTERM
	AboutAPI       Subject = "api"        // what a watch saw: pods, endpoints, ReplicaSets
	AboutMarks     Subject = "marks"      // when the marks came that follow from the API: status-done, old-gone, barrier
	AboutNodeRules Subject = "node-rules" // which pods the nodes' rules routed to
	AboutFacts     Subject = "facts"      // facts that the scenario noted
)

// Subjects lists every subject.
func Subjects() []Subject {
	return append(Requests(), AboutAPI, AboutMarks, AboutNodeRules, AboutPodSteps, AboutArrivals, AboutFacts)
}

// Requests lists the subjects that come from clients.
func Requests() []Subject { return []Subject{AboutReplies, AboutFailures, AboutLatencies} }

// A Scope is the part of a recording that a reason for distrust affects. The zero Scope is everything: anything may have been missed.
type Scope struct {
	Missed  []Subject   `json:"missed,omitempty"`  // more may have happened than was recorded
	Doubted []Subject   `json:"doubted,omitempty"` // records may be wrong, or have a cause other than the rollout
	Lanes   []string    `json:"lanes,omitempty"`   // of the clients' records only those of these lanes; empty: all
	Nodes   []string    `json:"nodes,omitempty"`   // of nodes' rules only those of these nodes; empty: all
	Marks   []EventKind `json:"marks,omitempty"`   // marks that are missing
}

// Everything reports whether it is the zero Scope.
func (s Scope) Everything() bool { return len(s.Missed)+len(s.Doubted)+len(s.Marks) == 0 }

// A Reason says why a part of a recording cannot be trusted.
type Reason struct {
	ID      string `json:"id"`      // such as [AgentLost]
	Because string `json:"because"` // one sentence
	Scope   Scope  `json:"scope"`
}

// Permanent ids of the reasons that the recorder notes; package verdict finds the others in the recording.
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
