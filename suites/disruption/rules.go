package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// rules: kube-proxy does not check whether its rules are still there. Open connections continue, through the node's connection
// tracking. Here a new kube-proxy brings the rules back.
func rules() []harness.Scenario {
	const lost = 8 * time.Second
	keepAlive := verdict.NoFailures().On(evidence.Reused)
	canary := steady("deleting the chains KUBE-PROXY-CANARY, by which kube-proxy notices that its rules were flushed, fails no request",
		drained(), disruption.Disruption{
			ID: "rules-canary", Does: "the chains KUBE-PROXY-CANARY of worker are deleted, and then kube-proxy is restarted", Nodes: onWorker,
			Lasts: 10 * time.Second, Do: disruption.RulesLost(disruption.Worker, disruption.Canary, lost),
		}, verdict.NoFailures())
	return []harness.Scenario{
		canary,
		steady("deleting all of kube-proxy's rules on a node fails new connections from there until the rules are back, and no other request",
			drained(), disruption.Disruption{
				ID: "rules-lost", Does: "every rule of kube-proxy's on worker is deleted for 8 s, and then kube-proxy is restarted", Nodes: onWorker,
				Lasts: lost, Do: disruption.RulesLost(disruption.Worker, disruption.AllRules, lost),
			}, append(onlyOn(evidence.Fresh), keepAlive,
				verdict.RecoversWithin(time.Second, evidence.DisruptionUndone))...),
		steady("deleting the rules of one Service on a node fails new connections to it from there until the rules are back, and no other request",
			drained(), disruption.Disruption{
				ID: "rules-of-service-lost", Does: "the rules of one Service are deleted on worker for 8 s, and then kube-proxy is restarted",
				Nodes: onWorker, Lasts: lost, Do: disruption.RulesLost(disruption.Worker, disruption.ServiceRules, lost),
			}, append(onlyOn(evidence.Fresh), keepAlive,
				verdict.RecoversWithin(time.Second, evidence.DisruptionUndone))...),
	}
}
