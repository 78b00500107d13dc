package advice

import (
	"fmt"
	"net/http"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

var closedConnections = advice{
	code: verdict.Code{
		Code: "RC3011", ID: "closed-connections",
		Causes: "only clients that keep their connections lost requests: the app closed the connections in the middle of a " +
			"request.",
		Do: "after SIGTERM tell clients to go, by Connection: close, GOAWAY or a close frame with 1001, and keep serving until they are gone.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return c.Stage == timeline.StageDropped && ofEnding(c) && !c.OnNew() && !neverTold.mends(a, c)
	},
	says: sayClosedConnections,
}

func sayClosedConnections(a *advisedApp) (sign, remedy string) {
	return fmt.Sprintf("terminating pods closed kept connections in the middle of %s", phrase.Count(a.lost(), "request")),
		"have the app " + a.notice().do
}

var affinityPins = advice{
	code: verdict.Code{
		Code: "RC3012", ID: "affinity-pins",
		Causes: "sessionAffinity ClientIP sends every connection of a client to the same pod as before, even while that pod " +
			"terminates.",
		Do: "follow the other advice; without the affinity a client loses fewer requests at a time.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return unrouted(c) },
	says:  sayAffinityPins,
	sign: &sign{
		on: model.OnService, says: pinsClients,
		do: "roll it out: what do clients lose that keep trying the pod that ends?",
	},
}

func sayAffinityPins(a *advisedApp) (sign, remedy string) {
	if !a.own.Affinity {
		return "", ""
	}
	return "while a pod ends, all new connections of its clients fail (sessionAffinity ClientIP), not only a share of them",
		"follow the other advice; without the affinity each client loses less"
}

var idleClosed = advice{
	code: verdict.Code{
		Code: "RC3015", ID: "idle-closed",
		Causes: "the server closes an idle connection at about the time when a client sends the next request on it, so that the " +
			"close and the request cross. It happens at any time, also without a rollout.",
		Do: "make the server keep idle connections longer than clients do (node keepAliveTimeout, Go http.Server.IdleTimeout, " +
			"gunicorn keepalive), or clients for a shorter time.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return a.seen[timeline.IdleClosed].Count > 0 && c.Stage == timeline.StageDropped && c.Condition == timeline.ConditionReady && !c.OnNew()
	},
	says: sayIdleClosed,
}

func sayIdleClosed(a *advisedApp) (sign, remedy string) {
	closed := a.seen[timeline.IdleClosed]
	if closed.Count == 0 {
		return "", ""
	}
	return fmt.Sprintf("pods that were not ending closed %s, each idle for %.1f s, just as they were used again: the rollout is not the cause",
			phrase.Count(closed.Count, "connection"), closed.For.Seconds()),
		"have the app keep idle connections for longer than its clients do (keepAliveTimeout, IdleTimeout)"
}

var lostAllTheTime = advice{
	code: verdict.Code{
		Code: "RC3028", ID: "lost-all-the-time",
		Causes: "ready pods lost requests at one pace before, during and after what was done: workers that are recycled after a number of requests, " +
			"a crash now and then, an idle timeout.",
		Do: "look at the app itself, such as max_requests of its workers; no hook, probe or strategy of its rollout helps.",
	},
	mends: func(a *advisedApp, c timeline.Cause) bool {
		return c.Trigger == timeline.TriggerNothing && (a.seen[timeline.IdleClosed].Count == 0 || c.Stage != timeline.StageDropped)
	},
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("%s were lost at one pace before, during and after what was done: that is not the cause",
				phrase.Count(a.lost(), "request")),
			"look at the app itself, such as workers that are recycled after a number of requests (max_requests)"
	},
}

var queueFull = advice{
	code: verdict.Code{
		Code: "RC3027", ID: "too-few-pods",
		Causes: "pods were ready and accepted no connection in time, or answered that they were busy (503 or 429) while at most half as many were ready " +
			"as before: too few of them for the load, while others were away or at any time.",
		Do: "have more pods, let none be away while new ones start (maxUnavailable 0 and maxSurge), leave replicas out of the manifest where an " +
			"autoscaler sets them, or have the app accept faster.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Stage == timeline.StageQueueFull && !ofEnding(c) || c.Before > 0
	},
	says: func(a *advisedApp) (sign, remedy string) {
		if c := a.mended[0]; c.Before > 0 {
			return fmt.Sprintf("%s %s, when %d of %d pods were left", phrase.Count(a.lost(), "request"), c.Did(), c.Ready, c.Before),
				"let no pods be away at once for this load; where an autoscaler sets the replicas, leave them out of the manifest"
		}
		return fmt.Sprintf("%s waited in vain for a pod to accept them, so its queue was full", phrase.Count(a.lost(), "new connection")),
			"have more pods, or let none be away while new ones start: maxUnavailable 0 and maxSurge 1 or more"
	},
	apply: func(a *advisedApp, w workload) bool {
		return w["kind"] == "Deployment" && a.own.Unavailable > 0 && keepOne(a, w)
	},
}

var redirected = advice{
	code: verdict.Code{
		Code: "RC3035", ID: "redirected",
		Causes: "requests got a redirect (status 301 to 308), which is no good reply: it leads to another host or path, such as a page for logging in.",
		Do:     "name the path or the host that it leads to, or count the status as good: --good-status.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool {
		return c.Stage == timeline.StageStatus && c.Hits[0].Status >= http.StatusMultipleChoices && c.Hits[0].Status < http.StatusBadRequest
	},
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("%s %s: a redirect is no good reply", phrase.Count(a.lost(), "request"), a.mended[0].Did()),
			fmt.Sprintf("name the path or host that it leads to, or count it as good: --good-status=200-299,%d", a.mended[0].Hits[0].Status)
	},
}

func pinsClients(r evidence.Reading) (says, field string) {
	if r.Service == "" || !r.Affinity {
		return "", ""
	}
	return "sessionAffinity keeps a client that goes on trying at a pod that ends", "spec.sessionAffinity"
}
