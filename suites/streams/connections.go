package streams

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// longConnections: a connection that is cut goes to any pod in the rules, also to an old one that ends later. With three pods that are
// replaced one by one, and a step that takes longer than the drain, it is cut 1, 2 or 3 times with a chance of 18, 8 and 1 in 27: 1.37
// times on average. In the end the pods have 46, 35 and 20 % of the connections, the eldest most. If the drain takes longer than the whole
// rollout, all old pods have left the rules when the first one ends: each connection is cut once, and each pod gets a third.
//
// Two clients keep 40 WebSockets and 40 connections of HTTP/1.1, and each draws its pods by itself. Of these 80, 27 are cut again on
// average, and fewer than 13 once in 5,000 rollouts (binomial, n=80, p=1/3). One of three pods has more than half of them once in 400 if
// all are drawn alike, and less than 37 % once in 130 if they are skewed (multinomial, by a simulation). An even draw reaches 37 % as well,
// in 7 of 10: 80 connections show a skew by their cuts, and by their shares only 400 would.
func longConnections() []harness.Scenario {
	kept := func(id, claim string, ready, sleep, grace time.Duration, judged ...evidence.Expectation) harness.Scenario {
		app := fixtures.Drained()
		app.ReadyDelay, app.PreStopSleep, app.Linger, app.Grace = ready, sleep, time.Second, grace
		return harness.Update(harness.Scenario{ID: id, Claim: claim, App: app,
			Kind: harness.UnderLoad{Also: []string{evidence.WebSockets}}, Expect: judged})
	}
	return []harness.Scenario{
		// Old pods are deleted about 10 s after each other, the last one 20 s after the first, and nodes' rules follow in 3 s.
		kept("connections-even", "a drain longer than the whole rollout cuts each kept connection once, and no pod gets more than half of them",
			8*time.Second, 30*time.Second, time.Minute, verdict.MaxCuts(1), verdict.MaxConnectionShare(50)),
		// Old pods are deleted about 12 s after each other, and end 4 s after that.
		kept("connections-skewed", "a drain shorter than a step of the rollout cuts a third of all kept connections again, and the pods that are "+
			"ready first get most of them", 10*time.Second, 3*time.Second, fixtures.DefaultGrace, verdict.CutAgain(13),
			verdict.MinConnectionShare(37)),
	}
}
