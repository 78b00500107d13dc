package evidence

import (
	"cmp"
	"time"
)

// SchemaVersion is written into every run.json, and the only one that is read.
const SchemaVersion = 4

// A Session is one conformance run: what was typed, when, and by which build. One run folder holds one.
type Session struct {
	Schema  int       `json:"schema"`
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Version string    `json:"version"`          // of Rollcall
	Command string    `json:"command"`          // to reproduce
	Broken  []string  `json:"broken,omitempty"` // what kept scenarios from being recorded at all

	Asked    []string `json:"modes_asked,omitempty"`      // modes that were asked for by name; empty: whatever the host can have
	Profile  string   `json:"profile,omitempty"`          // smoke, core or full; empty: recorded before there were profiles
	LeftOut  int      `json:"left_out,omitempty"`         // scenarios of the selected suites that the profile does not run, per mode
	Expected float64  `json:"expected_seconds,omitempty"` // what the run was expected to take when it began
	Jobs     int      `json:"jobs,omitempty"`             // most recordings side by side on one cluster, one of them under load
	MostJobs int      `json:"most_jobs,omitempty"`        // with none of them under load, and that Jobs may be raised to
	TooMany  int      `json:"too_many,omitempty"`         // the fewest that turned out to be too many with one under load
	Rate     int      `json:"rate,omitempty"`             // requests per second and lane that the run ended with
	Steps    []string `json:"steps,omitempty"`            // a sentence for each time the rate or Jobs was changed, and why
}

// A Cluster says what was under test. Every mode of a session has one, also one the host could not run.
type Cluster struct {
	Name       string    `json:"name"`
	Mode       string    `json:"mode"`     // kube-proxy's: iptables, nftables or ipvs
	Provider   string    `json:"provider"` // kind or attached; empty: there is none
	Kubernetes string    `json:"kubernetes"`
	Kernel     string    `json:"kernel"`
	CNI        string    `json:"cni"`
	Nodes      int       `json:"nodes"`
	Features   []Feature `json:"features"`
	// Outside is how the client outside the cluster reaches it: a node's address, or a port published on this host.
	Outside string `json:"outside,omitempty"`
	// Trial is what a rollout without load showed just after the cluster was made; nil: there was none.
	Trial *Trial `json:"trial,omitempty"`
}

// A Trial is how long a cluster takes for what scenarios wait for, in milliseconds.
type Trial struct {
	PodStart float64 `json:"pod_start_ms"` // from a pod's creation until it is ready, the longest
	RuleLag  float64 `json:"rule_lag_ms"`  // from a pod leaving the endpoints until no node's rules route to it, the longest
	Stretch  int     `json:"stretch"`      // how many times longer than usual that is, and so the times that scale with it; at least 1
}

// NoCluster is the mode of recordings from this host alone, which use no cluster.
const NoCluster = "no-cluster"

// NoProxy is the mode of a cluster whose nodes have no kube-proxy.
const NoProxy = "none"

// NodeRules is the feature of clusters whose nodes' rules for Services are kube-proxy's, which can be read.
const NodeRules = "node-rules"

// FlowEvents is the feature of clusters whose nodes tell of each connection to which pod it was routed, see [Flow].
const FlowEvents = "flows"

// A Feature is something a scenario may need and a cluster may lack.
type Feature struct {
	Name      string `json:"name"`
	Supported bool   `json:"supported"`
	Because   string `json:"because"`
}

// A Run is the circumstances of one scenario on one cluster: everything about it that is not a
// hit or an event, including what was expected, so that it can be judged again without a cluster.
type Run struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	Suite    string `json:"suite"`
	Mode     string `json:"mode"`
	// ObservedMode is kube-proxy's on every node, by the observers of their rules, where Mode is none of its modes.
	ObservedMode string `json:"observed_mode,omitempty"`
	Kubernetes   string `json:"kubernetes"` // version of the API server, such as "v1.36.3"
	Attempt      int    `json:"attempt"`    // from 1
	// one whose precondition was not met may be tried again, up to this, and one of which the host was too slow to tell
	Tries      int           `json:"tries"`
	Earlier    []string      `json:"earlier,omitempty"` // what attempts before came to, of which the host was too slow to tell
	Claim      string        `json:"claim"`
	Covers     []string      `json:"covers"` // seed claims, such as "C31"
	Began      time.Time     `json:"began"`
	Length     time.Duration `json:"length"` // wall time, nanoseconds, set-up and clean-up included
	OldVersion string        `json:"old_version"`
	NewVersion string        `json:"new_version"`
	// VersionNames are what people know versions by whose ids are hashes of templates.
	VersionNames map[string]string `json:"version_names,omitempty"`
	Lanes        []Lane            `json:"lanes"`
	// Unloaded says that the scenario has no load by design: it calls the API and notes facts, and its lanes are what its steps asked.
	Unloaded bool `json:"unloaded,omitempty"`
	// Clocks has every node a client or pod of the run was on, at least once.
	Clocks []ClockReading `json:"clocks,omitempty"`
	// Absences are those of load agents, which went on after each.
	Absences []Absence     `json:"absences,omitempty"`
	Expect   []Expectation `json:"expect"`

	// Lacks are features of which the cluster turned out to have none; rules that need one are skipped.
	Lacks []Feature `json:"lacks,omitempty"`

	// Emulated says that the machine of the cluster is emulated by a program, such as the ipvs lab's.
	Emulated bool `json:"emulated,omitempty"`
	// ClusterChanges are those that were made to the cluster for it.
	ClusterChanges []string `json:"given,omitempty"`
	// Disruption is what was done to the cluster under load; nil: nothing.
	Disruption *Disruption `json:"disruption,omitempty"`
	// Bug is one of Kubernetes that the scenario would show; ComponentVersions are those of the program that would have it, on
	// the nodes where it runs, without repetition; empty: they were not found out.
	Bug               *Bug     `json:"bug,omitempty"`
	ComponentVersions []string `json:"component_versions,omitempty"`
	// Measures says that the recording was made to measure something for the next one, and decides nothing.
	Measures bool `json:"measures,omitempty"`

	// UserApp is the app under test, where it is not Rollcall's.
	UserApp *UserApp `json:"own,omitempty"`

	// RecordedFor is the scenario for which the recording was made that this one is judged from too; empty: for itself.
	RecordedFor string `json:"recorded_for,omitempty"`

	// Skipped is why the scenario did not run at all; empty when it did.
	Skipped string `json:"skipped,omitempty"`
	// Reasons are what kept the recording from being whole: a dead client, a lost watch, a namespace that was not clean.
	Reasons []Reason `json:"reasons,omitempty"`
	// Files describes the streams on disk. It is empty while recording, and stays so when the
	// recording was cut off.
	Files []File `json:"files,omitempty"`
}

// ProxyMode is kube-proxy's mode, as far as anything showed it.
func (r Run) ProxyMode() string { return cmp.Or(r.ObservedMode, r.Mode) }

// A File is a stream as it was written, so that damage and edits are seen.
type File struct {
	Name    string `json:"name"`
	Records int    `json:"records"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"` // hex
}

// Evidence is the whole recording of one scenario.
type Evidence struct {
	Run      Run
	Hits     Stream[Hit]
	Arrivals Stream[Arrival] // nil: not recorded
	Flows    Stream[Flow]    // nil: none was heard of
	Events   []Event         // in the order noted
	// Damage lists what of the recording could not be read, each naming file and position.
	Damage []string
}
