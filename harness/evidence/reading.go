package evidence

// A Reading is what manifests say about the rollouts of one workload, before anything runs: what advice knows of the app, and what stands
// beside it in the manifests. Lists and texts that are empty say that there is no such thing.
type Reading struct {
	UserApp
	Kind    string // of the workload, such as Deployment
	Name    string // of the workload
	Service string // name of the Service with a cluster IP that leads to its pods
	Surge   int    // pods that a rollout may have beyond the replicas

	Manifest map[string]any // of the Service: what it is called, and its specification; nil: there is none

	Budget    string   // the PodDisruptionBudget that never allows an eviction
	Others    []string // what the Service selects besides and does not listen, such as Job migrate
	Peers     []string // what it selects besides and may listen, such as Deployment web-canary
	Unmatched string   // the selector of a Service that no pods of the manifests have; nothing else is read then
	HostPorts []string // ports of the node that each pod takes
	Claims    []string // volume claims of which one node has the volume at a time
	Local     string   // the field of the Service that has the policy Local
	Versioned []string // labels in the selector of the Service that change with each version
	Changed   []string // what changes for clients of the Service, from an earlier version of the manifests

	Hooked   bool     // a container has a preStop hook
	Programs []string // what preStop hooks run in a container
	Stopping bool     // a preStop hook does not only sleep
	Exposed  []string // containers that have a port and no preStop hook, where the one that answers has one
	Beside   []string // the same without a port
	Probes   string   // what the readiness probe of the container that answers asks, other than the path /
	Hurried  []string // containers with a liveness probe and no startup probe
}
