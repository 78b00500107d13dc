package advice

import (
	"fmt"
	"time"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// needed returns advice on what ready pods lost since a change of something that they need.
func needed(since timeline.Trigger, remedy string, code verdict.Code) advice {
	return advice{
		code: code,
		mends: func(_ *advisedApp, c timeline.Cause) bool {
			return c.Trigger == since && (c.Stage == timeline.StageBehind || c.Stage == timeline.StageTimeout || c.Stage == timeline.StageStatus)
		},
		says: func(a *advisedApp) (sign, _ string) {
			return saidSince(a, a.mended[0]), remedy
		},
	}
}

// saidSince says what the requests that an advice would mend did, by one of their causes, and since when.
func saidSince(a *advisedApp, c timeline.Cause) string {
	return fmt.Sprintf("%s %s, %s", phrase.Count(a.lost(), "request"), c.Did(), verdict.Since(c))
}

var lostBehind = needed(timeline.TriggerOther,
	"give the pods behind this app a preStop sleep, and have it resolve their name again",
	verdict.Code{
		Code: "RC3017", ID: "lost-behind",
		Causes: "pods that stayed ready answered with status 502 to 504, or not at all, after pods of another workload in the " +
			"namespace began to terminate: the front, such as a proxy, sends requests to these, and they exited before it " +
			"knew, or it remembers their addresses.",
		Do: "give the pods behind the front a preStop sleep, longer than the front needs to stop using them; `rollcall during " +
			"--service` with their own Service measures how long nodes need. A drain of the front itself does not help. A front that " +
			"resolves a name once has to resolve it again.",
	})

// sentTo is how long nodes send queries to a pod of CoreDNS after its deletion, as long as rules take to follow anywhere in the suites:
// what is lost later is not lost for lack of a lameduck.
const sentTo = 3 * time.Second

var nameServiceRestarted = func() advice {
	a := needed(timeline.TriggerDNS, "give CoreDNS a lameduck of 5 s or more (health { lameduck 5s } in its Corefile)",
		verdict.Code{
			Code: "RC3030", ID: "name-service-restarted",
			Causes: "pods that stayed ready answered with status 502 to 504, or not at all, after a pod of CoreDNS ended: names were not resolved " +
				"for the time in which nodes still sent queries to it. One lost query is enough: a resolver asks again after 5 s (resolv.conf(5), " +
				"timeout), and one that shares lookups, as Go's does, has every request wait for it.",
			Do: "give CoreDNS a lameduck of 5 s or more (plugin health in its Corefile), which is its preStop sleep; no hook of the app helps. " +
				"Where it has one, a query may still be lost when CoreDNS exits: have the app's pods ask again sooner (dnsConfig, options timeout " +
				"and attempts).",
		})
	lameduck := a.says
	a.says = func(of *advisedApp) (sign, remedy string) {
		if sign, remedy = lameduck(of); of.mended[0].First() > of.mended[0].Since.At+sentTo {
			remedy = "have the pods ask again sooner: dnsConfig: {options: [{name: timeout, value: \"1\"}, {name: attempts, value: \"3\"}]}"
		}
		return sign, remedy
	}
	return a
}()

var proxyRestarted = advice{
	code: verdict.Code{
		Code: "RC3031", ID: "proxy-restarted",
		Causes: "requests were lost after kube-proxy was restarted on a node, perhaps in another mode: it removes the rules of the mode before when it " +
			"starts (platformCleanup in cmd/kube-proxy/app/server_linux.go, v1.37), and has not written its own then. In mode nftables, NodePorts " +
			"are not served on loopback addresses (KEP-3866).",
		Do: "change kube-proxy's mode node by node, each drained before, and have apps request Services by their names or cluster IPs, not a " +
			"NodePort on 127.0.0.1. No hook of the app helps.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Trigger == timeline.TriggerProxy },
	says: func(a *advisedApp) (sign, remedy string) {
		for _, c := range a.mended {
			if !c.Recovered {
				return saidSince(a, c), "have the app request Services by name or cluster IP: mode nftables serves no NodePort on 127.0.0.1"
			}
		}
		return saidSince(a, a.mended[0]), "change kube-proxy's mode node by node, each drained before: nodes are without rules meanwhile"
	},
}

var doorAnswered = advice{
	code: verdict.Code{
		Code: "RC3032", ID: "door-answered",
		Causes: "clients outside got a status from an Ingress, a gateway or a load balancer, which had no pod to ask.",
		Do:     "look at its log, and at how soon it follows the endpoints; a preStop sleep of the app has to cover that too.",
	},
	mends: func(_ *advisedApp, c timeline.Cause) bool { return c.Stage == timeline.StageDoor },
	says: func(a *advisedApp) (sign, remedy string) {
		return fmt.Sprintf("%s %s", phrase.Count(a.lost(), "request"), a.mended[0].Did()),
			"look at its log, and at how soon it follows the endpoints"
	},
}
