package streams

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

const (
	// messageTime is how long the app takes for a message.
	messageTime = 250 * time.Millisecond
	// backSoon bounds how long a client is without a reply after its connection ended. It opens the next one at once, or 100 ms later. A
	// message is due on each of a lane's 20 connections every 0.2 s at 100 a second, and every 2.5 s at 8; its reply takes 0.25 s.
	backSoon = 3 * time.Second
	// leastLost of the messages in flight. Each of the 40 connections of two clients is cut once at least, and at 100 messages a second in
	// 20 connections has 5 a second of 0.25 s each: 1.25 under way when it is cut, 50 in all. At a quarter of the rate these are 12, and
	// fewer than 5 once in 200 rollouts (Poisson).
	leastLost = 5
)

// webSockets: a WebSocket stays with its pod until that ends, and the server's Shutdown neither closes nor awaits it (net/http, Hijacker).
// So a program has to tell each client to go, and to answer before what it has read. A message that is on its way meanwhile is not read:
// the app names in its close frame how many messages it has read, and a client may send the others again.
func webSockets() []harness.Scenario {
	base := harness.Scenario{App: fixtures.Drained(), Kind: harness.UnderLoad{Also: []string{evidence.WebSockets}}}
	base.App.HandlerDelay = messageTime
	on := func(x evidence.Expectation) evidence.Expectation { return x.OnKind(evidence.WebSockets) }
	twins := base.Twins(
		harness.Twin{ID: "websocket-told",
			Claim: "no message over a WebSocket is lost when pods close each with 1001 after they answered what they had read",
			Expect: []evidence.Expectation{on(verdict.NoFailures()), on(verdict.Ledger()), on(verdict.ToldBeforeEnd()),
				on(verdict.BackWithin(backSoon)), on(verdict.MaxCuts(int(base.App.Replicas)))}},
		harness.Twin{ID: "websocket-cut", Claim: "messages over WebSockets are lost, and no client is told, when pods exit at SIGTERM",
			Change: func(s *harness.Scenario) { s.App.OnTerm, s.App.Linger = fixtures.Exit, 0 },
			Expect: []evidence.Expectation{on(verdict.LostTo(timeline.StageDropped).AtLeast(leastLost).Surely()), on(verdict.Ledger())}},
	)
	for i := range twins {
		twins[i] = harness.Update(twins[i])
	}
	return twins
}
