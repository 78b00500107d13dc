package dataplane

import (
	"context"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
	"rollcall/loadgen"
)

// Names of the facts.
const (
	elsewhere = "of 20 new connections to go to the pod that left"
	onItsOwn  = "of 20 requests over the connection from before to be answered by it"
)

// keptStream: a pod that has left the rules of every node keeps the connections that it has. ipvs gives its real server the
// weight 0 for as long as one is open, and removes it at once where none is (Kubernetes v1.36.3,
// pkg/proxy/ipvs/graceful_termination.go): both are out of the rules here.
func keptStream() harness.Scenario {
	app := fixtures.App{Replicas: 2, PreStopSleep: 20 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:       "kept-stream",
		Claim:    "a pod that has left every node's rules is sent no new connection, and keeps those it has while its hook sleeps",
		App:      app,
		Observed: true,
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			kept := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{MaxConnsPerHost: 1}}
			defer kept.CloseIdleConnections()
			by := harness.Must(loadgen.Ask(ctx, kept, steps.Outside))
			harness.Check(steps.Client.CoreV1().Pods(steps.Namespace).Delete(ctx, by.Pod, metav1.DeleteOptions{}))
			steps.Until(ctx, func(s observe.State) bool {
				for _, pods := range s.Rules {
					if slices.ContainsFunc(pods, func(p evidence.Server) bool { return p.Pod == by.Pod }) {
						return false
					}
				}
				return !slices.ContainsFunc(s.Endpoints, func(e observe.EndpointState) bool { return e.Pod == by.Pod && e.Ready })
			})
			seen := ask(ctx, steps, 20)
			steps.Note(elsewhere, seen.pods[by.Pod])
			steps.Note("new connections that failed", seen.refused+seen.timedOut+seen.other)
			same := 0
			for range 20 {
				if again, err := loadgen.Ask(ctx, kept, steps.Outside); err == nil && again.Pod == by.Pod {
					same++
				}
			}
			steps.Note(onItsOwn, same)
			harness.Check(context.Cause(ctx))
		},
		Expect: []evidence.Expectation{
			verdict.Fact(elsewhere, "0").ByClients().Decides("C37"),
			verdict.Fact("new connections that failed", "0").ByClients().Decides("C31"),
			verdict.Fact(onItsOwn, "20"),
		},
	}
}
