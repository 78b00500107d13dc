package advice

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

var noneAvailable = advice{
	code: verdict.Code{
		Code: "RC3002", ID: "none-available",
		Causes: "the workload's limits allow every pod to end before another is ready: maxUnavailable is as large as the number " +
			"of pods.",
		Do: "set maxUnavailable to 0 and maxSurge to 1 or more; give a StatefulSet, which has no maxSurge, 2 replicas. A " +
			"preStop sleep does not help.",
	},
	sentence: sayNoneAvailable,
	apply:    keepOne,
}

func sayNoneAvailable(a *advisedApp) string {
	none := a.seen[timeline.NoneServing]
	allowed := a.seen[timeline.RolledOut].Count > 0 && !a.own.Recreate && a.own.Unavailable >= max(1, a.own.Replicas)
	if !allowed || none.For == 0 || none.Count == 0 {
		return ""
	}
	all := "the only pod"
	if a.own.Replicas > 1 {
		all = "all " + phrase.Count(a.own.Replicas, "pod")
	}
	return fmt.Sprintf("Set maxUnavailable to 0, and maxSurge to 1 or more (a StatefulSet has no maxSurge: give it 2 replicas): the rollout may "+
		"take %s away before another is ready, and none was there for %s.", all, phrase.Duration(none.For))
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

var replicasNamed = advice{
	code: verdict.Code{
		Code: "RC3009", ID: "replicas-named",
		Causes: "a manifest with `replicas` resets the number with each apply.",
		Do: "remove `replicas` from the manifest if an autoscaler sets the number; not by `kubectl patch`, since an object " +
			"without it gets 1.",
	},
	sentence: sayReplicasNamed,
	apply:    leaveReplicas,
}

func sayReplicasNamed(a *advisedApp) string {
	if a.own.Autoscaled == "" || a.own.Replicas == 0 {
		return ""
	}
	return fmt.Sprintf("Leave replicas out of the manifest: the autoscaler %s sets them, and every apply sets them back to %d.",
		a.own.Autoscaled, a.own.Replicas)
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
	sentence: sayRecreates,
	apply:    rollInstead,
}

func sayRecreates(a *advisedApp) string {
	if !a.own.Recreate {
		return ""
	}
	return "The strategy Recreate ends every old pod before the first new one starts, and nobody answers meanwhile: use RollingUpdate unless two " +
		"versions must not run together."
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
	sentence: sayRolloutStuck,
	apply:    goFirst,
}

func sayRolloutStuck(a *advisedApp) string {
	stuck := a.seen[timeline.PodStuck]
	if stuck.Count == 0 {
		return ""
	}
	said := fmt.Sprintf("The rollout had not finished at the end, and waiting does not help while this holds: %s.",
		message.WithoutPreemption(stuck.Text))
	held := a.heldByOld()
	if held == "" {
		return said
	}
	said += fmt.Sprintf(" An old pod may have to go first, for the new one needs %s: set maxSurge to 0 and maxUnavailable to 1", held)
	if a.own.Replicas == 1 {
		said += ", or with one pod the strategy Recreate; either is an outage"
	}
	return said + "."
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

// onlyWithNone reports whether every request that failed was sent while no pod could answer: no drain helps then.
func (a *advisedApp) onlyWithNone() bool {
	n := a.seen[timeline.NoneServing].Count
	return n > 0 && n == a.s.Failed()
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
