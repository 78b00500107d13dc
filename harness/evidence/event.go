package evidence

import "time"

// An Event is one thing the cluster did, or one step of the scenario. At is when the recorder
// saw it.
type Event struct {
	At     time.Duration `json:"at"` // nanoseconds since Run.Began
	Kind   EventKind     `json:"kind"`
	By     Server        `json:"by,omitzero"`      // the pod concerned
	Object string        `json:"object,omitempty"` // ReplicaSet, slice or node concerned, where it is not a pod
	Count  int           `json:"count,omitempty"`  // new size, where the kind has one
	Detail string        `json:"detail,omitempty"`
}

// An EventKind names what happened. The set is closed: readers refuse an unknown kind.
type EventKind string

// Kinds about one pod, then about the workload, then the marks the harness sets itself.
const (
	PodCreated       EventKind = "pod-created"
	PodReady         EventKind = "pod-ready"
	PodUnready       EventKind = "pod-unready"
	PodDeleting      EventKind = "pod-deleting" // deletionTimestamp first seen
	PodGone          EventKind = "pod-gone"     // the object left the API
	EndpointReady    EventKind = "endpoint-ready"
	EndpointNotReady EventKind = "endpoint-not-ready" // still listed, not ready
	EndpointGone     EventKind = "endpoint-gone"

	ReplicaSetScaled EventKind = "replicaset-scaled"

	LoadBegun    EventKind = "load-begun"
	RolloutBegun EventKind = "rollout-begun" // the write that starts the rollout returned
	StatusDone   EventKind = "status-done"   // `kubectl rollout status` would have reported success
	OldGone      EventKind = "old-gone"      // the last pod of the old version left the API
	LoadEnded    EventKind = "load-ended"    // the pacers have stopped and no request is in flight
	WatchGap     EventKind = "watch-gap"     // the watch broke and began again; Detail is the error
	RecorderLost EventKind = "recorder-lost" // a recorder stopped before the end
)

// EventKinds lists every kind.
func EventKinds() []EventKind {
	return []EventKind{PodCreated, PodReady, PodUnready, PodDeleting, PodGone, EndpointReady, EndpointNotReady,
		EndpointGone, ReplicaSetScaled, LoadBegun, RolloutBegun, StatusDone, OldGone, LoadEnded, WatchGap, RecorderLost}
}
