package evidence

import "time"

// A Disruption is something that was done to a cluster under load, and what that makes expected: from its
// [DisruptionBegun] until Tail after [ClusterWhole], and of its nodes alone, where it has any.
type Disruption struct {
	ID    string   `json:"id"`              // kebab-case, permanent, such as "node-cut"
	Does  string   `json:"does"`            // one sentence: what is done to what
	Nodes []string `json:"nodes,omitempty"` // that it is done to, or that carry what it is done to
	// Expects are ids of reasons for distrust that are then none, such as "node-unready".
	Expects []string      `json:"expects,omitempty"`
	Tail    time.Duration `json:"tail,omitempty"` // nanoseconds
}

// CommandExit is the fact with the exit code of the command by which somebody else disrupted the cluster.
const CommandExit = "command-exit"
