package verdict_test

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// What goes wrong with requests, beside those to pods that end.
const (
	nothingElse = iota
	someLost
	someTimeOut
	someOdd // late, slow, sent again, or answered by another app
)

// drawRequests draws the requests of each lane, one every 100 ms.
func (d *drawing) drawRequests() {
	r := d.random("requests")
	s := drawnSender{drawing: d, random: r, trouble: r.pick(4), follow: 80}
	if r.chance(20) {
		s.follow = 780
	}
	for i, lane := range d.Run.Lanes {
		s.lane, s.kept, s.port = lane, drawnPod{}, 1000*(i+1)
		for n := range (d.ended - 10 + 99) / 100 {
			s.send(uint64(n), 10+100*n)
		}
	}
	if r.chance(5) {
		d.Arrivals = nil
	}
}

// A drawnSender sends the requests of a lane.
type drawnSender struct {
	*drawing
	random
	trouble int
	follow  int // how long after a pod left the endpoints nodes still route to it, in ms
	lane    evidence.Lane
	kept    drawnPod // the pod at the other end of the connection that is kept
	port    int      // of that connection
}

func (s *drawnSender) send(seq uint64, at int) {
	due := time.Duration(at)*ms + s.offset[s.lane.Node]
	h := evidence.Hit{Lane: s.lane.ID, Seq: seq, Due: due, Sent: due, Took: s.at(1, 5), Connect: ms / 2, Status: 200, Attempts: 1}
	if s.trouble == someOdd && s.chance(1) {
		h.Sent += s.at(0, 300)
	}
	to := s.route(&h, at)
	h.By = to.Server
	arrived := s.fare(&h, at, to)
	if s.trouble == someOdd && s.chance(1) {
		h.Attempts = 2
	}
	s.Hits = append(s.Hits, h)
	if arrived {
		s.arrive(h, to.Server)
	}
}

// route returns the pod that a request is sent to; the zero pod if there is none.
func (s *drawnSender) route(h *evidence.Hit, at int) (to drawnPod) {
	can := slices.DeleteFunc(slices.Clone(s.pods), func(p drawnPod) bool { return at < p.ready || at > p.left+s.follow })
	if len(can) == 0 && s.chance(95) { // where none is ready, those that terminate serve on
		can = slices.DeleteFunc(slices.Clone(s.pods), func(p drawnPod) bool { return at < p.ready || at >= p.sigterm })
	}
	reuses := s.lane.Conn == evidence.Reused
	switch {
	case s.lane.Vantage == evidence.FromControl:
		to = drawnPod{Server: evidence.Server{Version: "v1", Pod: "control", Node: "worker2"}, exit: never, sigterm: never}
	case reuses && s.kept.Pod != "" && s.kept.exit > at:
		to, h.Reused = s.kept, true
	case len(can) > 0:
		to = can[s.pick(len(can))]
		if reuses {
			s.kept, s.port = to, s.port+1
		}
	}
	if reuses {
		h.LocalPort = uint16(s.port)
	}
	return to
}

// fare decides what becomes of a request, and reports whether it arrives.
func (s *drawnSender) fare(h *evidence.Hit, at int, to drawnPod) (arrived bool) {
	fail := func(faults ...evidence.Fault) {
		h.Fault, h.Status, h.By = faults[s.pick(len(faults))], 0, evidence.Server{}
	}
	toService := s.lane.Vantage != evidence.FromControl
	switch {
	case to.Pod == "":
		fail(evidence.Refused, evidence.Timeout)
		h.Took = 2 * time.Second * time.Duration(s.pick(2))
		return false
	case at >= to.exit:
		fail(evidence.Refused)
		return false
	case at >= to.sigterm && s.chance(30):
		fail(evidence.Reset, evidence.Closed, evidence.Refused)
		return s.chance(50)
	case s.trouble == someLost && toService && at > s.begun && s.chance(2):
		fail(evidence.Reset, evidence.Timeout, evidence.Refused)
		h.Took = s.at(0, 2200)
		return s.chance(50)
	case s.trouble == someTimeOut && s.chance(1):
		fail(evidence.Timeout)
		h.Took = 2 * time.Second
	case s.trouble == someOdd && s.chance(1):
		h.Took = s.at(0, 1800)
		if s.chance(50) {
			h.Connect, h.Resent = h.Took, 1
		}
	case s.trouble == someOdd && toService && s.chance(1):
		h.By = evidence.Server{Version: "v9", Pod: "stray"}
	}
	return true
}

// arrive adds the arrival of a request at the pod that it was sent to, or at who answered it; some arrive twice.
func (s *drawnSender) arrive(h evidence.Hit, by evidence.Server) {
	times := 1
	if s.lane.Vantage != evidence.FromControl {
		if !h.Failed() {
			by = h.By
		}
		times += s.pick(101) / 100
	}
	for range times {
		s.Arrivals = append(s.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent - s.offset[s.lane.Node] + s.offset[by.Node],
			By: by})
	}
}
