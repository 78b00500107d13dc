package evidence

import (
	"cmp"
	"time"
)

// SchemaVersion is written into every run.json. No other version is read.
const SchemaVersion = 4

// A Session is one conformance run, with its own run folder: which command, when, and by which build.
type Session struct {
	Schema  int       `json:"schema"`
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Version string    `json:"version"`          // of Rollcall
	Command string    `json:"command"`          // to reproduce
	Broken  []string  `json:"broken,omitempty"` // what kept scenarios from being recorded at all

	Named    []string `json:"modes_asked,omitempty"`      // modes that were named by --modes; empty: all that the host supports
	Profile  string   `json:"profile,omitempty"`          // smoke, core or full; empty: recorded before there were profiles
	LeftOut  int      `json:"left_out,omitempty"`         // scenarios per mode of the selected suites that are not in the profile
	Expected float64  `json:"expected_seconds,omitempty"` // how long the run was expected to take when it began
	Jobs     int      `json:"jobs,omitempty"`             // most recordings side by side on one cluster if one is under load
	MostJobs int      `json:"most_jobs,omitempty"`        // most with none under load, and the limit to which Jobs may be raised
	TooMany  int      `json:"too_many,omitempty"`         // lowest value of Jobs that proved too high; 0: none
	Rate     int      `json:"rate,omitempty"`             // requests per second and lane that the run ended with
	Steps    []string `json:"steps,omitempty"`            // a sentence for each time the rate or Jobs was changed, and why
}

// A Cluster describes the cluster under test. Every mode of a session has one, even a mode that the host could not run.
type Cluster struct {
	Name       string    `json:"name"`
	Mode       string    `json:"mode"`     // kube-proxy's: iptables, nftables or ipvs
	Provider   string    `json:"provider"` // kind or attached; empty: there is none
	Kubernetes string    `json:"kubernetes"`
	Kernel     string    `json:"kernel"`
	CNI        string    `json:"cni"`
	Nodes      int       `json:"nodes"`
	Features   []Feature `json:"features"`
	// Outside is where the client outside reaches the cluster: a node's address, or a port published on this host.
	Outside string `json:"outside,omitempty"`
	// Trial is the result of a rollout before the first scenario, without load where nodes' rules can be read; nil: there was none.
	Trial *Trial `json:"trial,omitempty"`
}

// A Trial has the times, in milliseconds, that a cluster takes for what scenarios wait for.
type Trial struct {
	PodStart float64 `json:"pod_start_ms"` // from a pod's creation until it is ready, the longest
	RuleLag  float64 `json:"rule_lag_ms"`  // from a pod leaving the endpoints until no node's rules route to it, the longest
	// ByClients says that rules were not read: RuleLag is until the last new connection from a node to the pod.
	ByClients bool `json:"by_clients,omitempty"`
	Stretch   int  `json:"stretch"` // factor by which both are longer than usual, and times that scale are multiplied; at least 1
}

// NoCluster is the mode of recordings without a cluster, with a client on this host alone.
const NoCluster = "no-cluster"

// NoProxy is the mode of a cluster whose nodes have no kube-proxy.
const NoProxy = "none"

// NodeRules is the feature of clusters on whose nodes kube-proxy writes the rules for Services, which observers can read.
const NodeRules = "node-rules"

// FlowEvents is the feature of clusters whose nodes report for each connection the pod that it was routed to: see [Flow].
const FlowEvents = "flows"

// A Feature is something a scenario may need and a cluster may lack.
type Feature struct {
	Name      string `json:"name"`
	Supported bool   `json:"supported"`
	Because   string `json:"because"`
}

// A Run has the circumstances of one recording of a scenario: everything about it that is not a
// hit or an event, with the expectations, so that it can be judged again without a cluster.
type Run struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	Suite    string `json:"suite"`
	Mode     string `json:"mode"`
	// ObservedMode is the mode that observers found in every node's kube-proxy, where Mode is not one of kube-proxy's.
	ObservedMode string `json:"observed_mode,omitempty"`
	Kubernetes   string `json:"kubernetes"` // version of the API server, such as "v1.36.3"
	Attempt      int    `json:"attempt"`    // from 1
	// most attempts if a precondition was not met or the host was too slow
	Tries   int      `json:"tries"`
	Earlier []string `json:"earlier,omitempty"` // results of earlier attempts for which the host was too slow
	// FailedEarlier is the result of the first earlier attempt that failed by something for which the host was not too slow; empty: none.
	FailedEarlier string        `json:"failed_earlier,omitempty"`
	Claim         string        `json:"claim"`
	Covers        []string      `json:"covers"` // seed claims, such as "C31"
	Began         time.Time     `json:"began"`
	Length        time.Duration `json:"length"` // wall time, nanoseconds, set-up and clean-up included
	OldVersion    string        `json:"old_version"`
	NewVersion    string        `json:"new_version"`
	// VersionNames are readable names, by id, of versions whose ids are hashes of pod templates.
	VersionNames map[string]string `json:"version_names,omitempty"`
	Lanes        []Lane            `json:"lanes"`
	// ClientNodes is how many nodes had, or could have had, pods that are clients; 0: not noted.
	ClientNodes int `json:"client_nodes,omitempty"`
	// Unloaded says that the scenario has no load by design: it calls the API and notes facts; its lanes are requests of its steps.
	Unloaded bool `json:"unloaded,omitempty"`
	// Timeout is how long, from the sending of a request, clients awaited its whole reply, nanoseconds; 0: not noted.
	Timeout time.Duration `json:"timeout,omitempty"`
	// FirstReply is how long the slowest of the first replies before the load took, nanoseconds, if Timeout was chosen by that; 0: it was not.
	FirstReply time.Duration `json:"first_reply,omitempty"`
	// Clocks has at least one reading of every node that had a client or pod of the run.
	Clocks []ClockReading `json:"clocks,omitempty"`
	// Foreign is how many requests to the app named a lane or a number, in their headers, that was none of the recording's. They are not
	// among the arrivals.
	Foreign int `json:"foreign_requests,omitempty"`
	// Absences are times in which a load agent sent nothing; it went on after each.
	Absences []Absence     `json:"absences,omitempty"`
	Expect   []Expectation `json:"expect"`

	// Lacks are features that the cluster turned out not to have; rules that need one are skipped.
	Lacks []Feature `json:"lacks,omitempty"`

	// Emulated says that the cluster's machine is emulated in software, such as the ipvs lab's.
	Emulated bool `json:"emulated,omitempty"`
	// ClusterChanges are the changes made to the cluster for the scenario.
	ClusterChanges []string `json:"given,omitempty"`
	// Disruption is the disruption of the cluster under load; nil: none.
	Disruption *Disruption `json:"disruption,omitempty"`
	// Bug is the bug of Kubernetes that the scenario shows where it is present; ComponentVersions are the versions of its
	// component on the nodes that run it, without repetition; empty: unknown.
	Bug               *Bug     `json:"bug,omitempty"`
	ComponentVersions []string `json:"component_versions,omitempty"`
	// Measures says that the recording only measures something for the next one, and decides nothing.
	Measures bool `json:"measures,omitempty"`

	// UserApp is the app under test, where it is not Rollcall's.
	UserApp *UserApp `json:"own,omitempty"`

	// RecordedFor is the scenario whose recording this one shares; empty: it has its own.
	RecordedFor string `json:"recorded_for,omitempty"`

	// Skipped is why the scenario did not run at all; empty when it did.
	Skipped string `json:"skipped,omitempty"`
	// Reasons are why the recording is not whole: a dead client, a lost watch, a namespace that was not clean.
	Reasons []Reason `json:"reasons,omitempty"`
	// Limits are what the recording does not look at.
	Limits []Limit `json:"limits,omitempty"`
	// Files describes the streams on disk. It is empty while recording, and stays so when the
	// recording was cut off.
	Files []File `json:"files,omitempty"`
}

// ProxyMode returns kube-proxy's mode: the observed one, if any, or else Mode.
func (r Run) ProxyMode() string { return cmp.Or(r.ObservedMode, r.Mode) }

// A File describes a stream's file as written, so that damage and edits are detected.
type File struct {
	Name    string `json:"name"`
	Records int    `json:"records"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"` // hex
}

// Evidence is the whole recording of one scenario.
type Evidence struct {
	Run         Run
	Hits        Stream[Hit]
	Arrivals    Stream[Arrival]    // nil: not recorded
	Connections Stream[Connection] // nil: earlier builds recorded it, or no lane kept any
	Flows       Stream[Flow]       // nil: none was recorded
	Events      []Event            // in the order noted
	Damage      []Damage           // the parts of the recording that could not be read
}

// A Damage is a part of a recording that could not be read.
type Damage struct {
	File string // of the recording, such as hits.parquet
	Text string // begins with the file and the position in it
}
