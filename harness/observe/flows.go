package observe

import (
	"errors"
	"net/netip"
	"strconv"
	"time"

	"example.com/rollcall/harness/evidence"
)

// flowWords is the number of words for each connection in an observer's line: client, destination, pod and age.
const flowWords = 4

// parseFlows notes the connections in the words of a line that was written at a time. It returns false if it cannot parse them.
func (r *ruleReader) parseFlows(at time.Duration, words []string) bool {
	flows := make([]evidence.Flow, 0, len(words)/flowWords)
	for ; len(words) >= flowWords; words = words[flowWords:] {
		client, errClient := netip.ParseAddrPort(words[0])
		to, errTo := netip.ParseAddrPort(words[1])
		pod, errPod := netip.ParseAddrPort(words[2])
		age, errAge := strconv.Atoi(words[3]) // microseconds
		if errors.Join(errClient, errTo, errPod, errAge) != nil {
			return false
		}
		flows = append(flows, evidence.Flow{Node: r.node, Seq: r.flows, At: at - time.Duration(age)*time.Microsecond,
			Client: client.Addr().String(), Port: int(client.Port()), To: to.String(), Address: pod.String()})
		r.flows++
	}
	if len(words) > 0 {
		return false
	}
	r.tracker.flow(flows)
	return true
}

// flow hands on connections, each with the pod that last got its address.
func (t *ruleTracker) flow(flows []evidence.Flow) {
	t.change(func() {
		for i, f := range flows {
			if pod, err := netip.ParseAddrPort(f.Address); err == nil {
				flows[i].By = t.servers[pod.Addr().String()]
			}
			if f.Address != f.To { // otherwise it was tracked but not routed
				t.Routed[f.Client] = true
			}
		}
		t.sink.Flows(flows...)
	})
}
