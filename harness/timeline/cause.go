package timeline

// A Stage is how far a request came that got no good reply, or a late one. The set is closed.
type Stage string

// The stages, in the order in which a request passes them.
const (
	StageUnknown       Stage = "unknown"
	StageHost          Stage = "host"           // the client's host had no port or no route left
	StageName          Stage = "name"           // the name of the server was not resolved
	StageRoute         Stage = "route"          // the network brought it to no address: no route, or its node was down
	StageTLS           Stage = "tls"            // its connection was open, and the handshake failed
	StageDoor          Stage = "door"           // what stands before the Service answered, not the app
	StageNoEndpoint    Stage = "no-endpoint"    // the node's rules had no pod for it
	StageStaleEndpoint Stage = "stale-endpoint" // the node's rules led to a pod that had left the endpoints, or to an address of no pod
	StageNotListening  Stage = "not-listening"  // it reached the pod, where nothing listened
	StageQueueFull     Stage = "queue-full"     // it reached the pod, which accepted no connection in time
	StageDropped       Stage = "dropped"        // its connection was accepted, and ended without a reply
	StageStatus        Stage = "status"         // the app answered with a bad status
	StageTimeout       Stage = "timeout"        // the app had it, and gave no whole reply in time
	StageContent       Stage = "content"        // the reply was not the app's
	StageBehind        Stage = "behind"         // the app answered that something it needs failed: status 502 to 504
	StageLate          Stage = "late"           // the reply was good and late
)

// A PodCondition is the state of the pod that a request went to, when it was sent. The set is closed.
type PodCondition string

// The conditions of pods.
const (
	ConditionUnknown     PodCondition = "unknown"        // which pod it went to is not known, and is not guessed
	ConditionNone        PodCondition = "none"           // it went to no pod
	ConditionStarting    PodCondition = "starting"       // not ready
	ConditionReady       PodCondition = "ready"          // ready, and it had given a good reply since
	ConditionNotAble     PodCondition = "not-able"       // ready, and it had given no good reply since
	ConditionTerminating PodCondition = "terminating"    // being deleted, its process ended included
	ConditionKilled      PodCondition = "killed"         // a container of it had been killed: at the end of its grace period, or for its memory
	ConditionOther       PodCondition = "other-workload" // it is not of the app's workload
)

// A Trigger is the change since which requests were lost. The set is closed.
type Trigger string

// The triggers.
const (
	TriggerUnknown      Trigger = "unknown"
	TriggerNothing      Trigger = "nothing" // they were lost at one pace before, during and after every change
	TriggerRollout      Trigger = "rollout"
	TriggerDrain        Trigger = "drain"           // of a node that was cordoned
	TriggerEviction     Trigger = "eviction"        // of a pod, without a cordon
	TriggerDeletion     Trigger = "deletion"        // of a pod, which its workload replaced
	TriggerScaleIn      Trigger = "scale-in"        // the workload was to have fewer pods
	TriggerService      Trigger = "service-changed" // or its EndpointSlices were edited by hand
	TriggerBudget       Trigger = "budget-changed"  // a PodDisruptionBudget
	TriggerOtherStarted Trigger = "other-started"   // a pod of another workload became an endpoint
	TriggerOther        Trigger = "other-restarted" // pods of another workload of the namespace ended
	TriggerProxy        Trigger = "proxy-restarted" // kube-proxy, perhaps in another mode
	TriggerDNS          Trigger = "dns-restarted"   // CoreDNS
	TriggerNode         Trigger = "node-changed"    // not ready, booted, gone, or of another version
	TriggerCertificate  Trigger = "certificate"     // the server showed another one
	TriggerName         Trigger = "name-changed"    // the name resolves otherwise
	TriggerDisruption   Trigger = "disruption"      // what the scenario, or a user's mark, did to the cluster
)

// An Owner is who can mend a cause. The set is closed.
type Owner string

// The owners.
const (
	OwnerUnknown    Owner = "unknown"
	OwnerClient     Owner = "client"     // the host of a client outside, or its name service
	OwnerCluster    Owner = "cluster"    // nodes, network, kube-proxy and CoreDNS
	OwnerDoor       Owner = "door"       // what stands before the Service
	OwnerManifest   Owner = "manifest"   // of the app: workload, Service, certificate
	OwnerApp        Owner = "app"        // its program
	OwnerDependency Owner = "dependency" // what the app needs
	OwnerOther      Owner = "other-workload"
)
