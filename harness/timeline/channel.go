package timeline

import "example.com/rollcall/harness/evidence"

// A Channel is the gRPC channel that an RPC had, and what state that was in.
type Channel struct {
	Number int
	State  string           // when the RPC was sent, as gRPC names it
	Since  Elapsed          // how long it had been in that state
	States []evidence.Event // that state and those that it came into until the RPC was over
}

// channels are the channels of a lane, by number: the states of each, by time.
type channels map[int][]evidence.Event

// ChannelOf returns the channel of an RPC. It is not known in recordings of earlier builds.
func (t Timeline) ChannelOf(h Hit) (c Channel, known bool) {
	of := t.channels[h.Lane]
	if len(of) == 0 {
		return c, false
	}
	c.Number = int(h.Seq % uint64(len(of))) // RPCs use them in turn
	for _, e := range of[c.Number] {
		switch {
		case e.At <= h.Sent:
			c.State, c.Since, c.States, known = e.Detail, t.sent(h).Since(t.noted(e)), []evidence.Event{e}, true
		case known && e.At <= h.End():
			c.States = append(c.States, e)
		}
	}
	return c, known
}

func (t *Timeline) noteChannel(e evidence.Event) {
	if t.channels[e.Object] == nil {
		t.channels[e.Object] = channels{}
	}
	t.channels[e.Object][e.Count] = append(t.channels[e.Object][e.Count], e)
}
