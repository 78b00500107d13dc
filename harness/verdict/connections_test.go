package verdict_test

import (
	"slices"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// numbered gives connections to the hits of lanes that keep them, and their rows: one ends where the next hit of its lane has another port
// or is not reused. Its end is by the fault of its last hit or, without one, by the server while it was idle.
func numbered(ev *recording) {
	ev.Connections = []evidence.Connection{}
	for _, lane := range ev.Run.Lanes {
		var c *evidence.Connection
		var number uint32
		port := uint16(0)
		for i := range ev.Hits {
			h := &ev.Hits[i]
			if h.Lane != lane.ID || !lane.Kind().KeepsAlive() || h.Fault == evidence.Refused && !h.Reused {
				continue
			}
			if c == nil || h.LocalPort != port || !h.Reused {
				if c != nil && c.End == evidence.EndOwn {
					c.Ended, c.End = h.Sent, evidence.EndFin
				}
				number++
				ev.Connections = append(ev.Connections, evidence.Connection{Lane: lane.ID, Number: number, Opened: h.Sent, Port: int(h.LocalPort)})
				c, port = &ev.Connections[len(ev.Connections)-1], h.LocalPort
			}
			h.Connection = number
			c.Sent++
			if h.Good() || h.Fault == evidence.BadStatus || h.Fault == evidence.WrongServer {
				if c.Answered++; c.Answered == 1 {
					c.By = h.By
				}
			}
			c.Ended = h.End()
			if c.End = endOf(h.Fault); c.End != evidence.EndOwn {
				c.InFlight = 1
			}
		}
	}
}

func endOf(fault evidence.Fault) evidence.End {
	switch fault {
	case evidence.Reset:
		return evidence.EndReset
	case evidence.Closed:
		return evidence.EndFin
	case evidence.Timeout:
		return evidence.EndTimeout
	default:
		return evidence.EndOwn
	}
}

// toldBy has connections told to go by their last reply.
func toldBy(numbers ...uint32) edit {
	return func(ev *recording) {
		for i := range ev.Connections {
			if c := &ev.Connections[i]; slices.Contains(numbers, c.Number) {
				c.Told, c.ToldBy, c.End = c.Ended, evidence.CloseHeader, evidence.EndOwn
			}
		}
	}
}

// returned has a server return a request.
func returned(seq uint64) edit {
	return func(ev *recording) {
		on("worker-reused", func(h *evidence.Hit) {
			h.Fault, h.Status, h.By = evidence.Returned, 0, evidence.Server{}
			ev.Connections[h.Connection-1].Answered--
		}, seq)(ev)
	}
}

// loggedTimes has pods log each request once, but one of the lane with kept connections so often.
func loggedTimes(seq uint64, times int) edit {
	return logged(func(h evidence.Hit) int {
		if h.Lane == "worker-reused" && h.Seq == seq {
			return times
		}
		return 1
	})
}

// reopened has the lane with kept connections open another one with each of these requests. The old pods end at 0.8 s and 1.2 s.
func reopened(seqs ...uint64) edit {
	return all(on("worker-reused", func(h *evidence.Hit) {
		h.LocalPort, h.Reused = 7, h.Seq > 0
		for _, seq := range seqs {
			if h.Seq >= seq {
				h.LocalPort++
			}
		}
		h.Reused = h.Seq > 0 && !slices.Contains(seqs, h.Seq)
	}), numbered)
}

func TestRulesAboutConnections(t *testing.T) {
	lost := func(seq uint64) edit { return breaking("worker-reused", evidence.Reset, seq) }
	slots := func(ev *recording) { // each connection after the first has a place of its own
		for i := range ev.Connections {
			ev.Connections[i].Slot = i
		}
	}
	kills := with(evidence.Event{At: 985 * ms, Kind: evidence.PodKilled, By: evidence.Server{Version: "v1", Pod: "b"}})
	held := func(ev *recording) { // none has ended when the load does
		for i := range ev.Connections {
			ev.Connections[i].End = evidence.EndOwn
		}
	}
	checkOutcomes(t, []outcomeRow{
		{"a connection is cut once", verdict.MaxCuts(1), reopened(99), verdict.Pass},
		{"it is cut twice", verdict.MaxCuts(1), reopened(99, 150), verdict.Fail},
		{"two are cut once", verdict.MaxCuts(1), all(reopened(99, 150), slots), verdict.Pass},
		{"it was cut before the rollout began", verdict.MaxCuts(0), reopened(20), verdict.Pass},
		{"its client closed it", verdict.MaxCuts(0), all(reopened(99), held), verdict.Pass},
		{"its client closed it since it was told to", verdict.MaxCuts(0), all(reopened(99), toldBy(1)), verdict.Fail},
		{"an agent was killed", verdict.MaxCuts(0), all(reopened(99), func(ev *recording) { ev.Connections[0].End = evidence.EndAgent }),
			verdict.Pass},
		{"an earlier build noted none", verdict.MaxCuts(0), func(ev *recording) { reopened(99)(ev); ev.Connections = nil; unnumber(ev) },
			verdict.Inconclusive},

		{"two connections in one place are cut", verdict.CutAgain(1), reopened(99, 150, 160), verdict.Pass},
		{"none is cut again", verdict.CutAgain(1), all(reopened(99, 150, 160), slots), verdict.Fail},
		{"two should have been cut again", verdict.CutAgain(2), reopened(99, 150, 160), verdict.Fail},

		{"each request is answered once", verdict.Ledger(), all(reopened(99), logged(nil)), verdict.Pass},
		{"one is lost", verdict.Ledger(), all(lost(98), reopened(99), logged(nil)), verdict.Pass},
		{"one is returned by a server that did not get it", verdict.Ledger(), all(reopened(99), returned(150), loggedTimes(150, 0)),
			verdict.Pass},
		{"one is returned though a pod got it", verdict.Ledger(), all(reopened(99), returned(150), loggedTimes(150, 1)), verdict.Fail},
		{"one arrives twice", verdict.Ledger(), all(reopened(99), loggedTimes(150, 2)), verdict.Fail},
		{"one is answered again", verdict.Ledger(), all(reopened(99), logged(nil), func(ev *recording) { ev.Connections[0].Again = 1 }),
			verdict.Fail},
		{"one is answered too late", verdict.Ledger(), all(reopened(99), logged(nil), func(ev *recording) { ev.Connections[0].Late = 1 }),
			verdict.Pass},
		{"what pods got was not recorded", verdict.Ledger(), reopened(99), verdict.Inconclusive},

		{"the client is told by its last reply", verdict.ToldBeforeEnd(), all(reopened(99), toldBy(1)), verdict.Pass},
		{"one of two clients is told", verdict.ToldBeforeEnd(), all(reopened(99, 150), toldBy(1)), verdict.Fail},
		{"the server closes it while it is idle", verdict.ToldBeforeEnd(), reopened(99), verdict.Fail},
		{"no connection is cut", verdict.ToldBeforeEnd(), reopened(), verdict.Inconclusive},

		{"the next connection is answered at once", verdict.BackWithin(5 * ms), reopened(99), verdict.Pass},
		{"it is answered later", verdict.BackWithin(30 * ms), all(lost(98), lost(99), lost(100), lost(101), reopened(99)), verdict.Fail},
		{"it is answered later, within what is allowed", verdict.BackWithin(50 * ms), all(lost(98), lost(99), lost(100), lost(101), reopened(99)),
			verdict.Pass},
		{"none comes to the end of the load", verdict.BackWithin(500 * ms), all(breaking("worker-reused", evidence.Reset, from(120, 199)...),
			reopened(121)), verdict.Fail},
		{"the load ends soon after", verdict.BackWithin(time.Second), all(breaking("worker-reused", evidence.Reset, from(120, 199)...),
			reopened(121)), verdict.Inconclusive},
		{"no connection ends", verdict.BackWithin(5 * ms), reopened(), verdict.Inconclusive},

		{"a connection ends when its pod is killed", verdict.EndedByKill(1), all(kills, lost(98), reopened(99)), verdict.Pass},
		{"fewer do than expected", verdict.EndedByKill(2), all(kills, lost(98), reopened(99)), verdict.Fail},
		{"its pod exits by itself", verdict.EndedByKill(1), all(lost(98), reopened(99)), verdict.Fail},
		{"it ends before its pod is killed", verdict.EndedByKill(1), all(kills, lost(90), reopened(91)), verdict.Fail},
		{"its client was told", verdict.EndedByKill(1), all(kills, reopened(99), toldBy(1)), verdict.Fail},
		{"none is cut", verdict.EndedByKill(1), all(kills, reopened()), verdict.Inconclusive},

		{"one pod has all connections", verdict.MaxConnectionShare(60), reopened(99), verdict.Fail},
		{"two pods have one each", verdict.MaxConnectionShare(60), all(reopened(99), held, slots), verdict.Pass},
		{"one has as many as expected", verdict.MinConnectionShare(60), reopened(99), verdict.Pass},
		{"two have one each, where one should have more", verdict.MinConnectionShare(60), all(reopened(99), held, slots), verdict.Fail},
		{"no connection is open when the load ends", verdict.MaxConnectionShare(60), all(lost(199), reopened(99)), verdict.Inconclusive},
		{"nor is one that was told to go", verdict.MinConnectionShare(60), all(reopened(99), toldBy(1, 2)), verdict.Inconclusive},
	})
}

// A request that reached no pod was to reach the one that its connection led to.
func TestCutsOfKeptConnections(t *testing.T) {
	unlogged := logged(func(h evidence.Hit) int {
		if h.Good() {
			return 1
		}
		return 0
	})
	cuts := asCut("fixed:250ms", 5).On(evidence.Reused)
	lost := all(bEnds, breaking("worker-reused", evidence.Reset, from(94, 98)...))
	checkOutcomes(t, []outcomeRow{
		{"requests were on their way when their pod ended", cuts, all(lost, reopened(99), unlogged), verdict.Pass},
		{"an earlier build did not note their connection", cuts, all(lost, unlogged), verdict.Fail},
		{"requests before were returned", cuts, all(lost, breaking("worker-reused", evidence.Returned, from(80, 89)...), reopened(99), unlogged),
			verdict.Pass},
		{"one before was lost", cuts, all(lost, breaking("worker-reused", evidence.Reset, 80), reopened(99), unlogged), verdict.Fail},
	})
}

// drawConnections draws the connections of the requests, and who is told to go.
func (d *drawing) drawConnections() {
	numbered(&d.recording)
	r := d.random("connections")
	told := []int{0, 50, 100, 100}[r.pick(4)]
	for i := range d.Connections {
		if c := &d.Connections[i]; r.chance(told) && c.Cut() {
			c.Told, c.ToldBy, c.End = c.Ended, evidence.CloseHeader, evidence.EndOwn
		}
	}
}

func drawConnectionRules(d *drawing) []evidence.Expectation {
	r := d.random("rules of connections")
	return []evidence.Expectation{
		verdict.MaxCuts(r.pick(3)), verdict.CutAgain(1 + r.pick(2)), verdict.Ledger(), verdict.ToldBeforeEnd(),
		verdict.BackWithin(r.lasts()), verdict.EndedByKill(1 + r.pick(2)),
		verdict.MaxConnectionShare(1 + r.pick(99)), verdict.MinConnectionShare(1 + r.pick(99)),
	}
}

// unnumber takes the numbers of connections from hits, as earlier builds did not have them.
func unnumber(ev *recording) {
	for i := range ev.Hits {
		ev.Hits[i].Connection = 0
	}
}
