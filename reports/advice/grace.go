package advice

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var graceTooShort = advice{
	code: verdict.Code{
		Code: "RC3008", ID: "grace-too-short",
		Causes: "terminationGracePeriodSeconds counts from the deletion, the preStop hook included, and is not longer than that: " +
			"the kubelet cuts the hook at its end, and kills the app 2 s later.",
		Do: "make it longer than the hook and the last requests take together.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return ofEnding(c) },
	also:  true,
	says:  sayGraceTooShort,
	apply: raiseGrace,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: outlastsGrace,
		do:    "make terminationGracePeriodSeconds longer than the hook and the last requests take together",
		shown: "case grace", twin: "case grace-longer",
	},
}

func sayGraceTooShort(a *advisedApp) (sign, remedy string) {
	const longer = "make terminationGracePeriodSeconds, %s, longer than the preStop %s and what the last requests take"
	switch {
	case a.seen[timeline.HookCutOff].Count > 0:
		return fmt.Sprintf("%s still ran when the grace period was over, and the app is killed %s later",
			phrase.Count(a.seen[timeline.HookCutOff].Count, "preStop hook"), leastGrace), fmt.Sprintf(longer, a.own.Grace, "hook")
	case a.own.PreStop == 0 || a.own.Grace > a.own.PreStop:
		return "", ""
	}
	return "the app is killed as soon as its preStop sleep is over", fmt.Sprintf(longer, a.own.Grace, "sleep of "+a.own.PreStop.String())
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

func outlastsGrace(r evidence.Reading) (says, field string) {
	if r.PreStop == 0 || r.Grace > r.PreStop {
		return "", ""
	}
	return fmt.Sprintf("the grace period of %v is over before the preStop sleep of %v is: the app is killed %v later, with the requests that it has",
		r.Grace, r.PreStop, leastGrace), "spec.template.spec.terminationGracePeriodSeconds"
}
