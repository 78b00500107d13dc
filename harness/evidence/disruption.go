package evidence

import "time"

// A Disruption is something done to a cluster under load, and the symptoms to expect from it: between its
// [DisruptionBegun] and Tail after [ClusterWhole], and, if it names nodes, on these nodes alone.
type Disruption struct {
	ID    string   `json:"id"`              // kebab-case, permanent, such as "node-cut"
	Does  string   `json:"does"`            // one sentence: what is done to what
	Nodes []string `json:"nodes,omitempty"` // the disrupted nodes, or those that carry what is disrupted
	// Expects are ids of reasons for distrust that do not count then, such as "node-unready".
	Expects  []string      `json:"expects,omitempty"`
	Tail     time.Duration `json:"tail,omitempty"`     // nanoseconds
	Unjudged bool          `json:"unjudged,omitempty"` // what it costs is shown: no rule judges that, and no advice is on it
}

// Reached is the value of [RolloutEnd] of a rollout that ended.
const Reached = "reached"

// Names of facts about what a user did to a cluster, or to an app.
const (
	CommandExit     = "command-exit"       // the exit code of the user's command
	AppChanged      = "app-changed"        // which workload of the app, or Service, is another object or has another specification than before
	SystemChanged   = "system-changed"     // which components of the cluster were started again or replaced, or its API server's version
	RolloutUnderWay = "rollout-under-way"  // what the app's rollout still lacked before anything was done
	Unfinished      = "unfinished"         // why what was done, or the rollout that it began, did not come to its end; absent: it did
	RolloutEnd      = "end of the rollout" // [Reached], or why it cannot be reached, of a rollout that has to end
	UntilTurned     = "until-turned"       // how often --until failed before it succeeded; absent: it never failed
)
