package disruption

import (
	"fmt"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// tick is how much a cut of a known length may be longer or shorter than asked for, including the time of a reply: the kernel ends
// a cut at a tick of its clock, which takes 4 ms at most.
const tick = 5 * time.Millisecond

// cut: does Rollcall measure how long clients get no reply? No request fails if packets are dropped for less than a second, since
// TCP sends a SYN again after that.
func cut() (list []harness.Scenario) {
	for _, c := range []struct {
		id    string
		lasts time.Duration
	}{{"cut-short", 300 * time.Millisecond}, {"cut-medium", 3 * time.Second}, {"cut-long", 30 * time.Second}} {
		claim := fmt.Sprintf("clients on a node that drops their packets for %v get no reply over new connections for as long", c.lasts)
		list = append(list, steady(claim, drained(),
			disruption.Disruption{
				ID: c.id, Does: fmt.Sprintf("worker drops for %v what its clients send to the Service", c.lasts),
				Nodes: onWorker, Lasts: c.lasts, Do: disruption.RequestsDropped(disruption.Worker, c.lasts),
			},
			verdict.ReplyGap(c.lasts-tick, c.lasts+tick).On(evidence.Fresh).OnDisrupted(),
			verdict.NoFailures().OnOthers(),
			verdict.RecoversWithin(time.Second, evidence.DisruptionUndone)))
	}
	return list
}
