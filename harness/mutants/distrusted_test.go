package mutants

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// distrustMutants damage what was recorded of a rollout that lost nothing.
func distrustMutants() []recordedMutant {
	var mutants []recordedMutant
	failed := failing(lane, evidence.Timeout, time.Second, 1200*time.Millisecond)
	for _, m := range []struct {
		sentence string
		change   spoil
		cause    string
	}{
		{"a stage that failed", doubted(evidence.StageFailed), evidence.StageFailed},
		{"a rollout that did not end", doubted(evidence.NeverSettled), evidence.NeverSettled},
		{"a pod behind the Service that nobody rolled out", doubted(evidence.StrayEndpoint), evidence.StrayEndpoint},
		{"pods of another run", doubted(evidence.UncleanCluster), evidence.UncleanCluster},
		{"a node without kube-proxy", doubted(evidence.ProxyMissing), evidence.ProxyMissing},
		{"an agent that died", doubted(evidence.AgentLost), evidence.AgentLost},
		{"a run without lanes", func(r *recording) { r.Run.Lanes, r.Hits, r.Arrivals = nil, nil, nil }, "no-lanes"},
		{"a file that is damaged", func(r *recording) {
			r.Damage = []evidence.Damage{{File: evidence.HitsFile, Text: evidence.HitsFile + ": byte 7: it was cut off"}}
		}, "damaged-file"},
		{"a line of a pod's log that is lost", hit(lane, time.Second, func(r *recording, h *evidence.Hit) { r.arrivedAt(h) }), "contradiction"},
		{"an end of the load that nobody noted", dropped(evidence.LoadEnded, "", 0), "missing-mark"},
		{"a watch that was blind",
			noted(time.Second, event(evidence.Event{Kind: evidence.WatchGap, Detail: "the API server did not answer for 3.0 s"})),
			"watch-blind"},
		{"an observer that stopped", noted(time.Second, func(r *recording) evidence.Event {
			return evidence.Event{Kind: evidence.RecorderLost, Object: r.oldPod().Node, Detail: "it ended without writing its last line"}
		}), evidence.ObserverLost},
		{"a pod's log that was not read", noted(time.Second, func(r *recording) evidence.Event {
			return evidence.Event{Kind: evidence.RecorderLost, By: r.oldPod(), Detail: "it was rotated"}
		}), "pod-log-lost"},
		{"a request that failed when a node was not ready", all(failed, noted(time.Second, func(r *recording) evidence.Event {
			return evidence.Event{Kind: evidence.NodeUnready, Object: r.oldPod().Node}
		})), "node-unready"},
		{"a request that failed when a connection table was full",
			all(failed, each(evidence.NodeConntrack, "", 0, func(_ *recording, e *evidence.Event) { e.Count = 950 })), "full-conntrack"},
		{"a request that failed before anything changed",
			failing(lane, evidence.Timeout, -2*time.Second, -1900*time.Millisecond), "early-failures"},
		{"a request that failed without the Service", failing("worker-control", evidence.Timeout, time.Second, 1100*time.Millisecond),
			"control-failures"},
		{"a name that the host of a client could not resolve", failing(lane, evidence.Unresolved, time.Second, 1200*time.Millisecond),
			"host-fault"},
		{"a proxy that the load does not use", doubted(evidence.ProxyUnused), evidence.ProxyUnused},
		{"a lane without hits", hitsDropped(func(_ *recording, h evidence.Hit) bool { return h.Lane == lane }), "empty-lane"},
		{"a lane that sent less than asked", hitsDropped(func(_ *recording, h evidence.Hit) bool { return h.Lane == lane && h.Seq%10 == 9 }),
			"under-rate"},
		{"a lane that fell silent", hitsDropped(func(r *recording, h evidence.Hit) bool {
			return h.Lane == lane && h.Sent > r.at(evidence.LoadEnded)-7*time.Second
		}), "silent-agent"},
		{"a lane that was late", func(r *recording) {
			for i, h := range r.sent(lane, time.Second, 2*time.Second) {
				h.Due -= time.Duration(200+i) * time.Millisecond
			}
		}, "late-lane"},
		{"a request that was very late", hit(lane, 3*time.Second, func(_ *recording, h *evidence.Hit) { h.Due -= 1500 * time.Millisecond }),
			"stalled-lane"},
	} {
		mutants = append(mutants, recordedMutant{m.sentence, drainedRecorded, everything(), m.change, verdict.Inconclusive, m.cause, nil})
	}
	return append(mutants, recordedMutant{"good replies while no pod of a user's app is there", drainedRecorded, asking(verdict.NoFailures()),
		answeredByCache, verdict.Inconclusive, "answered-elsewhere", nil})
}

// answeredByCache makes replies of a lane name nobody, and ends all pods 2 s before the load does.
func answeredByCache(r *recording) {
	r.Run.UserApp = &evidence.UserApp{Watched: true}
	gone := r.at(evidence.LoadEnded) - 2*time.Second
	pods := map[string]evidence.Server{}
	for _, e := range r.Events {
		if e.By.Pod != "" {
			pods[e.By.Pod] = e.By
		}
	}
	for _, by := range pods {
		r.Events = append(r.Events, evidence.Event{At: gone - time.Second, Kind: evidence.PodDeleting, By: by},
			evidence.Event{At: gone, Kind: evidence.PodGone, By: by})
	}
	for i := range r.Hits {
		if h := &r.Hits[i]; h.Lane == lane {
			h.By = evidence.Server{}
		}
	}
}

// everything has the expectations for a rollout that lost nothing.
func everything() []evidence.Expectation {
	return slices.Concat(asking(verdict.FullRate(99), verdict.Serves("v1", "v2"), verdict.NoFailures(), verdict.NoHiddenRetries()),
		asking(verdict.MaxDrainLag(5*time.Second), verdict.MaxRuleLag(3*time.Second), verdict.RulesBeforeSigterm()))
}

// doubted adds a reason for distrust to a recording.
func doubted(id string) spoil {
	return run(func(run *evidence.Run) {
		run.Reasons = []evidence.Reason{{ID: id, Because: "so it was"}}
	})
}
