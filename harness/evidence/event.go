package evidence

import "time"

// An Event is one thing the cluster did, or one step of the scenario. At is when it was noted, by
// the recorder, the pod or the node; Clock says by whose clock.
type Event struct {
	At     time.Duration `json:"at"`               // nanoseconds since Run.Began
	Clock  string        `json:"clock,omitempty"`  // node whose clock At is on; empty: the recorder's
	Kind   EventKind     `json:"kind"`             // one of the kinds below
	By     Server        `json:"by,omitzero"`      // the pod concerned
	Object string        `json:"object,omitempty"` // ReplicaSet, EndpointSlice or node concerned, where it is not a pod
	Count  int           `json:"count,omitempty"`  // new size or exit code, where the kind has one
	For    time.Duration `json:"for,omitempty"`    // nanoseconds before At that the event is about, where the kind says so
	Detail string        `json:"detail,omitempty"` // such as a message, where the kind says what
	Reason string        `json:"reason,omitempty"` // of an Event of the API; earlier builds wrote it in Detail alone

	Message string `json:"-"` // of an Event of the API: Detail without the reason; package evidence/store sets it
	Report  Report `json:"-"` // what reason and message mean; package timeline sets it
}

// An EventKind names what happened. The set is closed: readers refuse an unknown kind.
type EventKind string

// Kinds about one pod as seen in the API, then as logged by the pod, then about the nodes,
// their rules and the workload, then the marks that the harness sets.
const (
	PodCreated EventKind = "pod-created" // first seen in the API; Object is its controller, such as Job/migrate
	PodReady   EventKind = "pod-ready"   // its condition Ready became true
	PodUnready EventKind = "pod-unready" // its condition Ready became false
	// deletionTimestamp first seen; Detail is the reason of its condition DisruptionTarget, such as EvictionByEvictionAPI
	PodDeleting EventKind = "pod-deleting"
	PodGone     EventKind = "pod-gone" // the object left the API
	// deletionTimestamp first seen of a pod that belongs neither to the app nor to a Job; Object is its controller
	OtherPodDeleting EventKind = "other-pod-deleting"
	EndpointReady    EventKind = "endpoint-ready"     // its endpoint is listed as ready
	EndpointNotReady EventKind = "endpoint-not-ready" // its endpoint is still listed, but not as ready
	EndpointGone     EventKind = "endpoint-gone"      // its endpoint is no longer listed
	// listed as terminating (discovery/v1 EndpointConditions): its pod is being deleted; older recordings lack it
	EndpointTerminating EventKind = "endpoint-terminating"

	// the kubelet reports the end of container Object: Count is its exit code, Detail the reason, such as OOMKilled. For is how long after
	// the pod's deletion was requested it ended, in whole seconds of the API's clock; 0 if it was not deleted
	ContainerEnded EventKind = "container-ended"

	PodStarted   EventKind = "pod-started"   // its process began
	PodListening EventKind = "pod-listening" // its socket accepts
	PodSigterm   EventKind = "pod-sigterm"   // SIGTERM reached its process
	PodDraining  EventKind = "pod-draining"  // its socket no longer accepts
	PodExited    EventKind = "pod-exited"    // its process is about to exit; Count is the code
	PodKilled    EventKind = "pod-killed"    // its process, which got SIGTERM, was last seen to run; it was killed within 0.1 s
	PodWaited    EventKind = "pod-waited"    // its process measured that it waited for a processor, for all of For

	RulesBegun  EventKind = "rules-begun"  // node Object's rules are observed from now on; Detail is kube-proxy's mode and how it is read
	RuleAdded   EventKind = "rule-added"   // node Object began to route to the pod
	RuleGone    EventKind = "rule-gone"    // node Object no longer routes to the pod
	RulesSynced EventKind = "rules-synced" // kube-proxy of node Object had written its rules; older recordings have it
	RulesFailed EventKind = "rules-failed" // kube-proxy of node Object could not write its rules; older recordings have it
	RulesUnseen EventKind = "rules-unseen" // node Object's rules were not observed for Count milliseconds up to now; Detail is why
	FlowsBegun  EventKind = "flows-begun"  // the connections that node Object routes to the app are recorded from now on
	FlowsUnseen EventKind = "flows-unseen" // node Object's connections were not recorded for Count ms up to now, 0: never; Detail is why
	NodeUnseen  EventKind = "node-unseen"  // something else of node Object was not seen for Count ms up to now; Detail is what and why
	// node Object's processors were in use, Count permille, for the second up to now: the busiest of 10 s; older recordings have each second
	NodeBusy EventKind = "node-busy"
	// other virtual machines on node Object's host used its processors, Count permille of that second; node-busy counts it too
	NodeStolen EventKind = "node-stolen"
	// node Object's conntrack table was Count permille full, at most in 10 s; Detail is the number of connections
	NodeConntrack EventKind = "node-conntrack"
	// from now on the time that processes of our own nodes wait for a processor is measured
	CPUWaitBegun EventKind = "cpu-wait-begun"
	// process Detail of pod By or of node Object was on a run queue for Count milliseconds of For; without a node it is the host's
	CPUWait EventKind = "cpu-wait"
	// a CPU limit of pod By kept its process Detail from running for Count milliseconds of For
	CPUThrottled EventKind = "cpu-throttled"

	NodeReady    EventKind = "node-ready"    // node Object is ready, as the API shows it
	NodeUnready  EventKind = "node-unready"  // node Object is not ready, or left the API: then Detail is "deleted"
	NodeCordoned EventKind = "node-cordoned" // node Object takes no new pods
	NodeOpened   EventKind = "node-opened"   // node Object takes new pods again: uncordoned
	NodeChanged  EventKind = "node-changed"  // node Object booted, or runs another version; Detail is which, such as "kubelet v1.37.2"
	// a load agent on node Object sent nothing for Count milliseconds up to now; Detail is why, and which numbers
	AgentAway EventKind = "agent-away"

	// lane Object was shown a certificate for the first time, its Count-th; Detail is which
	CertificateSeen EventKind = "certificate-seen"
	TLSFailed       EventKind = "tls-failed" // lane Object's handshake failed; Detail is how, such as the alert. Each Detail is noted once
	RPCFailed       EventKind = "rpc-failed" // an RPC of lane Object failed; Detail is the code and text of its status. Each is noted once
	// channel Count of lane Object, from 0, came into the state that gRPC names Detail, such as READY; RPC seq uses channel seq modulo 20
	ChannelState EventKind = "channel-state"

	// on the host of the clients outside, name Object resolves to other addresses than before, or to none; Detail is which, in words
	NameChanged EventKind = "name-changed"

	// a pod that is not part of the rollout was a ready endpoint, in EndpointSlice Object; Detail is why it gets requests
	StrayPod EventKind = "stray-pod"

	ReplicaSetScaled EventKind = "replicaset-scaled" // ReplicaSet Object asks for Count pods; Detail is its version
	// the spec of workload Object, such as Deployment/web, was changed, or it was created or deleted; Detail is what, such as "replicas 3 to
	// 1" or "template", Count how many pods it wants
	WorkloadChanged EventKind = "workload-changed"
	// the spec of Service Object was changed, or it was created or deleted; Detail is what, such as "selector app=a to app=b"
	ServiceChanged EventKind = "service-changed"
	// EndpointSlice Object of the Service, which no controller of Kubernetes writes, was created, changed or deleted; Detail is how
	SliceEdited EventKind = "slice-edited"
	// PodDisruptionBudget Object of the app's pods allows Count disruptions; Detail is its limit, such as "minAvailable 1", or "deleted"
	BudgetAllows EventKind = "budget-allows"
	// the spec of HorizontalPodAutoscaler Object was changed, or it was created or deleted; Detail is what
	AutoscalerChanged EventKind = "autoscaler-changed"
	// deletionTimestamp first seen of pod By of kube-system, or it left the API without one; Object is its component, such as coredns
	SystemPodDeleting EventKind = "system-pod-deleting"
	// pod By of kube-system, made during the recording, is ready; Object is its component, Detail the mode of a kube-proxy
	SystemPodReady EventKind = "system-pod-ready"
	Unwatched      EventKind = "unwatched" // objects of kind Object are not watched from now on; Detail is why
	Reported       EventKind = "reported"  // an Event of the API about Object, with its Reason; Detail is reason and message

	Fact EventKind = "fact" // found out by the scenario: Object is the fact's name, Detail its value

	LoadBegun    EventKind = "load-begun"    // clients send requests from now on
	RolloutBegun EventKind = "rollout-begun" // the write that starts the rollout is about to be made
	StatusDone   EventKind = "status-done"   // `kubectl rollout status` would have reported success
	OldGone      EventKind = "old-gone"      // the last pod of the old version had left the API; not before status-done
	Barrier      EventKind = "barrier"       // endpoints and all observed nodes' rules have exactly the pods that the rollout leaves
	LoadEnded    EventKind = "load-ended"    // the pacers have stopped and no request is in flight

	DisruptionBegun  EventKind = "disruption-begun"  // something is about to be done to the cluster; Detail is what
	DisruptionUndone EventKind = "disruption-undone" // it is undone, as far as the one who did it can see
	ClusterWhole     EventKind = "cluster-whole"     // the cluster is again what it was before
	Step             EventKind = "step"              // maintenance reached a step: Detail is which, Object the node

	APIAnswered  EventKind = "api-answered"  // the API server answered after Count milliseconds: the watch may be late by as much
	WatchGap     EventKind = "watch-gap"     // the watch saw nothing up to now: it broke, or the API server hung; Detail is how
	RecorderLost EventKind = "recorder-lost" // a recorder stopped before the end; Detail is which and why
)

// Details of events.
const (
	Booted    = "booted"    // of a [NodeChanged] after a boot
	Deleted   = "deleted"   // of an event about an object that is gone
	OOMKilled = "OOMKilled" // of a [ContainerEnded] that used more memory than its limit (pkg/kubelet, v1.37)
)

// EventKinds lists every kind.
func EventKinds() []EventKind {
	return []EventKind{PodCreated, PodReady, PodUnready, PodDeleting, PodGone, OtherPodDeleting,
		EndpointReady, EndpointNotReady, EndpointGone, EndpointTerminating,
		ContainerEnded, PodStarted, PodListening, PodSigterm, PodDraining, PodExited, PodKilled, PodWaited,
		RulesBegun, RuleAdded, RuleGone, RulesSynced, RulesFailed, RulesUnseen, FlowsBegun, FlowsUnseen,
		NodeUnseen, NodeBusy, NodeStolen, NodeConntrack, CPUWaitBegun, CPUWait, CPUThrottled, NodeReady,
		NodeUnready, NodeCordoned, NodeOpened, NodeChanged, AgentAway,
		CertificateSeen, TLSFailed, RPCFailed, ChannelState, NameChanged,
		StrayPod, ReplicaSetScaled, WorkloadChanged, ServiceChanged, SliceEdited, BudgetAllows, AutoscalerChanged,
		SystemPodDeleting, SystemPodReady, Unwatched, Reported,
		Fact, LoadBegun, RolloutBegun, StatusDone, OldGone, Barrier, LoadEnded,
		DisruptionBegun, DisruptionUndone, ClusterWhole, Step, APIAnswered, WatchGap, RecorderLost}
}
