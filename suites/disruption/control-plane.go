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

// controllerManager: without it nothing changes, and a rollout stands still. In the twin a change happens that it would have to
// handle: a pod that ends stays in the endpoints.
func controllerManager() []harness.Scenario {
	const away = 10 * time.Second
	return []harness.Scenario{
		steady("without a controller manager no request fails", drained(), disruption.Disruption{
			ID: "controller-manager-away", Does: "the controller manager is away for 10 s", Lasts: away + 10*time.Second,
			Do: disruption.Away(disruption.ControllerManager, away),
		}, verdict.NoFailures()),
		inRollout("without a controller manager a rollout stands still and fails no request", paced(), disruption.Disruption{
			ID: "controller-manager-away-in-rollout", Does: "the controller manager is away for 20 s in the middle of a rollout",
			After: 3 * time.Second, Lasts: outlasting + 10*time.Second, Do: disruption.Away(disruption.ControllerManager, outlasting),
		}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.MaxActive(4), verdict.StepInRollout(disruption.ControllerManager),
			verdict.DoneAfter(evidence.DisruptionUndone)),
		// Stopped for less than the 10 s in which a leader has to renew its lease, it carries on afterwards as if nothing had happened.
		steady("a pod that ends while the controller manager is stopped costs requests, though it sleeps for 5 s and drains", drained(),
			disruption.Disruption{
				ID: "controller-manager-stopped-at-deletion", Does: "a pod is deleted while the controller manager is stopped for 9 s",
				Lasts: 9 * time.Second, Do: disruption.Together(
					disruption.Stopped(disruption.ControlPlane, disruption.ControllerManager, 9*time.Second),
					disruption.Later(time.Second, disruption.PodDeleted)),
			}, verdict.DamageSeen().On(evidence.Fresh)),
	}
}

// scheduler: without it new pods wait, and old ones still serve.
func scheduler() []harness.Scenario {
	return []harness.Scenario{
		inRollout("without a scheduler a rollout stands still and fails no request", paced(), disruption.Disruption{
			ID: "scheduler-away-in-rollout", Does: "the scheduler is away for 20 s in the middle of a rollout",
			After: time.Second, Lasts: outlasting + 10*time.Second, Do: disruption.Away(disruption.Scheduler, outlasting),
		}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.MaxActive(4), verdict.StepInRollout(disruption.Scheduler),
			verdict.DoneAfter(evidence.DisruptionUndone)),
	}
}

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
		inRollout("a rollout during which a node does not reach the API server fails requests of clients on that node: it sends to pods that have ended",
			atOnce(drained()), disruption.Disruption{
				ID: "api-server-cut-off-in-rollout", Does: "worker does not reach the API server for 20 s in a rollout",
				Nodes: onWorker, After: time.Second, Lasts: 20 * time.Second, Do: disruption.CutFromAPI(disruption.Worker, 20*time.Second),
			}, onlyOn(evidence.Fresh)...),
		inRollout("such a rollout fails none when old pods sleep for longer than the node is cut off", sleepsUntilHeard(), disruption.Disruption{
			ID: "api-server-cut-off-outlasted", Does: "worker does not reach the API server for 20 s in a rollout",
			Nodes: onWorker, After: time.Second, Lasts: 20 * time.Second, Do: disruption.CutFromAPI(disruption.Worker, 20*time.Second),
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
	app := atOnce(paced())
	app.PreStopSleep, app.Grace = 65*time.Second, 75*time.Second
	return app
}

// atOnce has all pods of an app replaced at once: those on a node that hears of nothing do not hold up the others.
func atOnce(app fixtures.App) fixtures.App {
	app.MaxSurge = new(intstr.FromString("100%"))
	return app
}

// etcd: without it the API server only answers lists, from its cache.
func etcd() []harness.Scenario {
	const stopped = 15 * time.Second
	return []harness.Scenario{
		steady("an etcd that is stopped costs no request", drained(), disruption.Disruption{
			ID: "etcd-stopped", Does: "etcd is stopped for 15 s", Expects: []string{apiAway}, Lasts: stopped,
			Do: disruption.Stopped(disruption.ControlPlane, disruption.Etcd, stopped),
		}, verdict.NoFailures()),
		inRollout("a rollout during which etcd is stopped fails no request", paced(), disruption.Disruption{
			ID: "etcd-stopped-in-rollout", Does: "etcd is stopped for 15 s in the middle of a rollout", Expects: []string{apiAway},
			After: 3 * time.Second, Lasts: stopped + 30*time.Second,
			Do: disruption.StoppedMarked(disruption.ControlPlane, disruption.Etcd, stopped),
		}, verdict.NoFailures(), verdict.StepInRollout(disruption.Etcd), verdict.DoneAfter(evidence.DisruptionUndone)),
	}
}
