package evidence

import "time"

// UserApp is what is known of an app under test that is not Rollcall's: what its replies tell, and what of its manifests may
// cost its clients something. Its pods log no arrivals.
type UserApp struct {
	Watched     bool          `json:"watched,omitempty"`      // it was there already, and its pods were watched: the rest is what those have
	Named       bool          `json:"named"`                  // replies name their version
	Probed      bool          `json:"probed"`                 // there is a readiness probe
	Startup     bool          `json:"startup,omitempty"`      // there is a startup probe
	PreStop     time.Duration `json:"pre_stop,omitempty"`     // of a sleep, nanoseconds
	OtherHook   bool          `json:"other_hook,omitempty"`   // there is a preStop hook that is no sleep
	Unhooked    []string      `json:"unhooked,omitempty"`     // containers without a preStop hook beside some that have one
	Grace       time.Duration `json:"grace"`                  // nanoseconds
	Recreate    bool          `json:"recreate,omitempty"`     // every old pod ends before the first new one begins
	Unavailable int           `json:"unavailable,omitempty"`  // replicas that a rollout may take away before others are ready
	Replicas    int           `json:"replicas"`               // in the manifest; 0: it names none
	Autoscaled  string        `json:"autoscaled,omitempty"`   // name of the autoscaler that has the workload
	Affinity    bool          `json:"affinity,omitempty"`     // its Service keeps each client at one pod (sessionAffinity ClientIP)
	Adapted     []string      `json:"changed_back,omitempty"` // what of the manifests was left out or changed for the run

	Answers  string         `json:"answers,omitempty"`  // name of the container that has the Service's port
	Asked    map[string]any `json:"asked,omitempty"`    // what clients ask for, as a probe asks for it in a manifest
	Workload map[string]any `json:"workload,omitempty"` // its manifest, less what no advice is about; absent: not one of apps/v1
}
