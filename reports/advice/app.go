package advice

import (
	"fmt"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

var closedConnections = advice{
	code: verdict.Code{
		Code: "RC3011", ID: "closed-connections",
		Causes: "only clients that keep their connections lost requests: the app closed the connections in the middle of a " +
			"request.",
		Do: "after SIGTERM answer with Connection: close, and keep serving until clients are gone.",
	},
	sentence: sayClosedConnections,
}

func sayClosedConnections(a *advisedApp) string {
	fresh, kept := 0, 0
	for _, lane := range a.s.Lanes {
		switch {
		case lane.Kind().IsControl():
		case lane.Kind().KeepsAlive():
			kept += lane.Failed()
		default:
			fresh += lane.Failed()
		}
	}
	if kept <= a.seen[timeline.CutByServing].Count || fresh > 0 || a.seen[timeline.GatewayErrors].Count > 0 {
		return ""
	}
	return fmt.Sprintf("Have the app answer with Connection: close from SIGTERM on, and go on serving for a while: only clients that keep their "+
		"connections lost requests, %d of them.", kept)
}

var affinityPins = advice{
	code: verdict.Code{
		Code: "RC3012", ID: "affinity-pins",
		Causes: "sessionAffinity ClientIP sends every connection of a client to the same pod as before, even while that pod " +
			"terminates.",
		Do: "follow the other advice; without the affinity a client loses fewer requests at a time.",
	},
	sentence: sayAffinityPins,
}

func sayAffinityPins(a *advisedApp) string {
	if !a.own.Affinity || a.seen[timeline.RefusedByEnding].Count == 0 {
		return ""
	}
	return "While a pod ends, all new connections of its clients fail (sessionAffinity ClientIP), not only a share of them."
}

var idleClosed = advice{
	code: verdict.Code{
		Code: "RC3015", ID: "idle-closed",
		Causes: "the server closes an idle connection at about the time when a client sends the next request on it, so that the " +
			"close and the request cross. It happens at any time, also without a rollout.",
		Do: "make the server keep idle connections longer than clients do (node keepAliveTimeout, Go http.Server.IdleTimeout, " +
			"gunicorn keepalive), or clients for a shorter time.",
	},
	sentence: sayIdleClosed,
}

func sayIdleClosed(a *advisedApp) string {
	closed := a.seen[timeline.IdleClosed]
	if closed.Count == 0 {
		return ""
	}
	return fmt.Sprintf("Have the app keep idle connections for longer than its clients do (keepAliveTimeout, IdleTimeout): pods that were not "+
		"ending closed %s, each idle for %.1f s, just as they were used again. The rollout is not the cause.",
		phrase.Count(closed.Count, "connection"), closed.For.Seconds())
}

var lostBehind = advice{
	code: verdict.Code{
		Code: "RC3017", ID: "lost-behind",
		Causes: "pods that stayed ready answered with status 502 to 504, or not at all, after pods of another workload in the " +
			"namespace began to terminate: the front, such as a proxy, sends requests to these, and they exited before it " +
			"knew.",
		Do: "give the pods behind the front a preStop sleep, longer than the front needs to stop using them; `rollcall during " +
			"--service` with their own Service measures how long nodes need. A drain of the front itself does not help.",
	},
	sentence: sayLostBehind,
}

func sayLostBehind(a *advisedApp) string {
	lost := a.seen[timeline.LostBehindServing]
	if lost.Count == 0 {
		return ""
	}
	return fmt.Sprintf("Give the pods behind this app a preStop sleep: ready pods answered %s with status 502 to 504 or not at all, after pod %s "+
		"beside them began to end.", phrase.Count(lost.Count, "request"), lost.Pod)
}
