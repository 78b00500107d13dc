package streams

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// sharedConnections: requests of HTTP/2 share a connection, which stays with its pod until one of both ends it, long after every node's
// rules have left the pod out. A pod that says GOAWAY gets no more requests, and answers those that it has. One that exits loses these:
// with 3 s of preStop sleep the rules have followed before the first pod exits, so that each connection is cut about once, with a rate of
// 100 per second x 0.5 s = 50 requests in flight on each worker's lane, and 100 in all. At the lowest rate, of 6 per second, it is 6.
func sharedConnections() []harness.Scenario {
	return []harness.Scenario{
		shared("shared-goaway", "clients that share connections of HTTP/2 lose no request when pods say GOAWAY after every node's rules moved on",
			fixtures.App{OnTerm: fixtures.Drain, Linger: 2 * time.Second},
			verdict.NoFailures().OnKind(evidence.Sharing), verdict.ToldBeforeEnd().OnKind(evidence.Sharing),
			verdict.NoHiddenRetries().OnKind(evidence.Sharing)),
		shared("shared-no-goaway", "pods that exit without GOAWAY lose the requests in flight on shared connections of HTTP/2, and no others",
			fixtures.App{OnTerm: fixtures.Exit},
			verdict.CutAsPredicted(evidence.Fixed(sharedReply), exitSlack, leastCuts).OnKind(evidence.Sharing)),
	}
}

const (
	// sharedReply is how long a reply takes.
	sharedReply = 500 * time.Millisecond
	// exitSlack is how late a busy node may be to send a reply, or a client to send a request to a pod that has just exited.
	exitSlack = 200 * time.Millisecond
)

func shared(id, claim string, app fixtures.App, judged ...evidence.Expectation) harness.Scenario {
	app.Replicas, app.PreStopSleep, app.HandlerDelay, app.H2C = 3, 3*time.Second, sharedReply, true
	return harness.Update(harness.Scenario{
		ID: id, Claim: claim, App: app, Kind: harness.UnderLoad{Also: []string{evidence.Sharing}}, Expect: judged,
	})
}
