package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var noneAvailable = advice{
	code: verdict.Code{
		Code: "RC3002", ID: "none-available",
		Causes: "the workload's limits allow every pod to end before another is ready: maxUnavailable is as large as the number " +
			"of pods.",
		Do: "set maxUnavailable to 0 and maxSurge to 1 or more; give a StatefulSet, which has no maxSurge, 2 replicas. A " +
			"preStop sleep does not help.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Stage == timeline.StageNoEndpoint && c.Trigger == timeline.TriggerRollout
	},
	says:  sayNoneAvailable,
	apply: keepOne,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: leavesNone,
		do:    "set maxUnavailable to 0 and maxSurge to 1 or more; give a StatefulSet, which has no maxSurge, 2 replicas",
		shown: "statusgap/stateful-set-of-one", twin: "rollout/drained-rolling-update",
	},
}

func sayNoneAvailable(a *advisedApp) (sign, remedy string) {
	if a.own.Recreate || a.own.Unavailable < max(1, a.own.Replicas) {
		return "", ""
	}
	return fmt.Sprintf("the rollout may take %s away before another is ready, and none was there for %s", allPods(a.own),
			phrase.Duration(a.seen[timeline.NoneServing].For)),
		"set maxUnavailable to 0, and maxSurge to 1 or more (a StatefulSet has no maxSurge: give it 2 replicas)"
}

func allPods(own evidence.UserApp) string {
	if own.Replicas > 1 {
		return "all " + phrase.Count(own.Replicas, "pod")
	}
	return "the only pod"
}

func keepOne(_ *advisedApp, w workload) bool {
	spec := mapAt(w, "spec")
	switch {
	case w["kind"] != "StatefulSet":
		limits := w.limits()
		limits["maxUnavailable"] = int64(0)
		if none(limits["maxSurge"]) { // both may not be 0 (pkg/apis/apps/validation, v1.37)
			limits["maxSurge"] = int64(1)
		}
	case number(spec["replicas"], 1) < 2:
		spec["replicas"] = int64(2)
	default:
		w.limits()["maxUnavailable"] = int64(1)
	}
	return true
}

var onlyPodMoved = advice{
	code: verdict.Code{
		Code: "RC3020", ID: "only-pod-moved",
		Causes: "the only pod was taken away, by a drain, an eviction or a deletion, and another was ready only later. Its ReplicaSet makes the next " +
			"pod at the deletion, and nodes send to a terminating pod as long as no other is ready (KEP-1669).",
		Do: "have a preStop hook that lasts longer than a pod takes to start, or 2 replicas. For a planned drain, cordon the node, restart the workload " +
			"(kubectl rollout restart), and drain then.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return (c.Stage == timeline.StageNoEndpoint || unrouted(c)) && slices.Contains(takenAway, c.Trigger)
	},
	says:  sayOnlyPodMoved,
	apply: sleepThroughStart,
	sign: &sign{
		drains: true, on: model.OnWorkload, says: movesTheOnlyPod,
		do: "drain its node under rollcall during: how long does another pod take to start?",
	},
}

// takenAway are the triggers that take a pod away without a rollout.
var takenAway = []timeline.Trigger{timeline.TriggerDrain, timeline.TriggerEviction, timeline.TriggerDeletion, timeline.TriggerNode}

func sayOnlyPodMoved(a *advisedApp) (sign, remedy string) {
	gap, start := a.seen[timeline.NoneServing].For, a.seen[timeline.SlowestStart].For
	if a.own.Replicas > 1 && !a.onePodSelected() || gap == 0 {
		return "", ""
	}
	if start == 0 || a.onePodSelected() {
		return fmt.Sprintf("the only pod behind the Service was taken away by %s, and none was there for %s", a.mended[0].Since.What,
			phrase.Duration(gap)), "lead clients to another pod before this one is deleted, or have 2 replicas"
	}
	return fmt.Sprintf("the only pod was taken away by %s, and none was there for %s, since another takes %s to start", a.mended[0].Since.What,
			phrase.Duration(gap), phrase.Duration(start)),
		fmt.Sprintf("have a preStop hook of %d s, longer than the start, or 2 replicas, or restart it elsewhere before a drain", a.startSeconds())
}

// onePodSelected reports whether the Service selects one of the workload's pods alone, as by a label that the active one has.
func (a *advisedApp) onePodSelected() bool { return a.own.Replicas > 1 && a.own.Selected == 1 }

// startSeconds returns a sleep that lasts longer than a pod takes to start, and the rules to follow.
func (a *advisedApp) startSeconds() int64 {
	return int64(math.Ceil(a.seen[timeline.SlowestStart].For.Seconds())) + int64(unmeasured)
}

func sleepThroughStart(a *advisedApp, w workload) bool {
	return a.seen[timeline.SlowestStart].For > 0 && !a.onePodSelected() && w.sleep(a.startSeconds())
}

var replicasNamed = advice{
	code: verdict.Code{
		Code: "RC3009", ID: "replicas-named",
		Causes: "a manifest with `replicas` resets the number with each apply.",
		Do: "remove `replicas` from the manifest if an autoscaler sets the number; not by `kubectl patch`, since an object " +
			"without it gets 1.",
	},
	says:  sayReplicasNamed,
	apply: leaveReplicas,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: namesReplicas,
		do:    "leave replicas out of the manifest",
		shown: "autoscale/reapply-under-load", twin: "autoscale/apply-without-replicas-under-load",
	},
}

func sayReplicasNamed(a *advisedApp) (sign, remedy string) {
	if a.own.Autoscaled == "" || a.own.Replicas == 0 {
		return "", ""
	}
	return fmt.Sprintf("the autoscaler %s sets the replicas, and every apply sets them back to %d", a.own.Autoscaled, a.own.Replicas),
		"leave replicas out of the manifest"
}

func leaveReplicas(_ *advisedApp, w workload) bool {
	delete(mapAt(w, "spec"), "replicas")
	return true
}

var recreates = advice{
	code: verdict.Code{
		Code: "RC3010", ID: "recreates",
		Causes: "the strategy Recreate ends every old pod before the first new one starts.",
		Do:     "use RollingUpdate, unless two versions must not run together.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Trigger == timeline.TriggerRollout && (c.Stage == timeline.StageNoEndpoint || ofEnding(c))
	},
	also:  true,
	says:  sayRecreates,
	apply: rollInstead,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: endsAllFirst,
		do:    "use RollingUpdate, unless two versions must not run together",
		shown: "statusgap/recreate", twin: "rollout/drained-rolling-update",
	},
}

func sayRecreates(a *advisedApp) (sign, remedy string) {
	if !a.own.Recreate {
		return "", ""
	}
	return "the strategy Recreate ends every old pod before the first new one starts, and nobody answers meanwhile",
		"use RollingUpdate unless two versions must not run together"
}

func rollInstead(_ *advisedApp, w workload) bool {
	mapAt(w, "spec", "strategy")["type"] = "RollingUpdate"
	return true
}

var rolloutStuck = advice{
	code: verdict.Code{
		Code: "RC3013", ID: "rollout-stuck",
		Causes: "a new pod cannot be created, scheduled or given its volume while the old ones are there: they hold a port of the " +
			"node, the volume, quota or room, or no node fits the pod (a taint, a selector), or its image does not exist. The " +
			"advice has the Event that says so.",
		Do: "let an old pod end first, by maxSurge 0 and maxUnavailable 1 (a DaemonSet for a port of each node, a StatefulSet " +
			"for a volume of each pod); otherwise make room, raise the quota, make a node fit the pod, or correct the name of " +
			"its image.",
	},
	says:  sayRolloutStuck,
	apply: goFirst,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: holdsWhatTheNextNeeds,
		do:    "set maxSurge to 0 and maxUnavailable to 1, so that an old pod goes first",
		shown: "case o6", twin: "case o6-first",
	},
}

func sayRolloutStuck(a *advisedApp) (sign, remedy string) {
	stuck := a.seen[timeline.PodStuck]
	if stuck.Count == 0 {
		return "", ""
	}
	sign = "the rollout had not finished at the end, and waiting does not help while this holds: " + message.WithoutPreemption(stuck.Text)
	held := a.heldByOld()
	if held == "" {
		return sign, "remove what stands in its way"
	}
	remedy = fmt.Sprintf("have an old pod go first, for the new one needs %s: set maxSurge to 0 and maxUnavailable to 1", held)
	if a.own.Replicas == 1 {
		remedy += ", or with one pod the strategy Recreate; either is an outage"
	}
	return sign, remedy
}

// goFirst has an old pod of a Deployment end before a new one starts; StatefulSets do so, and by default DaemonSets.
func goFirst(a *advisedApp, w workload) bool {
	if a.heldByOld() == "" || w["kind"] != "Deployment" {
		return false
	}
	limits := w.limits()
	limits["maxSurge"], limits["maxUnavailable"] = int64(0), int64(1)
	return true
}

// heldFor has, for what a new pod waits for, what an old one may hold.
var heldFor = map[evidence.Lack]string{
	message.LacksPort:      "a port of the node",
	message.LacksOtherNode: "a node without another pod of the app",
	message.LacksVolume:    "the volume",
	message.LacksQuota:     "quota",
	message.LacksRoom:      "room on a node",
}

// heldByOld returns what a new pod waits for and an old one may hold for ever; empty if that is not so, or not known.
func (a *advisedApp) heldByOld() string {
	if !a.own.Watched || a.own.Unavailable > 0 { // the rollout's limits are not known, or already let an old pod go
		return ""
	}
	return heldFor[a.seen[timeline.PodStuck].Lacks]
}

func leavesNone(r evidence.Reading) (says, field string) {
	if r.Service == "" || r.Recreate || r.OnDelete() || r.Kind == "DaemonSet" || r.Unavailable < max(1, r.Replicas) {
		return "", ""
	}
	if r.Kind == "StatefulSet" && r.Replicas <= 1 {
		return fmt.Sprintf("a rollout ends its only pod before it makes the next one: clients of Service %s are refused meanwhile", r.Service), "spec.replicas"
	}
	field = "spec.strategy.rollingUpdate.maxUnavailable"
	if r.Kind == "StatefulSet" {
		field = "spec.updateStrategy.rollingUpdate.maxUnavailable"
	}
	return fmt.Sprintf("a rollout may end %s before another is ready: clients of Service %s are refused meanwhile", allPods(r.UserApp),
		r.Service), field
}

func movesTheOnlyPod(r evidence.Reading) (says, field string) {
	if r.Service == "" || r.Replicas != 1 || r.Budget != "" || r.Kind == "DaemonSet" || len(r.Others)+len(r.Peers) > 0 {
		return "", ""
	}
	return "a drain takes the only pod away, and the next starts only then", "spec.replicas"
}

func namesReplicas(r evidence.Reading) (says, field string) {
	if r.Autoscaled == "" {
		return "", ""
	}
	return fmt.Sprintf("each apply sets its pods back to %d, whatever the autoscaler %s made them: clients lose what these few cannot serve",
		r.Replicas, r.Autoscaled), "spec.replicas"
}

func endsAllFirst(r evidence.Reading) (says, field string) {
	if r.Service == "" || !r.Recreate {
		return "", ""
	}
	return fmt.Sprintf("the strategy Recreate ends every old pod before the first new one starts: clients of Service %s are refused meanwhile", r.Service),
		"spec.strategy.type"
}

func holdsWhatTheNextNeeds(r evidence.Reading) (says, field string) {
	if r.Kind != "Deployment" || r.Recreate || r.Unavailable > 0 {
		return "", ""
	}
	switch {
	case len(r.HostPorts) > 0:
		return fmt.Sprintf("a new pod needs a node without an old one, since each takes port %s of its node: without a spare node a rollout never ends",
			strings.Join(r.HostPorts, " and ")), "spec.strategy.rollingUpdate"
	case len(r.Claims) > 0:
		return fmt.Sprintf("a new pod on another node waits for the volume of %s, which the old pod's node has: a rollout then never ends",
			strings.Join(r.Claims, " and ")), "spec.template.spec.volumes"
	default:
		return "", ""
	}
}
