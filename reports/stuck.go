package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// holdings lists what an old pod may hold that a new one waits for, by words of the Event about the new one: of the scheduler's plugins
// nodeports, interpodaffinity, volumerestrictions and noderesources, the attach controller and the quota admission (v1.37).
var holdings = []struct{ sign, what string }{
	{"didn't have free ports", "a port of the node"},
	{"anti-affinity rules", "a node without another pod of the app"},
	{"ReadWriteOncePod", "the volume"},
	{"Volume is already", "the volume"},
	{"exceeded quota", "quota"},
	{"Insufficient ", "room on a node"},
}

// versionsOf returns the versions of the app's pods and ReplicaSets by name: Events of everything in the namespace are recorded.
func versionsOf(tl timeline.Timeline) map[string]string {
	of := map[string]string{}
	for _, e := range tl.Events {
		switch e.Kind {
		case evidence.PodCreated:
			of[e.By.Pod] = e.By.Version
		case evidence.ReplicaSetScaled: // it may have no pod yet
			of[e.Object] = e.Detail
		}
	}
	return of
}

// stuck returns the last Event by which, at the end, a pod could not be created, scheduled or given its volume or image; empty if there is
// none. The Event is about a pod of another version than the old one, its ReplicaSet, or the workload. A later Event that the same was done
// after all ends it, and so does a pod that is ready or no longer wanted. A pod of the old version that finds no node, as in a drain, has
// nothing to do with the rollout.
func stuck(tl timeline.Timeline, versions map[string]string, workload string) string {
	begun, _ := tl.Mark(evidence.RolloutBegun)
	lacks, over := map[string]string{}, map[string]bool{} // by object
	for _, e := range tl.Events {
		if e.At < begun {
			continue
		}
		pod := "Pod/" + e.By.Pod
		switch e.Kind {
		case evidence.PodCreated: // again, perhaps: a StatefulSet gives the same name
			over[pod] = false
		case evidence.PodReady, evidence.PodDeleting, evidence.PodGone:
			over[pod] = true
		case evidence.ReplicaSetScaled:
			if e.Count == 0 {
				delete(lacks, "ReplicaSet/"+e.Object)
			}
		case evidence.Reported:
			_, name, _ := strings.Cut(e.Object, "/")
			if version := versions[name]; e.Object != workload && (version == "" || version == tl.Old) {
				continue
			}
			switch reason, _, _ := strings.Cut(e.Detail, ":"); reason {
			case "FailedScheduling", "FailedAttachVolume", "FailedCreate":
				lacks[e.Object] = e.Detail
			case "Failed": // kubelets use it for more than images (pkg/kubelet/events/event.go, v1.37)
				if strings.Contains(e.Detail, "Failed to pull image") && strings.HasSuffix(e.Detail, ": not found") {
					lacks[e.Object] = e.Detail
				}
			case "Scheduled", "SuccessfulAttachVolume", "SuccessfulCreate", "Pulled":
				delete(lacks, e.Object)
			}
		}
	}
	for _, object := range slices.Sorted(maps.Keys(lacks)) {
		if !over[object] {
			return lacks[object]
		}
	}
	return ""
}

// workloadName returns the workload as Events name it, such as StatefulSet/web; empty if it is not known. It is there for StatefulSets and
// DaemonSets, which make their pods themselves.
func workloadName(own evidence.UserApp) string {
	object := unstructured.Unstructured{Object: own.Workload}
	if object.GetName() == "" {
		return ""
	}
	return object.GetKind() + "/" + object.GetName()
}

func rolloutStuck(a *advisedApp) string {
	if a.seen.stuck == "" {
		return ""
	}
	why, _, _ := strings.Cut(a.seen.stuck, ". ") // what preemption would do comes after it
	said := fmt.Sprintf("The rollout had not finished at the end, and waiting does not help while this holds: %s.",
		strings.TrimSuffix(why, "."))
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

// heldByOld returns what a new pod waits for and an old one may hold for ever; empty if that is not so, or not known.
func (a *advisedApp) heldByOld() string {
	why, _, _ := strings.Cut(a.seen.stuck, ". ")
	i := slices.IndexFunc(holdings, func(h struct{ sign, what string }) bool { return strings.Contains(why, h.sign) })
	if i < 0 || !a.own.Watched || a.own.Unavailable > 0 { // the rollout's limits are not known, or already let an old pod go
		return ""
	}
	return holdings[i].what
}
