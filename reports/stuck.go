package reports

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/timeline"
)

// heldFor has, for what a new pod waits for, what an old one may hold.
var heldFor = map[evidence.Lack]string{
	evidence.LacksPort:      "a port of the node",
	evidence.LacksOtherNode: "a node without another pod of the app",
	evidence.LacksVolume:    "the volume",
	evidence.LacksQuota:     "quota",
	evidence.LacksRoom:      "room on a node",
}

func rolloutStuck(a *advisedApp) string {
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

// heldByOld returns what a new pod waits for and an old one may hold for ever; empty if that is not so, or not known.
func (a *advisedApp) heldByOld() string {
	if !a.own.Watched || a.own.Unavailable > 0 { // the rollout's limits are not known, or already let an old pod go
		return ""
	}
	return heldFor[a.seen[timeline.PodStuck].Lacks]
}
