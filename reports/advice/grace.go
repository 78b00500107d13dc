package advice

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

var graceTooShort = advice{
	code: verdict.Code{
		Code: "RC3008", ID: "grace-too-short",
		Causes: "terminationGracePeriodSeconds counts from the deletion, the preStop hook included, and is not longer than that: " +
			"the kubelet cuts the hook at its end, and kills the app 2 s later.",
		Do: "make it longer than the hook and the last requests take together.",
	},
	sentence: sayGraceTooShort,
	apply:    raiseGrace,
}

func sayGraceTooShort(a *advisedApp) string {
	switch {
	case a.seen[timeline.HookCutOff].Count > 0:
		return fmt.Sprintf("Make terminationGracePeriodSeconds, %s, longer than the preStop hook and what the last requests take: %s still ran "+
			"when it was over, and the app is killed %s later.", a.own.Grace, phrase.Count(a.seen[timeline.HookCutOff].Count, "hook"), leastGrace)
	case a.own.PreStop == 0 || a.own.Grace > a.own.PreStop:
		return ""
	}
	return fmt.Sprintf("Make terminationGracePeriodSeconds, %s, longer than the preStop sleep of %s and what the last requests take: the app is "+
		"killed without it.", a.own.Grace, a.own.PreStop)
}

// raiseGrace makes the grace period longer than the sleep, and by defaultGrace longer again if hooks did not end in it: how long they take
// is not known.
func raiseGrace(a *advisedApp, w workload) bool {
	w.outlast()
	if a.seen[timeline.HookCutOff].Count > 0 {
		w.pod()["terminationGracePeriodSeconds"] = w.grace() + defaultGrace
	}
	return true
}

// leastGrace is the time that a kubelet gives the app after a hook, however long the hook ran (minimumGracePeriodInSeconds,
// pkg/kubelet/kuberuntime/kuberuntime_container.go, v1.37).
const leastGrace = 2 * time.Second
