package advice

import (
	"fmt"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

var unprobedPods = advice{
	code: verdict.Code{
		Code: "RC3003", ID: "unprobed-pods",
		Causes: "the container that answers has no readiness probe, so that a pod counts as ready as soon as the container runs.",
		Do:     "add one that succeeds when the app can answer.",
	},
	sentence: sayUnprobedPods,
	apply:    probe,
}

func sayUnprobedPods(a *advisedApp) string {
	if a.own.Probed {
		return ""
	}
	return "Give the pods a readiness probe: without one they are sent requests as soon as their container runs."
}

// probe adds a readiness probe with a short period, because a pod is unready until it succeeds once in a period (10 s by default).
func probe(a *advisedApp, w workload) bool {
	c := w.answers(a)
	if c == nil || a.own.Request == nil {
		return false
	}
	asks := deepCopy(a.own.Request)
	asks["periodSeconds"] = int64(1)
	c["readinessProbe"] = asks
	return true
}

var killedStarting = advice{
	code: verdict.Code{
		Code: "RC3014", ID: "killed-starting",
		Causes: "containers need longer to start than their liveness or startup probe allows, so the kubelet restarts them before " +
			"they are ready. An app that does not start at all looks the same.",
		Do: "see with `kubectl logs --previous` whether the app only starts slowly; if so, add a startupProbe, or raise its " +
			"failureThreshold. Without one, initialDelaySeconds of the liveness probe has to cover the slowest start.",
	},
	sentence: sayKilledStarting,
	apply:    allowStart,
}

func sayKilledStarting(a *advisedApp) string {
	if n := a.seen[timeline.KilledByStartup].Count; n > 0 {
		return fmt.Sprintf("Give the startup probe more time (failureThreshold times periodSeconds), if the app only starts slowly: it had "+
			"containers restarted %s.", phrase.Count(n, "time"))
	}
	if a.seen[timeline.KilledStarting].Count == 0 || a.own.Startup { // the liveness probe begins once the startup probe succeeded
		return ""
	}
	return fmt.Sprintf("Give the pods a startup probe that lasts as long as they take to start: the liveness probe had containers restarted %s "+
		"before their pods were ready.", phrase.Count(a.seen[timeline.KilledStarting].Count, "time"))
}

func allowStart(a *advisedApp, w workload) bool {
	c := w.answers(a)
	if startup, has := c["startupProbe"].(map[string]any); has {
		period, threshold := number(startup["periodSeconds"], 10), number(startup["failureThreshold"], 3) // core/v1 defaults.go
		startup["failureThreshold"] = max(2*threshold, (startWithin+period-1)/period)
		return true
	}
	liveness, has := c["livenessProbe"].(map[string]any)
	if !has {
		return false
	}
	startup := deepCopy(liveness)
	delete(startup, "initialDelaySeconds")
	startup["periodSeconds"], startup["failureThreshold"] = int64(1), int64(startWithin)
	c["startupProbe"] = startup
	return true
}

// startWithin is how long a start may take, in seconds: 30 times 10 s, as in Kubernetes' guide to probes for slow ones.
const startWithin = 300
