package evidence

import "time"

// UserApp describes an app under test that is not Rollcall's: what its replies contain, and the settings in its manifests that
// may cost its clients requests. Its pods log no arrivals.
type UserApp struct {
	Watched     bool          `json:"watched,omitempty"`     // it ran already: the rest is what its pods have, not a manifest
	Named       bool          `json:"named"`                 // replies name their version
	Probed      bool          `json:"probed"`                // there is a readiness probe
	Startup     bool          `json:"startup,omitempty"`     // there is a startup probe
	PreStop     time.Duration `json:"pre_stop,omitempty"`    // length of its preStop sleep, nanoseconds
	OtherHook   bool          `json:"other_hook,omitempty"`  // there is a preStop hook other than a sleep
	Unhooked    []string      `json:"unhooked,omitempty"`    // containers without a preStop hook, where others have one
	Grace       time.Duration `json:"grace"`                 // nanoseconds
	Recreate    bool          `json:"recreate,omitempty"`    // every old pod ends before the first new one begins
	Unavailable int           `json:"unavailable,omitempty"` // replicas that a rollout may remove before new ones are ready
	Replicas    int           `json:"replicas"`              // in the manifest; 0: it names none
	Selected    int           `json:"selected,omitempty"`    // pods that the Service selected before anything was done; 0: they were not counted
	Autoscaled  string        `json:"autoscaled,omitempty"`  // name of the autoscaler that scales the workload
	Affinity    bool          `json:"affinity,omitempty"`    // its Service sends each client to one pod (sessionAffinity ClientIP)

	PublishesUnready bool `json:"publishes_unready,omitempty"` // its Service lists pods that are not ready (publishNotReadyAddresses)
	NodeLocal        bool `json:"node_local,omitempty"`        // its Service sends a client in a pod to pods of the same node (policy Local)

	Answers  string         `json:"answers,omitempty"`  // name of the container that has the Service's port
	Request  map[string]any `json:"asked,omitempty"`    // what clients ask for, as the handler of a probe in a manifest
	Workload map[string]any `json:"workload,omitempty"` // its manifest, less the parts that no advice is about; absent: not one of apps/v1
}

// WorkloadName returns the workload as Events name it, such as StatefulSet/web; empty if it is not known. StatefulSets and DaemonSets make
// their pods themselves.
func (a UserApp) WorkloadName() string {
	metadata, _ := a.Workload["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); name != "" {
		return a.Kind() + "/" + name
	}
	return ""
}

// Fronted reports whether several containers of each pod run all the time, of which one may ask the others.
func (a UserApp) Fronted() bool {
	containers, _ := a.field("spec", "template", "spec", "containers").([]any)
	return len(containers) > 1
}

// Kind returns the kind of the workload, such as DaemonSet; empty if it is not known.
func (a UserApp) Kind() string {
	kind, _ := a.Workload["kind"].(string)
	return kind
}

// OnDelete reports whether a rollout deletes no pod, but makes those anew that somebody deletes (apps/v1, OnDelete).
func (a UserApp) OnDelete() bool {
	return a.field("spec", "updateStrategy", "type") == "OnDelete"
}

func (a UserApp) field(path ...string) (value any) {
	value = a.Workload
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}
