package disruption

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// apiAway is the reason for distrust while the API server is away: it is unknown what a watch would have seen.
const apiAway = "watch-blind"

// apiServer: nodes route by the rules that they have. In a rollout, kubelets carry on with what they know, and everything else
// stands still.
func apiServer() []harness.Scenario {
	const away = 10 * time.Second
	expects := []string{apiAway}
	return []harness.Scenario{
		steady("an API server that is killed costs no request", drained(), disruption.Disruption{
			ID: "api-server-killed", Does: "the API server is killed, and its kubelet starts it again", Expects: expects, Lasts: 10 * time.Second,
			Do: disruption.Killed(disruption.ControlPlane, disruption.APIServer),
		}, verdict.NoFailures()),
		steady("without an API server no request fails", drained(), disruption.Disruption{
			ID: "api-server-away", Does: "the API server is away for 10 s", Expects: expects, Lasts: away + 30*time.Second,
			Do: disruption.Away(disruption.APIServer, away),
		}, verdict.NoFailures()),
		inRollout("a rollout during which the API server is away fails no request when old pods sleep for longer than kube-proxy takes to hear "+
			"of them", sleepsUntilHeard(), disruption.Disruption{
			ID: "api-server-away-in-rollout", Does: "the API server is away for 10 s in the middle of a rollout", Expects: expects,
			After: time.Second, Lasts: away + 60*time.Second, Do: disruption.Away(disruption.APIServer, away),
		}, verdict.NoFailures(), verdict.StepInRollout(disruption.APIServer), verdict.RulesBeforeSigterm()),
		steady("a node that does not reach the API server for 20 s fails no request", drained(), disruption.Disruption{
			ID: "api-server-cut-off", Does: "worker does not reach the API server for 20 s", Nodes: onWorker,
			Lasts: 20 * time.Second, Do: disruption.CutFromAPI(disruption.Worker, 20*time.Second),
		}, verdict.NoFailures()),
		// Only the kubelet notices. It restarts a container that ended for the first time without back-off: long before the API server is
		// back.
		steady("an app that is killed while the API server is away fails requests until its kubelet has started it again", drained(),
			disruption.Disruption{
				ID: "api-server-away-app-killed", Does: "an app on worker is killed while the API server is stopped for 8 s", Expects: expects,
				Lasts: 8 * time.Second, Do: disruption.Together(
					disruption.Stopped(disruption.ControlPlane, disruption.APIServer, 8*time.Second),
					disruption.Later(time.Second, disruption.AppKilled(disruption.Worker))),
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.RecoversWithin(followed, evidence.DisruptionUndone)),
	}
}

// sleepsUntilHeard is paced(), but replaces all its pods at once. The old ones sleep longer than a kube-proxy whose watch broke
// waits until it asks again, which is 60 s at most: 30 s, and as much jitter (client-go v0.37, tools/cache/reflector.go). The
// controller manager may be back sooner. Seen with a sleep of 5 s: it ended an old pod 26 s after the API server was back, and one
// node's kube-proxy learned of that 9 s later.
func sleepsUntilHeard() fixtures.App {
	app := paced()
	app.MaxSurge, app.PreStopSleep, app.Grace = new(intstr.FromString("100%")), 65*time.Second, 75*time.Second
	return app
}
