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
	Bug            *Bug            `json:"bug,omitempty"` // of Kubernetes that it would show
	Covers         []string        `json:"covers"`
	ClusterChanges []string        `json:"given,omitempty"`        // changes that were made to the cluster for it
	RecordedFor    string          `json:"recorded_for,omitempty"` // scenario, with its suite, of which the recording is too; absent: its own
	Outcome        verdict.Outcome `json:"outcome"`
	Headline       string          `json:"headline,omitempty"` // at most 120 characters: what happened to whom, and what follows
	Facts          []Fact          `json:"facts,omitempty"`    // of the rule that decided it
	Because        string          `json:"because"`            // with every number
	Distrust       []Distrust      `json:"distrust,omitempty"` // why parts of the recording are not to be trusted
	Stalls         []Stall         `json:"stalls,omitempty"`   // by which something that went wrong is excused
	Earlier        []string        `json:"earlier,omitempty"`  // what attempts before came to, of which the host was too slow to tell
	Attempts       int             `json:"attempts"`
	Began          time.Time       `json:"began,omitzero"`
	Seconds        float64         `json:"seconds"`
	LoadSeconds    *float64        `json:"load_seconds,omitempty"` // load-begun to load-ended
	Rules          []Rule          `json:"rules"`
	Lanes          []Lane          `json:"lanes"`
	Disruption     *Disruption     `json:"disruption,omitempty"`  // absent: nothing was done to the cluster
	Steps          []Step          `json:"steps,omitempty"`       // of maintenance, or that the recorder saw by itself, by time
	Outages        []Outage        `json:"outages,omitempty"`     // where there is a disruption or a step: the longest, at most 20
	AgentsAway     []AgentAway     `json:"agents_away,omitempty"` // by time
	FlowsLack      string          `json:"flows_lack,omitempty"`  // why nodes told of no connection where they route it, though they were asked
	Numbers        Numbers         `json:"numbers"`
	Lags           []PodLag        `json:"lags,omitempty"`         // by pod and node
	Terminations   *Terminations   `json:"terminations,omitempty"` // absent: no old pod was deleted under load
	Advice         []string        `json:"advice,omitempty"`       // to the owner of an app that is not Rollcall's
	Patch          *Patch          `json:"patch,omitempty"`        // that follows it; absent: no manifest can, or it is not known
	Evidence       string          `json:"evidence"`               // folder, relative to the run folder, with slashes
	Files          []string        `json:"-"`                      // names of what lies in it
	Claims         []verdict.Claim `json:"-"`                      // what its rules say of seed claims; see Report.Claims
	Diagnostics    string          `json:"diagnostics,omitempty"`  // likewise a folder: what the cluster looked like when it went wrong
}

// A Stall is a time in which somebody waited for a processor of the host.
type Stall struct {
	Who    string  `json:"who"`            // a pod, or a program such as "kubelet"
	Node   string  `json:"node,omitempty"` // absent: of the host, or of none
	From   float64 `json:"from_ms"`        // since the recording began
	To     float64 `json:"to_ms"`
	Waited float64 `json:"waited_ms"` // in that time
}

// Name is like "rollout/drained-rolling-update".
func (s Scenario) Name() string { return path.Join(s.Suite, s.ID) }

// Brief is what it came to, in a line; a report from before there were headlines has the whole reason alone.
func (s Scenario) Brief() string { return cmp.Or(s.Headline, s.Because) }

// Requests is how many were sent, on all lanes that loaded the app.
func (s Scenario) Requests() int { return s.total(func(l Lane) int { return l.Requests }) }

// Failed is how many requests failed, on all lanes that loaded the app.
func (s Scenario) Failed() int { return s.total(Lane.Failed) }

func (s Scenario) total(of func(Lane) int) (n int) {
	for _, lane := range s.LoadLanes() {
		n += of(lane)
	}
	return n
}

// Decided says that the recording could be trusted and something was judged, so that the numbers count.
func (s Scenario) Decided() bool { return s.Outcome == verdict.Pass || s.Outcome == verdict.Fail }

// Bad says that somebody should look at it.
func (s Scenario) Bad() bool { return s.Outcome == verdict.Fail || s.Outcome == verdict.Inconclusive }

// Ran says that it was recorded and judged, though it may be skipped because a rule that decides a claim is not for the cluster.
func (s Scenario) Ran() bool { return s.Outcome != verdict.Skipped || len(s.Rules) > 0 }

// A Patch is what has the workload of an app follow advice.
type Patch struct {
	Follows []string `json:"follows"` // codes of advice
	YAML    string   `json:"yaml"`    // as kubectl patch --patch-file and kustomize take it: a strategic merge
	Diff    string   `json:"diff"`    // the same for a reader: of what it changes, lines that go and lines that come
}

// A Bug is one of Kubernetes, and whether the cluster has it.
type Bug struct {
	Issue     string            `json:"issue"` // such as "k/k#139515"
	URL       string            `json:"url"`
	Component string            `json:"component"`
	Versions  []string          `json:"versions,omitempty"` // of the component that ran, or of the API server; absent: nothing ran
	Assumed   bool              `json:"assumed,omitempty"`  // the versions are the API server's
	Known     bool              `json:"known"`              // that what ran has it
	Fixed     string            `json:"fixed"`              // first release without it, of the minor version that ran or else of a later one
	Answer    verdict.BugAnswer `json:"answer"`
}

// A Rule is what one expectation came to.
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
	Evidence  verdict.EvidenceKind `json:"evidence,omitempty"` // what it rests on
	Exposure  Exposure             `json:"exposure,omitzero"`  // what it was put to; absent: it was skipped, or this build does not know it
}

// Reason is the whole reason; empty where the headline and the facts say as much.
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
	Rules   []string `json:"rules"` // of which it leaves the outcome unknown
}

// A Fact is a detail that a headline leaves out, such as when it was, or how many there were of each kind.
type Fact = verdict.Detail

// A Witness names a hit that decided a rule.
type Witness = verdict.Witness

// An Exposure counts what a rule was put to, such as 4575 of the unit "request".
type Exposure = verdict.Exposure

// A Lane is what one client saw. Rates are per second, times in milliseconds. What only the pods can
// tell is absent when arrivals were not recorded.
type Lane struct {
	ID            string                 `json:"id"`
	Vantage       evidence.Vantage       `json:"vantage"`
	Node          string                 `json:"node"`
	Conn          evidence.Conn          `json:"conn"`
	Resends       bool                   `json:"resends,omitempty"` // silently, what a dead connection cost it
	Named         bool                   `json:"named,omitempty"`   // resolves the Service's name for every connection
	Steps         bool                   `json:"steps,omitempty"`   // what the scenario's steps asked, which is no load
	AskedRate     int                    `json:"asked_rate"`
	AchievedRate  *float64               `json:"achieved_rate,omitempty"`
	LagP99        *float64               `json:"lag_p99_ms,omitempty"`
	Latency       *Latency               `json:"latency_ms,omitempty"`
	LatencyIn     map[string]Latency     `json:"latency_by_phase_ms,omitempty"` // before, during and after the rollout
	Requests      int                    `json:"requests"`
	Retried       int                    `json:"retried"` // given to several connections, or arrived more than once
	LostReplies   *int                   `json:"lost_replies,omitempty"`
	Arrivals      *int                   `json:"arrivals,omitempty"`
	NeverArrived  *int                   `json:"never_arrived,omitempty"`
	Routed        *Routed                `json:"routed,omitempty"`  // where nodes routed its connections; absent where nothing is known of it
	Unknown       int                    `json:"unknown,omitempty"` // sent, but none of Requests: its agent went away meanwhile
	ByVersion     map[string]int         `json:"by_version"`        // good replies
	LongestOutage float64                `json:"longest_outage_ms"`
	LongestGap    float64                `json:"longest_gap_ms,omitempty"` // beyond a period, in which it got no good reply
	StatusGap     *float64               `json:"status_gap_ms,omitempty"`  // how long the old version still replied after status-done
	Failures      map[evidence.Fault]int `json:"failures"`                 // every kind, also those at 0
}

// A Routed counts requests by where nodes routed their connections, by connection tracking.
type Routed struct {
	Pod          int `json:"pod"`
	Nowhere      int `json:"nowhere"` // rejected or dropped before they had a pod
	Unknown      int `json:"unknown"`
	Contradicted int `json:"contradicted,omitempty"` // of pod, answered by another
	Unexplained  int `json:"unexplained,omitempty"`  // of nowhere, though the node's rules routed to some pod
}

// A Latency is how long good replies took, from when their requests were sent until the whole reply was read, in milliseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// Kind is what the lane was for.
func (l Lane) Kind() evidence.LaneKind {
	return evidence.Lane{Vantage: l.Vantage, Conn: l.Conn, Resends: l.Resends, Named: l.Named, Steps: l.Steps}.Kind()
}

// LoadLanes are those that loaded the app: what steps ask is few, and some of it is to fail.
func (s Scenario) LoadLanes() []Lane {
	return slices.DeleteFunc(slices.Clone(s.Lanes), func(l Lane) bool { return l.Steps })
}

// Failed is how many requests of the lane failed, of every kind.
func (l Lane) Failed() int {
	n := 0
	for _, count := range l.Failures {
		n += count
	}
	return n
}
