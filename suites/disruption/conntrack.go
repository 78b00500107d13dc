package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// conntrack: the packets of a connection that a node has forgotten are routed anew, to a pod that does not know the connection.
func conntrack() []harness.Scenario {
	return []harness.Scenario{
		steady("a node that forgets its connections loses those that are open, once, and none that is opened later",
			drained(), disruption.Disruption{
				ID: "conntrack-flushed", Does: "worker forgets every connection", Nodes: onWorker, Lasts: time.Second,
				Do: disruption.ConntrackFlushed(disruption.Worker),
			},
			verdict.DamageSeen().On(evidence.Reused).OnDisrupted(),
			verdict.NoFailures().OnOthers(),
			// a request may wait its 2 s on a connection that nobody knows
			verdict.RecoversWithin(3*time.Second, evidence.DisruptionBegun),
			// a connection that is being opened at that moment counts as open
			verdict.RecoversWithin(0, evidence.DisruptionUndone).On(evidence.Fresh)),
	}
}
