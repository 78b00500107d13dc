package advice

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var unprobedPods = advice{
	code: verdict.Code{
		Code: "RC3003", ID: "unprobed-pods",
		Causes: "the container that answers has no readiness probe, so that a pod counts as ready as soon as the container runs.",
		Do:     "add one that succeeds when the app can answer.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Condition == timeline.ConditionStarting || c.Condition == timeline.ConditionNotAble
	},
	also:  true,
	says:  sayUnprobedPods,
	apply: probe,
	sign: &sign{
		certain: true, on: model.OnWorkload, says: lacksProbe,
		do:    "give the container a readiness probe that succeeds when it can answer",
		shown: "control/unprobed", twin: "rollout/drained-rolling-update",
	},
}

func sayUnprobedPods(a *advisedApp) (sign, remedy string) {
	if a.own.Probed {
		return "", ""
	}
	return "without a readiness probe, pods are sent requests as soon as their container runs", "give the pods a readiness probe"
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

var readyBeforeAble = advice{
	code: verdict.Code{
		Code: "RC3023", ID: "ready-before-able",
		Causes: "new pods were ready, and answered badly for a while: their readiness probe succeeds before the app has its configuration, its data " +
			"or its caches.",
		Do: "have the readiness probe request what clients request. minReadySeconds and a preStop sleep do not help: the pod gets requests meanwhile.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return a.own.Probed && c.Condition == timeline.ConditionNotAble && c.Stage != timeline.StageTLS && c.Recovered
	},
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("%s %s, which answered well later", phrase.Count(a.lost(), "request"), a.mended[0].Did()),
			"have the readiness probe request what clients request"
	},
	apply: probeAsClients,
	sign: &sign{
		on: model.OnWorkload, says: probesElsewhere,
		do: "request what clients do: is each pod able to answer once it is ready?",
	},
}

// probeAsClients has the readiness probe send what clients send, as often as before.
func probeAsClients(a *advisedApp, w workload) bool {
	c := w.answers(a)
	probe, has := c["readinessProbe"].(map[string]any)
	if !has || a.own.Request["httpGet"] == nil {
		return false
	}
	for _, handler := range []string{"exec", "grpc", "httpGet", "tcpSocket"} {
		delete(probe, handler)
	}
	probe["httpGet"] = deepCopy(a.own.Request)["httpGet"]
	return true
}

var newVersionFails = advice{
	code: verdict.Code{
		Code: "RC3024", ID: "new-version-fails",
		Causes: "pods of the new version were ready and answered no request well: the version is broken, or requests need what it does not have.",
		Do:     "roll back (kubectl rollout undo). A readiness probe that requests what clients request would have stopped the rollout.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Condition == timeline.ConditionNotAble && c.Stage != timeline.StageTLS && !c.Recovered
	},
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("%s %s, and none of these answered any well", phrase.Count(a.lost(), "request"), a.mended[0].Did()),
			"roll back, and have the readiness probe request what clients request, which stops such a rollout"
	},
	apply: probeAsClients,
}

var coldStart = advice{
	code: verdict.Code{
		Code: "RC3034", ID: "cold-start",
		Causes: "replies of new pods took much longer than those of old ones for a while after they were ready: caches, pools or compiled code were " +
			"not there yet.",
		Do: "have the app warm up before its readiness probe succeeds, or roll out in slower steps (minReadySeconds, maxSurge 1).",
	},
	says: func(a *advisedApp) (sign, remedy string) {
		cold := a.seen[timeline.ColdStart]
		if cold.Count == 0 {
			return "", ""
		}
		return fmt.Sprintf("new pods took up to %s for a reply in the first %s after they were ready, and no others did",
			phrase.Duration(cold.For), phrase.Duration(cold.Within)), "have the app warm up before it is ready, or roll out in slower steps"
	},
}

var killedStarting = advice{
	code: verdict.Code{
		Code: "RC3014", ID: "killed-starting",
		Causes: "containers need longer to start than their liveness or startup probe allows, so the kubelet restarts them before " +
			"they are ready. An app that does not start at all looks the same.",
		Do: "see with `kubectl logs --previous` whether the app only starts slowly; if so, add a startupProbe, or raise its " +
			"failureThreshold. Without one, initialDelaySeconds of the liveness probe has to cover the slowest start.",
	},
	says:  sayKilledStarting,
	apply: allowStart,
	sign: &sign{
		on: model.OnWorkload, says: hurriesStart,
		do: "roll it out: is it restarted before it is ready?",
	},
}

func sayKilledStarting(a *advisedApp) (sign, remedy string) {
	if n := a.seen[timeline.KilledByStartup].Count; n > 0 {
		return fmt.Sprintf("the startup probe had containers restarted %s", phrase.Count(n, "time")),
			"give the startup probe more time (failureThreshold times periodSeconds), if the app only starts slowly"
	}
	if a.seen[timeline.KilledStarting].Count == 0 || a.own.Startup { // the liveness probe begins once the startup probe succeeded
		return "", ""
	}
	return fmt.Sprintf("the liveness probe had containers restarted %s before their pods were ready",
		phrase.Count(a.seen[timeline.KilledStarting].Count, "time")), "give the pods a startup probe that lasts as long as they take to start"
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

func lacksProbe(r evidence.Reading) (says, field string) {
	if r.Service == "" || r.Probed {
		return "", ""
	}
	return fmt.Sprintf("without a readiness probe, Service %s sends each new pod requests as soon as its container runs: they are refused until the app listens",
		r.Service), inContainer(r.Answers, "")
}

func probesElsewhere(r evidence.Reading) (says, field string) {
	if r.Service == "" || r.Probes == "" {
		return "", ""
	}
	return fmt.Sprintf("the readiness probe asks %s, which may succeed before pods can answer what clients ask", r.Probes),
		inContainer(r.Answers, "readinessProbe")
}

func hurriesStart(r evidence.Reading) (says, field string) {
	if len(r.Hurried) == 0 {
		return "", ""
	}
	return fmt.Sprintf("the liveness probe of container %s also restarts one that is only slow to start, since there is no startup probe",
		strings.Join(r.Hurried, " and ")), inContainer(r.Hurried[0], "livenessProbe")
}

// inContainer returns the path of a field of a container; an empty field is the container itself.
func inContainer(name, field string) string {
	return strings.TrimSuffix("spec.template.spec.containers["+name+"]."+field, ".")
}
