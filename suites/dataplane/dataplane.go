// Package dataplane asks to which pods a node sends new connections, and what happens to open ones. Expectations differ where the
// kube-proxy modes do.
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

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return append([]harness.Scenario{turns(), keptStream(), firstConnection()}, severalSlices()...)
}

// refused returns the faults of a connection that is refused at once. Where this host does not reach a node's address, the
// container engine's proxy is in between: it accepts a connection before it opens one to the node, and drops it if the node
// refuses. Whether the client sees a reset or an end depends on which of the two was quicker.
func refused() []evidence.Fault {
	return []evidence.Fault{evidence.Refused, evidence.Reset, evidence.Closed}
}

// Lanes of turns.
const (
	listening = "to-pods-that-listen"
	deaf      = "to-pods-of-which-one-does-not-listen"
	toNobody  = "to-no-ready-pod"
)

// synTimeout is longer than three SYNs take: a node refuses connections of one peer only once a second.
const synTimeout = 10 * time.Second

// turns: ipvs takes real servers exactly in turn (round robin); iptables and nftables choose one at random for each connection
// (Kubernetes v1.36.3, pkg/proxy/ipvs/proxier.go, defaultScheduler; pkg/proxy/iptables/proxier.go, statistic mode random). A pod
// that is listed but does not listen has its turn all the same. Where there is no pod, all modes refuse by ICMP, of which a node
// sends one peer six at once and then one a second (Linux, net/ipv4/inetpeer.c, XRLIM_BURST_FACTOR; sysctl icmp_ratelimit). Seen:
// of 12 requests in a row 6 were refused within 1 ms, and the others after 1.01 to 1.04 s, when their client had sent its SYN
// again; where the node had sent that peer others before, 2 of 5, and one was not refused within 2 s. Beside recordings whose own
// clients were refused by the node, 1 of 5 was not refused within 10 s.
func turns() harness.Scenario {
	app := fixtures.App{Replicas: 3, OnTerm: fixtures.Drain}
	silent, unready := app, app
	silent.StartDelay, silent.Unprobed = time.Hour, true
	unready.ReadyDelay = time.Hour
	return harness.Scenario{
		ID:      "turns",
		Profile: harness.Core,
		Claim: "new connections go to all ready endpoints, even one that does not listen, and to no unready one; " +
			"without ready pods they are refused",
		App:       app,
		Exclusive: true, // a node's limit of refusals per second is shared by all clients of this host
		Kind: harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Expose(ctx, app)
			deployments := steps.Client.AppsV1().Deployments(steps.Namespace)
			create := func(app fixtures.App, version string, replicas int32) {
				harness.Must(deployments.Create(ctx, app.Standalone(steps.Into, version, replicas), metav1.CreateOptions{}))
			}
			create(app, "v1", 0)
			create(silent, "v2", 0)
			create(unready, "v3", 1)
			steps.Until(ctx, func(s observe.State) bool { return listedUnready(s, "v3") })
			for _, step := range []struct {
				listening, silent int32
				requests          int
				lane              string
			}{{3, 0, 30, listening}, {2, 1, 30, deaf}, {0, 0, 5, toNobody}} {
				steps.Scale(ctx, app.StandaloneName("v1"), step.listening)
				steps.Scale(ctx, silent.StandaloneName("v2"), step.silent)
				steps.Until(ctx, func(s observe.State) bool {
					return s.ReachesEverywhere("v1", int(step.listening)) && s.ReachesEverywhere("v2", int(step.silent))
				})
				if step.listening > 0 && step.silent == 0 { // with a pod that does not listen, ipvs never gives several good replies in a row
					steps.Reach(ctx)
				}
				steps.Requests(step.lane, evidence.Fresh, synTimeout).Send(ctx, step.requests)
			}
		}},
		Expect: []evidence.Expectation{
			verdict.EqualTurns(listening, 3).In("ipvs"),
			verdict.EqualTurns(deaf, 3, refused()...).In("ipvs"),
			verdict.EvenTurns(listening, 3).Decides("C37.unready"),
			verdict.AnsweredBy(listening, "v1").Decides("C37.unready"), // not by the pod that listens and is not ready
			verdict.EvenTurns(deaf, 3, refused()...),
			verdict.AnsweredBy(deaf, "v1").Decides("C37.unready"),
			verdict.AllFail(toNobody, refused()...).Decides("C37.unready"),
		},
	}
}

// listedUnready reports whether a pod of a version is an endpoint that is not ready, while nothing ends the pod.
func listedUnready(s observe.State, version string) bool {
	return slices.ContainsFunc(s.Endpoints, func(e observe.EndpointState) bool { return e.Version == version && !e.Ready })
}

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

// untilAnswered is the lane that sends requests until there is a reply, once every node's rules route to the new Service's pods.
const untilAnswered = "until-the-first-reply"

// firstConnection: rules that route to a pod do not prove that connections from outside get there, since a node may write what
// these need besides, such as masquerading, later in the same sync. A reply proves it.
func firstConnection() harness.Scenario {
	app := fixtures.App{Replicas: 2, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:      "first-connection",
		Profile: harness.Core,
		Claim:   "a new Service answers a client outside the cluster within 10 s of its creation",
		App:     app,
		Kind: harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, app.Deployment(steps.Into, "v1"),
				metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == int(app.Replicas) })
			steps.Mark(evidence.RolloutBegun) // the Service's creation
			steps.Expose(ctx, app)
			steps.Until(ctx, func(s observe.State) bool { return s.ReachesEverywhere("v1", int(app.Replicas)) })
			for first := steps.Requests(untilAnswered, evidence.Fresh, time.Second); ; steps.Pause(ctx, 100*time.Millisecond) {
				if hit := first.Send(ctx, 1); !hit.Failed() {
					break
				}
			}
		}},
		Expect: []evidence.Expectation{
			verdict.AnsweredWithin(untilAnswered, 10*time.Second, evidence.RolloutBegun),
		},
	}
}
