package model

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// A Scenario is one scenario on one cluster: its last attempt.
type Scenario struct {
	ID             string          `json:"id"`
	Suite          string          `json:"suite"`
	Mode           string          `json:"mode"`
	Kubernetes     string          `json:"kubernetes,omitempty"` // version of the API server
	Claim          string          `json:"claim"`
	Bug            *Bug            `json:"bug,omitempty"` // the bug of Kubernetes that it would show
	Covers         []string        `json:"covers"`
	ClusterChanges []string        `json:"given,omitempty"`        // changes that were made to the cluster for it
	RecordedFor    string          `json:"recorded_for,omitempty"` // suite/id of the scenario that it was recorded for; absent: this one
	Outcome        verdict.Outcome `json:"outcome"`
	Headline       string          `json:"headline,omitempty"` // at most 120 characters: what happened to whom, and what follows
	Facts          []Fact          `json:"facts,omitempty"`    // of the rule that decided it
	Because        string          `json:"because"`            // with every number
	Distrust       []Distrust      `json:"distrust,omitempty"` // why parts of the recording are not to be trusted
	Limits         []Limit         `json:"limits,omitempty"`   // what was not looked at
	Stalls         []Stall         `json:"stalls,omitempty"`   // that excuse something which went wrong
	Earlier        []string        `json:"earlier,omitempty"`  // results of earlier attempts, which the host was too slow to decide
	Attempts       int             `json:"attempts"`
	Began          time.Time       `json:"began,omitzero"`
	Seconds        float64         `json:"seconds"`
	LoadSeconds    *float64        `json:"load_seconds,omitempty"` // load-begun to load-ended
	Timeout        float64         `json:"timeout_ms,omitempty"`   // how long clients awaited a reply; absent: not noted
	Rules          []Rule          `json:"rules"`
	Lanes          []Lane          `json:"lanes"`
	Disruption     *Disruption     `json:"disruption,omitempty"`       // absent: nothing was done to the cluster
	Steps          []Step          `json:"steps,omitempty"`            // of maintenance, or that the recorder saw by itself, by time
	Outages        []Outage        `json:"outages,omitempty"`          // where there is a disruption or a step: the longest, at most 20
	AgentsAway     []AgentAway     `json:"agents_away,omitempty"`      // by time
	Flows          *Flows          `json:"flows,omitempty"`            // absent: no node told where it routed connections
	FlowsLack      string          `json:"flows_lack,omitempty"`       // why nodes did not tell where they routed connections, when asked
	Foreign        int             `json:"foreign_requests,omitempty"` // named a lane or number that is none of the recording
	Numbers        Numbers         `json:"numbers"`
	Lags           []PodLag        `json:"lags,omitempty"`         // by pod and node
	Terminations   *Terminations   `json:"terminations,omitempty"` // absent: no old pod was deleted under load
	Causes         []Cause         `json:"causes,omitempty"`       // of its failed requests, the one of most requests first
	Advice         []Advice        `json:"advice,omitempty"`       // to the owner, if the app is a user's
	Patch          *Patch          `json:"patch,omitempty"`        // that applies the advice; absent: a manifest cannot, or is not known
	Evidence       string          `json:"evidence"`               // folder, relative to the run folder, with slashes
	Files          []string        `json:"-"`                      // names of the files in it
	Claims         []verdict.Claim `json:"-"`                      // what its rules say of seed claims; see Report.Claims
	Diagnostics    string          `json:"diagnostics,omitempty"`  // likewise a folder: what the cluster looked like when it went wrong
}

// A Stall is a time in which a pod or a program waited for a processor of the host.
type Stall struct {
	Who    string  `json:"who"`            // a pod, or a program such as "kubelet"
	Node   string  `json:"node,omitempty"` // absent: on the host, or on no node
	From   float64 `json:"from_ms"`        // since the recording began
	To     float64 `json:"to_ms"`
	Waited float64 `json:"waited_ms"` // in that time
}

// Name returns the suite and the id, such as "rollout/drained-rolling-update".
func (s Scenario) Name() string { return path.Join(s.Suite, s.ID) }

// Brief returns the result in one line; in a report from before there were headlines that is the whole reason.
func (s Scenario) Brief() string { return cmp.Or(s.Headline, s.Because) }

// Requests returns how many requests were sent, on all lanes that loaded the app.
func (s Scenario) Requests() int { return s.total(func(l Lane) int { return l.Requests }) }

// Failed returns how many requests failed, on all lanes that loaded the app.
func (s Scenario) Failed() int { return s.total(Lane.Failed) }

func (s Scenario) total(of func(Lane) int) (n int) {
	for _, lane := range s.LoadLanes() {
		n += of(lane)
	}
	return n
}

// Decided reports whether the recording could be trusted and something was judged, so that the numbers count.
func (s Scenario) Decided() bool { return s.Outcome == verdict.Pass || s.Outcome == verdict.Fail }

// Bad reports whether somebody should look at it.
func (s Scenario) Bad() bool { return s.Outcome == verdict.Fail || s.Outcome == verdict.Inconclusive }

// Ran reports whether it was recorded and judged. It may be skipped all the same, because a rule that decides a claim is not for the
// cluster.
func (s Scenario) Ran() bool { return s.Outcome != verdict.Skipped || len(s.Rules) > 0 }

// A Patch applies advice to the workload of an app.
type Patch struct {
	Follows []string `json:"follows"` // codes of the advice
	YAML    string   `json:"yaml"`    // a strategic merge, as kubectl patch --patch-file and kustomize take it
	Diff    string   `json:"diff"`    // the same for a reader: the lines to remove and to add, of the parts that change
}

// A Bug is a bug of Kubernetes, and whether the cluster has it.
type Bug struct {
	Issue     string            `json:"issue"` // such as "k/k#139515"
	URL       string            `json:"url"`
	Component string            `json:"component"`
	Versions  []string          `json:"versions,omitempty"` // of the component that ran, or of the API server; absent: nothing ran
	Assumed   bool              `json:"assumed,omitempty"`  // the versions are the API server's
	Known     bool              `json:"known"`              // the versions are known to have it
	Fixed     string            `json:"fixed"`              // first release without it, of the minor version that ran or else of a later one
	Answer    verdict.BugAnswer `json:"answer"`
}

// A Rule is the result of one expectation.
type Rule struct {
	ID        string               `json:"id"`
	Code      string               `json:"code,omitempty"` // see [verdict.Codes]
	Claim     string               `json:"claim"`
	Outcome   verdict.Outcome      `json:"outcome"`
	Headline  string               `json:"headline,omitempty"`
	Facts     []Fact               `json:"facts,omitempty"`
	Because   string               `json:"because"`
	Witnesses []Witness            `json:"witnesses"`
	Decides   []string             `json:"decides,omitempty"`  // seed claims
	Evidence  verdict.EvidenceKind `json:"evidence,omitempty"` // the kind that it rests on
	Exposure  Exposure             `json:"exposure,omitzero"`  // what it was tested on; absent: it was skipped, or is unknown to this build
}

// Reason returns the whole reason; it is empty if the headline and the facts say as much.
func (r Rule) Reason() string {
	if strings.HasPrefix(r.Because, r.Headline) {
		return ""
	}
	return r.Because
}

// A Distrust is why a part of the recording is not to be trusted.
type Distrust struct {
	ID      string   `json:"id"`             // such as "late-lane"
	Code    string   `json:"code,omitempty"` // see [verdict.Codes]
	Because string   `json:"because"`
	Rules   []string `json:"rules"` // whose outcome it leaves unknown
}

// A Limit is something that was not looked at, so that the outcome says nothing about it.
type Limit struct {
	ID   string `json:"id"`             // such as "command-failed"
	Code string `json:"code,omitempty"` // see [verdict.Codes]
	Text string `json:"text"`
}

// A Fact is a detail that a headline leaves out, such as when something happened, or how many there were of each kind.
type Fact = verdict.Detail

// A Witness names a hit that decided a rule.
type Witness = verdict.Witness

// An Exposure counts what a rule was tested on, such as 4575 of the unit "request".
type Exposure = verdict.Exposure

// A Lane is what one client saw. Rates are per second, times in milliseconds. What only the pods know is absent if arrivals were not
// recorded.
type Lane struct {
	ID            string                 `json:"id"`
	Vantage       evidence.Vantage       `json:"vantage"`
	Node          string                 `json:"node"`
	Protocol      string                 `json:"protocol,omitempty"` // its name, such as "http", which it is in reports of earlier builds
	Conn          evidence.Conn          `json:"conn,omitempty"`     // empty: its protocol has no connections
	Resends       bool                   `json:"resends,omitempty"`  // silently sends a request again when its connection is dead
	Named         bool                   `json:"named,omitempty"`    // resolves the Service's name for every connection
	Steps         bool                   `json:"steps,omitempty"`    // has the requests of the scenario's steps, which are not load
	RequestedRate int                    `json:"asked_rate"`
	AchievedRate  *float64               `json:"achieved_rate,omitempty"`
	LagP99        *float64               `json:"lag_p99_ms,omitempty"`
	Latency       *Latency               `json:"latency_ms,omitempty"`
	LatencyIn     map[string]Latency     `json:"latency_by_phase_ms,omitempty"` // before, during and after the rollout
	FirstToken    *Latency               `json:"first_token_ms,omitempty"`      // of streams, whole or not
	TokenGap      *Latency               `json:"token_gap_ms,omitempty"`        // the longest of each stream
	Connections   *Connections           `json:"connections,omitempty"`         // that it kept; absent if it kept none
	Requests      int                    `json:"requests"`
	Returned      int                    `json:"returned,omitempty"` // the server vouches that it did not process them: they did not fail
	Retried       int                    `json:"retried"`            // sent over several connections, or arrived more than once
	LostReplies   *int                   `json:"lost_replies,omitempty"`
	Arrivals      *int                   `json:"arrivals,omitempty"`
	NeverArrived  *int                   `json:"never_arrived,omitempty"`
	Routed        *Routed                `json:"routed,omitempty"`  // where nodes routed its connections; absent if that is not known
	Unknown       int                    `json:"unknown,omitempty"` // sent, but not counted in Requests: the agent went away meanwhile
	ByVersion     map[string]int         `json:"by_version"`        // good replies
	LongestOutage float64                `json:"longest_outage_ms"`
	LongestGap    float64                `json:"longest_gap_ms,omitempty"` // without a good reply, beyond one period of sending
	StatusGap     *float64               `json:"status_gap_ms,omitempty"`  // how long the old version still replied after status-done
	Failures      map[evidence.Fault]int `json:"failures"`                 // every kind, also those at 0
}

// Connections sum up the connections that a lane kept.
type Connections struct {
	Opened int      `json:"opened"`
	Cut    int      `json:"cut"`               // since the rollout began, by their server or on the way
	Told   int      `json:"told"`              // of Cut, whose client was told to go before the end
	Back   *Latency `json:"back_ms,omitempty"` // from a cut until the next one in its place had its first reply
}

// A Routed counts requests by where nodes routed their connections, by connection tracking.
type Routed struct {
	Pod          int `json:"pod"`
	Nowhere      int `json:"nowhere"` // rejected or dropped before they had a pod
	Unknown      int `json:"unknown"`
	Contradicted int `json:"contradicted,omitempty"` // of Pod, answered by another pod
	Unexplained  int `json:"unexplained,omitempty"`  // of Nowhere, though the node's rules routed to some pod
}

// A Flows counts the connections of requests through nodes that told where they routed them.
type Flows struct {
	Connections int `json:"connections"`
	Attributed  int `json:"attributed"`  // to a pod of the app
	LostEvents  int `json:"lost_events"` // times in which events of a node were lost, so that where its connections went is unknown
}

// A Latency is how long something took, such as good replies from when their requests were sent until they were read whole, in
// milliseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// Kind returns the kind of the lane.
func (l Lane) Kind() evidence.LaneKind {
	return evidence.Lane{Vantage: l.Vantage, Conn: l.Conn, Resends: l.Resends, Named: l.Named, Steps: l.Steps,
		Protocol: evidence.ProtocolNamed(l.Protocol)}.Kind()
}

// Over says over what it sends requests: its kind of connection, if its protocol has any, and its protocol if that is not HTTP.
func (l Lane) Over() string {
	return evidence.Lane{Conn: l.Conn, Protocol: evidence.ProtocolNamed(l.Protocol)}.Over()
}

// Protocols lists the protocols of its lanes, without repetition.
func (s Scenario) Protocols() (names []string) {
	for _, l := range s.Lanes {
		if l.Protocol != "" && !slices.Contains(names, l.Protocol) {
			names = append(names, l.Protocol)
		}
	}
	return names
}

// LoadLanes returns the lanes that loaded the app: those of steps send few requests, and some of these are meant to fail.
func (s Scenario) LoadLanes() []Lane {
	return slices.DeleteFunc(slices.Clone(s.Lanes), func(l Lane) bool { return l.Steps })
}

// Failed returns how many requests of the lane failed, of every kind.
func (l Lane) Failed() int {
	n := 0
	for _, count := range l.Failures {
		n += count
	}
	return n
}
