package evidence

import "time"

// A Disruption is something done to a cluster under load, and the symptoms to expect from it: between its
// [DisruptionBegun] and Tail after [ClusterWhole], and, if it names nodes, on these nodes alone.
type Disruption struct {
	ID    string   `json:"id"`              // kebab-case, permanent, such as "node-cut"
	Does  string   `json:"does"`            // one sentence: what is done to what
	Nodes []string `json:"nodes,omitempty"` // the disrupted nodes, or those that carry what is disrupted
	// Expects are ids of reasons for distrust that do not count then, such as "node-unready".
	Expects []string      `json:"expects,omitempty"`
	Tail    time.Duration `json:"tail,omitempty"` // nanoseconds
}

// CommandExit is the name of the fact that holds the exit code of the user's command that disrupted the cluster.
const CommandExit = "command-exit"
