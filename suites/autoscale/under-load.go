package autoscale

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// Facts about the clients that keep the pods busy, and about what happens when they stop.
const (
	sentRequests   = "requests"
	failedRequests = "requests that failed"
	answeredBusy   = "pods that answered before the apply"
	answeredLeft   = "pods that answered while 1 was available"
	fewestSame     = "fewest available pods when the manifest names as many as there are"
	untilShrunk    = "from the end of the load to the autoscaler's minimum"
)

// Bounds of the autoscaler under load, which reaches the upper one.
const leastBusy, mostBusy = 1, 4

// underLoad is reapply-at-the-minimum with an autoscaler that has metrics. Clients keep the pods as busy as they can be; the
// applied manifest names 1 replica, as it did when there were few clients. The pod that is left, and then its successor, serves all
// of them until the autoscaler has looked and other pods have started; that takes less than half of its CPU limit. A few requests
// make the pods busy, since the cost of a request beyond its work depends on the machine: 100 a second of 1 ms each kept a pod in
// the lab at its limit, where it failed its readiness probes, and an autoscaler does not count pods that are not ready.
func underLoad() harness.Scenario {
	app := fixtures.App{Replicas: 1, BurnCPU: 10 * time.Millisecond, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second,
		OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID: "under-load",
		Claim: "applying a manifest that names 1 replica leaves 1 of the 4 pods that an autoscaler arrived at under load to answer every " +
			"client, until it has measured again; one that names 4 keeps them, until the load ends",
		App:            app,
		ClusterChanges: []cluster.Change{change.Metrics()},
		Kind: harness.InSteps{Lasts: 2 * time.Minute, Do: func(ctx context.Context, steps *harness.Steps) {
			keepBusy(ctx, steps, app)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v2:1"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, time.Minute),
			verdict.FactWithin("from the apply to the minimum again", 0, restores),
			verdict.Fact(failedRequests, "0"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C13.kills"),
			verdict.FactAtLeast(answeredBusy, mostBusy).ByClients(), // counted by the steps, and so deciding no claim
			verdict.Fact(answeredLeft, "1", "2").ByClients(),
			verdict.Fact(fewestSame, "3", "4").Counting(evidence.FewestAvailable),
			verdict.FactWithin(untilShrunk, 0, 2*time.Minute),
		},
	}
}

func keepBusy(ctx context.Context, steps *harness.Steps, app fixtures.App) {
	steps.Expose(ctx, app)
	clientSide(ctx, steps, app.Deployment(steps.Into, "v1"))
	steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", app.Replicas) })
	steps.Reach(ctx)
	began := time.Now()
	noLane := evidence.Lane{ID: "-", Vantage: evidence.FromHost, Conn: evidence.Fresh, Target: steps.Outside, Rate: 10} // not recorded
	clients := harness.Must(loadgen.Start(ctx, noLane, loadgen.Config{Began: began, Service: app.ResourceName()}))
	defer clients.Stop()
	autoscalers := steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace)
	autoscaler := harness.Must(autoscalers.Create(ctx, app.Autoscaler(steps.Into, leastBusy, mostBusy), metav1.CreateOptions{}))
	steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", mostBusy) })
	arrived := time.Now()
	steps.Note("from the autoscaler's creation to the most pods", arrived.Sub(began))
	// So many requests that each of the pods gets one, but for one run in a million.
	steps.Steadily(ctx, 10*time.Second, func(s observe.State) bool { return serves(s, "v1", mostBusy) })
	lookedAgain(ctx, steps)
	applied := time.Now()
	left := reapplied(ctx, steps, clientSide, app.Deployment(steps.Into, "v2"), mostBusy)
	sameSize(ctx, steps, app, mostBusy)
	clients.Stop()
	stopped, good := time.Now(), slices.DeleteFunc(clients.Hits(), evidence.Hit.Failed)
	steps.Note(sentRequests, len(clients.Hits()))
	steps.Note(failedRequests, len(clients.Hits())-len(good))
	steps.Note(answeredBusy, podsThatAnswered(good, arrived.Sub(began), applied.Sub(began)))
	// Until their rules have followed, nodes still route to the pods that are being deleted.
	steps.Note(answeredLeft, podsThatAnswered(good, left.from.Add(2*harness.UsualRuleLag).Sub(began), left.to.Sub(began)))
	withoutWindow(ctx, steps, autoscaler) // by default it would wait for 5 minutes: see shrink
	steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", leastBusy) })
	steps.Note(untilShrunk, time.Since(stopped))
}

// podsThatAnswered returns how many pods gave the good replies to requests sent from one moment to another.
func podsThatAnswered(good []evidence.Hit, from, to time.Duration) int {
	pods := map[string]bool{}
	for _, h := range good {
		if h.Sent >= from && h.Sent < to {
			pods[h.By.Pod] = true
		}
	}
	return len(pods)
}

// sameSize applies the manifest of v1 with as many replicas as there are, and notes how many pods stay available.
func sameSize(ctx context.Context, steps *harness.Steps, app fixtures.App, replicas int32) {
	app.Replicas = replicas
	clientSide(ctx, steps, app.Deployment(steps.Into, "v1"))
	fewest := int(replicas)
	defer func() { steps.Note(fewestSame, fewest) }()
	steps.Until(ctx, func(s observe.State) bool {
		fewest = min(fewest, available(s))
		return serves(s, "v1", replicas)
	})
}
