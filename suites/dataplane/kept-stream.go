package dataplane

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// Lanes whose requests are sent when the pod has left every node's rules.
const (
	anew     = "over-new-connections"
	onItsOwn = "over-the-connection-from-before"
	perLane  = 20 // requests
)

// keptStream: a pod that has left the rules of every node keeps its connections. ipvs gives its real server the weight 0 for as
// long as one is open, and removes it at once if none is (Kubernetes v1.36.3, pkg/proxy/ipvs/graceful_termination.go): both count
// here as out of the rules.
func keptStream() harness.Scenario {
	app := fixtures.App{Replicas: 2, PreStopSleep: 20 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "kept-stream",
		Claim: "a pod that has left every node's rules is sent no new connection, and keeps those it has while its hook sleeps",
		App:   app,
		Kind: harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			kept := steps.Requests(onItsOwn, evidence.Reused, 2*time.Second)
			by := kept.Open(ctx)
			harness.Check(steps.Client.CoreV1().Pods(steps.Namespace).Delete(ctx, by.Pod, metav1.DeleteOptions{}))
			steps.Until(ctx, func(s observe.State) bool {
				for _, pods := range s.Rules {
					if slices.ContainsFunc(pods, func(p evidence.Server) bool { return p.Pod == by.Pod }) {
						return false
					}
				}
				return s.Deleted(by.Pod)
			})
			steps.Requests(anew, evidence.Fresh, synTimeout).Send(ctx, perLane)
			kept.Send(ctx, perLane)
		}},
		Expect: []evidence.Expectation{
			verdict.NotAnsweredByDeleted(anew).Decides("C37.terminating"),
			verdict.AllAnswered(anew),
			verdict.AnsweredByDeleted(onItsOwn, perLane), // all but the request that opened it
		},
	}
}
